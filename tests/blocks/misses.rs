//! The route unit and its parts. The model's `RouteUnit` and `RouteQueue`s are a port of their own here, with arrivals,
//! an allocator and a CAM at random; what happens inside it in a cycle is written down ([`Cycle`]), and each block of
//! hardware gets from that what its neighbours would tell it, and is held against the rest: lookup_issue,
//! lookup_pipeline, miss_table (with its request_queue), and the whole with and without cache.

use crate::queues::check_head;
use crate::support::{number, shape, vector, Random, Shape};
use railyard_hdl::rtl::Value;
use railyard_hdl::units::route::lookup_issue::lookup_issue;
use railyard_hdl::units::route::lookup_pipeline::lookup_pipeline;
use railyard_hdl::units::route::miss_table::miss_table;
use railyard_hdl::units::route::route_unit::route_unit;
use railyard_model::input::input_unit::HeaderArrival;
use railyard_model::route::cache_index::CacheIndex;
use railyard_model::route::route_queue::{PacketRoute, RouteQueue, RouteResult};
use railyard_model::route::route_unit::{LookupOutcome, Operation, Resolved, RouteUnit};
use railyard_spec::{Cache, Routing, TableRouting, TableShape};
use std::collections::VecDeque;

fn table_shape(ports: u32, vcs: u32, lookups: u32, cache: Option<(u32, u32)>) -> Shape {
    shape(|c| {
        (c.ports, c.virtual_channels.unicast, c.buffer_flits) = (ports, vcs, Some(16));
        c.registers = false;
        c.routing = Routing::Table(TableRouting {
            address_bits: 20,
            lookups_per_vc: Some(lookups),
            cache: cache.map(|(entries, ways)| Cache { entries, ways, ..Default::default() }),
            ..Default::default()
        });
    })
}

fn cached_shapes() -> Vec<Shape> {
    let sizes = [(2, 1, 1, (16, 16)), (16, 2, 4, (16, 2)), (5, 3, 3, (64, 1)), (8, 8, 2, (32, 4))];
    sizes.map(|(ports, vcs, lookups, cache)| table_shape(ports, vcs, lookups, Some(cache))).into()
}

fn uncached_shapes() -> Vec<Shape> {
    [(2, 1, 1), (16, 2, 4), (5, 3, 16)].map(|(ports, vcs, lookups)| table_shape(ports, vcs, lookups, None)).into()
}

fn table(shape: &Shape) -> &TableShape {
    shape.table().expect("table routing")
}

/// A fill: its slot's address and result.
type Fill = (u64, PacketRoute);

/// What happens in a port's route computation in one cycle. Registers and what depends on them alone are as the cycle
/// finds them.
struct Cycle {
    now: u64,
    reset: bool,
    arrival: Option<HeaderArrival>,
    heads: Vec<Option<RouteResult>>,
    taken: Vec<bool>,
    /// VC, slot, address.
    offer: Option<(usize, usize, u64)>,
    offer_taken: bool,
    /// VC, slot, result.
    answer: Option<(usize, usize, PacketRoute)>,
    answer_known: bool,
    fill_waiting: Option<Fill>,
    fill_ahead: bool,
    issued: Operation,
    resolving: Operation,
    resolved: Option<Resolved>,
    resolved_fill: Option<Fill>,
    /// VCs that have a miss slot, and the oldest one's result if it is done.
    has_slot: Vec<bool>,
    oldest_done: Vec<Option<PacketRoute>>,
    freed: Vec<bool>,
    /// Of the last cycle.
    hit: bool,
    miss: bool,
}

impl Cycle {
    fn settled(&self, vc: usize) -> bool {
        self.resolved.is_some_and(|r| r.vc == vc && matches!(r.outcome, LookupOutcome::Hit | LookupOutcome::Malformed))
    }

    fn hit_port(&self) -> Option<u8> {
        match self.resolved {
            Some(Resolved {
                outcome: LookupOutcome::Hit, result: RouteResult::Known(PacketRoute::Port(port)), ..
            }) => Some(port),
            _ => None,
        }
    }
}

/// The model of a port's route computation among its neighbours.
struct Port {
    shape: Shape,
    random: Random,
    unit: RouteUnit,
    index: Option<CacheIndex>,
    queues: Vec<RouteQueue>,
    pipeline: VecDeque<Operation>,
    /// Packets of each VC between arrival and allocation; miss slots of each VC.
    packets: Vec<u32>,
    slots: Vec<u32>,
    /// Requests at the CAM: VC and slot.
    at_cam: Vec<(usize, usize)>,
    now: u64,
    fill_ahead: bool,
    hit: bool,
    miss: bool,
    /// How often it happened: hits, misses, merged ones, malformed packets, fills, answers to nothing.
    seen: [u32; 6],
}

impl Port {
    fn new(shape: &Shape) -> Self {
        let table = table(shape);
        Port {
            random: Random::new(shape.ports as u64, 22),
            unit: RouteUnit::new(table, shape, 0),
            index: CacheIndex::new(table),
            queues: vec![RouteQueue::new(shape.buffer_flits as usize); shape.vcs],
            pipeline: [Operation::None].repeat(if table.cache.is_some() { 2 } else { 1 }).into(),
            packets: vec![0; shape.vcs],
            slots: vec![0; shape.vcs],
            at_cam: vec![],
            now: 0,
            fill_ahead: false,
            hit: false,
            miss: false,
            seen: [0; 6],
            shape: shape.clone(),
        }
    }

    fn random_route(&mut self) -> PacketRoute {
        match self.random.below(5) {
            0 => PacketRoute::Drop,
            _ => PacketRoute::Port(self.random.below(self.shape.ports as u64) as u8),
        }
    }

    /// What the fill of a slot does, without doing it.
    fn fill_of(&self, slot: usize) -> Fill {
        self.unit.misses.clone().finish_fill(slot)
    }

    /// A flit's header arrives: of few addresses, so that lookups hit and meet.
    fn arrival(&mut self) -> Option<HeaderArrival> {
        let vc = self.random.below(self.shape.vcs as u64) as usize;
        let eager = if self.now / 150 % 3 == 0 { 8 } else { 3 };
        if self.packets[vc] == self.shape.buffer_flits || self.random.below(8) >= eager {
            return None;
        }
        let address = (self.random.below(8) * self.random.below(8) * 0x9e37) & 0xf_ffff;
        Some(HeaderArrival { vc: vc as u8, malformed: self.random.below(10) == 0, multicast: false, address })
    }

    /// The CAM answers: a request, in any order, or something else.
    fn answer(&mut self) -> Option<(usize, usize, PacketRoute)> {
        let waiting = self.at_cam.len() as u64;
        let route = self.random_route();
        match self.random.below(16) {
            0 => {
                let slot = self.random.below(1 << table(&self.shape).slot_bits) as usize;
                Some((self.random.below(1 << self.shape.vc_bits) as usize, slot, route))
            }
            1..=5 if waiting > 0 => {
                let (vc, slot) = self.at_cam.swap_remove(self.random.below(waiting) as usize);
                Some((vc, slot, route))
            }
            _ => None,
        }
    }

    fn cycle(&mut self) -> Cycle {
        let (now, k) = (self.now, self.shape.vcs);
        let willing = if self.now / 100 % 4 == 0 { 1 } else { 6 };
        let heads: Vec<Option<RouteResult>> = self.queues.iter().map(RouteQueue::head).collect();
        let taken: Vec<bool> = (heads.iter())
            .map(|head| matches!(head, Some(RouteResult::Known(_))) && self.random.below(8) < willing)
            .collect();
        let (arrival, answer) = (self.arrival(), self.answer());
        let offer = self.unit.misses.request();
        let mut cycle = Cycle {
            now,
            reset: self.random.below(400) == 0,
            arrival,
            taken,
            offer,
            offer_taken: offer.is_some() && self.random.below(8) < willing,
            answer,
            answer_known: false,
            fill_waiting: self.unit.misses.to_fill().map(|slot| self.fill_of(slot)),
            fill_ahead: self.fill_ahead,
            issued: self.unit.issue(now, arrival),
            resolving: Operation::None,
            resolved: None,
            resolved_fill: None,
            has_slot: self.slots.iter().map(|&n| n > 0).collect(),
            oldest_done: (0..k).map(|vc| self.unit.misses.oldest_done(vc)).collect(),
            freed: vec![false; k],
            hit: self.hit,
            miss: self.miss,
            heads,
        };
        let mut results = vec![None; k];
        for vc in (0..k).filter(|&vc| cycle.heads[vc] == Some(RouteResult::Pending)) {
            results[vc] = self.unit.take_done(vc);
            cycle.freed[vc] = results[vc].is_some();
            self.slots[vc] -= u32::from(cycle.freed[vc]);
        }
        self.pipeline.push_back(cycle.issued);
        cycle.resolving = self.pipeline.pop_front().expect("a stage");
        if let Operation::Fill { slot } = cycle.resolving {
            cycle.resolved_fill = Some(self.fill_of(slot.into()));
        }
        cycle.resolved = self.unit.resolve(now, cycle.issued, self.index.as_ref());
        for vc in 0..k {
            let pushed = cycle.resolved.filter(|r| r.vc == vc).map(|r| r.result);
            self.queues[vc].step(now, cycle.taken[vc], pushed, results[vc]);
            self.packets[vc] -= u32::from(cycle.taken[vc]);
        }
        if let Some(HeaderArrival { vc, .. }) = arrival {
            self.packets[vc as usize] += 1;
        }
        if let Some((vc, slot, route)) = answer {
            cycle.answer_known = self.unit.misses.answer(vc, slot, route);
            self.seen[5] += u32::from(!cycle.answer_known);
        }
        if cycle.offer_taken {
            self.unit.misses.requested();
            self.at_cam.extend(offer.map(|(vc, slot, _)| (vc, slot)));
        }
        self.fill_ahead = matches!(cycle.issued, Operation::Fill { .. });
        self.seen[4] += u32::from(self.fill_ahead);
        (self.hit, self.miss) = (false, false);
        match cycle.resolved.map(|r| (r.vc, r.outcome)) {
            Some((_, LookupOutcome::Hit)) => (self.hit, self.seen[0]) = (true, self.seen[0] + 1),
            Some((vc, LookupOutcome::Miss { merged })) => {
                (self.miss, self.seen[1]) = (true, self.seen[1] + 1);
                self.seen[2] += u32::from(merged);
                self.slots[vc] += 1;
            }
            Some((_, LookupOutcome::Malformed | LookupOutcome::Multicast)) => self.seen[3] += 1,
            None => {}
        }
        self.now += 1;
        if cycle.reset {
            let fresh = Port::new(&self.shape);
            self.unit.reset(self.now);
            (self.queues, self.pipeline) = (fresh.queues, fresh.pipeline);
            (self.packets, self.slots, self.at_cam) = (fresh.packets, fresh.slots, fresh.at_cam);
            (self.fill_ahead, self.hit, self.miss) = (false, false, false);
        }
        cycle
    }
}

/// Runs a block beside a model port: `drive` sets its inputs, `check` looks at its outputs.
macro_rules! beside {
    ($shape:expr, $block:expr, |$bench:ident, $cycle:ident| $drive:block $check:block) => {{
        let mut port = Port::new($shape);
        let mut $bench = started!($block);
        for _ in 0..800 {
            let $cycle = port.cycle();
            $drive
            $bench.reset.next = $cycle.reset;
            $bench.settle();
            $check
            $bench.cycle();
        }
        let Port { seen, .. } = port;
        // Without cache nothing hits, and a single slot has none to merge with.
        let possible = [table($shape).cache.is_some(), true, $shape.vcs * table($shape).lookups_per_vc > 1, true, true, true];
        assert!(seen.iter().zip(possible).all(|(&n, can)| n > 2 || !can), "{seen:?}: {:?}", $shape);
    }};
}

/// Puts a fill's or answer's result on its wires; without a route the port means nothing.
macro_rules! set_route {
    ($route:expr => $drop:expr, $port:expr) => {
        match $route {
            PacketRoute::Drop => $drop = true,
            PacketRoute::Port(port) => ($drop, $port) = (false, u32::from(port).into()),
            _ => unreachable!("no shape here lets a route name a VC, a group or candidates"),
        }
    };
}

/// Looks for a result on its wires.
fn check_route(route: PacketRoute, drop: bool, port: Value, context: &str) {
    assert_eq!(drop, route == PacketRoute::Drop, "{context}");
    if let PacketRoute::Port(expected) = route {
        assert_eq!(number(port), u64::from(expected), "{context}");
    }
}

macro_rules! set_cam {
    ($cam:expr, $cycle:ident) => {
        let cam = $cam;
        cam.offer.taken.next = $cycle.offer_taken;
        cam.answer.valid.next = $cycle.answer.is_some();
        if let Some((vc, slot, route)) = $cycle.answer {
            (cam.answer.vc.next, cam.answer.slot.next) = (vc.into(), slot.into());
            set_route!(route => cam.answer.drop.next, cam.answer.port.next);
        }
    };
}

macro_rules! check_cam {
    ($cam:expr, $cycle:ident, $context:ident) => {
        let cam = $cam;
        assert_eq!(cam.answer.known.val(), $cycle.answer_known, "{}", $context);
        assert_eq!(cam.offer.valid.val(), $cycle.offer.is_some(), "{}", $context);
        if let Some((vc, slot, address)) = $cycle.offer {
            let offer = &cam.offer;
            let got = (number(offer.vc.val()), number(offer.slot.val()), number(offer.address.val()));
            assert_eq!(got, (vc as u64, slot as u64, address), "{}", $context);
        }
    };
}

#[test]
fn issue() {
    for shape in cached_shapes().iter().chain(&uncached_shapes()) {
        beside!(shape, lookup_issue(shape, table(shape)), |bench, cycle| {
            bench.arrive.next = cycle.arrival.is_some();
            if let Some(HeaderArrival { vc, malformed, address, .. }) = cycle.arrival {
                bench.arrive_vc.next = u32::from(vc).into();
                bench.arrive_malformed.next = malformed;
                bench.arrive_address.next = address.into();
            }
            bench.fill_waiting.next = cycle.fill_waiting.is_some();
            bench.fill_address.as_mut().unwrap().next = cycle.fill_waiting.map_or(0, |fill| fill.0).into();
            bench.fill_ahead.next = cycle.fill_ahead;
            bench.settled.next = vector((0..shape.vcs).map(|vc| cycle.settled(vc)));
            bench.freed.next = vector(cycle.freed.clone());
        } {
            let context = format!("{shape:?}, cycle {}", cycle.now);
            assert_eq!(bench.issue_fill.val(), matches!(cycle.issued, Operation::Fill { .. }), "{context}");
            assert_eq!(bench.issue_lookup.val(), matches!(cycle.issued, Operation::Lookup(_)), "{context}");
            match cycle.issued {
                Operation::Lookup(HeaderArrival { vc, malformed, address, .. }) => {
                    let got = (number(bench.issue_vc.val()), bench.issue_malformed.val(), number(bench.issue_address.val()));
                    assert_eq!(got, (vc.into(), malformed, address), "{context}");
                }
                Operation::Fill { .. } => {
                    let fill = cycle.fill_waiting.expect("it waited");
                    assert_eq!(number(bench.issue_address.val()), fill.0, "{context}");
                }
                Operation::None => {}
            }
        });
    }
}

/// A lookup pipeline of either kind: operations as issued, resolved as many cycles later as the model's.
macro_rules! pipeline_beside {
    ($shape:expr, $block:expr) => {
        beside!($shape, $block, |bench, cycle| {
            bench.io.issue.lookup.next = matches!(cycle.issued, Operation::Lookup(_));
            bench.io.issue.fill.next = matches!(cycle.issued, Operation::Fill { .. });
            match cycle.issued {
                Operation::Lookup(HeaderArrival { vc, malformed, address, .. }) => {
                    (bench.io.issue.vc.next, bench.io.issue.malformed.next) = (u32::from(vc).into(), malformed);
                    bench.io.issue.address.next = address.into();
                }
                Operation::Fill { .. } => {
                    let (address, route) = cycle.fill_waiting.expect("it waited");
                    bench.io.issue.address.next = address.into();
                    set_route!(route => bench.io.issue.drop.next, bench.io.issue.port.next);
                }
                Operation::None => {}
            }
        } {
            let context = format!("{:?}, cycle {}", $shape, cycle.now);
            let outcome = cycle.resolved.map(|r| r.outcome);
            assert_eq!(bench.io.fill_ahead.val(), cycle.fill_ahead, "{context}");
            assert_eq!(bench.io.resolve_lookup.val(), outcome.is_some(), "{context}");
            assert_eq!(bench.io.resolve_malformed.val(), outcome == Some(LookupOutcome::Malformed), "{context}");
            assert_eq!(bench.io.resolve_hit.val(), outcome == Some(LookupOutcome::Hit), "{context}");
            assert_eq!(bench.io.resolve_miss.val(), matches!(outcome, Some(LookupOutcome::Miss { .. })), "{context}");
            assert_eq!(bench.io.resolve_fill.val(), cycle.resolved_fill.is_some(), "{context}");
            if let Some(port) = cycle.hit_port() {
                assert_eq!(number(bench.io.hit_port.val()), u64::from(port), "{context}");
            }
            if let Operation::Lookup(HeaderArrival { vc, address, .. }) = cycle.resolving {
                let got = (number(bench.io.resolve_vc.val()), number(bench.io.resolve_address.val()));
                assert_eq!(got, (vc.into(), address), "{context}");
            }
            if let Some((address, route)) = cycle.resolved_fill {
                assert_eq!(number(bench.io.resolve_address.val()), address, "{context}");
                check_route(route, bench.io.resolve_drop.val(), bench.io.resolve_port.val(), &context);
            }
        })
    };
}

#[test]
fn pipelines() {
    for shape in &cached_shapes() {
        pipeline_beside!(shape, lookup_pipeline(shape, table(shape)));
    }
    for shape in &uncached_shapes() {
        pipeline_beside!(shape, lookup_pipeline(shape, table(shape)));
    }
}

#[test]
fn miss_tables() {
    for shape in cached_shapes().iter().chain(&uncached_shapes()) {
        beside!(shape, miss_table(shape, table(shape)), |bench, cycle| {
            bench.resolve_lookup.next = cycle.resolved.is_some();
            bench.resolve_miss.next = cycle.resolved.is_some_and(|r| matches!(r.outcome, LookupOutcome::Miss { .. }));
            bench.resolve_fill.next = cycle.resolved_fill.is_some();
            if let Operation::Lookup(HeaderArrival { vc, address, .. }) = cycle.resolving {
                (bench.resolve_vc.next, bench.resolve_address.next) = (u32::from(vc).into(), address.into());
            }
            if let Some((address, route)) = cycle.resolved_fill {
                bench.resolve_address.next = address.into();
                set_route!(route => bench.resolve_drop.next, bench.resolve_port.next);
            }
            bench.fill_issued.next = matches!(cycle.issued, Operation::Fill { .. });
            bench.freed.next = vector(cycle.freed.clone());
            set_cam!(&mut bench.cam, cycle);
        } {
            let context = format!("{shape:?}, cycle {}", cycle.now);
            check_cam!(&bench.cam, cycle, context);
            assert_eq!(bench.fill_waiting.val(), cycle.fill_waiting.is_some(), "{context}");
            if let Some((address, route)) = cycle.fill_waiting {
                assert_eq!(number(bench.fill_address.as_ref().unwrap().val()), address, "{context}");
                check_route(route, bench.fill_drop.val(), bench.fill_port.val(), &context);
            }
            // The oldest slot's state means nothing where there is none.
            for vc in (0..shape.vcs).filter(|&vc| cycle.has_slot[vc]) {
                let (done, drop) = (bench.oldest_done.val().get_bit(vc), bench.oldest_drop.val().get_bit(vc));
                assert_eq!(done, cycle.oldest_done[vc].is_some(), "VC {vc}, {context}");
                if let Some(route) = cycle.oldest_done[vc] {
                    check_route(route, drop, bench.oldest_port[vc].val(), &context);
                }
            }
        });
    }
}

macro_rules! route_unit_beside {
    ($shape:expr, $block:expr) => {
        beside!($shape, $block, |bench, cycle| {
            let arrival = &mut bench.io.arrival;
            arrival.arrive.next = cycle.arrival.is_some();
            if let Some(HeaderArrival { vc, malformed, address, .. }) = cycle.arrival {
                arrival.arrive_vc.next = u32::from(vc).into();
                arrival.arrive_malformed.as_mut().unwrap().next = malformed;
                arrival.arrive_address.as_mut().unwrap().next = address.into();
            }
            set_cam!(bench.io.cam.as_mut().unwrap(), cycle);
            bench.io.take.next = vector(cycle.taken.clone());
        } {
            let context = format!("{:?}, cycle {}", $shape, cycle.now);
            check_cam!(bench.io.cam.as_ref().unwrap(), cycle, context);
            let lookups = bench.io.lookups.as_ref().unwrap();
            assert_eq!((lookups.lookup_hit.val(), lookups.lookup_miss.val()), (cycle.hit, cycle.miss), "{context}");
            for (vc, head) in cycle.heads.iter().enumerate() {
                let (drop, request) = (bench.io.head.drop.val().get_bit(vc), bench.io.head.request[vc].val());
                check_head(*head, drop, request, &format!("VC {vc}, {context}"));
            }
        })
    };
}

#[test]
fn route_units() {
    for shape in &cached_shapes() {
        route_unit_beside!(shape, route_unit(shape, table(shape)));
    }
    for shape in &uncached_shapes() {
        route_unit_beside!(shape, route_unit(shape, table(shape)));
    }
}
