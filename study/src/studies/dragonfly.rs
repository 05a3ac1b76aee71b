//! Fuentes2017's network, measured on the golden model: a Dragonfly with adaptive routing.

use super::dawning::{self, Measured, Runs};
use super::DragonflySize;
use railyard_model::Switch;
use railyard_network::adaptive::{
    AdaptiveSettings, Contention, CreditTrigger, DetourPolicy, Ectn, Mode, Saturation, Trigger,
};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::check::limit;
use railyard_network::harness::{mixture, Network, Pattern, Run, Traffic};
use railyard_network::topology::{ClassLatency, Dragonfly, Topology};
use railyard_spec::Config;
use serde_json::{json, Value};
use std::sync::Arc;

/// Cycles of the links between switches, as in the seed.
const LATENCY: ClassLatency = ClassLatency { local: Some(10), global: Some(100) };
/// Flits of the buffer of a VC: the seed's of global links and nodes. It has 32 for local links.
pub(super) const BUFFER: u32 = 256;
/// Bits of the age in headers.
const AGE_BITS: u32 = 16;

/// How packets find their ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Routing {
    /// Minimal ways.
    Minimal,
    /// By a group drawn by chance.
    Valiant,
    /// Decided at the source, by places in use (UGAL-L).
    Ugal,
    /// The same, and by what switches tell each other of their global links (PB).
    Piggyback,
    /// Decided at each switch, by credits (OLM).
    Credits(DetourPolicy),
    /// By credits, with so many places in use at the least.
    HalfFull(u32),
    /// The same, by contention counters; or with another threshold than that of the size.
    Base(Option<u32>),
    /// By either of them.
    Hybrid,
    /// By contention counters whose counts are smoothed over time.
    Filtered,
    /// By contention counters, and at the source by counts of packets for groups, which switches tell each other.
    Ectn,
}

/// Which of the packets that request an output gets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// Round robin, but packets from other switches go before those from nodes.
    TransitFirst,
    /// Round robin.
    RoundRobin,
    /// By age.
    Oldest,
}

impl Order {
    pub const ALL: [Order; 3] = [Order::TransitFirst, Order::RoundRobin, Order::Oldest];

    pub fn name(self) -> &'static str {
        match self {
            Order::TransitFirst => "transit first",
            Order::RoundRobin => "round robin",
            Order::Oldest => "oldest",
        }
    }

    /// What builds it, in the description of the switch's routing.
    fn build(self, routing: &mut Value) {
        match self {
            Order::RoundRobin => {}
            Order::TransitFirst => routing["arbitration"] = json!({"transit_first": true}),
            Order::Oldest => {
                (routing["arbitration"], routing["age_bits"]) = (json!({"policy": "oldest"}), json!(AGE_BITS));
            }
        }
    }
}

impl Routing {
    /// The settings of all switches.
    fn settings(self, size: DragonflySize) -> AdaptiveSettings {
        let [base, hybrid] = thresholds(size);
        let in_transit = |policy, trigger, threshold| AdaptiveSettings {
            mode: Some(Mode::InTransit),
            policy: Some(policy),
            local_detour: Some(true),
            trigger: Some(trigger),
            contention: Some(Contention { threshold: Some(threshold), hybrid: Some(hybrid), ..Contention::default() }),
            ..AdaptiveSettings::default()
        };
        let at_source = |mode| AdaptiveSettings { mode: Some(mode), ..AdaptiveSettings::default() };
        match self {
            Routing::Minimal => at_source(Mode::Minimal),
            Routing::Valiant => at_source(Mode::Valiant),
            Routing::Ugal => at_source(Mode::Ugal),
            Routing::Piggyback => AdaptiveSettings {
                saturation: Some(Saturation { factor: Some(saturation_factor(size)), ..Saturation::default() }),
                ..at_source(Mode::Piggyback)
            },
            Routing::Credits(policy) => in_transit(policy, Trigger::Credits, base),
            Routing::HalfFull(least) => AdaptiveSettings {
                credit_trigger: Some(CreditTrigger { least: Some(least), share: None }),
                ..in_transit(DetourPolicy::Mm, Trigger::Credits, base)
            },
            Routing::Base(threshold) => in_transit(DetourPolicy::Mm, Trigger::Contention, threshold.unwrap_or(base)),
            Routing::Hybrid => in_transit(DetourPolicy::Mm, Trigger::Hybrid, base),
            Routing::Filtered => in_transit(DetourPolicy::Mm, Trigger::Filtered, base),
            Routing::Ectn => AdaptiveSettings {
                ectn: Some(Ectn { threshold: Some(group_threshold(size)), period: None }),
                ..in_transit(DetourPolicy::Mm, Trigger::Ectn, base)
            },
        }
    }

    /// What the switch needs for it beside what all have. Messages take cycles of links: so only those switches send
    /// them that use them.
    fn build(self, adaptive: &mut Value) {
        let part = match self {
            Routing::Filtered => "filter",
            Routing::Ectn => "ectn",
            Routing::Piggyback => "saturation",
            _ => return,
        };
        adaptive[part] = json!(true);
    }
}

/// Settings of PiggyBack.
pub(super) fn piggyback(size: DragonflySize) -> AdaptiveSettings {
    Routing::Piggyback.settings(size)
}

/// Thresholds of Base and Hybrid: from a scan as in figure 4.5. The seed's for h = 8 are 6 and 8.
pub(super) fn thresholds(size: DragonflySize) -> [u32; 2] {
    match size.h() {
        1 => [2, 3],
        2 => [4, 5],
        _ => [6, 8],
    }
}

/// Threshold of ECtN for the packets of a group's switches together. The seed's for h = 8 is 10.
pub(super) fn group_threshold(size: DragonflySize) -> u32 {
    match size.h() {
        1 => 2,
        2 => 4,
        _ => 10,
    }
}

/// How much longer than the mean of a switch's global links the queue of a saturated one is, in quarters. The seed's
/// for h = 8 is twice as long. Of two links none is, and of one even less.
fn saturation_factor(size: DragonflySize) -> u32 {
    match size.h() {
        1 => 0,
        2 => 4,
        _ => 8,
    }
}

/// The network: three VCs a port and packets of 8 flits, all buffers of the same depth, round robin.
pub(super) fn network(size: DragonflySize, buffer: u32, routing: Routing) -> Arc<Blueprint> {
    network_in_order(size, buffer, routing, Order::RoundRobin)
}

/// The same with another order of packets.
pub(super) fn network_in_order(size: DragonflySize, buffer: u32, routing: Routing, order: Order) -> Arc<Blueprint> {
    let mut switch = switch(size);
    (switch["virtual_channels"]["unicast"], switch["buffer_flits"]) = (json!(3), json!(buffer));
    switch["routing"]["vcs"]["requests"] = json!("lglgl");
    switch["routing"]["adaptive"] = json!({"valiant": "group", "in_transit": true, "contention": true});
    routing.build(&mut switch["routing"]["adaptive"]);
    order.build(&mut switch["routing"]);
    let transit_first = (order == Order::TransitFirst).then_some(true);
    network_of(size, &switch, AdaptiveSettings { transit_first, ..routing.settings(size) })
}

/// The part of a switch's description that follows from the size.
pub(super) fn switch(size: DragonflySize) -> Value {
    let (h, routers) = (size.h(), size.routers());
    let bits = |values: usize| (usize::BITS - (values - 1).leading_zeros()).max(1);
    json!({
        "name": "dragonfly", "ports": 4 * h - 1, "virtual_channels": {}, "packet": {"max_flits": 8},
        "routing": {
            "kind": "dragonfly",
            "port_classes": {"node": {"ports": h}, "local": {"ports": routers - 1}, "global": {"ports": h}},
            "group_bits": bits(size.groups()), "router_bits": bits(routers), "node_bits": bits(h),
            "vcs": {}, "flexible_vcs": true
        }
    })
}

/// The network of such switches with these settings.
pub(super) fn network_of(size: DragonflySize, switch: &Value, adaptive: AdaptiveSettings) -> Arc<Blueprint> {
    let (h, routers) = (size.h(), size.routers());
    let shape = Config::from_json(&switch.to_string()).expect("a legal switch").shape();
    let topology = Topology::Dragonfly(Dragonfly { latency: LATENCY, ..Dragonfly::new(h, routers, h) });
    let plan = Plan { adaptive, ..Plan::new(shape, topology) };
    Arc::new(Blueprint::new(plan).expect("each state has an escape"))
}

/// A golden network with traffic.
pub(super) fn golden(blueprint: &Arc<Blueprint>, traffic: &Traffic, seed: u64) -> Network<Switch> {
    let run = Run { traffic: traffic.clone(), seed, ..Run::default() };
    Network::new(blueprint.clone(), &run, Switch::new).expect("the run fits the network")
}

/// Traffic of a pattern, with a load in %.
pub(super) fn traffic(pattern: Pattern, load: f64) -> Traffic {
    Traffic { pattern, load: load / 100.0, ..Traffic::default() }
}

/// A network of a routing under a traffic.
pub(super) struct Case {
    /// The network.
    pub network: Arc<Blueprint>,
    /// The traffic.
    pub traffic: Traffic,
}

/// Measures each case with each seed, until networks are steady.
pub(super) fn measure_all(cases: &[Case], seed: u64, cycles: u64) -> Vec<Runs> {
    dawning::measure_all(cases, seed, |Case { network, traffic }, seed| -> Measured {
        let run = golden(network, traffic, seed).run_until_settled(cycles);
        assert!(run.report.mismatches.is_empty(), "{:#?}", run.report.mismatches);
        run
    })
}

/// Load in % at which minimal ways fill a link, whatever buffers and arbiters do.
fn minimal_bound(network: &Blueprint, traffic: &Traffic) -> f64 {
    let Blueprint { wiring, tables, .. } = network;
    let mixture = mixture(traffic, &traffic.phases()[0], wiring, 1);
    100.0 * limit(wiring, tables, |from, to| mixture.share(from, to)).load
}

/// Share of the packets that leave their group.
fn leaving(network: &Blueprint, size: DragonflySize, traffic: &Traffic) -> f64 {
    let wiring = &network.wiring;
    let mixture = mixture(traffic, &traffic.phases()[0], wiring, 1);
    let nodes = wiring.nodes().len();
    let group = |node: usize| node / (size.h() * size.routers());
    let shares = (0..nodes).map(|from| {
        let others = (0..nodes).filter(|&to| group(to) != group(from));
        others.map(|to| mixture.share(from, to)).sum::<f64>()
    });
    shares.sum::<f64>() / nodes as f64
}

/// What a routing accepts at most in %, whatever buffers and arbiters do. A node has a global link of its own, on
/// average. Minimal ways cross one, others two; Valiant's via is the destination's group once in all other groups.
pub(super) fn bound(case: &Case, size: DragonflySize, routing: Routing) -> f64 {
    let minimal = minimal_bound(&case.network, &case.traffic);
    let leaving = leaving(&case.network, size, &case.traffic);
    let detours = match routing {
        Routing::Minimal => return minimal,
        Routing::Valiant => 100.0 / (leaving * (2.0 - 1.0 / (size.groups() - 1) as f64)),
        _ => (100.0 + leaving * minimal) / (2.0 * leaving),
    };
    match routing {
        Routing::Valiant => detours.min(100.0),
        _ => detours.max(minimal).min(100.0),
    }
}

/// Share of the packets to the next group that minimal ways carry at most, at a load in %.
pub(super) fn minimal_share(size: DragonflySize, load: f64) -> f64 {
    (100.0 / (size.h() * size.routers()) as f64 / load).min(1.0)
}
