//! Route unit of a port: issues lookups and fills into the lookup pipeline and resolves them.
//!
//! hash -> cache read -> tag compare, one operation a cycle; a miss waits in the miss table and holds only its own VC.
//! Source: switch reference, sections 4.2 to 4.4; seed 000 section 4.2.

use crate::address_hash::AddressHash;
use crate::arbiter::RoundRobin;
use crate::bits::{ones, MAX_VCS};
use crate::delay_fifo::DelayFifo;
use crate::input_unit::Arrival;
use crate::miss_table::MissTable;
use crate::route_queue::{Route, RouteResult};
use crate::routing_cache::RoutingCache;
use railyard_spec::TableShape;

/// What is in a stage of the lookup pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    #[default]
    None,
    /// The lookup of a packet.
    Lookup(Arrival),
    /// The fill of a miss slot.
    Fill {
        /// Number `v * m + slot`.
        slot: u8,
    },
}

/// How a lookup resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The packet has no whole header.
    Malformed,
    /// The cache has its address.
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
    pub outcome: Outcome,
}

/// One port's route unit for table routing.
///
/// In a cycle: [`RouteUnit::issue`], then [`RouteUnit::take_done`] for the VCs with a pending head, then
/// [`RouteUnit::resolve`]: the order in which each sees the state from before the cycle.
#[derive(Clone, Debug)]
pub struct RouteUnit {
    header_queues: Vec<DelayFifo<Arrival>>,
    /// VCs whose header queue has an entry.
    queued: u8,
    /// Lookups in flight of each VC.
    used: [u8; MAX_VCS],
    lookups_per_vc: u8,
    arbiter: RoundRobin,
    /// An operation issued in cycle t stands at `t % depth`, where it is found again when it resolves in t + depth.
    pipeline: [Operation; 2],
    depth: u64,
    /// The cycle after that of the last fill's issue.
    no_issue_in: u64,
    cache: Option<RoutingCache>,
    /// The miss slots.
    pub misses: MissTable,
}

impl RouteUnit {
    /// The route unit of a port with `vcs` VCs and `buffer_flits` places in each of their buffers; cycle `now` is the
    /// first one.
    pub fn new(table: &TableShape, vcs: usize, buffer_flits: u32, now: u64) -> Self {
        RouteUnit {
            header_queues: vec![DelayFifo::new(buffer_flits as usize); vcs],
            queued: 0,
            used: [0; MAX_VCS],
            lookups_per_vc: table.lookups_per_vc as u8,
            arbiter: RoundRobin::new(vcs),
            pipeline: [Operation::None; 2],
            depth: if table.cache.is_some() { 2 } else { 1 },
            no_issue_in: u64::MAX,
            cache: table.cache.as_ref().map(|cache| RoutingCache::new(cache, now)),
            misses: MissTable::new(vcs, table.lookups_per_vc),
        }
    }

    /// Whether the unit must be stepped in the next cycle even if no packet arrives and no operation resolves: something
    /// waits to be issued, or a slot that is done to be freed.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.queued != 0 || self.misses.is_waiting()
    }

    /// Whether nothing is in flight: no header, operation or miss slot.
    pub fn is_idle(&self) -> bool {
        self.queued == 0 && self.misses.is_empty() && self.pipeline == [Operation::None; 2]
    }

    /// Issues an operation; `arrival` is the packet that arrives in cycle `now`.
    #[inline]
    pub fn issue(&mut self, now: u64, arrival: Option<Arrival>) -> Operation {
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
    fn choose(&mut self, now: u64, arrival: Option<Arrival>) -> Operation {
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
                self.queued &= !((self.header_queues[vc].is_empty() as u8) << vc);
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
    fn queue(&mut self, now: u64, arrival: Option<Arrival>) {
        if let Some(header) = arrival {
            self.header_queues[header.vc as usize].push(now, header);
            self.queued |= 1 << header.vc;
        }
    }

    /// The result of the oldest miss slot of `vc`, if it is done: the slot is freed. For VCs with a pending head only.
    #[inline]
    pub fn take_done(&mut self, vc: usize) -> Option<Route> {
        let route = self.misses.oldest_done(vc)?;
        self.misses.free(vc);
        self.used[vc] -= 1;
        Some(route)
    }

    /// Puts the operation `issued` in cycle `now` into the pipeline and resolves the one whose time has come.
    #[inline]
    pub fn resolve(&mut self, now: u64, issued: Operation, hash: Option<&AddressHash>) -> Option<Resolved> {
        let place = &mut self.pipeline[(now & (self.depth - 1)) as usize];
        let operation = std::mem::replace(place, issued);
        let set_of = |address| hash.map_or(0, |h| h.set(address));
        match operation {
            Operation::None => None,
            Operation::Fill { slot } => {
                let (address, result) = self.misses.finish_fill(slot as usize);
                if let (Some(cache), Route::Port(port)) = (&mut self.cache, result) {
                    cache.fill(now, set_of(address), address, port);
                }
                None
            }
            Operation::Lookup(Arrival { vc, malformed, address }) => {
                let vc = vc as usize;
                let cached = match &mut self.cache {
                    Some(cache) if !malformed => cache.lookup(now, set_of(address), address),
                    _ => None,
                };
                let (result, outcome) = if malformed {
                    self.used[vc] -= 1;
                    (RouteResult::Known(Route::Drop), Outcome::Malformed)
                } else if let Some(port) = cached {
                    self.used[vc] -= 1;
                    (RouteResult::Known(Route::Port(port)), Outcome::Hit)
                } else {
                    (RouteResult::Pending, Outcome::Miss { merged: self.misses.take(vc, address) })
                };
                Some(Resolved { vc, result, outcome })
            }
        }
    }

    /// Reset: nothing is in flight, and the cache sweeps from cycle `now` on, the first one without reset.
    pub fn reset(&mut self, now: u64) {
        for queue in &mut self.header_queues {
            queue.clear();
        }
        self.queued = 0;
        self.used = [0; MAX_VCS];
        self.arbiter = RoundRobin::new(self.header_queues.len());
        self.pipeline = [Operation::None; 2];
        self.no_issue_in = u64::MAX;
        if let Some(cache) = &mut self.cache {
            cache.reset(now);
        }
        self.misses.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Cache, Config, Routing, TableRouting};

    fn unit(cache: bool, lookups_per_vc: u32) -> (RouteUnit, Option<AddressHash>) {
        let mut config = Config::named("t");
        config.ports = 4;
        let cache = cache.then(|| Cache { entries: 16, ..Cache::default() });
        config.routing = Routing::Table(TableRouting { cache, lookups_per_vc, ..TableRouting::default() });
        let shape = config.shape();
        let table = shape.table().expect("a table");
        let hash = table.cache.as_ref().map(|c| AddressHash::new(c, table.address_bits));
        (RouteUnit::new(table, shape.vcs, shape.buffer_flits, 0), hash)
    }

    fn header(vc: u8, address: u64) -> Arrival {
        Arrival { vc, malformed: false, address }
    }

    /// One cycle without pending heads.
    fn step(u: &mut (RouteUnit, Option<AddressHash>), now: u64, arrival: Option<Arrival>) -> Option<Resolved> {
        let issued = u.0.issue(now, arrival);
        u.0.resolve(now, issued, u.1.as_ref())
    }

    #[test]
    fn a_lookup_resolves_after_two_cycles_with_cache_and_one_without() {
        for (cache, latency) in [(true, 2), (false, 1)] {
            let mut u = unit(cache, 4);
            for t in 0..latency {
                assert_eq!(step(&mut u, 20 + t, (t == 0).then_some(header(1, 9))), None);
            }
            let r = step(&mut u, 20 + latency, None).expect("resolved");
            assert_eq!((r.vc, r.result, r.outcome), (1, RouteResult::Pending, Outcome::Miss { merged: false }));
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
        assert!(u.0.misses.answer(0, 0, Route::Port(3)));
        assert!(u.0.is_waiting());
        // The fill goes first, nothing is issued behind it, then the packets that arrived in 23 and 24 in their turn.
        assert_eq!(u.0.issue(23, Some(header(0, 9))), Operation::Fill { slot: 0 });
        u.0.resolve(23, Operation::Fill { slot: 0 }, u.1.as_ref());
        assert_eq!(step(&mut u, 24, Some(header(0, 9))).map(|r| r.outcome), Some(Outcome::Miss { merged: true }));
        assert_eq!(u.0.take_done(0), None);
        assert_eq!(step(&mut u, 25, None), None);
        assert_eq!((u.0.take_done(0), u.0.take_done(1)), (Some(Route::Port(3)), Some(Route::Port(3))));
        assert_eq!(step(&mut u, 26, None), None);
        for t in [27, 28] {
            let r = step(&mut u, t, None).expect("resolved");
            assert_eq!((r.result, r.outcome), (RouteResult::Known(Route::Port(3)), Outcome::Hit));
        }
        assert_eq!(u.0.used, [0; MAX_VCS]);
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
        step(&mut u, 20, Some(Arrival { vc: 0, malformed: true, address: 0 }));
        step(&mut u, 21, None);
        let r = step(&mut u, 22, None).expect("resolved");
        assert_eq!((r.result, r.outcome), (RouteResult::Known(Route::Drop), Outcome::Malformed));
        assert!(u.0.misses.is_empty() && u.0.used[0] == 0);
    }
}
