//! Port counters: what is counted of one port, at its input, its route unit and its output.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc` | 1, VC bits | a packet arrives at route computation, on this VC |
//! | `stored` | k | a flit of the VC is stored |
//! | `tx_valid`, `tx_vc`, `tx_tail` | 1, VC bits, 1 | pins of this port |
//! | `dropped` | k | pins `drop_valid` of this port |
//! | `asking`, `with_room`, `granted` | k | the VC's packet asks for an output; for one that has room; it gets it |
//! | `pending` | k | the VC's next packet waits for an answer (table routing only) |
//! | `hit`, `miss`, `merged` | 1 each | a lookup resolves so; its miss slot is merged (table routing only) |
//! | `fill`, `evict` | 1 each | a fill writes an entry; over another one (with a cache only) |
//! | `was_miss`, `freed` | 1, k | pin `lookup_miss`; the VC's oldest miss slot is freed (table routing only) |
//! | `snapshot`, `clear` | 1 each | see [`counter_bank`](crate::parts::counter_bank) |
//! | `vc_kind`, `vc_select` | kinds, k | counter to read, of a VC: its kind, its VC |
//! | `lookup_kind`, `fill_kind`, `outstanding_kind`, `port_select` | 3, 2, 1, 1 | counter to read, of the port: its kind; it is that of this port |
//! | `value` | b | its value in the snapshot; zero if none is selected |
//!
//! State: the counter bank, with one counter for each kind and VC (kind c of VC v: number c * k + v) and behind them those of the port;
//! `outstanding`, the number of miss slots that are taken, with its own snapshot.
//!
//! Each cycle: the events are found and registered. `outstanding` rises and falls by what was registered, so that it is the number of the cycle before.
//!
//! Source: switch reference, section 9.1.

use crate::parts::counter_bank::{counter_bank, CounterBank};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

// Kinds of counters of a VC.
const RX_PACKETS: usize = 0;
const RX_FLITS: usize = 1;
const TX_PACKETS: usize = 2;
const TX_FLITS: usize = 3;
const DROPPED_PACKETS: usize = 4;
const CREDIT_STALLS: usize = 5;
const OUTPUT_STALLS: usize = 6;
const LOOKUP_STALLS: usize = 7;

// Kinds of counters of a port: lookups, and fills.
const LOOKUP_HITS: usize = 0;
const LOOKUP_MISSES: usize = 1;
const MERGED_MISSES: usize = 2;
const CACHE_FILLS: usize = 0;
const CACHE_EVICTIONS: usize = 1;

/// Kinds of counters of a VC in this switch.
pub fn vc_kinds(shape: &Shape) -> usize {
    LOOKUP_STALLS + usize::from(shape.table().is_some())
}

/// Counters of one port; see the head of this file.
#[derive(LogicBlock)]
pub struct PortCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub stored: Sig<In>,
    pub tx_valid: Flag<In>,
    pub tx_vc: Sig<In>,
    pub tx_tail: Flag<In>,
    pub dropped: Sig<In>,
    pub asking: Sig<In>,
    pub with_room: Sig<In>,
    pub granted: Sig<In>,
    pub pending: Vec<Sig<In>>,
    pub hit: Vec<Flag<In>>,
    pub miss: Vec<Flag<In>>,
    pub merged: Vec<Flag<In>>,
    pub fill: Vec<Flag<In>>,
    pub evict: Vec<Flag<In>>,
    pub was_miss: Vec<Flag<In>>,
    pub freed: Vec<Sig<In>>,
    pub snapshot: Flag<In>,
    pub clear: Flag<In>,
    pub vc_kind: Sig<In>,
    pub vc_select: Sig<In>,
    pub lookup_kind: Vec<Sig<In>>,
    pub fill_kind: Vec<Sig<In>>,
    pub outstanding_kind: Vec<Flag<In>>,
    pub port_select: Vec<Flag<In>>,
    pub value: Sig<Out>,

    outstanding: Vec<Reg>,
    outstanding_held: Vec<Reg>,
    were_freed: Vec<Reg>,

    bank: CounterBank,

    event: Sig<Local>,
    select: Sig<Local>,
    number_freed: Vec<Sig<Local>>,

    vcs: Param,
    kinds: Param,
    lookups: Param,
    fills: Param,
    about: About,
}

/// The counters of a port of a switch of the given shape, which has counters of `bits` bits.
pub fn port_counters(shape: &Shape, bits: usize) -> PortCounters {
    let (k, vc_bits) = (shape.vcs, shape.vc_bits as usize);
    let table = shape.table();
    let (by_table, cached) = (usize::from(table.is_some()), usize::from(table.is_some_and(|t| t.cache.is_some())));
    let slots = table.map_or(0, |table| k * table.lookups_per_vc);
    let (slot_count_bits, freed_bits) = (clog2(slots + 1).max(1), clog2(k + 1));
    let (kinds, lookup_kinds, fill_kinds) = (vc_kinds(shape), MERGED_MISSES + 1, CACHE_EVICTIONS + 1);
    let all = kinds * k + by_table * lookup_kinds + cached * fill_kinds;
    PortCounters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        stored: sig(k).doc("a flit of VC v is stored"),
        tx_valid: flag().doc("a flit leaves"),
        tx_vc: sig(vc_bits).doc("its virtual channel"),
        tx_tail: flag().doc("it is the last of a packet"),
        dropped: sig(k).doc("a packet of VC v was dropped"),
        asking: sig(k).doc("VC v asks for an output"),
        with_room: sig(k).doc("for one that has room"),
        granted: sig(k).doc("and is connected to it"),
        pending: many(by_table, || sig(k).doc("at the head of the route queue of VC v is a pending result")),
        hit: many(by_table, || flag().doc("a lookup hits")),
        miss: many(by_table, || flag().doc("a lookup misses")),
        merged: many(by_table, || flag().doc("and joins one under way")),
        fill: many(cached, || flag().doc("a fill writes its entry")),
        evict: many(cached, || flag().doc("and evicts another one")),
        was_miss: many(by_table, || flag().doc("a lookup missed in the cycle before")),
        freed: many(by_table, || sig(k).doc("the oldest miss slot of VC v is freed")),
        snapshot: flag().doc("the snapshot takes all counts"),
        clear: flag().doc("the counts start again from 0"),
        vc_kind: sig(kinds).doc("kind of counter of a VC to read"),
        vc_select: sig(k).doc("its VC"),
        lookup_kind: many(by_table, || sig(lookup_kinds).doc("kind of counter of lookups to read")),
        fill_kind: many(cached, || sig(fill_kinds).doc("kind of counter of fills to read")),
        outstanding_kind: many(by_table, || flag().doc("number of misses under way to read")),
        port_select: many(by_table, || flag().doc("these are that of this port")),
        value: sig(bits).doc("the counter to read"),
        outstanding: many(by_table, || reg(slot_count_bits, 0u8).doc("miss slots taken in the cycle before")),
        outstanding_held: many(by_table, || reg(slot_count_bits, 0u8).doc("the same in the snapshot")),
        were_freed: many(by_table, || reg(freed_bits, 0u8).doc("miss slots freed in the cycle before")),
        bank: counter_bank(all, bits),
        event: sig(all).doc("events of this cycle"),
        select: sig(all).doc("counter to read"),
        number_freed: many(by_table, || sig(freed_bits).doc("miss slots freed in this cycle")),
        vcs: param(k),
        kinds: param(kinds),
        lookups: param(kinds * k),
        fills: param(kinds * k + lookup_kinds),
        about: about("port_counters", "What is counted of one port, at its input, its route unit and its output.")
            .param("vcs", k)
            .param("bits", bits)
            .param("miss_slots", slots)
            .constant("RX_PACKETS", RX_PACKETS)
            .constant("RX_FLITS", RX_FLITS)
            .constant("TX_PACKETS", TX_PACKETS)
            .constant("TX_FLITS", TX_FLITS)
            .constant("DROPPED_PACKETS", DROPPED_PACKETS)
            .constant("CREDIT_STALLS", CREDIT_STALLS)
            .constant("OUTPUT_STALLS", OUTPUT_STALLS)
            .constant("LOOKUP_STALLS", LOOKUP_STALLS)
            .constant("LOOKUP_HITS", LOOKUP_HITS)
            .constant("LOOKUP_MISSES", LOOKUP_MISSES)
            .constant("MERGED_MISSES", MERGED_MISSES)
            .constant("CACHE_FILLS", CACHE_FILLS)
            .constant("CACHE_EVICTIONS", CACHE_EVICTIONS),
    }
}

impl Logic for PortCounters {
    #[hdl_gen]
    fn update(&mut self) {
        // Events.
        self.event.next = 0.into();
        for v in 0..self.vcs.val() {
            self.event.next = self
                .event
                .val()
                .replace_bit(RX_PACKETS * self.vcs.val() + v, self.arrive.val() & (self.arrive_vc.val() == v));
            self.event.next = self.event.val().replace_bit(RX_FLITS * self.vcs.val() + v, self.stored.val().get_bit(v));
            self.event.next = self.event.val().replace_bit(
                TX_PACKETS * self.vcs.val() + v,
                self.tx_valid.val() & self.tx_tail.val() & (self.tx_vc.val() == v),
            );
            self.event.next = self
                .event
                .val()
                .replace_bit(TX_FLITS * self.vcs.val() + v, self.tx_valid.val() & (self.tx_vc.val() == v));
            self.event.next =
                self.event.val().replace_bit(DROPPED_PACKETS * self.vcs.val() + v, self.dropped.val().get_bit(v));
            self.event.next = self.event.val().replace_bit(
                CREDIT_STALLS * self.vcs.val() + v,
                self.asking.val().get_bit(v) & !self.with_room.val().get_bit(v),
            );
            self.event.next = self.event.val().replace_bit(
                OUTPUT_STALLS * self.vcs.val() + v,
                self.with_room.val().get_bit(v) & !self.granted.val().get_bit(v),
            );
        }
        for c in 0..self.pending.len() {
            for v in 0..self.vcs.val() {
                self.event.next =
                    self.event.val().replace_bit(LOOKUP_STALLS * self.vcs.val() + v, self.pending[c].val().get_bit(v));
            }
            self.event.next = self.event.val().replace_bit(self.lookups.val() + LOOKUP_HITS, self.hit[c].val());
            self.event.next = self.event.val().replace_bit(self.lookups.val() + LOOKUP_MISSES, self.miss[c].val());
            self.event.next = self.event.val().replace_bit(self.lookups.val() + MERGED_MISSES, self.merged[c].val());
        }
        for c in 0..self.fill.len() {
            self.event.next = self.event.val().replace_bit(self.fills.val() + CACHE_FILLS, self.fill[c].val());
            self.event.next = self.event.val().replace_bit(self.fills.val() + CACHE_EVICTIONS, self.evict[c].val());
        }

        // Counters.
        self.select.next = 0.into();
        for c in 0..self.kinds.val() {
            for v in 0..self.vcs.val() {
                self.select.next = self.select.val().replace_bit(
                    c * self.vcs.val() + v,
                    self.vc_kind.val().get_bit(c) & self.vc_select.val().get_bit(v),
                );
            }
        }
        for c in 0..self.lookup_kind.len() {
            if self.port_select[c].val() {
                self.select.next = self.select.val().replace_bit(self.lookups.val(), self.lookup_kind[c].val());
            }
        }
        for c in 0..self.fill_kind.len() {
            if self.port_select[c].val() {
                self.select.next = self.select.val().replace_bit(self.fills.val(), self.fill_kind[c].val());
            }
        }
        self.bank.clock.next = self.clock.val();
        self.bank.reset.next = self.reset.val();
        self.bank.event.next = self.event.val();
        self.bank.snapshot.next = self.snapshot.val();
        self.bank.clear.next = self.clear.val();
        self.bank.select.next = self.select.val();
        self.value.next = self.bank.value.val();

        // Misses under way.
        for c in 0..self.outstanding.len() {
            self.number_freed[c].next = 0.into();
            for v in 0..self.vcs.val() {
                if self.freed[c].val().get_bit(v) {
                    self.number_freed[c].next = self.number_freed[c].val() + 1;
                }
            }
            self.were_freed[c].clock.next = self.clock.val();
            self.were_freed[c].reset.next = self.reset.val();
            self.were_freed[c].d.next = self.number_freed[c].val();
            self.outstanding[c].clock.next = self.clock.val();
            self.outstanding[c].reset.next = self.reset.val();
            self.outstanding[c].d.next = self.outstanding[c].q.val() - unsigned_cast(self.were_freed[c].q.val());
            if self.was_miss[c].val() {
                self.outstanding[c].d.next =
                    self.outstanding[c].q.val() + 1 - unsigned_cast(self.were_freed[c].q.val());
            }
            self.outstanding_held[c].clock.next = self.clock.val();
            self.outstanding_held[c].reset.next = self.reset.val();
            self.outstanding_held[c].d.next = self.outstanding_held[c].q.val();
            if self.snapshot.val() {
                self.outstanding_held[c].d.next = self.outstanding[c].q.val();
            }
            if self.outstanding_kind[c].val() & self.port_select[c].val() {
                self.value.next = self.bank.value.val() | unsigned_cast(self.outstanding_held[c].q.val());
            }
        }
    }
}
