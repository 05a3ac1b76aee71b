//! Barrier group registers: settings, state, faults and counters of each barrier group.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `status`, `arrived`, `counts` | B x 14, B x N, B x 32 | to be read, see [`barrier_group`](crate::units::barrier::barrier_group) |
//! | `leaves` | B x N | fields `ports` of `barrier_leaves_low` and `_high` of each group, side by side |
//! | `enable`, `root`, `parent` | B, B, B x port bits | fields of `barrier_group` |
//! | `restart` | B | one of these is written in this cycle |
//!
//! State: the settings, and those in the data of the cycle before.
//!
//! The registers are arrays that lie in step, so that they share the number of the group.
//!
//! Registers: `barrier_leaves_low`, `barrier_leaves_high`, `barrier_group`, `barrier_status`, `barrier_arrived_low`, `barrier_arrived_high`,
//! `barrier_counts`.
//!
//! Source: switch reference, sections 9 and 11; `spec/src/registers/barrier.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::{Described, Description};
use super::port_mask::mask_fields;
use super::register_fields::{packed_bits, register_fields, RegisterFields};
use super::register_word::{register_array, RegisterWord};
use crate::rtl::prelude::*;
use crate::units::barrier::barrier_group::{COUNTS, COUNT_BITS, STATUS, STATUS_BITS};
use railyard_spec::registers::Access as Kind;
use railyard_spec::Shape;

/// The fields of `barrier_group`, side by side.
const SETTINGS: [(&str, usize); 3] = [("enable", 1), ("root", 1), ("parent", 1)];

/// The group of this name; see the head of this file.
#[block]
pub struct BarrierGroupRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub status: Vec<Sig<In>>,
    pub arrived: Vec<Sig<In>>,
    pub counts: Vec<Sig<In>>,
    pub leaves: Vec<Sig<Out>>,
    pub enable: Sig<Out>,
    pub root: Sig<Out>,
    pub parent: Vec<Sig<Out>>,
    pub restart: Sig<Out>,

    was_leaves: Reg,
    was_settings: Reg,
    leaves_value: Regs,
    settings_value: Regs,

    leaves_low_word: RegisterWord,
    leaves_high_word: Vec<RegisterWord>,
    group_word: RegisterWord,
    status_word: RegisterWord,
    arrived_low_word: RegisterWord,
    arrived_high_word: Vec<RegisterWord>,
    counts_word: RegisterWord,
    settings_fields: RegisterFields,
    status_fields: RegisterFields,
    counts_fields: RegisterFields,

    leaves_here: Sig<Local>,
    settings_here: Sig<Local>,
    status_here: Sig<Local>,
    arrived_here: Sig<Local>,
    counts_here: Sig<Local>,
    write_low: Sig<Local>,
    write_high: Vec<Sig<Local>>,
    write_settings: Sig<Local>,

    groups: Param,
    low_field: Field,
    high_field: Field,
    high_data_field: Field,
    enable_bit: Param,
    root_bit: Param,
    parent_field: Field,
    about: About,
}

/// The group, if the switch has it.
pub fn barrier_group_registers(shape: &Shape, description: &mut Description) -> Option<BarrierGroupRegisters> {
    let leaves_low = description.take("barrier_leaves_low", Kind::ReadWrite)?;
    let leaves_high = description.take("barrier_leaves_high", Kind::ReadWrite);
    let mut take = |name, kind| description.take(name, kind).expect("groups with leaves have settings and state");
    let settings = take("barrier_group", Kind::ReadWrite);
    let status = take("barrier_status", Kind::ReadOnly);
    let arrived_low = take("barrier_arrived_low", Kind::ReadOnly);
    let counts = take("barrier_counts", Kind::ReadOnly);
    let arrived_high = description.take("barrier_arrived_high", Kind::ReadOnly);

    let (n, groups, port_bits) = (shape.ports, leaves_low.count(), shape.port_bits as usize);
    let group_bits = clog2(groups.max(2));
    let step = 4 << group_bits;
    for register in [&leaves_low, &settings, &status, &arrived_low, &counts] {
        assert_eq!(register.address() % step, 0, "arrays that lie in step have the number of the group in common");
    }
    let settings_bits = packed_bits(&settings, &SETTINGS);
    assert_eq!(settings_bits, 2 + port_bits, "a parent is a port");
    let (low_field, high_field) = mask_fields(n);
    let (low_bits, high_bits) = (low_field.val().width, high_field.val().width);
    let high = |register: &Option<Described>| register.iter().map(register_array).collect::<Vec<_>>();
    Some(BarrierGroupRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        status: many(groups, || sig(STATUS_BITS).doc("state and faults of barrier group g")),
        arrived: many(groups, || sig(n).doc("its leaves that have arrived")),
        counts: many(groups, || sig(COUNT_BITS).doc("its counters")),
        leaves: many(groups, || sig(n).doc("leaves of barrier group g")),
        enable: sig(groups).doc("it takes part"),
        root: sig(groups).doc("this switch is its root"),
        parent: many(groups, || sig(port_bits).doc("port toward its root")),
        restart: sig(groups).doc("its settings are written"),
        was_leaves: reg_no_reset(low_bits).doc("data of the cycle before, as leaves"),
        was_settings: reg_no_reset(settings_bits).doc("the same as fields of barrier_group"),
        leaves_value: regs(groups, n, 0u8).doc("leaves of each barrier group"),
        settings_value: regs(groups, settings_bits, 0u8).doc("parent, root, enable of each barrier group"),
        leaves_low_word: register_array(&leaves_low),
        leaves_high_word: high(&leaves_high),
        group_word: register_array(&settings),
        status_word: register_array(&status),
        arrived_low_word: register_array(&arrived_low),
        arrived_high_word: high(&arrived_high),
        counts_word: register_array(&counts),
        settings_fields: register_fields(&settings, &SETTINGS),
        status_fields: register_fields(&status, &STATUS),
        counts_fields: register_fields(&counts, &COUNTS),
        leaves_here: sig(n).doc("leaves of the barrier group that the transfer is to"),
        settings_here: sig(settings_bits).doc("its parent, root, enable"),
        status_here: sig(STATUS_BITS).doc("its state and faults"),
        arrived_here: sig(n).doc("its leaves that have arrived"),
        counts_here: sig(COUNT_BITS).doc("its counters"),
        write_low: sig(groups).doc("the low leaves of group g are written"),
        write_high: many(usize::from(leaves_high.is_some()), || sig(groups).doc("its high leaves are")),
        write_settings: sig(groups).doc("its place in the tree is"),
        groups: param(groups),
        low_field,
        high_field,
        high_data_field: field(0, high_bits),
        enable_bit: param(0),
        root_bit: param(1),
        parent_field: field(2, port_bits),
        about: about("barrier_group_registers", "Registers of each barrier group: settings, state, faults, counters.")
            .param("groups", groups)
            .param("ports", n),
    })
}

#[kernel]
impl BarrierGroupRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.leaves_low_word.access);
        Access::link(&mut self.access, &mut self.group_word.access);
        Access::link(&mut self.access, &mut self.status_word.access);
        Access::link(&mut self.access, &mut self.arrived_low_word.access);
        Access::link(&mut self.access, &mut self.counts_word.access);

        // Setup.
        self.leaves_here.next = 0.into();
        self.settings_here.next = 0.into();
        self.status_here.next = 0.into();
        self.arrived_here.next = 0.into();
        self.counts_here.next = 0.into();
        for g in 0..self.groups.val() {
            if self.leaves_low_word.index[0].val() == g {
                self.leaves_here.next = self.leaves_here.val() | self.leaves_value.q[g].val();
                self.settings_here.next = self.settings_here.val() | self.settings_value.q[g].val();
                self.status_here.next = self.status_here.val() | self.status[g].val();
                self.arrived_here.next = self.arrived_here.val() | self.arrived[g].val();
                self.counts_here.next = self.counts_here.val() | self.counts[g].val();
            }
        }
        self.settings_fields.data.next = self.access.data.val();
        self.settings_fields.setting.next = self.settings_here.val();
        self.status_fields.data.next = 0.into();
        self.status_fields.setting.next = self.status_here.val();
        self.counts_fields.data.next = 0.into();
        self.counts_fields.setting.next = self.counts_here.val();
        self.was_leaves.d.next = unsigned_cast(self.access.data.val());
        self.was_settings.d.next = self.settings_fields.asked.val();

        self.answer.known.next = self.leaves_low_word.selected.val()
            | self.group_word.selected.val()
            | self.status_word.selected.val()
            | self.arrived_low_word.selected.val()
            | self.counts_word.selected.val();
        self.answer.fits.next =
            self.leaves_low_word.fits.val() | (self.group_word.selected.val() & self.settings_fields.legal.val());
        self.answer.value.next = 0.into();
        if self.leaves_low_word.selected.val() {
            self.answer.value.next = unsigned_cast(self.leaves_here.val() >> self.low_field.val());
        }
        if self.group_word.selected.val() {
            self.answer.value.next = self.settings_fields.value.val();
        }
        if self.status_word.selected.val() {
            self.answer.value.next = self.status_fields.value.val();
        }
        if self.arrived_low_word.selected.val() {
            self.answer.value.next = unsigned_cast(self.arrived_here.val() >> self.low_field.val());
        }
        if self.counts_word.selected.val() {
            self.answer.value.next = self.counts_fields.value.val();
        }

        // Access.
        self.write_low.next = 0.into();
        self.write_settings.next = 0.into();
        for g in 0..self.groups.val() {
            self.write_low.next = self.write_low.val().replace_bit(
                g,
                self.leaves_low_word.writing.val() & (self.leaves_low_word.writing_index[0].val() == g),
            );
            self.write_settings.next = self
                .write_settings
                .val()
                .replace_bit(g, self.group_word.writing.val() & (self.group_word.writing_index[0].val() == g));
            if self.write_low.val().get_bit(g) {
                self.leaves_value.d[g].next =
                    self.leaves_value.q[g].val().replace_bit(self.low_field.val(), self.was_leaves.q.val());
            }
            if self.write_settings.val().get_bit(g) {
                self.settings_value.d[g].next = self.was_settings.q.val();
            }
        }
        self.restart.next = self.write_low.val() | self.write_settings.val();

        // Ports from 32 on.
        for h in 0..self.leaves_high_word.len() {
            Access::link(&mut self.access, &mut self.leaves_high_word[h].access);
            Access::link(&mut self.access, &mut self.arrived_high_word[h].access);
            if self.leaves_high_word[h].selected.val() {
                self.answer.known.next = true;
                self.answer.fits.next = self.leaves_high_word[h].fits.val();
                self.answer.value.next = unsigned_cast(self.leaves_here.val() >> self.high_field.val());
            }
            if self.arrived_high_word[h].selected.val() {
                self.answer.known.next = true;
                self.answer.value.next = unsigned_cast(self.arrived_here.val() >> self.high_field.val());
            }
            self.write_high[h].next = 0.into();
            for g in 0..self.groups.val() {
                self.write_high[h].next = self.write_high[h].val().replace_bit(
                    g,
                    self.leaves_high_word[h].writing.val() & (self.leaves_high_word[h].writing_index[0].val() == g),
                );
                if self.write_high[h].val().get_bit(g) {
                    self.leaves_value.d[g].next = self.leaves_value.q[g]
                        .val()
                        .replace_bit(self.high_field.val(), self.was_leaves.q.val() >> self.high_data_field.val());
                }
            }
            self.restart.next = self.write_low.val() | self.write_settings.val() | self.write_high[h].val();
        }

        // Settings.
        self.enable.next = 0.into();
        self.root.next = 0.into();
        for g in 0..self.groups.val() {
            self.leaves[g].next = self.leaves_value.q[g].val();
            self.enable.next =
                self.enable.val().replace_bit(g, self.settings_value.q[g].val().get_bit(self.enable_bit.val()));
            self.root.next =
                self.root.val().replace_bit(g, self.settings_value.q[g].val().get_bit(self.root_bit.val()));
            self.parent[g].next = self.settings_value.q[g].val() >> self.parent_field.val();
        }
    }
}
