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
//! | `multicast_start`, `multicast_stalled` | 1, 1 | a multicast packet of this port starts; waits in vain (with the mixed VC only) |
//! | `was_miss`, `freed` | 1, k | pin `lookup_miss`; the VC's oldest miss slot is freed (table routing only) |
//! | `snapshot`, `clear` | 1 each | see [`counter_bank`](crate::parts::counter_bank) |
//! | `vc_kind`, `vc_select` | kinds, k | counter to read, of a VC: its kind, its VC |
//! | `lookup_kind`, `fill_kind`, `multicast_kind`, `outstanding_kind`, `port_select` | 3, 2, 1, 1, 1 | counter to read, of the port: its kind; it is that of this port |
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
#[block]
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
    pub multicast_start: Vec<Flag<In>>,
    pub multicast_stalled: Vec<Flag<In>>,
    pub was_miss: Vec<Flag<In>>,
    pub freed: Vec<Sig<In>>,
    pub snapshot: Flag<In>,
    pub clear: Flag<In>,
    pub vc_kind: Sig<In>,
    pub vc_select: Sig<In>,
    pub lookup_kind: Vec<Sig<In>>,
    pub fill_kind: Vec<Sig<In>>,
    pub multicast_kind: Vec<Flag<In>>,
    pub outstanding_kind: Vec<Flag<In>>,
    pub port_select: Vec<Flag<In>>,
    pub value: Sig<Out>,

    outstanding: Vec<Reg>,
    outstanding_held: Vec<Reg>,
    were_freed: Vec<Reg>,

    bank: CounterBank,

    events: Sig<Local>,
    select: Sig<Local>,
    number_freed: Vec<Sig<Local>>,

    vcs: Param,
    kinds: Param,
    lookups: Param,
    fills: Param,
    multicasts: Param,
    mixed: Param,
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
    let mixed = usize::from(shape.multicast.is_some());
    let multicasts = kinds * k + by_table * lookup_kinds + cached * fill_kinds;
    let all = multicasts + mixed;
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
        multicast_start: many(mixed, || flag().doc("a multicast packet starts")),
        multicast_stalled: many(mixed, || flag().doc("a multicast packet waits in vain")),
        was_miss: many(by_table, || flag().doc("a lookup missed in the cycle before")),
        freed: many(by_table, || sig(k).doc("the oldest miss slot of VC v is freed")),
        snapshot: flag().doc("the snapshot takes all counts"),
        clear: flag().doc("the counts start again from 0"),
        vc_kind: sig(kinds).doc("kind of counter of a VC to read"),
        vc_select: sig(k).doc("its VC"),
        lookup_kind: many(by_table, || sig(lookup_kinds).doc("kind of counter of lookups to read")),
        fill_kind: many(cached, || sig(fill_kinds).doc("kind of counter of fills to read")),
        multicast_kind: many(mixed, || flag().doc("number of multicast packets to read")),
        outstanding_kind: many(by_table, || flag().doc("number of misses under way to read")),
        port_select: many(by_table.max(mixed), || flag().doc("these are that of this port")),
        value: sig(bits).doc("the counter to read"),
        outstanding: many(by_table, || reg(slot_count_bits, 0u8).doc("miss slots taken in the cycle before")),
        outstanding_held: many(by_table, || reg(slot_count_bits, 0u8).doc("the same in the snapshot")),
        were_freed: many(by_table, || reg(freed_bits, 0u8).doc("miss slots freed in the cycle before")),
        bank: counter_bank(all, bits),
        events: sig(all).doc("events of this cycle"),
        select: sig(all).doc("counter to read"),
        number_freed: many(by_table, || sig(freed_bits).doc("miss slots freed in this cycle")),
        vcs: param(k),
        kinds: param(kinds),
        lookups: param(kinds * k),
        fills: param(kinds * k + lookup_kinds),
        multicasts: param(multicasts),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
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

#[kernel]
impl PortCounters {
    fn update(&mut self) {
        // Events.
        self.events.next = 0.into();
        for v in 0..self.vcs.val() {
            self.events.next = self
                .events
                .val()
                .replace_bit(RX_PACKETS * self.vcs.val() + v, self.arrive.val() & (self.arrive_vc.val() == v));
            self.events.next =
                self.events.val().replace_bit(RX_FLITS * self.vcs.val() + v, self.stored.val().get_bit(v));
            self.events.next = self.events.val().replace_bit(
                TX_PACKETS * self.vcs.val() + v,
                self.tx_valid.val() & self.tx_tail.val() & (self.tx_vc.val() == v),
            );
            self.events.next = self
                .events
                .val()
                .replace_bit(TX_FLITS * self.vcs.val() + v, self.tx_valid.val() & (self.tx_vc.val() == v));
            self.events.next =
                self.events.val().replace_bit(DROPPED_PACKETS * self.vcs.val() + v, self.dropped.val().get_bit(v));
            self.events.next = self.events.val().replace_bit(
                CREDIT_STALLS * self.vcs.val() + v,
                self.asking.val().get_bit(v) & !self.with_room.val().get_bit(v),
            );
            self.events.next = self.events.val().replace_bit(
                OUTPUT_STALLS * self.vcs.val() + v,
                self.with_room.val().get_bit(v) & !self.granted.val().get_bit(v),
            );
        }
        for c in 0..self.pending.len() {
            for v in 0..self.vcs.val() {
                self.events.next =
                    self.events.val().replace_bit(LOOKUP_STALLS * self.vcs.val() + v, self.pending[c].val().get_bit(v));
            }
            self.events.next = self.events.val().replace_bit(self.lookups.val() + LOOKUP_HITS, self.hit[c].val());
            self.events.next = self.events.val().replace_bit(self.lookups.val() + LOOKUP_MISSES, self.miss[c].val());
            self.events.next = self.events.val().replace_bit(self.lookups.val() + MERGED_MISSES, self.merged[c].val());
        }
        for c in 0..self.fill.len() {
            self.events.next = self.events.val().replace_bit(self.fills.val() + CACHE_FILLS, self.fill[c].val());
            self.events.next = self.events.val().replace_bit(self.fills.val() + CACHE_EVICTIONS, self.evict[c].val());
        }
        for c in 0..self.multicast_start.len() {
            self.events.next = self.events.val().replace_bit(self.multicasts.val(), self.multicast_start[c].val());
            if self.multicast_stalled[c].val() {
                self.events.next =
                    self.events.val().replace_bit(OUTPUT_STALLS * self.vcs.val() + self.mixed.val(), true);
            }
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
        for c in 0..self.multicast_kind.len() {
            self.select.next = self
                .select
                .val()
                .replace_bit(self.multicasts.val(), self.multicast_kind[c].val() & self.port_select[c].val());
        }
        self.bank.events.next = self.events.val();
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
            self.were_freed[c].d.next = self.number_freed[c].val();
            self.outstanding[c].d.next = self.outstanding[c].q.val() - unsigned_cast(self.were_freed[c].q.val());
            if self.was_miss[c].val() {
                self.outstanding[c].d.next =
                    self.outstanding[c].q.val() + 1 - unsigned_cast(self.were_freed[c].q.val());
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Cache, Config, Counters, Routing, TableRouting};

    const K: usize = 3;
    const SLOTS: u64 = 2;

    /// Section 9.1 for the counters of a port: all of them in a vector, those of VCs first.
    #[test]
    fn counts_are_those_of_the_reference() {
        let mut config = Config::named("test");
        config.virtual_channels.unicast = K as u32;
        config.counters = Some(Counters { bits: 8 });
        let cache = Some(Cache { entries: 16, ways: 2, ..Default::default() });
        let lookups_per_vc = Some(SLOTS as u32);
        config.routing = Routing::Table(TableRouting { cache, lookups_per_vc, ..Default::default() });
        let shape = config.shape();
        let mut bench = Bench::new(port_counters(&shape, 8), |b| &mut b.clock);
        let mut random = 11u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        let kinds = vc_kinds(&shape);
        let all = kinds * K + 5;
        // Counters as they are in a cycle, the events of the cycle before, and the snapshot; misses under way: now, a cycle ago, in the snapshot.
        let (mut counts, mut before, mut snapshot) = (vec![0u64; all], vec![false; all], vec![0u64; all]);
        let (mut slots, mut outstanding, mut outstanding_held) = ([0u64; K], 0, 0);
        let mut was_miss = false;
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let mut most = 0;
        for cycle in 0..6000 {
            let reset = draw(1500) == 0;
            let mut flag = |n: u64| draw(n) == 0;
            let (arrive, tx_valid, tx_tail, hit) = (flag(2), flag(2), flag(3), flag(3));
            let (take, clear) = (flag(6), flag(150));
            let vc = draw(K as u64 + 1);
            let (arrive_vc, tx_vc, slot_vc) = (vc as usize, draw(4) as usize, draw(K as u64) as usize);
            let (stored, dropped, pending, asking) = (draw(8), draw(8), draw(8), draw(8));
            let with_room = asking & draw(8);
            let granted = with_room & draw(8);
            let miss = !hit && slots[slot_vc] < SLOTS && draw(2) == 0;
            let merged = miss && draw(3) == 0;
            let fill = draw(3) == 0;
            let evict = fill && draw(2) == 0;
            let freed = (0..K).fold(0, |sum, v| sum | u64::from(slots[v] > 0 && draw(3) == 0) << v);
            let read = draw(all as u64 + 2) as usize;

            bench.reset.next = reset;
            (bench.arrive.next, bench.arrive_vc.next) = (arrive, arrive_vc.into());
            (bench.tx_valid.next, bench.tx_vc.next, bench.tx_tail.next) = (tx_valid, tx_vc.into(), tx_tail);
            (bench.stored.next, bench.dropped.next) = (stored.into(), dropped.into());
            (bench.asking.next, bench.with_room.next) = (asking.into(), with_room.into());
            (bench.granted.next, bench.pending[0].next) = (granted.into(), pending.into());
            (bench.hit[0].next, bench.miss[0].next, bench.merged[0].next) = (hit, miss, merged);
            (bench.fill[0].next, bench.evict[0].next) = (fill, evict);
            (bench.was_miss[0].next, bench.freed[0].next) = (was_miss, freed.into());
            (bench.snapshot.next, bench.clear.next) = (take, clear);
            let one = |on: bool, place: usize| if on { 1u64 << place } else { 0 };
            let of_vc = read < kinds * K;
            let of_port = read.checked_sub(kinds * K).unwrap_or(9);
            bench.vc_kind.next = one(of_vc, read / K).into();
            bench.vc_select.next = one(of_vc, read % K).into();
            bench.lookup_kind[0].next = one(of_port < 3, of_port).into();
            bench.fill_kind[0].next = one((3..5).contains(&of_port), of_port - 3.min(of_port)).into();
            bench.outstanding_kind[0].next = of_port == 5;
            bench.port_select[0].next = of_port < 6;
            bench.settle();
            let expected = match (of_vc || of_port < 5, of_port) {
                (true, _) => snapshot[read],
                (false, 5) => outstanding_held,
                _ => 0,
            };
            assert_eq!(bench.value.val().to_u128(), u128::from(expected), "cycle {cycle}, counter {read}");
            bench.cycle();

            let of = |bits: u64| (0..K).map(move |v| bits >> v & 1 == 1);
            let at = |on: bool, vc: usize| of(one(on, vc));
            let of_vcs = [
                at(arrive, arrive_vc).collect::<Vec<_>>(),
                of(stored).collect(),
                at(tx_valid && tx_tail, tx_vc).collect(),
                at(tx_valid, tx_vc).collect(),
                of(dropped).collect(),
                of(asking & !with_room).collect(),
                of(with_room & !granted).collect(),
                of(pending).collect(),
            ];
            let mut events = of_vcs.concat();
            events.extend([hit, miss, merged, fill, evict]);
            if take {
                snapshot = counts.clone();
                outstanding_held = outstanding;
            }
            for (count, event) in counts.iter_mut().zip(&before) {
                *count = (if clear { 0 } else { *count } + u64::from(*event)) % 256;
            }
            before = events;
            outstanding = slots.iter().sum();
            most = most.max(outstanding);
            slots.iter_mut().zip(of(freed)).for_each(|(slots, freed)| *slots -= u64::from(freed));
            slots[slot_vc] += u64::from(miss);
            was_miss = miss;
            if reset {
                (counts, before, snapshot) = (vec![0; all], vec![false; all], vec![0; all]);
                (slots, outstanding, outstanding_held, was_miss) = ([0; K], 0, 0, false);
            }
        }
        assert!(most >= SLOTS * K as u64 - 1, "{most} misses under way");
    }
}
