//! Port map registers: what a packet's key says of its way on.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `port_map` | 2^key bits x (route bits + 1) | {valid, [`route`](crate::units::route::layout)} of each key |
//!
//! State: the entries, and the entry in the data of the cycle before.
//!
//! Registers: `map`.
//!
//! Source: switch reference, sections 4.6 and 9; `spec/src/registers.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::Description;
use super::register_word::{register_array, RegisterWord};
use crate::rtl::prelude::*;
use crate::units::route::layout::route_layout;
use railyard_spec::registers::Access as Kind;
use railyard_spec::Shape;

/// The group of this name; see the head of this file.
#[block]
pub struct PortMapRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub port_map: Vec<Sig<Out>>,

    was_entry: Reg,
    entry: Regs,

    map_word: RegisterWord,

    asked: Sig<Local>,
    addressed: Sig<Local>,

    entry_port: Field,
    entry_vc: Field,
    entry_vc_set: Param,
    entry_group: Field,
    entry_group_set: Param,
    entry_valid: Param,
    port_field: Field,
    port_whole_field: Field,
    vc_field: Field,
    vc_whole_field: Field,
    vc_set_bit: Param,
    group_field: Field,
    group_whole_field: Field,
    group_set_bit: Param,
    valid_bit: Param,
    entries: Param,
    ports: Param,
    vcs: Param,
    groups: Param,
    with_vc: Param,
    with_group: Param,
    vc_checks: Param,
    group_checks: Param,
    about: About,
}

/// What a route can name besides a port, in the map: its place and limit there, and its width in a route.
struct Part {
    built: bool,
    low: usize,
    bits: usize,
    whole_bits: usize,
    limit: usize,
    set_bit: usize,
}

/// The group, if the switch has it.
pub fn port_map_registers(shape: &Shape, description: &mut Description) -> Option<PortMapRegisters> {
    let map = description.take("map", Kind::ReadWrite)?;
    // A VC's number is as wide as the pins have it, where the barrier VC counts.
    let part = |built: bool, name, set, least_bits: u32| {
        if !built {
            return Part { built, low: 0, bits: 1, whole_bits: 1, limit: 2, set_bit: 0 };
        }
        let ((low, whole_bits), limit) = (map.place(name), map.limit(name));
        Part { built, low, bits: clog2(limit).max(least_bits as usize), whole_bits, limit, set_bit: map.place(set).0 }
    };
    let (vc, group) = (
        part(shape.next_vc, "vc", "vc_set", shape.vc_bits),
        part(shape.link_aggregation.is_some(), "group", "group_set", 1),
    );
    let ((port_low, port_whole_bits), ports) = (map.place("port"), map.limit("port"));
    let (layout, port_bits, entries) = (route_layout(shape), shape.port_bits as usize, map.count());
    let doc = |docs: [&'static str; 3]| docs[if group.built { 2 } else { usize::from(vc.built) }];
    let entry_bits = layout.bits + 1;
    let checks = |part: &Part| usize::from(part.built && part.limit < 1 << part.whole_bits);
    Some(PortMapRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        port_map: many(entries, || sig(entry_bits).doc("entry of each key")),
        was_entry: reg_no_reset(entry_bits).doc("entry in the data of the cycle before"),
        entry: regs(entries, entry_bits, 0u32).doc(doc([
            "{valid, port} of each key",
            "{valid, vc_set, vc, port} of each key",
            "{valid, route} of each key",
        ])),
        map_word: register_array(&map),
        asked: sig(entry_bits).doc("entry in the data"),
        addressed: sig(entry_bits).doc("entry that the transfer is to"),
        entry_port: field(layout.port, port_bits),
        entry_vc: field(layout.vc, vc.bits),
        entry_vc_set: param(layout.vc_set),
        entry_group: field(layout.group, group.bits),
        entry_group_set: param(layout.group_set),
        entry_valid: param(layout.bits),
        port_field: field(port_low, port_bits),
        port_whole_field: field(port_low, port_whole_bits),
        vc_field: field(vc.low, vc.bits),
        vc_whole_field: field(vc.low, vc.whole_bits),
        vc_set_bit: param(vc.set_bit),
        group_field: field(group.low, group.bits),
        group_whole_field: field(group.low, group.whole_bits),
        group_set_bit: param(group.set_bit),
        valid_bit: param(map.place("valid").0),
        entries: param(entries),
        ports: param(ports),
        vcs: param(vc.limit),
        groups: param(group.limit),
        with_vc: param(usize::from(vc.built)),
        with_group: param(usize::from(group.built)),
        vc_checks: param(checks(&vc)),
        group_checks: param(checks(&group)),
        about: about("port_map_registers", "Registers of the port map: the way on of each key.")
            .param("entries", entries)
            .param("ports", ports),
    })
}

#[kernel]
impl PortMapRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.map_word.access);

        // Setup: the entry in the data, and the one that the transfer is to.
        self.addressed.next = self.entry.q[self.map_word.index[0].val()].val();
        self.asked.next = 0.into();
        self.asked.next =
            self.asked.val().replace_bit(self.entry_port.val(), self.access.data.val() >> self.port_field.val());
        self.asked.next =
            self.asked.val().replace_bit(self.entry_valid.val(), self.access.data.val().get_bit(self.valid_bit.val()));
        self.answer.known.next = self.map_word.selected.val();
        self.answer.fits.next =
            self.map_word.fits.val() & ((self.access.data.val() >> self.port_whole_field.val()) < self.ports.val());
        self.answer.value.next = 0.into();
        if self.map_word.selected.val() {
            self.answer.value.next = self
                .answer
                .value
                .val()
                .replace_bit(self.port_field.val(), self.addressed.val() >> self.entry_port.val());
            self.answer.value.next = self
                .answer
                .value
                .val()
                .replace_bit(self.valid_bit.val(), self.addressed.val().get_bit(self.entry_valid.val()));
        }
        for _vc in 0..self.with_vc.val() {
            self.asked.next =
                self.asked.val().replace_bit(self.entry_vc.val(), self.access.data.val() >> self.vc_field.val());
            self.asked.next = self
                .asked
                .val()
                .replace_bit(self.entry_vc_set.val(), self.access.data.val().get_bit(self.vc_set_bit.val()));
            for _check in 0..self.vc_checks.val() {
                if (self.access.data.val() >> self.vc_whole_field.val()) >= self.vcs.val() {
                    self.answer.fits.next = false;
                }
            }
            if self.map_word.selected.val() {
                self.answer.value.next = self
                    .answer
                    .value
                    .val()
                    .replace_bit(self.vc_field.val(), self.addressed.val() >> self.entry_vc.val());
                self.answer.value.next = self
                    .answer
                    .value
                    .val()
                    .replace_bit(self.vc_set_bit.val(), self.addressed.val().get_bit(self.entry_vc_set.val()));
            }
        }
        for _group in 0..self.with_group.val() {
            self.asked.next =
                self.asked.val().replace_bit(self.entry_group.val(), self.access.data.val() >> self.group_field.val());
            self.asked.next = self
                .asked
                .val()
                .replace_bit(self.entry_group_set.val(), self.access.data.val().get_bit(self.group_set_bit.val()));
            for _check in 0..self.group_checks.val() {
                if (self.access.data.val() >> self.group_whole_field.val()) >= self.groups.val() {
                    self.answer.fits.next = false;
                }
            }
            if self.map_word.selected.val() {
                self.answer.value.next = self
                    .answer
                    .value
                    .val()
                    .replace_bit(self.group_field.val(), self.addressed.val() >> self.entry_group.val());
                self.answer.value.next = self
                    .answer
                    .value
                    .val()
                    .replace_bit(self.group_set_bit.val(), self.addressed.val().get_bit(self.entry_group_set.val()));
            }
        }
        self.was_entry.d.next = self.asked.val();

        // Access.
        for e in 0..self.entries.val() {
            if self.map_word.writing.val() & (self.map_word.writing_index[0].val() == e) {
                self.entry.d[e].next = self.was_entry.q.val();
            }
        }

        for e in 0..self.entries.val() {
            self.port_map[e].next = self.entry.q[e].val();
        }
    }
}
