//! Port counters: what is counted of one port, at its input, its route unit and its output.
//!
//! State: the counter bank, with one counter for each kind and VC (kind c of VC v: number c * k + v) and behind them
//! those of the port; `outstanding`, the number of miss slots that are taken, with its own snapshot.
//!
//! Each cycle: the events are found and registered. `outstanding` rises and falls by what was registered, so that it is
//! the number of the cycle before.
//!
//! Source: switch reference, section 9.1.

use crate::units::prelude::*;

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

// Kinds of counters of a port: router messages.
const TX_MESSAGES: usize = 0;
const RX_MESSAGES: usize = 1;
const BAD_MESSAGES: usize = 2;

/// What happens to lookups of this port.
#[group(vcs: usize)]
pub struct CountedLookups {
    /// The head of the route queue of VC v is a pending result.
    pub pending: Sig<In, vcs>,
    /// A lookup hits.
    pub hit: Flag<In>,
    /// A lookup misses.
    pub miss: Flag<In>,
    /// A lookup misses and joins a miss that is under way.
    pub merged: Flag<In>,
}

/// What is filled into the routing cache of this port.
#[group]
pub struct FillEvents {
    /// A fill writes its entry.
    pub fill: Flag<In>,
    /// A fill evicts an entry.
    pub evict: Flag<In>,
}

/// What happens to multicast packets of this port.
#[group]
pub struct MulticastEvents {
    /// A multicast packet starts.
    pub multicast_start: Flag<In>,
    /// A multicast packet waits and does not start.
    pub multicast_stalled: Flag<In>,
}

/// What happens to router messages at this port.
#[group]
pub struct CountedMessages {
    /// A router message leaves.
    pub message_sent: Flag<In>,
    /// A good router message is taken.
    pub message_good: Flag<In>,
    /// A bad router message is taken.
    pub message_bad: Flag<In>,
}

/// What happens to the miss slots of this port.
#[group(vcs: usize)]
pub struct SlotEvents {
    /// A lookup missed in the cycle before.
    pub was_miss: Flag<In>,
    /// The oldest miss slot of VC v is freed.
    pub freed: Sig<In, vcs>,
}

/// Misses under way, counted.
#[group(slots: usize, vcs: usize)]
struct Outstanding {
    /// Miss slots taken in the cycle before.
    outstanding: Reg<{ clog2(slots + 1).max(1) }>,
    /// Misses under way, in the snapshot.
    outstanding_held: Reg<{ clog2(slots + 1).max(1) }>,
    /// Miss slots freed in the cycle before.
    were_freed: Reg<{ clog2(vcs + 1) }>,
    /// Miss slots freed in the current cycle.
    number_freed: Sig<Local, { clog2(vcs + 1) }>,
}

/// What is counted of one port, at its input, its route unit and its output.
#[block(shape: &Shape, bits: usize)]
pub struct PortCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[made(HeaderArrival { arrive_vc: sig(shape.vc_bits as usize), ..HeaderArrival::plain() })]
    pub arrival: Bare<HeaderArrival<In>>,
    /// A flit of VC v is stored.
    pub stored: Sig<In, vcs>,
    /// A flit leaves.
    pub tx_valid: Flag<In>,
    /// Virtual channel of the flit.
    pub tx_vc: Sig<In, { shape.vc_bits as usize }>,
    /// The flit is the last of a packet.
    pub tx_tail: Flag<In>,
    /// A packet of VC v was dropped.
    pub dropped: Sig<In, vcs>,
    /// VC v requests an output.
    pub asking: Sig<In, vcs>,
    /// VC v requests an output that has room.
    pub with_room: Sig<In, vcs>,
    /// VC v is connected to an output.
    pub granted: Sig<In, vcs>,
    pub lookups: Option<CountedLookups<vcs>, by_table>,
    pub fills: Option<FillEvents, cached>,
    pub multicast: Option<MulticastEvents, { shape.multicast.is_some() }>,
    pub messages: Option<CountedMessages, { shape.router_messages().is_some() }>,
    pub slots: Option<SlotEvents<vcs>, by_table>,
    pub sampling: Bare<Sampling<In>>,
    /// Kind of counter of a VC to read.
    pub vc_kind: Sig<In, kinds>,
    /// VC of the counter to read.
    pub vc_select: Sig<In, vcs>,
    pub of_port: Bare<PortKinds<In, shape>>,
    /// The counter to read is one of the port.
    pub port_select: Option<Flag<In>, { counts_by_port(shape) }>,
    /// Counter that is read.
    pub value: Sig<Out, bits>,

    bank: CounterBank<all, bits>,

    /// Events of the current cycle.
    events: Sig<Local, all>,
    /// Counter to read.
    select: Sig<Local, all>,
    outstanding: Option<Outstanding<miss_slots, vcs>, by_table>,

    kinds: Number<{ vc_kinds(shape) }>,
    first_lookup: Number<{ kinds * vcs }>,
    first_fill: Number<{ first_lookup + usize::from(by_table) * LOOKUP_KINDS }>,
    first_multicast: Number<{ first_fill + usize::from(cached) * FILL_KINDS }>,
    first_message: Number<{ first_multicast + usize::from(shape.multicast.is_some()) }>,
    all: Number<{ first_message + shape.router_messages().map_or(0, |_| MESSAGE_KINDS) }>,
    by_table: Number<bool, { shape.table().is_some() }>,
    cached: Number<bool, { shape.table().is_some_and(|table| table.cache.is_some()) }>,
    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    vcs: Param<{ shape.vcs }>,
    bits: Param,
    miss_slots: Param<{ shape.table().map_or(0, |table| vcs * table.lookups_per_vc) }>,
}

#[kernel]
impl PortCounters {
    fn update(&mut self) {
        self.events.next = 0.into();
        self.find_events_of_vcs();
        self.find_events_of_port();
        self.select.next = 0.into();
        self.select_counter();
        self.bank.events.next = self.events.val();
        self.bank.snapshot.next = self.sampling.snapshot.val();
        self.bank.clear.next = self.sampling.clear.val();
        self.bank.select.next = self.select.val();
        self.value.next = self.bank.value.val();
        self.count_outstanding();
    }

    fn find_events_of_vcs(&mut self) {
        for v in 0..self.vcs {
            self.events.set(RX_PACKETS * self.vcs + v, self.arrival.arrive.val() & (self.arrival.arrive_vc.val() == v));
            self.events.set(RX_FLITS * self.vcs + v, self.stored.val().get_bit(v));
            self.events
                .set(TX_PACKETS * self.vcs + v, self.tx_valid.val() & self.tx_tail.val() & (self.tx_vc.val() == v));
            self.events.set(TX_FLITS * self.vcs + v, self.tx_valid.val() & (self.tx_vc.val() == v));
            self.events.set(DROPPED_PACKETS * self.vcs + v, self.dropped.val().get_bit(v));
            self.events
                .set(CREDIT_STALLS * self.vcs + v, self.asking.val().get_bit(v) & !self.with_room.val().get_bit(v));
            self.events
                .set(OUTPUT_STALLS * self.vcs + v, self.with_room.val().get_bit(v) & !self.granted.val().get_bit(v));
        }
    }

    fn find_events_of_port(&mut self) {
        if let Some(lookups) = &self.lookups {
            for v in 0..self.vcs {
                self.events.set(LOOKUP_STALLS * self.vcs + v, lookups.pending.val().get_bit(v));
            }
            self.events.set(self.first_lookup + LOOKUP_HITS, lookups.hit.val());
            self.events.set(self.first_lookup + LOOKUP_MISSES, lookups.miss.val());
            self.events.set(self.first_lookup + MERGED_MISSES, lookups.merged.val());
        }
        if let Some(fills) = &self.fills {
            self.events.set(self.first_fill + CACHE_FILLS, fills.fill.val());
            self.events.set(self.first_fill + CACHE_EVICTIONS, fills.evict.val());
        }
        if let Some(multicast) = &self.multicast {
            self.events.set(self.first_multicast, multicast.multicast_start.val());
            if multicast.multicast_stalled.val() {
                self.events.set(OUTPUT_STALLS * self.vcs + self.mixed, true);
            }
        }
        if let Some(messages) = &self.messages {
            self.events.set(self.first_message + TX_MESSAGES, messages.message_sent.val());
            self.events.set(self.first_message + RX_MESSAGES, messages.message_good.val());
            self.events.set(self.first_message + BAD_MESSAGES, messages.message_bad.val());
        }
    }

    /// Which counter is read.
    fn select_counter(&mut self) {
        for c in 0..self.kinds {
            for v in 0..self.vcs {
                self.select.set(c * self.vcs + v, self.vc_kind.val().get_bit(c) & self.vc_select.val().get_bit(v));
            }
        }
        if let (Some(kind), Some(here)) = (&self.of_port.lookup_kind, &self.port_select) {
            if here.val() {
                self.select.set(self.first_lookup, kind.val());
            }
        }
        if let (Some(kind), Some(here)) = (&self.of_port.fill_kind, &self.port_select) {
            if here.val() {
                self.select.set(self.first_fill, kind.val());
            }
        }
        if let (Some(kind), Some(here)) = (&self.of_port.multicast_kind, &self.port_select) {
            self.select.set(self.first_multicast, kind.val() & here.val());
        }
        if let (Some(kind), Some(here)) = (&self.of_port.message_kind, &self.port_select) {
            if here.val() {
                self.select.set(self.first_message, kind.val());
            }
        }
    }

    /// Misses under way.
    fn count_outstanding(&mut self) {
        if let (Some(of), Some(slots), Some(kind), Some(here)) =
            (&mut self.outstanding, &self.slots, &self.of_port.outstanding_kind, &self.port_select)
        {
            of.number_freed.next = 0.into();
            for v in 0..self.vcs {
                if slots.freed.val().get_bit(v) {
                    of.number_freed.next = of.number_freed.val() + 1;
                }
            }
            of.were_freed.d.next = of.number_freed.val();
            of.outstanding.d.next = of.outstanding.q.val() - unsigned_cast(of.were_freed.q.val());
            if slots.was_miss.val() {
                of.outstanding.d.next = of.outstanding.q.val() + 1 - unsigned_cast(of.were_freed.q.val());
            }
            if self.sampling.snapshot.val() {
                of.outstanding_held.d.next = of.outstanding.q.val();
            }
            if kind.val() & here.val() {
                self.value.next = self.bank.value.val() | unsigned_cast(of.outstanding_held.q.val());
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
        let shape = config.check().unwrap().shape();
        let mut bench = Bench::new(port_counters(&shape, 8), |b| &mut b.clock);
        let mut random = 11u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        let kinds = vc_kinds(&shape);
        let all = kinds * K + 5;
        // Counters as they are in a cycle, the events of the cycle before, and the snapshot; misses under way: now, a
        // cycle ago, in the snapshot.
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
            (bench.arrival.arrive.next, bench.arrival.arrive_vc.next) = (arrive, arrive_vc.into());
            (bench.tx_valid.next, bench.tx_vc.next, bench.tx_tail.next) = (tx_valid, tx_vc.into(), tx_tail);
            (bench.stored.next, bench.dropped.next) = (stored.into(), dropped.into());
            (bench.asking.next, bench.with_room.next) = (asking.into(), with_room.into());
            bench.granted.next = granted.into();
            let lookups = bench.lookups.as_mut().expect("lookups are counted");
            (lookups.pending.next, lookups.hit.next) = (pending.into(), hit);
            (lookups.miss.next, lookups.merged.next) = (miss, merged);
            let fills = bench.fills.as_mut().expect("fills are counted");
            (fills.fill.next, fills.evict.next) = (fill, evict);
            let events = bench.slots.as_mut().expect("misses under way are counted");
            (events.was_miss.next, events.freed.next) = (was_miss, freed.into());
            (bench.sampling.snapshot.next, bench.sampling.clear.next) = (take, clear);
            let one = |on: bool, place: usize| if on { 1u64 << place } else { 0 };
            let of_vc = read < kinds * K;
            let of_port = read.checked_sub(kinds * K).unwrap_or(9);
            bench.vc_kind.next = one(of_vc, read / K).into();
            bench.vc_select.next = one(of_vc, read % K).into();
            let kinds = &mut bench.of_port;
            kinds.lookup_kind.as_mut().expect("there").next = one(of_port < 3, of_port).into();
            kinds.fill_kind.as_mut().expect("there").next =
                one((3..5).contains(&of_port), of_port - 3.min(of_port)).into();
            kinds.outstanding_kind.as_mut().expect("there").next = of_port == 5;
            bench.port_select.as_mut().expect("there").next = of_port < 6;
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
