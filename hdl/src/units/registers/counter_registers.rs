//! Counter registers: snapshot and restart of the counters, and which of them is read.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `snapshot`, `clear` | 1, 1 | access phase of a write of 1 to these fields of `counters` |
//! | `vc_kind`, `vc_select` | kinds, N x k | counter of a VC that the transfer is to: its kind; VC v of port p is bit p * k + v |
//! | `lookup_kind`, `fill_kind`, `multicast_kind`, `outstanding_kind`, `port_select` | 3, 2, 1, 1, N | counter of a port that the transfer is to: its kind, its port |
//! | `table_kind`, `cam_kind` | 2, 2 | counter of the switch that the transfer is to |
//! | `count` | b, one a port, and one of the switch (table routing only) | what the counters of each say: the one selected, or zero |
//!
//! State: the fields of `counters` in the data of the cycle before.
//!
//! The counters lie in arrays of equal room, one behind the other, so that kind and number are fields of the address.
//!
//! Registers: `counters`, and those that the description lists for the switch.
//!
//! Source: switch reference, section 9.1; `spec/src/registers/counters.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::{Described, Description};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use railyard_spec::registers::{Access as Kind, APB_ADDRESS_BITS};
use railyard_spec::Shape;

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
const OF_TABLE: [&str; 2] = ["table_hits", "table_misses"];
const OF_CAM: [&str; 2] = ["cam_requests", "cam_stalls"];

/// The group of this name; see the head of this file.
#[block]
pub struct CounterRegisters {
    pub clock: ClockIn,
    pub access: Access,
    pub answer: Answer,
    pub snapshot: Flag<Out>,
    pub clear: Flag<Out>,
    pub vc_kind: Sig<Out>,
    pub vc_select: Sig<Out>,
    pub lookup_kind: Vec<Sig<Out>>,
    pub fill_kind: Vec<Sig<Out>>,
    pub multicast_kind: Vec<Flag<Out>>,
    pub outstanding_kind: Vec<Flag<Out>>,
    pub port_select: Vec<Sig<Out>>,
    pub table_kind: Vec<Sig<Out>>,
    pub cam_kind: Vec<Sig<Out>>,
    pub count: Vec<Sig<In>>,

    was_snapshot: FlagReg,
    was_clear: FlagReg,

    counters_word: RegisterWord,

    aligned: Flag<Local>,

    alignment: Field,
    vc_kind_field: Field,
    vc_number_field: Field,
    port_kind_field: Field,
    port_number_field: Field,
    word_field: Field,
    vc_first: Param,
    vc_kinds: Param,
    lookup_first: Param,
    lookup_kinds: Param,
    fill_first: Param,
    fill_kinds: Param,
    multicast_place: Param,
    outstanding_place: Param,
    table_first: Param,
    cam_first: Param,
    switch_kinds: Param,
    vcs: Param,
    ports: Param,
    snapshot_bit: Param,
    clear_bit: Param,
    about: About,
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
    let counters = description.take("counters", Kind::Command)?;
    let bits = shape.counter_bits.expect("they have registers") as usize;
    let (ports, vcs) = (shape.ports, shape.ports * shape.vcs);
    let of_vcs = Run::take(description, &OF_VCS, vcs, VC_ROOM);
    let mut of_ports = |names: &[&str]| Run::take(description, names, ports, PORT_ROOM);
    let (lookups, fills) = (of_ports(&OF_LOOKUPS), of_ports(&OF_FILLS));
    let (multicast, outstanding) = (of_ports(&["multicast_packets"]), of_ports(&["outstanding_misses"]));
    let mut of_switch = |names: &[&str]| Run::take(description, names, 1, SWITCH_ROOM);
    let (table, cam) = (of_switch(&OF_TABLE), of_switch(&OF_CAM));
    let built = |run: &Run| usize::from(run.kinds > 0);
    let address_bits = APB_ADDRESS_BITS as usize;
    let from = |room: usize| field(clog2(room), address_bits - clog2(room));
    Some(CounterRegisters {
        clock: clock(),
        access: access(),
        answer: answer(),
        snapshot: flag().doc("the snapshot takes all counts"),
        clear: flag().doc("the counts start again from 0"),
        vc_kind: sig(of_vcs.kinds).doc("kind of counter of a VC to read"),
        vc_select: sig(vcs).doc("its port and VC: VC v of port p is bit p * k + v"),
        lookup_kind: many(built(&lookups), || sig(lookups.kinds).doc("kind of counter of lookups to read")),
        fill_kind: many(built(&fills), || sig(fills.kinds).doc("kind of counter of fills to read")),
        multicast_kind: many(built(&multicast), || flag().doc("number of multicast packets to read")),
        outstanding_kind: many(built(&outstanding), || flag().doc("number of misses under way to read")),
        port_select: many(built(&lookups).max(built(&multicast)), || sig(ports).doc("port of these")),
        table_kind: many(built(&table), || sig(table.kinds).doc("counter of the forwarding table to read")),
        cam_kind: many(built(&cam), || sig(cam.kinds).doc("counter of the CAM to read")),
        count: many(ports + built(&lookups), || sig(bits).doc("counter selected in each port, and in the switch")),
        was_snapshot: flag_reg_no_reset().doc("field snapshot in the data of the cycle before"),
        was_clear: flag_reg_no_reset().doc("field clear in the data of the cycle before"),
        counters_word: register_word(&counters),
        aligned: flag().doc("it is the address of a word"),
        alignment: field(0, clog2(SWITCH_ROOM)),
        vc_kind_field: from(VC_ROOM),
        vc_number_field: field(clog2(SWITCH_ROOM), clog2(VC_ROOM / SWITCH_ROOM)),
        port_kind_field: from(PORT_ROOM),
        port_number_field: field(clog2(SWITCH_ROOM), clog2(PORT_ROOM / SWITCH_ROOM)),
        word_field: from(SWITCH_ROOM),
        vc_first: param(of_vcs.first),
        vc_kinds: param(of_vcs.kinds),
        lookup_first: param(lookups.first),
        lookup_kinds: param(lookups.kinds),
        fill_first: param(fills.first),
        fill_kinds: param(fills.kinds),
        multicast_place: param(multicast.first),
        outstanding_place: param(outstanding.first),
        table_first: param(table.first),
        cam_first: param(cam.first),
        switch_kinds: param(table.kinds.max(cam.kinds)),
        vcs: param(vcs),
        ports: param(ports),
        snapshot_bit: param(counters.place("snapshot").0),
        clear_bit: param(counters.place("clear").0),
        about: about("counter_registers", "Snapshot and restart of the counters, and which of them is read.")
            .param("ports", ports)
            .param("vcs", shape.vcs)
            .param("bits", bits),
    })
}

#[kernel]
impl CounterRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.counters_word.access);

        // Setup: which counter?
        self.aligned.next = (self.access.address.val() >> self.alignment.val()) == 0;
        self.vc_kind.next = 0.into();
        for i in 0..self.vc_kinds.val() {
            self.vc_kind.next = self.vc_kind.val().replace_bit(
                i,
                self.aligned.val()
                    & ((self.access.address.val() >> self.vc_kind_field.val()) == i + self.vc_first.val()),
            );
        }
        self.vc_select.next = 0.into();
        for e in 0..self.vcs.val() {
            self.vc_select.next =
                self.vc_select.val().replace_bit(e, (self.access.address.val() >> self.vc_number_field.val()) == e);
        }
        self.answer.known.next =
            self.counters_word.selected.val() | (self.vc_kind.val().any() & self.vc_select.val().any());
        for c in 0..self.port_select.len() {
            self.port_select[c].next = 0.into();
            for p in 0..self.ports.val() {
                self.port_select[c].next = self.port_select[c]
                    .val()
                    .replace_bit(p, (self.access.address.val() >> self.port_number_field.val()) == p);
            }
        }
        for c in 0..self.multicast_kind.len() {
            self.multicast_kind[c].next = self.aligned.val()
                & ((self.access.address.val() >> self.port_kind_field.val()) == self.multicast_place.val());
            if self.port_select[c].val().any() & self.multicast_kind[c].val() {
                self.answer.known.next = true;
            }
        }
        for c in 0..self.lookup_kind.len() {
            self.lookup_kind[c].next = 0.into();
            for i in 0..self.lookup_kinds.val() {
                self.lookup_kind[c].next = self.lookup_kind[c].val().replace_bit(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.port_kind_field.val()) == i + self.lookup_first.val()),
                );
            }
            self.outstanding_kind[c].next = self.aligned.val()
                & ((self.access.address.val() >> self.port_kind_field.val()) == self.outstanding_place.val());
            if self.port_select[c].val().any() & (self.lookup_kind[c].val().any() | self.outstanding_kind[c].val()) {
                self.answer.known.next = true;
            }
        }
        for c in 0..self.fill_kind.len() {
            self.fill_kind[c].next = 0.into();
            for i in 0..self.fill_kinds.val() {
                self.fill_kind[c].next = self.fill_kind[c].val().replace_bit(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.port_kind_field.val()) == i + self.fill_first.val()),
                );
            }
            if self.port_select[c].val().any() & self.fill_kind[c].val().any() {
                self.answer.known.next = true;
            }
        }
        for c in 0..self.table_kind.len() {
            self.table_kind[c].next = 0.into();
            for i in 0..self.switch_kinds.val() {
                self.table_kind[c].next = self.table_kind[c].val().replace_bit(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.word_field.val()) == i + self.table_first.val()),
                );
            }
            if self.table_kind[c].val().any() {
                self.answer.known.next = true;
            }
        }
        for c in 0..self.cam_kind.len() {
            self.cam_kind[c].next = 0.into();
            for i in 0..self.switch_kinds.val() {
                self.cam_kind[c].next = self.cam_kind[c].val().replace_bit(
                    i,
                    self.aligned.val()
                        & ((self.access.address.val() >> self.word_field.val()) == i + self.cam_first.val()),
                );
            }
            if self.cam_kind[c].val().any() {
                self.answer.known.next = true;
            }
        }
        self.answer.fits.next = self.counters_word.fits.val();
        self.answer.value.next = 0.into();
        for p in 0..self.count.len() {
            self.answer.value.next = self.answer.value.val() | unsigned_cast(self.count[p].val());
        }
        self.was_snapshot.d.next = self.access.data.val().get_bit(self.snapshot_bit.val());
        self.was_clear.d.next = self.access.data.val().get_bit(self.clear_bit.val());

        // Access.
        self.snapshot.next = self.counters_word.writing.val() & self.was_snapshot.q.val();
        self.clear.next = self.counters_word.writing.val() & self.was_clear.q.val();
    }
}
