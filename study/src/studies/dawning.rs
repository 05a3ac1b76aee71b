//! Seed 004's network, measured on the golden model: a fat tree of `dawning16` switches with as many ports as it uses.

use super::NetworkSize;
use railyard_model::Switch;
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Network, Report, Run};
use railyard_network::topology::{FatTree, Topology};
use railyard_spec::{presets, Config};

/// Levels of the tree.
pub(super) const LEVELS: usize = 3;
/// Candidate roots of a multicast group: all switches of the top level.
const ROOTS: usize = 64;

/// A switch of the network.
pub(super) fn switch(size: NetworkSize) -> Config {
    let preset = presets::find("dawning16").expect("the preset is there");
    let mut config = Config::from_json(preset.json).expect("presets are legal");
    config.ports = size.ports() as u32;
    config
}

/// The network, with one multicast and one barrier group of all nodes.
pub(super) fn blueprint(size: NetworkSize) -> Blueprint {
    blueprint_of(size, &switch(size))
}

/// The same network of other switches.
pub(super) fn blueprint_of(size: NetworkSize, config: &Config) -> Blueprint {
    build(plan(size, config))
}

/// Its plan.
pub(super) fn plan(size: NetworkSize, config: &Config) -> Plan {
    Plan {
        shape: config.shape(),
        topology: Topology::FatTree(FatTree { ports: size.ports(), levels: LEVELS }),
        tables: None,
        trees: None,
        sets: vec![(0..size.nodes()).collect()],
        candidates: ROOTS,
        unicast_on_mixed: false,
        barriers: vec![(0..size.nodes()).collect()],
        barrier_trees: None,
    }
}

/// The network of a plan.
pub(super) fn build(plan: Plan) -> Blueprint {
    Blueprint::new(plan).expect("a fat tree is free of deadlock")
}

/// What a run comes to over `cycles`, after a third as many. Every packet that arrives is checked; the network is not drained.
pub(super) fn measure(blueprint: &Blueprint, run: &Run, cycles: u64) -> Report {
    let mut network = Network::new(blueprint.clone(), run, Switch::new).expect("the run fits the network");
    network.run(cycles / 3, |_| ());
    network.measure();
    network.run(cycles, |_| ());
    let report = network.report();
    assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
    report
}
