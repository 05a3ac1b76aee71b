//! Route unit of a table-routed switch: from the headers of a port to output ports, in order for each VC.
//!
//! With cache control also `enable`, `flush` (they are as section 9 says) and `sweeping` (the cache sweeps in this
//! cycle); with node reduction in front of the cache its settings (`ReductionWires`).
//!
//! With counters, what they count in this cycle: `pending_now` (k; the head of the route queue is pending), `hit_now`,
//! `miss_now`, `merged_now` (a lookup resolves so, its miss slot is merged), `fill_now`, `evict_now` (with a cache),
//! `freed_now` (k; the oldest miss slot is freed).
//!
//! With the mixed VC, `arrive_address` has one bit more, the mark of a multicast packet, and `arrive_malformed` also
//! says that there is no such group.
//!
//! Each cycle: `lookup_issue` sends one operation into the lookup pipeline. What leaves it goes into the route queue of
//! its VC: a hit with its port, a malformed packet as drop, a miss as pending and also into the miss table. A pending
//! result that comes to the head of its queue takes over what the miss table has for it, and frees the slot.
//!
//! Source: switch reference, sections 4 and 5; hardware blocks; Hirasawa2022, 4.2 and 4.4 (cache in front of a
//! CAM).

use crate::units::prelude::*;

/// Route unit of a port: from headers to output ports, in order for each VC. Hits come from the routing cache; misses
/// wait for the CAM, and only their own VC with them.
#[block(shape: &Shape, table: &TableShape)]
pub struct RouteUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<RoutePorts<In, shape>>,

    /// A lookup hit.
    hit: FlagReg,
    /// A lookup missed.
    miss: FlagReg,
    /// A lookup read a word of the cache with wrong parity.
    faulty: Option<FlagReg, { shape.cache_parity().is_some() }>,

    issue: LookupIssue<shape, table>,
    pipeline: LookupPipeline<shape, table>,
    misses: MissTable<shape, table>,
    #[made(route_queues(shape))]
    route_queue: Vec<RouteQueue>,
    #[made(result_queues(shape))]
    result_queue: Vec<ResultQueue>,

    /// A lookup of the VC resolves as hit or malformed.
    settled: Sig<Local, vcs>,
    /// The VC's oldest miss slot is freed.
    freed: Sig<Local, vcs>,
    /// The operation that is issued is fresh, unless a flush is in the current cycle.
    issue_fresh: Option<Flag<Local>, { shape.cache_control() }>,
    /// Result for the queue of the mixed VC.
    #[made(mixed_layout(shape, route_layout(shape).bits).map(|m| sig(m.bits)))]
    mixed_result: Option<Sig<Local>>,

    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    group_field: Field<0, { mixed_layout(shape, route_layout(shape).bits).map_or(1, |m| m.group_bits) }>,
    multicast_bit: Number<{ mixed_layout(shape, route_layout(shape).bits).map_or(0, |m| m.multicast) }>,
    #[about]
    #[made(table.cache.as_ref().map_or(WITHOUT_CACHE, |_| ""))]
    comment: &'static str,
    sets: Param<Option<usize>, { table.cache.as_ref().map(|cache| cache.sets) }>,
    ways: Param<Option<usize>, { table.cache.as_ref().map(|cache| cache.ways) }>,
    vcs: Param<{ shape.vcs }>,
    address_bits: Param<{ table.address_bits as usize }>,
    route_bits: Param<Option<usize>, { names_route(shape).then_some(route_layout(shape).bits) }>,
    port_bits: Param<Option<usize>, { (!names_route(shape)).then_some(route_layout(shape).bits) }>,
    lookups_per_vc: Param<{ table.lookups_per_vc }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

const WITHOUT_CACHE: &str =
    "Route unit of a port without a routing cache: from headers to output ports, in order for each VC. All lookups go to \
     the CAM; equal ones at the same time go once.";

/// A route queue for each VC, unless output selection takes its place.
fn route_queues(shape: &Shape) -> Vec<RouteQueue> {
    let queue = |v| match shape.counter_bits {
        None => route_queue_of(shape, v),
        Some(_) => route_queue_of(shape, v).counted(),
    };
    (0..shape.vcs).filter(|_| !shape.output_selection()).map(queue).collect()
}

/// A result queue for each VC, in front of output selection.
fn result_queues(shape: &Shape) -> Vec<ResultQueue> {
    let queue = |v| result_queue(shape.buffer_flits as usize, result_bits(shape, v), true);
    let queue = |v| match shape.counter_bits {
        None => queue(v),
        Some(_) => queue(v).counted(),
    };
    (0..shape.vcs).filter(|_| shape.output_selection()).map(queue).collect()
}

#[kernel]
impl RouteUnit {
    fn update(&mut self) {
        self.issue();
        self.look_up();
        self.look_up_fresh();
        self.show_lookups();
        self.wait();
        self.wait_fresh();
        self.settle();
        self.queue_requests();
        self.queue_routes();
        self.show_requests();
        self.show_routes();
        self.count();
        self.find_groups();
        self.queue_groups();
    }

    fn issue(&mut self) {
        self.issue.arrive.next = self.io.arrival.arrive.val();
        self.issue.arrive_vc.next = self.io.arrival.arrive_vc.val();
        if let (Some(malformed), Some(address)) = (&self.io.arrival.arrive_malformed, &self.io.arrival.arrive_address) {
            self.issue.arrive_malformed.next = malformed.val();
            self.issue.arrive_address.next = address.val();
        }
        self.issue.fill_waiting.next = self.misses.fill_waiting.val();
        if let (Some(issue), Some(fill)) = (&mut self.issue.fill_address, &self.misses.fill_address) {
            issue.next = unsigned_cast(fill.val());
        }
        self.issue.fill_ahead.next = self.pipeline.io.fill_ahead.val();
        self.issue.settled.next = self.settled.val();
        self.issue.freed.next = self.freed.val();
    }

    fn look_up(&mut self) {
        let lookup = &mut self.pipeline.io;
        lookup.issue.lookup.next = self.issue.issue_lookup.val();
        lookup.issue.fill.next = self.issue.issue_fill.val();
        lookup.issue.malformed.next = self.issue.issue_malformed.val();
        lookup.issue.vc.next = self.issue.issue_vc.val();
        lookup.issue.address.next = self.issue.issue_address.val();
        lookup.issue.drop.next = self.misses.fill_drop.val();
        lookup.issue.port.next = self.misses.fill_port.val();
        self.io.reduction_settings.link(&mut lookup.reduction_settings);
    }

    /// What is issued is fresh while the cache is enabled; a fill, while its slot is.
    fn look_up_fresh(&mut self) {
        if let (Some(fresh), Some(control), Some(lookup), Some(misses)) =
            (&mut self.issue_fresh, &mut self.io.control, &mut self.pipeline.io.control, &self.misses.control)
        {
            fresh.next = control.enable.val();
            if self.misses.fill_waiting.val() {
                fresh.next = misses.fill_fresh.val();
            }
            lookup.issue_fresh.next = fresh.val();
            lookup.issue_number.next = misses.fill_number.val();
            lookup.flush.next = control.flush.val();
            control.sweeping.next = lookup.sweeping.val();
        }
    }

    fn show_lookups(&mut self) {
        self.hit.d.next = self.pipeline.io.resolve_hit.val();
        self.miss.d.next = self.pipeline.io.resolve_miss.val();
        if let Some(pins) = &mut self.io.lookups {
            pins.lookup_hit.next = self.hit.q.val();
            pins.lookup_miss.next = self.miss.q.val();
            if let (Some(pin), Some(faulty), Some(now)) =
                (&mut pins.lookup_parity, &mut self.faulty, &self.pipeline.io.resolve_faulty)
            {
                faulty.d.next = now.val();
                pin.next = faulty.q.val();
            }
        }
        self.io.flip.link(&mut self.pipeline.io.flip);
    }

    /// Misses wait for the CAM.
    fn wait(&mut self) {
        let lookup = &self.pipeline.io;
        self.misses.resolve_lookup.next = lookup.resolve_lookup.val();
        self.misses.resolve_miss.next = lookup.resolve_miss.val();
        self.misses.resolve_vc.next = lookup.resolve_vc.val();
        self.misses.resolve_fill.next = lookup.resolve_fill.val();
        self.misses.resolve_drop.next = lookup.resolve_drop.val();
        self.misses.resolve_port.next = lookup.resolve_port.val();
        self.misses.resolve_address.next = lookup.resolve_address.val();
        self.misses.fill_issued.next = self.issue.issue_fill.val();
        self.misses.freed.next = self.freed.val();
        if let Some(cam) = &mut self.io.cam {
            cam.link(&mut self.misses.cam);
        }
    }

    /// They know whether they are fresh, and their tags.
    fn wait_fresh(&mut self) {
        if let (Some(misses), Some(lookup), Some(control)) =
            (&mut self.misses.control, &self.pipeline.io.control, &self.io.control)
        {
            misses.flush.next = control.flush.val();
            misses.resolve_fresh.next = lookup.resolve_fresh.val();
            misses.resolve_number.next = lookup.resolve_number.val();
        }
        if let (Some(misses), Some(lookup)) = (&mut self.misses.tags, &mut self.pipeline.io.tags) {
            misses.resolve_tag.next = lookup.resolve_tag.val();
            misses.tag_number.next = lookup.tag_number.val();
            lookup.fill_tag.next = misses.fill_tag.val();
        }
    }

    fn settle(&mut self) {
        let lookup = &self.pipeline.io;
        self.settled.next = 0.into();
        for v in 0..self.vcs {
            self.settled
                .set(v, (lookup.resolve_hit.val() | lookup.resolve_malformed.val()) & (lookup.resolve_vc.val() == v));
        }
    }

    /// Results, as requests for outputs.
    fn queue_requests(&mut self) {
        let lookup = &self.pipeline.io;
        for v in 0..self.route_queue.len() {
            let queue = &mut self.route_queue[v];
            queue.push.next = lookup.resolve_lookup.val() & (lookup.resolve_vc.val() == v);
            queue.push_drop.next = lookup.resolve_malformed.val();
            queue.push_port.next = unsigned_cast(lookup.hit_port.val());
            queue.take.next = self.io.take.val().get_bit(v);
            if let (Some(pending), Some(done), Some(drop), Some(port)) =
                (&mut queue.push_pending, &mut queue.slot_done, &mut queue.slot_drop, &mut queue.slot_port)
            {
                pending.next = lookup.resolve_miss.val();
                done.next = self.misses.oldest_done.val().get_bit(v);
                drop.next = self.misses.oldest_drop.val().get_bit(v);
                port.next = unsigned_cast(self.misses.oldest_port[v].val());
            }
        }
    }

    /// Results, as routes for output selection.
    fn queue_routes(&mut self) {
        let lookup = &self.pipeline.io;
        for v in 0..self.result_queue.len() {
            let queue = &mut self.result_queue[v];
            queue.push.next = lookup.resolve_lookup.val() & (lookup.resolve_vc.val() == v);
            if let Some(push_pending) = &mut queue.push_pending {
                push_pending.next = lookup.resolve_miss.val();
            }
            queue.push_drop.next = lookup.resolve_malformed.val();
            queue.push_port.next = unsigned_cast(lookup.hit_port.val());
            if let (Some(done), Some(dropped), Some(port)) =
                (&mut queue.slot_done, &mut queue.slot_drop, &mut queue.slot_port)
            {
                done.next = self.misses.oldest_done.val().get_bit(v);
                dropped.next = self.misses.oldest_drop.val().get_bit(v);
                port.next = unsigned_cast(self.misses.oldest_port[v].val());
            }
            queue.take.next = self.io.take.val().get_bit(v);
        }
    }

    fn show_requests(&mut self) {
        self.freed.next = 0.into();
        self.io.head.drop.next = 0.into();
        for v in 0..self.route_queue.len() {
            let queue = &mut self.route_queue[v];
            if let Some(slot_freed) = &queue.slot_freed {
                self.freed.set(v, slot_freed.val());
            }
            self.io.head.drop.set(v, queue.head_drop.val());
            self.io.head.request[v].next = queue.head_request.val();
            if let (Some(own_vc), Some(head_vc)) = (&mut queue.own_vc, &queue.head_vc) {
                own_vc.next = v.into();
                self.io.head.vc[v].next = head_vc.val();
            }
        }
    }

    fn show_routes(&mut self) {
        if let Some(routed) = &mut self.io.head.routed {
            routed.next = 0.into();
            for v in 0..self.result_queue.len() {
                let queue = &self.result_queue[v];
                if let Some(slot_freed) = &queue.slot_freed {
                    self.freed.set(v, slot_freed.val());
                }
                self.io.head.drop.set(v, queue.head_drop.val());
                routed.set(v, queue.head_routed.val());
                self.io.head.route[v].next = unsigned_cast(queue.head_route.val());
            }
        }
    }

    fn count(&mut self) {
        if let Some(events) = &mut self.io.events {
            events.pending_now.next = 0.into();
            for v in 0..self.route_queue.len() {
                if let Some(pending) = &self.route_queue[v].head_pending {
                    events.pending_now.set(v, pending.val());
                }
            }
            for v in 0..self.result_queue.len() {
                if let Some(pending) = &self.result_queue[v].head_pending {
                    events.pending_now.set(v, pending.val());
                }
            }
            events.hit_now.next = self.pipeline.io.resolve_hit.val();
            events.miss_now.next = self.pipeline.io.resolve_miss.val();
            if let Some(joined) = &self.misses.joined {
                events.merged_now.next = joined.val();
            }
            events.freed_now.next = self.freed.val();
            if let (Some(fill), Some(evict), Some(writes)) =
                (&mut events.fill_now, &mut events.evict_now, &self.pipeline.io.writes)
            {
                fill.next = writes.fills.val();
                evict.next = writes.evicts.val();
            }
        }
    }

    /// The result of a multicast packet is a group in place of a route.
    fn find_groups(&mut self) {
        let lookup = &self.pipeline.io;
        if let (Some(result), Some(multicast)) = (&mut self.mixed_result, &lookup.resolve_multicast) {
            result.next = unsigned_cast(lookup.hit_port.val());
            if multicast.val() {
                self.settled.set(self.mixed, true);
                result.next = unsigned_cast(lookup.resolve_address.val() >> self.group_field.val());
                result.set(self.multicast_bit, true);
            }
        }
    }

    fn queue_groups(&mut self) {
        if let (Some(result), Some(head_multicast), Some(head_group)) =
            (&self.mixed_result, &mut self.io.head.multicast, &mut self.io.head.group)
        {
            if let Some(routed) = &mut self.io.head.routed {
                let queue = &mut self.result_queue[self.mixed];
                queue.push_port.next = result.val();
                head_group.next = queue.head_route.val() >> self.group_field.val();
                head_multicast.next = queue.head_routed.val() & queue.head_route.val().get_bit(self.multicast_bit);
                if head_multicast.val() {
                    routed.set(self.mixed, false);
                }
            } else {
                let queue = &mut self.route_queue[self.mixed];
                queue.push_port.next = result.val();
                if let (Some(multicast), Some(group)) = (&queue.head_multicast, &queue.head_group) {
                    head_multicast.next = multicast.val();
                    head_group.next = group.val();
                }
            }
        }
    }
}

#[cfg(test)]
mod control_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Cache, Config, Routing, TableRouting};
    use std::collections::VecDeque;

    const ADDRESSES: u64 = 60;

    fn shape(vcs: u32, lookups: u32, cache: Option<(u32, u32)>) -> Shape {
        shape_with(vcs, lookups, cache, false)
    }

    fn shape_with(vcs: u32, lookups: u32, cache: Option<(u32, u32)>, next_vc: bool) -> Shape {
        let mut config = Config::named("test");
        config.virtual_channels.unicast = vcs;
        config.buffer_flits = Some(16);
        config.registers = false;
        config.routing = Routing::Table(TableRouting {
            address_bits: 12,
            lookups_per_vc: Some(lookups),
            cache: cache.map(|(entries, ways)| Cache { entries, ways, ..Cache::default() }),
            next_vc,
            ..Default::default()
        });
        config.check().unwrap().shape()
    }

    /// What the table says: every fifth address has no route.
    fn route(address: u64) -> Option<u64> {
        (address % 5 != 0).then_some(address * 7 % 16)
    }

    /// The VC that the table names, if it names one.
    fn next_vc(address: u64, vcs: usize) -> Option<u64> {
        (address % 3 != 0).then_some(address / 3 % vcs as u64)
    }

    /// The route of an address as the CAM port hands it on.
    fn answer_of(address: u64, shape: &Shape) -> u64 {
        let port = route(address).unwrap_or(3);
        match (shape.next_vc, next_vc(address, shape.vcs)) {
            (false, _) => port,
            (true, None) => 1 << shape.port_bits | port,
            (true, Some(vc)) => 1 << (shape.port_bits + shape.vc_bits) | vc << shape.port_bits | port,
        }
    }

    macro_rules! start {
        ($unit:expr, $sweep:expr) => {{
            let mut bench = Bench::new($unit, |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let sweep: usize = $sweep;
            for _ in 0..sweep {
                bench.cycle();
            }
            bench
        }};
    }

    #[test]
    fn times_of_a_miss_and_a_hit() {
        let shape = shape(2, 4, Some((16, 2)));
        let table = shape.table().unwrap();
        let mut bench = start!(route_unit(&shape, table), 9);
        let mut seen = vec![];
        for cycle in 0..20 {
            bench.io.arrival.arrive.next = cycle == 0 || cycle == 12;
            bench.io.arrival.arrive_address.as_mut().unwrap().next = 0xabcu32.into();
            bench.io.cam.as_mut().unwrap().offer.taken.next = cycle == 3;
            bench.io.cam.as_mut().unwrap().answer.valid.next = cycle == 5 || cycle == 6;
            bench.io.cam.as_mut().unwrap().answer.port.next = 9.into();
            bench.settle();
            let routed = bench.io.head.request[0].val().any();
            bench.io.take.next = Value::zero(2).replace_bit(0, routed);
            bench.settle();
            let signs = [
                ("offer", bench.io.cam.as_ref().unwrap().offer.valid.val()),
                ("known", bench.io.cam.as_ref().unwrap().answer.known.val()),
                ("head", routed),
                ("hit", bench.io.lookups.as_ref().unwrap().lookup_hit.val()),
                ("miss", bench.io.lookups.as_ref().unwrap().lookup_miss.val()),
            ];
            seen.extend(signs.iter().filter(|(_, on)| *on).map(|(name, _)| (cycle, *name)));
            if routed {
                assert_eq!(bench.io.head.request[0].val(), 1 << 9);
            }
            assert!(!bench.io.head.request[1].val().any() && !bench.io.head.drop.val().any());
            bench.cycle();
        }
        // Issued 0, resolved 2, answered 6, fill issued 6, resolved 8, done 9; then issued 12, resolved 14.
        assert_eq!(seen, [(3, "offer"), (3, "miss"), (5, "known"), (10, "head"), (15, "head"), (15, "hit")]);
    }

    /// Packets at random, a CAM of random delay: each VC's results come in order, and they are the table's. The value
    /// is the number of hits.
    macro_rules! results_are_right {
        ($unit:expr, $shape:expr, $seed:expr) => {{
            let shape = $shape;
            let mut bench = start!($unit, 0);
            let mut expected: Vec<VecDeque<Option<(u64, u64)>>> = vec![VecDeque::new(); shape.vcs];
            let mut cam: Vec<(u64, u64, u64)> = vec![];
            let (mut random, mut results, mut hits) = ($seed as u64, 0, 0);
            let mut draw = move |n: u64| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (random >> 33) % n
            };
            for cycle in 0..800 {
                let vc = draw(shape.vcs as u64);
                let (address, malformed) = (draw(ADDRESSES), draw(20) == 0);
                let arrive = expected[vc as usize].len() < shape.buffer_flits as usize && draw(3) > 0 && cycle < 550;
                bench.io.arrival.arrive.next = arrive;
                bench.io.arrival.arrive_vc.next = vc.into();
                bench.io.arrival.arrive_address.as_mut().unwrap().next = address.into();
                bench.io.arrival.arrive_malformed.as_mut().unwrap().next = malformed;
                let ready = draw(3) > 0;
                bench.io.cam.as_mut().unwrap().offer.taken.next = false;
                bench.io.cam.as_mut().unwrap().answer.valid.next = false;
                if !cam.is_empty() && draw(4) == 0 {
                    let (vc, slot, address) = cam.swap_remove(draw(cam.len() as u64) as usize);
                    bench.io.cam.as_mut().unwrap().answer.valid.next = true;
                    bench.io.cam.as_mut().unwrap().answer.vc.next = vc.into();
                    bench.io.cam.as_mut().unwrap().answer.slot.next = slot.into();
                    bench.io.cam.as_mut().unwrap().answer.drop.next = route(address).is_none();
                    bench.io.cam.as_mut().unwrap().answer.port.next = answer_of(address, shape).into();
                }
                bench.settle();
                assert_eq!(
                    bench.io.cam.as_ref().unwrap().answer.known.val(),
                    bench.io.cam.as_ref().unwrap().answer.valid.val()
                );
                if ready && bench.io.cam.as_ref().unwrap().offer.valid.val() {
                    let number = |value: Value| value.to_u128() as u64;
                    let (vc, slot) = (
                        number(bench.io.cam.as_ref().unwrap().offer.vc.val()),
                        number(bench.io.cam.as_ref().unwrap().offer.slot.val()),
                    );
                    cam.push((vc, slot, number(bench.io.cam.as_ref().unwrap().offer.address.val())));
                    bench.io.cam.as_mut().unwrap().offer.taken.next = true;
                }
                hits += bench.io.lookups.as_ref().unwrap().lookup_hit.val() as u32;
                let mut take = Value::zero(shape.vcs);
                for v in 0..shape.vcs {
                    let (drop, request) = (bench.io.head.drop.val().get_bit(v), bench.io.head.request[v].val());
                    if (drop || request.any()) && draw(4) > 0 {
                        let number = |one_hot: Value| u64::from(one_hot.to_u128().trailing_zeros());
                        let leaving = if shape.next_vc { number(bench.io.head.vc[v].val()) } else { v as u64 };
                        let result = (!drop).then(|| (number(request), leaving));
                        assert_eq!(expected[v].pop_front(), Some(result), "cycle {cycle}, VC {v}");
                        take = take.replace_bit(v, true);
                        results += 1;
                    }
                }
                bench.io.take.next = take;
                bench.cycle();
                if arrive {
                    let named = if shape.next_vc { next_vc(address, shape.vcs) } else { None };
                    let result = route(address).map(|port| (port, named.unwrap_or(vc)));
                    expected[vc as usize].push_back(result.filter(|_| !malformed));
                }
            }
            assert!(expected.iter().all(|queue| queue.is_empty()), "all packets have a result in the end");
            assert!(results > 40, "{results} results");
            hits
        }};
    }

    #[test]
    fn results_with_cache_are_right() {
        for (vcs, lookups, entries, ways) in [(1, 1, 16, 16), (2, 4, 16, 2), (3, 3, 64, 1), (8, 5, 32, 4)] {
            let shape = shape(vcs, lookups, Some((entries, ways)));
            let table = shape.table().unwrap();
            let hits = results_are_right!(route_unit(&shape, table), &shape, vcs);
            assert!(hits > 5, "{hits} hits");
        }
    }

    #[test]
    fn results_name_the_vc_on_which_packets_leave() {
        for (vcs, lookups) in [(1, 2), (2, 4), (3, 3)] {
            let shape = shape_with(vcs, lookups, Some((32, 2)), true);
            let table = shape.table().unwrap();
            let hits = results_are_right!(route_unit(&shape, table), &shape, vcs);
            assert!(hits > 5, "{hits} hits");
            let shape = shape_with(vcs, lookups, None, true);
            let table = shape.table().unwrap();
            results_are_right!(route_unit(&shape, table), &shape, vcs);
        }
    }

    #[test]
    fn results_without_cache_are_right() {
        for (vcs, lookups) in [(1, 1), (2, 4), (5, 3)] {
            let shape = shape(vcs, lookups, None);
            let table = shape.table().unwrap();
            assert_eq!(results_are_right!(route_unit(&shape, table), &shape, vcs), 0);
        }
    }
}
