//! Port map registers: what a packet's key says of its way on.
//!
//! State: the entries, and the entry in the data of the cycle before.
//!
//! Registers: `map`.
//!
//! Source: switch reference, sections 4.6 and 9; `spec/src/registers.rs`.

use crate::units::prelude::*;

/// Registers of the port map: the way on of each key.
#[block]
pub struct PortMapRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Entry of each key.
    pub port_map: Vec<Sig<Out, entry_bits>, entries>,

    /// Entry in the data of the cycle before.
    was_entry: Reg<entry_bits, NoReset>,
    /// {valid, route} of each key.
    entry: Regs,

    map_word: RegisterArray,

    /// Entry in the data.
    asked: Sig<Local, entry_bits>,
    /// Entry that the transfer addresses.
    addressed: Sig<Local, entry_bits>,

    entry_port: Field,
    entry_vc: Field,
    entry_vc_set: usize,
    entry_group: Field,
    entry_group_set: usize,
    entry_valid: usize,
    port_field: Field,
    port_whole_field: Field,
    vc_field: Field,
    vc_whole_field: Field,
    vc_set_bit: usize,
    group_field: Field,
    group_whole_field: Field,
    group_set_bit: usize,
    valid_bit: usize,
    vcs: usize,
    groups: usize,
    with_vc: bool,
    with_group: bool,
    vc_checks: bool,
    group_checks: bool,
    entry_bits: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    entries: Param,
    ports: Param,
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
    let entry_doc = match (vc.built, group.built) {
        (false, false) => "Entry of each key: {valid, port}.",
        (true, false) => "Entry of each key: {valid, vc_set, vc, port}.",
        (_, true) => "Entry of each key: {valid, route}.",
    };
    let entry_bits = layout.bits + 1;
    let checks = |part: &Part| part.built && part.limit < 1 << part.whole_bits;
    Some(sized(PortMapRegisters {
        entry: regs(entries, entry_bits, 0u32).doc(entry_doc),
        map_word: register_array(&map),
        entry_port: field(layout.port, port_bits),
        entry_vc: field(layout.vc, vc.bits),
        entry_vc_set: layout.vc_set,
        entry_group: field(layout.group, group.bits),
        entry_group_set: layout.group_set,
        entry_valid: layout.bits,
        port_field: field(port_low, port_bits),
        port_whole_field: field(port_low, port_whole_bits),
        vc_field: field(vc.low, vc.bits),
        vc_whole_field: field(vc.low, vc.whole_bits),
        vc_set_bit: vc.set_bit,
        group_field: field(group.low, group.bits),
        group_whole_field: field(group.low, group.whole_bits),
        group_set_bit: group.set_bit,
        valid_bit: map.place("valid").0,
        vcs: vc.limit,
        groups: group.limit,
        with_vc: vc.built,
        with_group: group.built,
        vc_checks: checks(&vc),
        group_checks: checks(&group),
        entries,
        ports,
        place: description.place(),
        entry_bits,
        ..PortMapRegisters::plain()
    }))
}

#[kernel]
impl PortMapRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.map_word.access);
        self.translate();
        if self.with_vc {
            self.translate_vc();
        }
        if self.with_group {
            self.translate_group();
        }
        self.was_entry.d.next = self.asked.val();
        for e in 0..self.entries {
            if self.map_word.writing.val() & (self.map_word.writing_index.val() == e) {
                self.entry.d[e].next = self.was_entry.q.val();
            }
        }
        for e in 0..self.entries {
            self.port_map[e].next = self.entry.q[e].val();
        }
    }

    /// Setup: the entry in the data, and the one that the transfer is to.
    fn translate(&mut self) {
        self.addressed.next = self.entry.q[self.map_word.index.val()].val();
        self.asked.next = 0.into();
        self.asked.set(self.entry_port.val(), self.access.data.val() >> self.port_field.val());
        self.asked.set(self.entry_valid, self.access.data.val().get_bit(self.valid_bit));
        self.answer.known.next = self.map_word.selected.val();
        self.answer.fits.next =
            self.map_word.fits.val() & ((self.access.data.val() >> self.port_whole_field.val()) < self.ports);
        self.answer.value.next = 0.into();
        if self.map_word.selected.val() {
            self.answer.value.set(self.port_field.val(), self.addressed.val() >> self.entry_port.val());
            self.answer.value.set(self.valid_bit, self.addressed.val().get_bit(self.entry_valid));
        }
    }

    fn translate_vc(&mut self) {
        self.asked.set(self.entry_vc.val(), self.access.data.val() >> self.vc_field.val());
        self.asked.set(self.entry_vc_set, self.access.data.val().get_bit(self.vc_set_bit));
        if self.vc_checks {
            if (self.access.data.val() >> self.vc_whole_field.val()) >= self.vcs {
                self.answer.fits.next = false;
            }
        }
        if self.map_word.selected.val() {
            self.answer.value.set(self.vc_field.val(), self.addressed.val() >> self.entry_vc.val());
            self.answer.value.set(self.vc_set_bit, self.addressed.val().get_bit(self.entry_vc_set));
        }
    }

    fn translate_group(&mut self) {
        self.asked.set(self.entry_group.val(), self.access.data.val() >> self.group_field.val());
        self.asked.set(self.entry_group_set, self.access.data.val().get_bit(self.group_set_bit));
        if self.group_checks {
            if (self.access.data.val() >> self.group_whole_field.val()) >= self.groups {
                self.answer.fits.next = false;
            }
        }
        if self.map_word.selected.val() {
            self.answer.value.set(self.group_field.val(), self.addressed.val() >> self.entry_group.val());
            self.answer.value.set(self.group_set_bit, self.addressed.val().get_bit(self.entry_group_set));
        }
    }
}
