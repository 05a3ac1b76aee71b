//! Route unit of a table-routed switch: from the headers of a port to output ports, in order for each VC.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc` | 1, VC bits | a packet arrives at route computation, on this VC |
//! | `arrive_malformed`, `arrive_address` | 1, A | it is malformed; its destination |
//! | `head` | | oldest result of each VC: a [`RouteHead`] |
//! | `take` | k | it is taken (only while there is one) |
//! | `offer_*`, `offer_taken`, `answer_*` | | requests to and answers of the CAM, see `miss_table` |
//! | `lookup_hit`, `lookup_miss` | 1, 1 | a lookup resolved so in the cycle before |
//!
//! With cache control also `enable`, `flush` (they are as section 9 says) and `sweeping` (the cache sweeps in this cycle); with node
//! reduction in front of the cache [its settings](ReductionSettings).
//!
//! With counters, what they count in this cycle: `pending_now` (k; the head of the route queue is pending), `hit_now`, `miss_now`, `merged_now` (a lookup
//! resolves so, its miss slot is merged), `fill_now`, `evict_now` (with a cache), `freed_now` (k; the oldest miss slot is freed).
//!
//! With the mixed VC, `arrive_address` has one bit more, the mark of a multicast packet, and `arrive_malformed` also says that there is no
//! such group.
//!
//! Two blocks of the same ports: [`RouteUnit`] with a routing cache, [`UncachedRouteUnit`] without.
//!
//! Each cycle: `lookup_issue` sends one operation into the lookup pipeline. What leaves it goes into the route queue of
//! its VC: a hit with its port, a malformed packet as drop, a miss as pending and also into the miss table. A pending
//! result that comes to the head of its queue takes over what the miss table has for it, and frees the slot.
//!
//! Source: switch reference, sections 4 and 5; hardware blocks; seed 000 sections 4.2 and 4.4 (cache in front of a
//! CAM).

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use crate::units::route::layout::{mixed_layout, result_bits, route_bits, width_name};
use crate::units::route::lookup_issue::{lookup_issue, LookupIssue};
use crate::units::route::lookup_pipeline::{lookup_pipeline, LookupPipeline};
use crate::units::route::lookup_stage::{lookup_stage, LookupStage};
use crate::units::route::miss_table::{miss_table, MissTable};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use crate::units::route::result_queue::{result_queue, ResultQueue};
use crate::units::route::route_head::{route_head, RouteHead};
use crate::units::route::route_queue::{route_queue_of, RouteQueue};
use railyard_spec::{CacheShape, Shape, TableShape};

/// A route unit around a lookup pipeline; all pipelines have the same ports.
macro_rules! route_unit {
    ($(#[$doc:meta])* $unit:ident, $pipeline:ident) => {
        $(#[$doc])*
        #[block]
        pub struct $unit {
            pub clock: ClockIn,
            pub reset: Flag<In>,
            pub arrive: Flag<In>,
            pub arrive_vc: Sig<In>,
            pub arrive_malformed: Flag<In>,
            pub arrive_address: Sig<In>,
            pub head: RouteHead<Out>,
            pub take: Sig<In>,
            pub offer_valid: Flag<Out>,
            pub offer_vc: Sig<Out>,
            pub offer_slot: Sig<Out>,
            pub offer_address: Sig<Out>,
            pub offer_taken: Flag<In>,
            pub answer_valid: Flag<In>,
            pub answer_vc: Sig<In>,
            pub answer_slot: Sig<In>,
            pub answer_drop: Flag<In>,
            pub answer_port: Sig<In>,
            pub answer_known: Flag<Out>,
            pub lookup_hit: Flag<Out>,
            pub lookup_miss: Flag<Out>,
            pub enable: Vec<Flag<In>>,
            pub flush: Vec<Flag<In>>,
            pub sweeping: Vec<Flag<Out>>,
            #[bare]
            pub reduction_settings: Vec<ReductionSettings<In>>,
            pub pending_now: Vec<Sig<Out>>,
            pub hit_now: Vec<Flag<Out>>,
            pub miss_now: Vec<Flag<Out>>,
            pub merged_now: Vec<Flag<Out>>,
            pub fill_now: Vec<Flag<Out>>,
            pub evict_now: Vec<Flag<Out>>,
            pub freed_now: Vec<Sig<Out>>,

            hit: FlagReg,
            miss: FlagReg,

            issue: LookupIssue,
            pipeline: $pipeline,
            misses: MissTable,
            route_queue: Vec<RouteQueue>,
            result_queue: Vec<ResultQueue>,

            settled: Sig<Local>,
            freed: Sig<Local>,
            issue_fresh: Vec<Flag<Local>>,
            mixed_result: Vec<Sig<Local>>,

            vcs: Param,
            queues: Param,
            reads_addresses: Param,
            mixed: Param,
            mixed_queues: Param,
            mixed_result_queues: Param,
            group_field: Field,
            multicast_bit: Param,
            about: About,
        }

        impl $unit {
            fn around(pipeline: $pipeline, shape: &Shape, table: &TableShape, about: About) -> Self {
                let (vcs, vc_bits, port_bits) = (shape.vcs, shape.vc_bits as usize, route_bits(shape));
                let (slot_bits, address_bits) = (table.slot_bits as usize, table.address_bits as usize);
                let depth = shape.buffer_flits as usize;
                let (control, reduction) = (usize::from(shape.cache_control()), table.reduction.as_ref());
                let reduced = usize::from(reduction.is_some());
                let plain = usize::from(!shape.output_selection());
                let (counted, cached) = (usize::from(shape.counter_bits.is_some()), usize::from(table.cache.is_some()));
                let one_route_queue = |v| match counted {
                    0 => route_queue_of(shape, v),
                    _ => route_queue_of(shape, v).counted(),
                };
                let one_result_queue = |v| match counted {
                    0 => result_queue(depth, result_bits(shape, v)),
                    _ => result_queue(depth, result_bits(shape, v)).counted(),
                };
                let layout = mixed_layout(shape, port_bits);
                let (mixed, group_bits) = (usize::from(layout.is_some()), layout.as_ref().map_or(1, |m| m.group_bits));
                $unit {
                    clock: clock(),
                    reset: flag().doc("synchronous reset, active high"),
                    arrive: flag().doc("a packet arrives at route computation"),
                    arrive_vc: sig(vc_bits).doc("on this VC"),
                    arrive_malformed: flag().doc("it is malformed"),
                    arrive_address: sig(header_bits(shape, address_bits)).doc("its destination address"),
                    head: route_head(shape),
                    take: sig(vcs).doc("it is taken"),
                    offer_valid: flag().doc("a miss slot asks the CAM"),
                    offer_vc: sig(vc_bits).doc("its VC"),
                    offer_slot: sig(slot_bits).doc("its number"),
                    offer_address: sig(address_bits).doc("its address"),
                    offer_taken: flag().doc("its request is taken"),
                    answer_valid: flag().doc("the CAM answers this port"),
                    answer_vc: sig(vc_bits).doc("VC of the slot it names"),
                    answer_slot: sig(slot_bits).doc("number of the slot it names"),
                    answer_drop: flag().doc("its result: no route"),
                    answer_port: sig(port_bits).doc("its result: output port"),
                    answer_known: flag().doc("the slot it names has an open request"),
                    lookup_hit: flag().doc("a lookup hit in the cycle before"),
                    lookup_miss: flag().doc("a lookup missed in the cycle before"),
                    enable: many(control, || flag().doc("the cache is enabled")),
                    flush: many(control, || flag().doc("a flush is in this cycle")),
                    sweeping: many(control, || flag().doc("the cache sweeps in this cycle")),
                    reduction_settings: reduction.map(|built| reduction_settings(address_bits, built)).into_iter().collect(),
                    pending_now: many(counted, || sig(vcs).doc("the VC's oldest packet has a pending result")),
                    hit_now: many(counted, || flag().doc("a lookup hits")),
                    miss_now: many(counted, || flag().doc("a lookup misses")),
                    merged_now: many(counted, || flag().doc("and joins one under way")),
                    fill_now: many(counted * cached, || flag().doc("a fill writes its entry into the cache")),
                    evict_now: many(counted * cached, || flag().doc("and evicts another one")),
                    freed_now: many(counted, || sig(vcs).doc("the VC's oldest miss slot is freed")),
                    hit: flag_reg(false).doc("a lookup hit"),
                    miss: flag_reg(false).doc("a lookup missed"),
                    issue: lookup_issue(shape, table),
                    pipeline,
                    misses: miss_table(shape, table),
                    route_queue: (0..plain * vcs).map(one_route_queue).collect(),
                    result_queue: (0..(1 - plain) * vcs).map(one_result_queue).collect(),
                    settled: sig(vcs).doc("a lookup of the VC resolves as hit or malformed"),
                    freed: sig(vcs).doc("the VC's oldest miss slot is freed"),
                    issue_fresh: many(control, || flag().doc("what is issued is fresh, if no flush is in this cycle")),
                    mixed_result: layout.iter().map(|m| sig(m.bits).doc("what the mixed VC's queue gets")).collect(),
                    vcs: param(vcs),
                    queues: param(plain * vcs),
                    reads_addresses: param(1 - reduced),
                    mixed: param(layout.as_ref().map_or(0, |m| m.vc)),
                    mixed_queues: param(plain * mixed),
                    mixed_result_queues: param((1 - plain) * mixed),
                    group_field: field(0, group_bits),
                    multicast_bit: param(layout.as_ref().map_or(0, |m| m.multicast)),
                    about: about
                        .param("vcs", vcs)
                        .param("address_bits", address_bits)
                        .param(width_name(shape), port_bits)
                        .param("lookups_per_vc", table.lookups_per_vc)
                        .param("buffer_flits", depth),
                }
            }
        }

        #[kernel]
        impl $unit {
            fn update(&mut self) {
                // Issue.
                self.issue.arrive.next = self.arrive.val();
                self.issue.arrive_vc.next = self.arrive_vc.val();
                self.issue.arrive_malformed.next = self.arrive_malformed.val();
                self.issue.arrive_address.next = self.arrive_address.val();
                self.issue.fill_waiting.next = self.misses.fill_waiting.val();
                for f in 0..self.reads_addresses.val() {
                    self.issue.fill_address[f].next = unsigned_cast(self.misses.fill_address[f].val());
                }
                self.issue.fill_ahead.next = self.pipeline.fill_ahead.val();
                self.issue.settled.next = self.settled.val();
                self.issue.freed.next = self.freed.val();

                // Look up.
                self.pipeline.issue_lookup.next = self.issue.issue_lookup.val();
                self.pipeline.issue_fill.next = self.issue.issue_fill.val();
                self.pipeline.issue_malformed.next = self.issue.issue_malformed.val();
                self.pipeline.issue_vc.next = self.issue.issue_vc.val();
                self.pipeline.issue_address.next = self.issue.issue_address.val();
                self.pipeline.issue_drop.next = self.misses.fill_drop.val();
                self.pipeline.issue_port.next = self.misses.fill_port.val();
                for c in 0..self.issue_fresh.len() {
                    self.issue_fresh[c].next = self.enable[c].val();
                    if self.misses.fill_waiting.val() {
                        self.issue_fresh[c].next = self.misses.fill_fresh[c].val();
                    }
                    self.pipeline.issue_fresh[c].next = self.issue_fresh[c].val();
                    self.pipeline.issue_number[c].next = self.misses.fill_number[c].val();
                    self.pipeline.flush[c].next = self.flush[c].val();
                    self.sweeping[c].next = self.pipeline.sweeping[c].val();
                }
                for c in 0..self.reduction_settings.len() {
                    self.reduction_settings[c].link(&mut self.pipeline.reduction_settings[c]);
                }
                self.hit.d.next = self.pipeline.resolve_hit.val();
                self.miss.d.next = self.pipeline.resolve_miss.val();
                self.lookup_hit.next = self.hit.q.val();
                self.lookup_miss.next = self.miss.q.val();

                // Wait for the CAM.
                self.misses.resolve_lookup.next = self.pipeline.resolve_lookup.val();
                self.misses.resolve_miss.next = self.pipeline.resolve_miss.val();
                self.misses.resolve_vc.next = self.pipeline.resolve_vc.val();
                self.misses.resolve_fill.next = self.pipeline.resolve_fill.val();
                self.misses.resolve_drop.next = self.pipeline.resolve_drop.val();
                self.misses.resolve_port.next = self.pipeline.resolve_port.val();
                self.misses.resolve_address.next = self.pipeline.resolve_address.val();
                self.misses.fill_issued.next = self.issue.issue_fill.val();
                for c in 0..self.flush.len() {
                    self.misses.flush[c].next = self.flush[c].val();
                    self.misses.resolve_fresh[c].next = self.pipeline.resolve_fresh[c].val();
                    self.misses.resolve_number[c].next = self.pipeline.resolve_number[c].val();
                }
                for c in 0..self.reduction_settings.len() {
                    self.misses.resolve_tag[c].next = self.pipeline.resolve_tag[c].val();
                    self.misses.tag_number[c].next = self.pipeline.tag_number[c].val();
                    self.pipeline.fill_tag[c].next = self.misses.fill_tag[c].val();
                }
                self.misses.freed.next = self.freed.val();
                self.misses.offer_taken.next = self.offer_taken.val();
                self.misses.answer_valid.next = self.answer_valid.val();
                self.misses.answer_vc.next = self.answer_vc.val();
                self.misses.answer_slot.next = self.answer_slot.val();
                self.misses.answer_drop.next = self.answer_drop.val();
                self.misses.answer_port.next = self.answer_port.val();
                self.offer_valid.next = self.misses.offer_valid.val();
                self.offer_vc.next = self.misses.offer_vc.val();
                self.offer_slot.next = self.misses.offer_slot.val();
                self.offer_address.next = self.misses.offer_address.val();
                self.answer_known.next = self.misses.answer_known.val();

                // Queue the results.
                self.settled.next = 0.into();
                for v in 0..self.vcs.val() {
                    self.settled.next = self.settled.val().replace_bit(
                        v,
                        (self.pipeline.resolve_hit.val() | self.pipeline.resolve_malformed.val())
                            & (self.pipeline.resolve_vc.val() == v),
                    );
                }
                for v in 0..self.queues.val() {
                    self.route_queue[v].push.next =
                        self.pipeline.resolve_lookup.val() & (self.pipeline.resolve_vc.val() == v);
                    self.route_queue[v].push_pending[0].next = self.pipeline.resolve_miss.val();
                    self.route_queue[v].push_drop.next = self.pipeline.resolve_malformed.val();
                    self.route_queue[v].push_port.next = unsigned_cast(self.pipeline.hit_port.val());
                    self.route_queue[v].slot_done[0].next = self.misses.oldest_done.val().get_bit(v);
                    self.route_queue[v].slot_drop[0].next = self.misses.oldest_drop.val().get_bit(v);
                    self.route_queue[v].slot_port[0].next = unsigned_cast(self.misses.oldest_port[v].val());
                    self.route_queue[v].take.next = self.take.val().get_bit(v);
                }
                for v in 0..self.result_queue.len() {
                    self.result_queue[v].push.next =
                        self.pipeline.resolve_lookup.val() & (self.pipeline.resolve_vc.val() == v);
                    self.result_queue[v].push_pending.next = self.pipeline.resolve_miss.val();
                    self.result_queue[v].push_drop.next = self.pipeline.resolve_malformed.val();
                    self.result_queue[v].push_port.next = unsigned_cast(self.pipeline.hit_port.val());
                    self.result_queue[v].slot_done.next = self.misses.oldest_done.val().get_bit(v);
                    self.result_queue[v].slot_drop.next = self.misses.oldest_drop.val().get_bit(v);
                    self.result_queue[v].slot_port.next = unsigned_cast(self.misses.oldest_port[v].val());
                    self.result_queue[v].take.next = self.take.val().get_bit(v);
                }
                self.freed.next = 0.into();
                self.head.drop.next = 0.into();
                for v in 0..self.queues.val() {
                    self.freed.next = self.freed.val().replace_bit(v, self.route_queue[v].slot_freed[0].val());
                    self.head.drop.next = self.head.drop.val().replace_bit(v, self.route_queue[v].head_drop.val());
                    self.head.request[v].next = self.route_queue[v].head_request.val();
                }
                for c in 0..self.head.routed.len() {
                    self.head.routed[c].next = 0.into();
                    for v in 0..self.result_queue.len() {
                        self.freed.next = self.freed.val().replace_bit(v, self.result_queue[v].slot_freed.val());
                        self.head.drop.next = self.head.drop.val().replace_bit(v, self.result_queue[v].head_drop.val());
                        self.head.routed[c].next =
                            self.head.routed[c].val().replace_bit(v, self.result_queue[v].head_routed.val());
                        self.head.route[v].next = unsigned_cast(self.result_queue[v].head_route.val());
                    }
                }
                for c in 0..self.pending_now.len() {
                    self.pending_now[c].next = 0.into();
                    for v in 0..self.queues.val() {
                        self.pending_now[c].next =
                            self.pending_now[c].val().replace_bit(v, self.route_queue[v].head_pending[c].val());
                    }
                    for v in 0..self.result_queue.len() {
                        self.pending_now[c].next =
                            self.pending_now[c].val().replace_bit(v, self.result_queue[v].head_pending[c].val());
                    }
                    self.hit_now[c].next = self.pipeline.resolve_hit.val();
                    self.miss_now[c].next = self.pipeline.resolve_miss.val();
                    self.merged_now[c].next = self.misses.joined[c].val();
                    self.freed_now[c].next = self.freed.val();
                }
                for c in 0..self.fill_now.len() {
                    self.fill_now[c].next = self.pipeline.fills[c].val();
                    self.evict_now[c].next = self.pipeline.evicts[c].val();
                }
                for v in 0..self.head.vc.len() {
                    self.route_queue[v].own_vc[0].next = v.into();
                    self.head.vc[v].next = self.route_queue[v].head_vc[0].val();
                }

                // Multicast packets: a group in place of a route.
                for c in 0..self.mixed_result.len() {
                    self.mixed_result[c].next = unsigned_cast(self.pipeline.hit_port.val());
                    if self.pipeline.resolve_multicast[c].val() {
                        self.settled.next = self.settled.val().replace_bit(self.mixed.val(), true);
                        self.mixed_result[c].next =
                            unsigned_cast(self.pipeline.resolve_address.val() >> self.group_field.val());
                        self.mixed_result[c].next =
                            self.mixed_result[c].val().replace_bit(self.multicast_bit.val(), true);
                    }
                }
                for q in 0..self.mixed_queues.val() {
                    self.route_queue[self.mixed.val()].push_port.next = self.mixed_result[q].val();
                    self.head.multicast[q].next = self.route_queue[self.mixed.val()].head_multicast[q].val();
                    self.head.group[q].next = self.route_queue[self.mixed.val()].head_group[q].val();
                }
                for q in 0..self.mixed_result_queues.val() {
                    self.result_queue[self.mixed.val()].push_port.next = self.mixed_result[q].val();
                    self.head.group[q].next =
                        self.result_queue[self.mixed.val()].head_route.val() >> self.group_field.val();
                    self.head.multicast[q].next = self.result_queue[self.mixed.val()].head_routed.val()
                        & self.result_queue[self.mixed.val()].head_route.val().get_bit(self.multicast_bit.val());
                    if self.head.multicast[q].val() {
                        self.head.routed[q].next = self.head.routed[q].val().replace_bit(self.mixed.val(), false);
                    }
                }
            }
        }
    };
}

route_unit!(
    /// Route unit with a routing cache; see the head of this file.
    RouteUnit,
    LookupPipeline
);
route_unit!(
    /// Route unit without a routing cache; see the head of this file.
    UncachedRouteUnit,
    LookupStage
);

/// The route unit of a port of a table-routed switch with a routing cache.
pub fn route_unit(shape: &Shape, table: &TableShape, cache: &CacheShape) -> RouteUnit {
    let doc = "Route unit of a port: from headers to output ports, in order for each VC. Hits come from the routing \
               cache; misses wait for the CAM, and only their own VC with them.";
    let about = about("route_unit", doc).param("sets", cache.sets).param("ways", cache.ways);
    RouteUnit::around(lookup_pipeline(shape, table, cache), shape, table, about)
}

/// The route unit of a port of a table-routed switch without a routing cache.
pub fn uncached_route_unit(shape: &Shape, table: &TableShape) -> UncachedRouteUnit {
    let doc = "Route unit of a port without a routing cache: from headers to output ports, in order for each VC. \
               All lookups go to the CAM; equal ones at the same time go once.";
    UncachedRouteUnit::around(lookup_stage(shape, table), shape, table, about("uncached_route_unit", doc))
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
        config.shape()
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
            for _ in 0..$sweep {
                bench.cycle();
            }
            bench
        }};
    }

    #[test]
    fn times_of_a_miss_and_a_hit() {
        let shape = shape(2, 4, Some((16, 2)));
        let table = shape.table().unwrap();
        let mut bench = start!(route_unit(&shape, table, table.cache.as_ref().unwrap()), 9);
        let mut seen = vec![];
        for cycle in 0..20 {
            bench.arrive.next = cycle == 0 || cycle == 12;
            bench.arrive_address.next = 0xabcu32.into();
            bench.offer_taken.next = cycle == 3;
            bench.answer_valid.next = cycle == 5 || cycle == 6;
            bench.answer_port.next = 9.into();
            bench.settle();
            let routed = bench.head.request[0].val().any();
            bench.take.next = Value::zero(2).replace_bit(0, routed);
            bench.settle();
            let signs = [
                ("offer", bench.offer_valid.val()),
                ("known", bench.answer_known.val()),
                ("head", routed),
                ("hit", bench.lookup_hit.val()),
                ("miss", bench.lookup_miss.val()),
            ];
            seen.extend(signs.iter().filter(|(_, on)| *on).map(|(name, _)| (cycle, *name)));
            if routed {
                assert_eq!(bench.head.request[0].val(), 1 << 9);
            }
            assert!(!bench.head.request[1].val().any() && !bench.head.drop.val().any());
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
                bench.arrive.next = arrive;
                bench.arrive_vc.next = vc.into();
                bench.arrive_address.next = address.into();
                bench.arrive_malformed.next = malformed;
                let ready = draw(3) > 0;
                bench.offer_taken.next = false;
                bench.answer_valid.next = false;
                if !cam.is_empty() && draw(4) == 0 {
                    let (vc, slot, address) = cam.swap_remove(draw(cam.len() as u64) as usize);
                    bench.answer_valid.next = true;
                    bench.answer_vc.next = vc.into();
                    bench.answer_slot.next = slot.into();
                    bench.answer_drop.next = route(address).is_none();
                    bench.answer_port.next = answer_of(address, shape).into();
                }
                bench.settle();
                assert_eq!(bench.answer_known.val(), bench.answer_valid.val());
                if ready && bench.offer_valid.val() {
                    let number = |value: Value| value.to_u128() as u64;
                    let (vc, slot) = (number(bench.offer_vc.val()), number(bench.offer_slot.val()));
                    cam.push((vc, slot, number(bench.offer_address.val())));
                    bench.offer_taken.next = true;
                }
                hits += bench.lookup_hit.val() as u32;
                let mut take = Value::zero(shape.vcs);
                for v in 0..shape.vcs {
                    let (drop, request) = (bench.head.drop.val().get_bit(v), bench.head.request[v].val());
                    if (drop || request.any()) && draw(4) > 0 {
                        let number = |one_hot: Value| u64::from(one_hot.to_u128().trailing_zeros());
                        let leaving = if shape.next_vc { number(bench.head.vc[v].val()) } else { v as u64 };
                        let result = (!drop).then(|| (number(request), leaving));
                        assert_eq!(expected[v].pop_front(), Some(result), "cycle {cycle}, VC {v}");
                        take = take.replace_bit(v, true);
                        results += 1;
                    }
                }
                bench.take.next = take;
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
            let hits = results_are_right!(route_unit(&shape, table, table.cache.as_ref().unwrap()), &shape, vcs);
            assert!(hits > 5, "{hits} hits");
        }
    }

    #[test]
    fn results_name_the_vc_on_which_packets_leave() {
        for (vcs, lookups) in [(1, 2), (2, 4), (3, 3)] {
            let shape = shape_with(vcs, lookups, Some((32, 2)), true);
            let table = shape.table().unwrap();
            let hits = results_are_right!(route_unit(&shape, table, table.cache.as_ref().unwrap()), &shape, vcs);
            assert!(hits > 5, "{hits} hits");
            let shape = shape_with(vcs, lookups, None, true);
            let table = shape.table().unwrap();
            results_are_right!(uncached_route_unit(&shape, table), &shape, vcs);
        }
    }

    #[test]
    fn results_without_cache_are_right() {
        for (vcs, lookups) in [(1, 1), (2, 4), (5, 3)] {
            let shape = shape(vcs, lookups, None);
            let table = shape.table().unwrap();
            assert_eq!(results_are_right!(uncached_route_unit(&shape, table), &shape, vcs), 0);
        }
    }
}
