//! Counter registers: snapshot and restart of the counters, and which of them is read.
//!
//! State: the fields of `counters` in the data of the cycle before.
//!
//! The counters lie in arrays of equal room, one behind the other, so that kind and number are fields of the address.
//!
//! Registers: `counters`, and those that the description lists for the switch.
//!
//! Source: switch reference, section 9.1; `spec/src/registers/counters.rs`.

use crate::units::prelude::*;

const OF_VCS: [&str; 8] = [
    "rx_packets",
    "rx_flits",
    "tx_packets",
    "tx_flits",
    "dropped_packets",
    "credit_stalls",
    "output_stalls",
    "lookup_stalls",
];
const OF_LOOKUPS: [&str; 3] = ["lookup_hits", "lookup_misses", "merged_misses"];
const OF_FILLS: [&str; 2] = ["cache_fills", "cache_evictions"];
const OF_MESSAGES: [&str; 3] = ["tx_messages", "rx_messages", "bad_messages"];
const OF_TABLE: [&str; 2] = ["table_hits", "table_misses"];
const OF_CAM: [&str; 2] = ["cam_requests", "cam_stalls"];

/// Snapshot and restart of the counters, and which of them is read.
#[block]
pub struct CounterRegisters {
    pub clock: ClockIn,
    pub access: BusTransfer,
    pub answer: Answer,
    pub counters: Bare<CounterAccess<Out>>,

    /// Field snapshot in the data of the cycle before.
    was_snapshot: FlagReg<NoReset>,
    /// Field clear in the data of the cycle before.
    was_clear: FlagReg<NoReset>,

    counters_word: RegisterWord,

    /// The address is that of a word.
    aligned: Flag<Local>,

    alignment: Field<0, { clog2(SWITCH_ROOM) }>,
    vc_kind_field: Field,
    vc_number_field: Field<{ clog2(SWITCH_ROOM) }, { clog2(VC_ROOM / SWITCH_ROOM) }>,
    port_kind_field: Field,
    port_number_field: Field<{ clog2(SWITCH_ROOM) }, { clog2(PORT_ROOM / SWITCH_ROOM) }>,
    word_field: Field,
    vc_first: usize,
    vc_kinds: usize,
    lookup_first: usize,
    lookup_kinds: usize,
    fill_first: usize,
    fill_kinds: usize,
    multicast_place: usize,
    outstanding_place: usize,
    message_first: usize,
    message_kinds: usize,
    table_first: usize,
    cam_first: usize,
    switch_kinds: usize,
    all_vcs: usize,
    snapshot_bit: usize,
    clear_bit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    ports: Param,
    vcs: Param,
    bits: Param,
}

/// Counters that lie one behind the other, each with this much room.
struct Run {
    first: usize,
    kinds: usize,
}

impl Run {
    /// Those of these names that the switch has: `count` registers each, `room` bytes.
    fn take(description: &mut Description, names: &[&str], count: usize, room: usize) -> Run {
        let found: Vec<Described> = names.iter().filter_map(|name| description.take(name, Kind::ReadOnly)).collect();
        let first = found.first().map_or(0, |register| register.address() as usize / room);
        for (i, register) in found.iter().enumerate() {
            assert_eq!(register.count(), count, "as many counters of each kind as there are places to count at");
            assert_eq!(register.address() as usize, (first + i) * room, "counters lie one behind the other");
        }
        Run { first, kinds: found.len() }
    }
}

/// Room of an array of counters of ports and VCs, of ports, and of a counter of the switch, in bytes.
const VC_ROOM: usize = 4 * 1024;
const PORT_ROOM: usize = 4 * 64;
const SWITCH_ROOM: usize = 4;

/// The group, if the switch has it.
pub fn counter_registers(shape: &Shape, description: &mut Description) -> Option<CounterRegisters> {
    let control = description.take("counters", Kind::Command)?;
    let bits = shape.counter_bits.expect("they have registers") as usize;
    let (ports, all_vcs) = (shape.ports, shape.ports * shape.vcs);
    let of_vcs = Run::take(description, &OF_VCS, all_vcs, VC_ROOM);
    let mut of_ports = |names: &[&str]| Run::take(description, names, ports, PORT_ROOM);
    let (lookups, fills) = (of_ports(&OF_LOOKUPS), of_ports(&OF_FILLS));
    let (multicast, outstanding) = (of_ports(&["multicast_packets"]), of_ports(&["outstanding_misses"]));
    let messages = of_ports(&OF_MESSAGES);
    let mut of_switch = |names: &[&str]| Run::take(description, names, 1, SWITCH_ROOM);
    let (table, cam) = (of_switch(&OF_TABLE), of_switch(&OF_CAM));
    for (run, kinds) in [
        (&of_vcs, vc_kinds(shape)),
        (&lookups, LOOKUP_KINDS),
        (&fills, FILL_KINDS),
        (&messages, MESSAGE_KINDS),
        (&table, TABLE_KINDS),
        (&cam, CAM_KINDS),
    ] {
        assert!(run.kinds == 0 || run.kinds == kinds, "what is counted has registers");
    }
    let address_bits = APB_ADDRESS_BITS as usize;
    let from = |room: usize| field(clog2(room), address_bits - clog2(room));
    Some(sized(CounterRegisters {
        counters: counter_access(shape, bits),
        counters_word: register_word(&control),
        vc_kind_field: from(VC_ROOM),
        port_kind_field: from(PORT_ROOM),
        word_field: from(SWITCH_ROOM),
        vc_first: of_vcs.first,
        vc_kinds: of_vcs.kinds,
        lookup_first: lookups.first,
        lookup_kinds: lookups.kinds,
        fill_first: fills.first,
        fill_kinds: fills.kinds,
        multicast_place: multicast.first,
        outstanding_place: outstanding.first,
        message_first: messages.first,
        message_kinds: messages.kinds,
        table_first: table.first,
        cam_first: cam.first,
        switch_kinds: table.kinds.max(cam.kinds),
        all_vcs,
        snapshot_bit: control.place("snapshot").0,
        clear_bit: control.place("clear").0,
        ports,
        vcs: shape.vcs,
        bits,
        place: description.place(),
        ..CounterRegisters::plain()
    }))
}

#[kernel]
impl CounterRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.counters_word.access);
        self.aligned.next = (self.access.address.val() >> self.alignment.val()) == 0;
        self.select_of_vc();
        self.select_of_port();
        self.select_of_table();
        self.select_of_messages();
        self.select_of_switch();
        self.answer.fits.next = self.counters_word.fits.val();
        self.answer.value.next = 0.into();
        for p in 0..self.counters.count.len() {
            self.answer.value.next = self.answer.value.val() | unsigned_cast(self.counters.count[p].val());
        }
        self.was_snapshot.d.next = self.access.data.val().get_bit(self.snapshot_bit);
        self.was_clear.d.next = self.access.data.val().get_bit(self.clear_bit);

        // Access.
        self.counters.sampling.snapshot.next = self.counters_word.writing.val() & self.was_snapshot.q.val();
        self.counters.sampling.clear.next = self.counters_word.writing.val() & self.was_clear.q.val();
    }

    /// Setup: counters of VCs.
    fn select_of_vc(&mut self) {
        self.counters.vc_kind.next = 0.into();
        for i in 0..self.vc_kinds {
            self.counters.vc_kind.set(
                i,
                self.aligned.val() & ((self.access.address.val() >> self.vc_kind_field.val()) == i + self.vc_first),
            );
        }
        self.counters.vc_select.next = 0.into();
        for e in 0..self.all_vcs {
            self.counters.vc_select.set(e, (self.access.address.val() >> self.vc_number_field.val()) == e);
        }
        self.answer.known.next = self.counters_word.selected.val()
            | (self.counters.vc_kind.val().any() & self.counters.vc_select.val().any());
    }

    /// Setup: counters of ports.
    fn select_of_port(&mut self) {
        if let Some(port_select) = &mut self.counters.port_select {
            port_select.next = 0.into();
            for p in 0..self.ports {
                port_select.set(p, (self.access.address.val() >> self.port_number_field.val()) == p);
            }
        }
        if let (Some(kind), Some(port_select)) = (&mut self.counters.of_port.multicast_kind, &self.counters.port_select)
        {
            kind.next = self.aligned.val()
                & ((self.access.address.val() >> self.port_kind_field.val()) == self.multicast_place);
            if port_select.val().any() & kind.val() {
                self.answer.known.next = true;
            }
        }
    }

    /// Setup: counters of lookups and fills.
    fn select_of_table(&mut self) {
        if let (Some(kind), Some(outstanding_kind), Some(port_select)) = (
            &mut self.counters.of_port.lookup_kind,
            &mut self.counters.of_port.outstanding_kind,
            &self.counters.port_select,
        ) {
            kind.next = 0.into();
            for i in 0..self.lookup_kinds {
                kind.set(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.port_kind_field.val()) == i + self.lookup_first),
                );
            }
            outstanding_kind.next = self.aligned.val()
                & ((self.access.address.val() >> self.port_kind_field.val()) == self.outstanding_place);
            if port_select.val().any() & (kind.val().any() | outstanding_kind.val()) {
                self.answer.known.next = true;
            }
        }
        if let (Some(kind), Some(port_select)) = (&mut self.counters.of_port.fill_kind, &self.counters.port_select) {
            kind.next = 0.into();
            for i in 0..self.fill_kinds {
                kind.set(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.port_kind_field.val()) == i + self.fill_first),
                );
            }
            if port_select.val().any() & kind.val().any() {
                self.answer.known.next = true;
            }
        }
    }

    /// Setup: counters of router messages.
    fn select_of_messages(&mut self) {
        if let (Some(kind), Some(port_select)) = (&mut self.counters.of_port.message_kind, &self.counters.port_select) {
            kind.next = 0.into();
            for i in 0..self.message_kinds {
                kind.set(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.port_kind_field.val()) == i + self.message_first),
                );
            }
            if port_select.val().any() & kind.val().any() {
                self.answer.known.next = true;
            }
        }
    }

    /// Setup: counters of the switch.
    fn select_of_switch(&mut self) {
        if let Some(kind) = &mut self.counters.of_switch.table_kind {
            kind.next = 0.into();
            for i in 0..self.switch_kinds {
                kind.set(
                    i,
                    self.aligned.val() & ((self.access.address.val() >> self.word_field.val()) == i + self.table_first),
                );
            }
            if kind.val().any() {
                self.answer.known.next = true;
            }
        }
        if let Some(kind) = &mut self.counters.of_switch.cam_kind {
            kind.next = 0.into();
            for i in 0..self.switch_kinds {
                kind.set(
                    i,
                    self.aligned.val() & ((self.access.address.val() >> self.word_field.val()) == i + self.cam_first),
                );
            }
            if kind.val().any() {
                self.answer.known.next = true;
            }
        }
    }
}
