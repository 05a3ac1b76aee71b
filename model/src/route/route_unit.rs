//! Route unit of a port: issues lookups and fills into the lookup pipeline and resolves them.
//!
//! hash or node reduction -> cache read -> tag compare, one operation a cycle; a miss waits in the miss table and holds
//! only its own VC. Source: switch reference, sections 4.2 to 4.4; Hirasawa2022, 4.2.

use crate::bits::{ones, MAX_VCS};
use crate::input::input_unit::HeaderArrival;
use crate::parts::fifo::DelayFifo;
use crate::parts::round_robin_arbiter::RoundRobin;
use crate::route::cache_index::CacheIndex;
use crate::route::miss_table::MissTable;
use crate::route::route_queue::{PacketRoute, RouteResult};
use crate::route::routing_cache::{Fill, RoutingCache};
use railyard_spec::{Shape, TableShape};

/// Cycles that the lookup pipeline remembers: the longest way through it, a power of two.
pub const CYCLES: usize = 4;

/// What is in a stage of the lookup pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    #[default]
    None,
    /// The lookup of a packet.
    Lookup(HeaderArrival),
    /// The fill of a miss slot.
    Fill {
        /// Number `v * m + slot`.
        slot: u8,
    },
}

/// How a lookup resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupOutcome {
    /// The packet has no whole header.
    Malformed,
    /// The packet is a multicast packet: nobody is asked.
    Multicast,
    /// The cache has its tag.
    Hit,
    /// A miss slot was taken for it.
    Miss {
        /// Another slot asks for it.
        merged: bool,
    },
}

/// A lookup that resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// VC of the packet.
    pub vc: usize,
    /// What is pushed into its route queue.
    pub result: RouteResult,
    /// How it resolved.
    pub outcome: LookupOutcome,
}

/// Cycles from a lookup's issue to its resolving.
pub fn lookup_latency(table: &TableShape) -> u64 {
    match (&table.cache, &table.reduction) {
        (None, _) => 1,
        (Some(_), None) => 2,
        (Some(_), Some(reduction)) => 1 + reduction.stages as u64,
    }
}

/// One port's route unit for table routing.
///
/// In a cycle: [`RouteUnit::issue`], then [`RouteUnit::take_done`] for the VCs with a pending head, then
/// [`RouteUnit::resolve`]: the order in which each sees the state from before the cycle.
#[derive(Clone, Debug)]
pub struct RouteUnit {
    header_queues: Vec<DelayFifo<HeaderArrival>>,
    /// VCs whose header queue has an entry.
    queued: u16,
    /// Lookups in flight of each VC.
    used: [u8; MAX_VCS],
    lookups_per_vc: u8,
    /// Multicast groups.
    groups: u64,
    arbiter: RoundRobin,
    /// An operation issued in cycle t stands at `t % CYCLES`, where it is found again when it resolves in t + depth.
    pipeline: [Operation; CYCLES],
    depth: u64,
    enabled: bool,
    /// Bit `t % CYCLES`: the cache was enabled in t, when the operation that stands there was issued.
    issued_enabled: u8,
    /// Lookups issued before this cycle, the one after the last flush, are stale.
    fresh_from: u64,
    /// The cycle after that of the last fill's issue.
    no_issue_in: u64,
    cache: Option<RoutingCache>,
    /// What the last fill did.
    fill: Fill,
    /// A bit of what a fill of this cycle writes is inverted.
    spoils: bool,
    /// The last lookup read a word of the cache with wrong parity.
    read_faulty: bool,
    /// The miss slots.
    pub misses: MissTable,
}

impl RouteUnit {
    /// The route unit of a port of a switch of that shape, with such table routing; cycle `now` is the first one.
    pub fn new(table: &TableShape, shape: &Shape, now: u64) -> Self {
        let vcs = shape.vcs;
        RouteUnit {
            header_queues: vec![DelayFifo::new(shape.buffer_flits as usize); vcs],
            queued: 0,
            used: [0; MAX_VCS],
            lookups_per_vc: table.lookups_per_vc as u8,
            groups: shape.multicast.map_or(0, |built| built.groups as u64),
            arbiter: RoundRobin::new(vcs),
            pipeline: [Operation::None; CYCLES],
            depth: lookup_latency(table),
            enabled: true,
            issued_enabled: 0,
            fresh_from: now,
            no_issue_in: u64::MAX,
            cache: table.cache.as_ref().map(|cache| RoutingCache::new(cache, now)),
            fill: Fill::Nothing,
            spoils: false,
            read_faulty: false,
            misses: MissTable::new(vcs, table.lookups_per_vc),
        }
    }

    /// Whether the unit must be stepped in the next cycle even if no packet arrives and no operation resolves:
    /// something waits to be issued, or a slot that is done to be freed.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.queued != 0 || self.misses.is_waiting()
    }

    /// Whether nothing is in flight: no header, operation or miss slot.
    pub fn is_idle(&self) -> bool {
        self.queued == 0 && self.misses.is_empty() && self.pipeline == [Operation::None; CYCLES]
    }

    /// Packets of `vc` in its header queue.
    #[inline]
    pub fn waiting_headers(&self, vc: usize) -> usize {
        self.header_queues[vc].len()
    }

    /// Issues an operation; `arrival` is the packet that arrives in cycle `now`.
    #[inline]
    pub fn issue(&mut self, now: u64, arrival: Option<HeaderArrival>) -> Operation {
        let operation = self.choose(now, arrival);
        match operation {
            Operation::Lookup(header) => self.used[header.vc as usize] += 1,
            Operation::Fill { slot } => {
                self.misses.start_fill(slot as usize);
                self.no_issue_in = now + 1;
            }
            Operation::None => {}
        }
        operation
    }

    #[inline]
    fn choose(&mut self, now: u64, arrival: Option<HeaderArrival>) -> Operation {
        if self.no_issue_in != now {
            if let Some(slot) = self.misses.to_fill() {
                self.queue(now, arrival);
                return Operation::Fill { slot: slot as u8 };
            }
            let mut ready = 0u64;
            for vc in ones(self.queued as u64) {
                if self.used[vc] < self.lookups_per_vc && self.header_queues[vc].front(now).is_some() {
                    ready |= 1 << vc;
                }
            }
            if ready != 0 {
                let vc = self.arbiter.grant(ready);
                let header = self.header_queues[vc].pop(now).expect("a poppable entry");
                self.queue(now, arrival);
                self.queued &= !((self.header_queues[vc].is_empty() as u16) << vc);
                return Operation::Lookup(header);
            }
            if let Some(header) = arrival {
                let vc = header.vc as usize;
                if self.queued >> vc & 1 == 0 && self.used[vc] < self.lookups_per_vc {
                    return Operation::Lookup(header);
                }
            }
        }
        self.queue(now, arrival);
        Operation::None
    }

    /// A packet that is not issued when it arrives waits in the header queue of its VC.
    #[inline]
    fn queue(&mut self, now: u64, arrival: Option<HeaderArrival>) {
        if let Some(header) = arrival {
            self.header_queues[header.vc as usize].push(now, header);
            self.queued |= 1 << header.vc;
        }
    }

    /// The result of the oldest miss slot of `vc`, if it is done: the slot is freed. For VCs with a pending head only.
    #[inline]
    pub fn take_done(&mut self, vc: usize) -> Option<PacketRoute> {
        let route = self.misses.oldest_done(vc)?;
        self.misses.free(vc);
        self.used[vc] -= 1;
        Some(route)
    }

    /// Whether the cache is being swept in cycle `now`.
    pub fn is_sweeping(&self, now: u64) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.is_sweeping(now))
    }

    /// Whether the cache is enabled, from the next cycle on.
    pub fn enable(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    /// A flush in cycle `now`: lookups issued up to this cycle are stale, and the cache sweeps from the next one on. To
    /// be called before [`RouteUnit::resolve`] of that cycle.
    pub fn flush(&mut self, now: u64) {
        self.fresh_from = now + 1;
        self.misses.flush();
        if let Some(cache) = &mut self.cache {
            cache.flush(now + 1);
        }
    }

    /// Puts the operation `issued` in cycle `now` into the pipeline and resolves the one whose time has come.
    #[inline]
    pub fn resolve(&mut self, now: u64, issued: Operation, index: Option<&CacheIndex>) -> Option<Resolved> {
        let due = now.wrapping_sub(self.depth) as usize % CYCLES;
        let operation = std::mem::take(&mut self.pipeline[due]);
        let fresh = self.issued_enabled >> due & 1 == 1 && now >= self.fresh_from + self.depth;
        let place = now as usize % CYCLES;
        self.pipeline[place] = issued;
        self.issued_enabled = self.issued_enabled & !(1 << place) | (self.enabled as u8) << place;
        match operation {
            Operation::None => None,
            Operation::Fill { slot } => {
                let fresh = self.misses.is_fresh(slot as usize);
                let (tag, result) = self.misses.finish_fill(slot as usize);
                if let (Some(cache), Some(index), true) = (&mut self.cache, index, fresh) {
                    self.fill = cache.fill(now, index.set(tag), tag, result);
                    if self.spoils && self.fill != Fill::Nothing {
                        cache.spoil();
                    }
                }
                None
            }
            Operation::Lookup(header @ HeaderArrival { multicast: true, .. }) => {
                let vc = header.vc as usize;
                self.used[vc] -= 1;
                let result = RouteResult::Known(header.to_group(self.groups));
                Some(Resolved { vc, result, outcome: LookupOutcome::Multicast })
            }
            Operation::Lookup(HeaderArrival { vc, malformed, address, .. }) => {
                let vc = vc as usize;
                let tag = (fresh && !malformed).then(|| index.map_or(address, |index| index.tag(address)));
                let cached = match (&mut self.cache, index, tag) {
                    (Some(cache), Some(index), Some(tag)) => {
                        let set = index.set(tag);
                        self.read_faulty = cache.is_faulty(now, set);
                        cache.lookup(now, set, tag)
                    }
                    _ => None,
                };
                let (result, outcome) = if malformed {
                    self.used[vc] -= 1;
                    (RouteResult::Known(PacketRoute::Drop), LookupOutcome::Malformed)
                } else if let Some(route) = cached {
                    self.used[vc] -= 1;
                    (RouteResult::Known(route), LookupOutcome::Hit)
                } else {
                    (RouteResult::Pending, LookupOutcome::Miss { merged: self.misses.take(vc, address, tag) })
                };
                Some(Resolved { vc, result, outcome })
            }
        }
    }

    /// Leaves in the cache what a lookup of an address does, once it is answered with that route, but takes no time.
    /// Whether the cache had the route; none without a cache.
    pub fn warm(&mut self, now: u64, address: u64, route: PacketRoute, index: Option<&CacheIndex>) -> Option<bool> {
        let (cache, index) = (self.cache.as_mut()?, index?);
        let tag = index.tag(address);
        let hit = cache.lookup(now, index.set(tag), tag).is_some();
        if !hit {
            cache.fill(now, index.set(tag), tag, route);
        }
        Some(hit)
    }

    /// What the last fill did, if one has resolved since this was asked.
    #[inline]
    pub fn take_fill(&mut self) -> Fill {
        std::mem::take(&mut self.fill)
    }

    /// Whether a bit of the word is inverted that a fill of this cycle writes.
    #[inline]
    pub fn set_spoils(&mut self, spoils: bool) {
        self.spoils = spoils;
    }

    /// Whether the last lookup read a word of the cache with wrong parity, if that was not asked before.
    #[inline]
    pub fn take_parity(&mut self) -> bool {
        std::mem::take(&mut self.read_faulty)
    }

    /// Reset: nothing is in flight, and the cache sweeps from cycle `now` on, the first one without reset.
    pub fn reset(&mut self, now: u64) {
        for queue in &mut self.header_queues {
            queue.clear();
        }
        self.queued = 0;
        self.used = [0; MAX_VCS];
        self.arbiter = RoundRobin::new(self.header_queues.len());
        self.pipeline = [Operation::None; CYCLES];
        self.enabled = true;
        self.fresh_from = now;
        self.no_issue_in = u64::MAX;
        self.fill = Fill::Nothing;
        self.read_faulty = false;
        if let Some(cache) = &mut self.cache {
            cache.reset(now);
        }
        self.misses.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::reduction::ReductionSettings;
    use railyard_spec::{Cache, Config, NodeReduction, Routing, TableRouting, Topology};

    fn unit(cache: bool, lookups_per_vc: u32) -> (RouteUnit, Option<CacheIndex>) {
        unit_with(cache, lookups_per_vc, None)
    }

    fn unit_with(cache: bool, lookups_per_vc: u32, stages: Option<u32>) -> (RouteUnit, Option<CacheIndex>) {
        let mut config = Config::named("t");
        config.ports = 4;
        let cache = cache.then(|| Cache { entries: 16, ..Cache::default() });
        let node_reduction = stages.map(|stages| NodeReduction { stages, ..NodeReduction::default() });
        let table =
            TableRouting { cache, lookups_per_vc: Some(lookups_per_vc), node_reduction, ..TableRouting::default() };
        config.routing = Routing::Table(table);
        let shape = config.check().unwrap().shape();
        let table = shape.table().expect("a table");
        (RouteUnit::new(table, &shape, 0), CacheIndex::new(table))
    }

    /// Lets the CAM answer the oldest request and the fill resolve; gives the cycle after that. Nothing else is issued.
    fn answer(u: &mut (RouteUnit, Option<CacheIndex>), now: u64, route: PacketRoute) -> u64 {
        let (vc, slot, _) = u.0.misses.request().expect("a request");
        u.0.misses.requested();
        assert!(u.0.misses.answer(vc, slot, route));
        (0..=u.0.depth).for_each(|t| assert_eq!(step(u, now + t, None), None));
        assert_eq!(u.0.take_done(vc), Some(route));
        now + u.0.depth + 1
    }

    fn header(vc: u8, address: u64) -> HeaderArrival {
        HeaderArrival { vc, address, ..HeaderArrival::default() }
    }

    /// One cycle without pending heads.
    fn step(u: &mut (RouteUnit, Option<CacheIndex>), now: u64, arrival: Option<HeaderArrival>) -> Option<Resolved> {
        let issued = u.0.issue(now, arrival);
        u.0.resolve(now, issued, u.1.as_ref())
    }

    #[test]
    fn a_lookup_resolves_after_two_cycles_with_cache_and_one_without() {
        for (cache, stages, latency) in
            [(true, None, 2), (false, None, 1), (true, Some(1), 2), (true, Some(2), 3), (true, Some(3), 4)]
        {
            let mut u = unit_with(cache, 4, stages);
            for t in 0..latency {
                assert_eq!(step(&mut u, 20 + t, (t == 0).then_some(header(1, 9))), None);
            }
            let r = step(&mut u, 20 + latency, None).expect("resolved");
            assert_eq!((r.vc, r.result, r.outcome), (1, RouteResult::Pending, LookupOutcome::Miss { merged: false }));
            assert!(!u.0.is_waiting() && !u.0.is_idle());
        }
    }

    #[test]
    fn a_fill_makes_later_lookups_hit() {
        let mut u = unit(true, 4);
        step(&mut u, 20, Some(header(0, 9)));
        step(&mut u, 21, None);
        step(&mut u, 22, Some(header(1, 9)));
        u.0.misses.requested();
        assert!(u.0.misses.answer(0, 0, PacketRoute::Port(3)));
        assert!(u.0.is_waiting());
        // The fill goes first, nothing is issued behind it, then the packets that arrived in 23 and 24 in their turn.
        assert_eq!(u.0.issue(23, Some(header(0, 9))), Operation::Fill { slot: 0 });
        u.0.resolve(23, Operation::Fill { slot: 0 }, u.1.as_ref());
        assert_eq!(step(&mut u, 24, Some(header(0, 9))).map(|r| r.outcome), Some(LookupOutcome::Miss { merged: true }));
        assert_eq!(u.0.take_done(0), None);
        assert_eq!(step(&mut u, 25, None), None);
        assert_eq!((u.0.take_done(0), u.0.take_done(1)), (Some(PacketRoute::Port(3)), Some(PacketRoute::Port(3))));
        assert_eq!(step(&mut u, 26, None), None);
        for t in [27, 28] {
            let r = step(&mut u, t, None).expect("resolved");
            assert_eq!((r.result, r.outcome), (RouteResult::Known(PacketRoute::Port(3)), LookupOutcome::Hit));
        }
        assert_eq!(u.0.used, [0; MAX_VCS]);
    }

    /// Four lookups of one address, one a cycle, the last of them issued in cycle 23; a flush in 23.
    #[test]
    fn a_flush_makes_all_before_it_stale() {
        for (flush_in, stale) in [(19, 0), (20, 1), (22, 3), (23, 4)] {
            let mut u = unit(true, 4);
            let mut outcomes = vec![];
            for t in 0..26 {
                if t == flush_in {
                    u.0.flush(t);
                }
                let arrival = (20..24).contains(&t).then(|| header(t as u8 % 2, 9));
                outcomes.extend(step(&mut u, t, arrival).map(|r| r.outcome));
            }
            // Those that resolved before the flush were fresh then, and met.
            let mut expected = vec![LookupOutcome::Miss { merged: true }; 4];
            for (number, outcome) in expected.iter_mut().enumerate() {
                let (issued, resolves) = (20 + number as u64, 22 + number as u64);
                let is_stale = issued <= flush_in && flush_in <= resolves;
                let first = number == 0 || number == stale && flush_in >= 20;
                *outcome = LookupOutcome::Miss { merged: !is_stale && !first };
            }
            assert_eq!(outcomes, expected, "flush in {flush_in}");
        }
    }

    #[test]
    fn a_disabled_cache_neither_hits_nor_is_filled() {
        let mut u = unit(true, 4);
        let lookup = |u: &mut (RouteUnit, Option<CacheIndex>), now: u64, address| {
            step(u, now, Some(header(0, address)));
            step(u, now + 1, None);
            step(u, now + 2, None).expect("resolved").outcome
        };
        assert_eq!(lookup(&mut u, 20, 9), LookupOutcome::Miss { merged: false });
        let now = answer(&mut u, 23, PacketRoute::PortVc(3, 1));
        assert_eq!(lookup(&mut u, now, 9), LookupOutcome::Hit);
        u.0.enable(false);
        assert_eq!(lookup(&mut u, 40, 9), LookupOutcome::Miss { merged: false });
        assert_eq!(lookup(&mut u, 43, 9), LookupOutcome::Miss { merged: false });
        answer(&mut u, 46, PacketRoute::Port(1));
        let now = answer(&mut u, 56, PacketRoute::Port(1));
        u.0.enable(true);
        assert_eq!(lookup(&mut u, now, 9), LookupOutcome::Hit, "the old entry");
        u.0.flush(80);
        let cache = u.0.cache.as_ref().expect("a cache");
        assert!(cache.is_sweeping(85) && !cache.is_sweeping(86), "four sets, and one cycle more");
        assert_eq!(lookup(&mut u, 81, 9), LookupOutcome::Miss { merged: false }, "sweeping");
        let now = answer(&mut u, 90, PacketRoute::Port(2));
        assert_eq!(lookup(&mut u, now, 9), LookupOutcome::Hit);
    }

    #[test]
    fn addresses_with_one_key_share_an_entry() {
        let mut u = unit_with(true, 4, Some(1));
        let settings = ReductionSettings {
            topology: Some(Topology::Cube),
            chunk_bits: 4,
            bound: 0xFF,
            ..ReductionSettings::default()
        };
        u.1.as_mut().expect("a cache").set_up(&settings);
        step(&mut u, 20, Some(header(0, 0x31)));
        step(&mut u, 21, Some(header(1, 0x42)));
        assert_eq!(step(&mut u, 22, None).map(|r| r.outcome), Some(LookupOutcome::Miss { merged: false }));
        assert_eq!(step(&mut u, 23, None).map(|r| r.outcome), Some(LookupOutcome::Miss { merged: true }));
        assert_eq!(u.0.misses.request(), Some((0, 0, 0x31)), "the CAM gets the address");
        answer(&mut u, 24, PacketRoute::Port(2));
        assert_eq!(u.0.take_done(1), Some(PacketRoute::Port(2)));
        step(&mut u, 30, Some(header(0, 0x53)));
        step(&mut u, 31, Some(header(0, 0x50)));
        assert_eq!(step(&mut u, 32, None).map(|r| r.outcome), Some(LookupOutcome::Hit));
        assert_eq!(step(&mut u, 33, None).map(|r| r.outcome), Some(LookupOutcome::Miss { merged: false }));
    }

    #[test]
    fn lookups_in_flight_are_limited() {
        let mut u = unit(false, 2);
        assert_ne!(u.0.issue(0, Some(header(0, 1))), Operation::None);
        assert_ne!(u.0.issue(1, Some(header(0, 2))), Operation::None);
        assert_eq!(u.0.issue(2, Some(header(0, 3))), Operation::None);
        assert_eq!(u.0.issue(3, Some(header(1, 4))), Operation::Lookup(header(1, 4)));
        assert_eq!(u.0.issue(9, None), Operation::None);
        u.0.used[0] -= 1;
        assert_eq!(u.0.issue(10, None), Operation::Lookup(header(0, 3)));
    }

    #[test]
    fn an_arrival_does_not_overtake_the_queue_of_its_vc() {
        let mut u = unit(true, 4);
        u.0.no_issue_in = 5;
        assert_eq!(u.0.issue(5, Some(header(0, 1))), Operation::None);
        // The queued header can be popped from 7 on; one of another VC may go.
        assert_eq!(u.0.issue(6, Some(header(0, 2))), Operation::None);
        assert_eq!(u.0.issue(7, Some(header(1, 3))), Operation::Lookup(header(0, 1)));
        // Header 2 of VC 0 since 6, header 3 of VC 1 since 7.
        assert_eq!(u.0.issue(8, None), Operation::Lookup(header(0, 2)));
        assert_eq!(u.0.issue(9, Some(header(0, 4))), Operation::Lookup(header(1, 3)));
        assert_eq!(u.0.issue(10, None), Operation::None);
        assert_eq!(u.0.issue(11, None), Operation::Lookup(header(0, 4)));
        assert!(u.0.queued == 0);
    }

    #[test]
    fn a_malformed_packet_is_dropped_without_a_miss() {
        let mut u = unit(true, 4);
        step(&mut u, 20, Some(HeaderArrival { malformed: true, ..HeaderArrival::default() }));
        step(&mut u, 21, None);
        let r = step(&mut u, 22, None).expect("resolved");
        assert_eq!((r.result, r.outcome), (RouteResult::Known(PacketRoute::Drop), LookupOutcome::Malformed));
        assert!(u.0.misses.is_empty() && u.0.used[0] == 0);
    }
}
