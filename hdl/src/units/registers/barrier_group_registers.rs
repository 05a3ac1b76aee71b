//! Barrier group registers: settings, state, faults and counters of each barrier group.
//!
//! State: the settings, and those in the data of the cycle before.
//!
//! The registers are arrays that lie in step, so that they share the number of the group.
//!
//! Registers: `barrier_leaves_low`, `barrier_leaves_high`, `barrier_group`, `barrier_status`, `barrier_arrived_low`,
//! `barrier_arrived_high`, `barrier_counts`.
//!
//! Source: switch reference, sections 9 and 11; `spec/src/registers/barrier.rs`.

use crate::units::prelude::*;

/// The fields of `barrier_group`, side by side.
const SETTINGS: [(&str, usize); 3] = [("enable", 1), ("root", 1), ("parent", 1)];

/// Registers of each barrier group: settings, state, faults, counters.
#[block]
pub struct BarrierGroupRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub state: Bare<BarrierState<In>>,
    pub tree: Bare<TreeSettings<Out>>,

    /// Data of the cycle before, as leaves.
    was_leaves: Reg,
    /// Data of the cycle before, as fields of `barrier_group`.
    was_settings: Reg<settings_bits, NoReset>,
    /// Leaves of each barrier group.
    leaves_value: Regs<groups, ports>,
    /// Parent, root, enable of each barrier group.
    settings_value: Regs<groups, settings_bits>,

    leaves_low_word: RegisterArray,
    leaves_high_word: Option<RegisterArray>,
    group_word: RegisterArray,
    status_word: RegisterArray,
    arrived_low_word: RegisterArray,
    arrived_high_word: Option<RegisterArray>,
    counts_word: RegisterArray,
    settings_fields: RegisterFields,
    status_fields: RegisterFields,
    counts_fields: RegisterFields,

    /// Leaves of the barrier group that the transfer addresses.
    leaves_here: Sig<Local, ports>,
    /// Parent, root and enable of the barrier group that the transfer addresses.
    settings_here: Sig<Local, settings_bits>,
    /// State and faults of the barrier group that the transfer addresses.
    status_here: Sig<Local, STATUS_BITS>,
    /// Arrived leaves of the barrier group that the transfer addresses.
    arrived_here: Sig<Local, ports>,
    /// Counters of the barrier group that the transfer addresses.
    counts_here: Sig<Local, COUNT_BITS>,
    /// The low leaves of group g are written.
    write_low: Sig<Local, groups>,
    /// The high leaves of group g are written.
    write_high: Option<Sig<Local>>,
    /// The tree settings of group g are written.
    write_settings: Sig<Local, groups>,

    low_field: Field,
    high_field: Field,
    high_data_field: Field,
    enable_bit: usize,
    root_bit: usize,
    parent_field: Field,
    settings_bits: usize,

    /// Place of the group at the decoder.
    pub place: usize,
    groups: Param,
    ports: Param,
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

    let built = shape.barrier.as_ref().expect("groups have registers");
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
    Some(sized(BarrierGroupRegisters {
        state: barrier_state(shape, built),
        tree: tree_settings(shape, built),
        was_leaves: reg_no_reset(low_bits),
        leaves_low_word: register_array(&leaves_low),
        leaves_high_word: leaves_high.as_ref().map(register_array),
        group_word: register_array(&settings),
        status_word: register_array(&status),
        arrived_low_word: register_array(&arrived_low),
        arrived_high_word: arrived_high.as_ref().map(register_array),
        counts_word: register_array(&counts),
        settings_fields: register_fields(&settings, &SETTINGS),
        status_fields: register_fields(&status, &STATUS),
        counts_fields: register_fields(&counts, &COUNTS),
        write_high: leaves_high.is_some().then(|| sig(groups)),
        low_field,
        high_field,
        high_data_field: field(0, high_bits),
        enable_bit: 0,
        root_bit: 1,
        parent_field: field(2, port_bits),
        groups,
        ports: n,
        place: description.place(),
        settings_bits,
        ..BarrierGroupRegisters::plain()
    }))
}

#[kernel]
impl BarrierGroupRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.leaves_low_word.access);
        self.access.link(&mut self.group_word.access);
        self.access.link(&mut self.status_word.access);
        self.access.link(&mut self.arrived_low_word.access);
        self.access.link(&mut self.counts_word.access);
        self.select();
        self.answer();
        self.write();
        self.handle_high_ports();
        self.set();
    }

    /// Setup: what the registers of the group hold that the transfer is to; the data as fields.
    fn select(&mut self) {
        self.leaves_here.next = 0.into();
        self.settings_here.next = 0.into();
        self.status_here.next = 0.into();
        self.arrived_here.next = 0.into();
        self.counts_here.next = 0.into();
        for g in 0..self.groups {
            if self.leaves_low_word.index.val() == g {
                self.leaves_here.next = self.leaves_here.val() | self.leaves_value.q[g].val();
                self.settings_here.next = self.settings_here.val() | self.settings_value.q[g].val();
                self.status_here.next = self.status_here.val() | self.state.status[g].val();
                self.arrived_here.next = self.arrived_here.val() | self.state.arrived[g].val();
                self.counts_here.next = self.counts_here.val() | self.state.counts[g].val();
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
    }

    /// Setup: the answer.
    fn answer(&mut self) {
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
    }

    /// Access.
    fn write(&mut self) {
        self.write_low.next = 0.into();
        self.write_settings.next = 0.into();
        for g in 0..self.groups {
            self.write_low.set(g, self.leaves_low_word.writing.val() & (self.leaves_low_word.writing_index.val() == g));
            self.write_settings.set(g, self.group_word.writing.val() & (self.group_word.writing_index.val() == g));
        }
        for g in 0..self.groups {
            if self.write_low.val().get_bit(g) {
                self.leaves_value.d[g].next =
                    self.leaves_value.q[g].val().replace_bit(self.low_field.val(), self.was_leaves.q.val());
            }
            if self.write_settings.val().get_bit(g) {
                self.settings_value.d[g].next = self.was_settings.q.val();
            }
        }
        self.tree.restart.next = self.write_low.val() | self.write_settings.val();
    }

    /// Setup and access of the registers of ports from 32 on.
    fn handle_high_ports(&mut self) {
        if let (Some(leaves_high_word), Some(arrived_high_word), Some(write_high)) =
            (&mut self.leaves_high_word, &mut self.arrived_high_word, &mut self.write_high)
        {
            self.access.link(&mut leaves_high_word.access);
            self.access.link(&mut arrived_high_word.access);
            if leaves_high_word.selected.val() {
                self.answer.known.next = true;
                self.answer.fits.next = leaves_high_word.fits.val();
                self.answer.value.next = unsigned_cast(self.leaves_here.val() >> self.high_field.val());
            }
            if arrived_high_word.selected.val() {
                self.answer.known.next = true;
                self.answer.value.next = unsigned_cast(self.arrived_here.val() >> self.high_field.val());
            }
            write_high.next = 0.into();
            for g in 0..self.groups {
                write_high.set(g, leaves_high_word.writing.val() & (leaves_high_word.writing_index.val() == g));
            }
            for g in 0..self.groups {
                if write_high.val().get_bit(g) {
                    self.leaves_value.d[g].next = self.leaves_value.q[g]
                        .val()
                        .replace_bit(self.high_field.val(), self.was_leaves.q.val() >> self.high_data_field.val());
                }
            }
            self.tree.restart.next = self.write_low.val() | self.write_settings.val() | write_high.val();
        }
    }

    fn set(&mut self) {
        self.tree.enable.next = 0.into();
        self.tree.root.next = 0.into();
        for g in 0..self.groups {
            self.tree.leaves[g].next = self.leaves_value.q[g].val();
            self.tree.enable.set(g, self.settings_value.q[g].val().get_bit(self.enable_bit));
            self.tree.root.set(g, self.settings_value.q[g].val().get_bit(self.root_bit));
            self.tree.parent[g].next = self.settings_value.q[g].val() >> self.parent_field.val();
        }
    }
}
