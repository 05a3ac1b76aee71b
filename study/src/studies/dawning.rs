//! Cao2016's network, measured on the golden model: a fat tree of `dawning16` switches with as many ports as it uses.

use super::NetworkSize;
use crate::report::rounded;
use railyard_model::Switch;
use railyard_network::blueprint::{Blueprint, Plan};
pub(super) use railyard_network::harness::SteadyRun as Measured;
use railyard_network::harness::{Network, Run, RunReport};
use railyard_network::topology::{FatTree, Topology};
use railyard_network::Device;
use railyard_plot::{Dot, Interval};
use railyard_spec::{presets, Config};
use rayon::prelude::*;
use serde_json::{json, Value};

/// Levels of the tree.
pub(super) const LEVELS: usize = 3;
/// Candidate roots of a multicast group: all switches of the top level.
const ROOTS: usize = 64;
/// Packets that a buffer holds: the prototype has 4 KiB a VC and packets of 1 KiB.
const PACKETS_OF_BUFFER: u32 = 4;
/// Runs of a row, each with its own seed.
pub(super) const SEEDS: u64 = 3;

/// A switch of the network: four of the longest packets a buffer.
pub(super) fn switch(size: NetworkSize) -> Config {
    let preset = presets::find("dawning16").expect("the preset is there");
    let mut config = Config::from_json(preset.json).expect("presets are legal").into_config();
    config.ports = size.ports() as u32;
    config.buffer_flits = Some(PACKETS_OF_BUFFER * config.packet.max_flits);
    config
}

/// The network, with one multicast and one barrier group of all nodes; unicast packets use the mixed VC, too.
pub(super) fn blueprint(size: NetworkSize) -> Blueprint {
    build(plan(size, switch(size)))
}

/// The network of other switches whose mixed VC carries no unicast packets.
pub(super) fn blueprint_of(size: NetworkSize, config: Config) -> Blueprint {
    build(Plan { unicast_on_mixed: false, ..plan(size, config) })
}

/// Its plan.
pub(super) fn plan(size: NetworkSize, config: Config) -> Plan {
    let shape = config.check().expect("a legal switch").shape();
    Plan {
        sets: vec![(0..size.nodes()).collect()],
        candidates: ROOTS,
        unicast_on_mixed: true,
        barriers: vec![(0..size.nodes()).collect()],
        ..Plan::new(shape, Topology::FatTree(FatTree::new(size.ports(), LEVELS)))
    }
}

/// The network of a plan.
pub(super) fn build(plan: Plan) -> Blueprint {
    Blueprint::new(plan).expect("a fat tree is free of deadlock")
}

/// Runs the golden model until the network is steady.
pub(super) fn measure(blueprint: &Blueprint, run: &Run, cycles: u64) -> Measured {
    let network = Network::new(blueprint.clone(), run, Switch::new).expect("the run fits the network");
    measure_until(network, cycles, |_| true)
}

/// Runs until the network is steady and what was measured is enough.
pub(super) fn measure_until<D: Device>(
    network: Network<D>,
    cycles: u64,
    is_enough: impl Fn(&RunReport) -> bool,
) -> Measured {
    let run = network.run_until_steady(cycles, is_enough);
    assert!(run.report.mismatches.is_empty(), "{:#?}", run.report.mismatches);
    run
}

/// Runs of the same with a seed each.
pub(super) struct Runs(pub Vec<Measured>);

/// The seed of a run.
pub(super) fn seed_of(seed: u64, run: u64) -> u64 {
    seed.wrapping_add(run << 32)
}

/// The seeds of a row's runs.
pub(super) fn seeds(seed: u64) -> [u64; SEEDS as usize] {
    std::array::from_fn(|run| seed_of(seed, run as u64))
}

/// Measures each case with each seed.
pub(super) fn measure_all<C: Sync>(cases: &[C], seed: u64, measure: impl Fn(&C, u64) -> Measured + Sync) -> Vec<Runs> {
    let runs: Vec<(&C, u64)> = cases.iter().flat_map(|case| seeds(seed).map(|seed| (case, seed))).collect();
    let measured: Vec<Measured> = runs.into_par_iter().map(|(case, seed)| measure(case, seed)).collect();
    let mut measured = measured.into_iter();
    cases.iter().map(|_| Runs(measured.by_ref().take(SEEDS as usize).collect())).collect()
}

impl Runs {
    /// The heads of what tells whether the runs were steady.
    pub const STEADY: [&'static str; 2] = ["warm-up", "steady"];

    /// A figure of all runs.
    pub fn interval(&self, figure: impl Fn(&RunReport) -> f64) -> Interval {
        Interval::of(&self.0.iter().map(|run| figure(&run.report)).collect::<Vec<f64>>())
    }

    /// Flits that each node received in a cycle, in %.
    pub fn throughput(&self) -> Interval {
        self.interval(|report| 100.0 * report.throughput)
    }

    /// Whether sources made more than was delivered, in any run.
    pub fn is_saturated(&self) -> bool {
        self.0.iter().any(|run| run.report.saturated)
    }

    /// A latency with its interval; none where it grows for as long as a run lasts.
    pub fn latency(&self, figure: impl Fn(&RunReport) -> f64) -> [Value; 2] {
        let Interval { mean, half } = self.interval(figure);
        if self.is_saturated() {
            [Value::Null, Value::Null]
        } else {
            [rounded(mean), rounded(half)]
        }
    }

    /// A latency as a point of a picture; none where it grows for as long as a run lasts.
    pub fn latency_dot(&self, x: f64, figure: impl Fn(&RunReport) -> f64) -> Option<Dot> {
        (!self.is_saturated()).then(|| Dot::of(x, self.interval(figure)))
    }

    /// Whether all were.
    pub fn are_steady(&self) -> bool {
        self.0.iter().all(|run| run.report.steady == Some(true))
    }

    /// The longest warm-up, and how many runs were steady.
    pub fn steady(&self) -> [Value; 2] {
        let steady = self.0.iter().filter(|run| run.report.steady == Some(true)).count();
        let warm_up = self.0.iter().map(|run| run.warm_up).max();
        [json!(warm_up), json!(format!("{steady} of {}", self.0.len()))]
    }
}
