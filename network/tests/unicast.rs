//! Unicast over every topology and kind of routing: everything once, in order, and all credit back.

mod common;

use common::*;
use railyard_model::{Inputs, Outputs, Switch};
use railyard_network::blueprint::Blueprint;
use railyard_network::harness::{CreditCounts, Mismatch, Network, Pattern};
use railyard_network::topology::{FatTree, Topology};
use railyard_network::Device;
use railyard_spec::{Config, FlowControl, Radix, Routing, Shape};

#[test]
fn every_topology_delivers_everything_by_tables() {
    for topology in [fat_tree(8, 2), fat_tree(4, 3), torus(&[4, 3], 2), torus(&[2, 2, 3], 1), mesh(&[3, 3], 2), ring()]
    {
        for load in [0.2, 1.0] {
            let report = faultless(network(plan(&table(8), topology.clone()), &run(Pattern::Uniform, load)), 1_500);
            assert!(report.unicast.packets as usize > 40 * report.nodes, "{topology:?}: {report:?}");
        }
    }
}

#[test]
fn fat_trees_and_wirings_deliver_everything_by_source_routes() {
    for topology in [fat_tree(8, 2), fat_tree(4, 3), mesh(&[3, 3], 1), ring()] {
        faultless(network(plan(&source(8, 5), topology), &run(Pattern::Uniform, 0.9)), 1_500);
    }
}

#[test]
fn fat_trees_tori_and_meshes_deliver_everything_by_arithmetic() {
    for topology in [fat_tree(8, 2), fat_tree(4, 3), torus(&[5, 4], 1), torus(&[3, 2, 2], 1), mesh(&[4, 3], 1)] {
        faultless(network(plan(&algorithmic(8), topology), &run(Pattern::Uniform, 0.9)), 1_500);
    }
}

/// Further nodes of a switch are in dimensions of their own, two in each, also where a dimension has all values of a
/// chunk.
#[test]
fn several_nodes_a_switch_by_arithmetic() {
    for topology in [mesh(&[4, 3], 2), torus(&[5, 4], 3), torus(&[3], 4), mesh(&[3], 6), torus(&[4, 4], 3)] {
        let blueprint = Blueprint::new(plan(&algorithmic(8), topology.clone())).unwrap();
        assert!(blueprint.placement.iter().all(|writes| !writes.is_empty()));
        faultless(network(plan(&algorithmic(8), topology), &run(Pattern::Uniform, 0.9)), 1_500);
    }
    let mut full = algorithmic(8);
    let Routing::Algorithmic(routing) = &mut full.routing else { panic!("it is algorithmic") };
    routing.node_reduction.radix = Radix::Full;
    faultless(network(plan(&full, torus(&[4, 4], 3)), &run(Pattern::Uniform, 0.9)), 1_500);
}

/// A top with fewer children than other switches have ports, and one with more; by tables, headers and arithmetic.
#[test]
fn fat_trees_with_another_top() {
    for (ports, levels, top) in [(8, 2, 3), (4, 3, 8), (6, 2, 7), (4, 1, 5)] {
        let tree = Topology::FatTree(FatTree { top: Some(top), ..FatTree::new(ports, levels) });
        for config in [table(8), source(8, 5), algorithmic(8)] {
            faultless(network(plan(&config, tree.clone()), &run(Pattern::Uniform, 0.9)), 1_000);
        }
    }
}

#[test]
fn every_pattern_at_every_latency() {
    for pattern in [Pattern::HotRegion, Pattern::Local, Pattern::Permutation] {
        for latency in [0, 1, 7] {
            let mut run = run(pattern, 0.6);
            run.link_latency = latency;
            run.traffic.length = Some(2);
            faultless(network(plan(&table(8), torus(&[4, 3], 2)), &run), 800);
        }
    }
}

/// Of a cycle on each link.
#[test]
fn link_latency_adds_up() {
    let mean = |latency| {
        let mut run = run(Pattern::Uniform, 0.01);
        run.link_latency = latency;
        faultless(network(plan(&source(8, 3), fat_tree(8, 2)), &run), 6_000).unicast.latency_mean
    };
    // Of 31 other nodes 3 are on the same switch: two links; the others four.
    let links = (3.0 * 2.0 + 28.0 * 4.0) / 31.0;
    let grown = mean(11) - mean(1);
    assert!((grown - 10.0 * links).abs() < 3.0, "{grown}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let report = |seed, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let run = railyard_network::harness::Run { seed, ..run(Pattern::Uniform, 0.8) };
        pool.install(|| faultless(network(plan(&table(16), fat_tree(8, 3)), &run), 300))
    };
    let first = report(5, 1);
    assert_eq!(first, report(5, 3));
    assert_ne!(first.unicast.latency_mean, report(6, 1).unicast.latency_mean);
}

#[test]
fn lost_credit_reports_are_made_good() {
    for topology in [fat_tree(8, 2), torus(&[4, 3], 2)] {
        let whole = run(Pattern::Uniform, 0.9);
        let lossy = railyard_network::harness::Run { lost_credits: 0.3, ..whole.clone() };
        let [whole, lossy] =
            [whole, lossy].map(|run| faultless(network(plan(&table(8), topology.clone()), &run), 2_000));
        assert!(lossy.unicast.latency_mean > whole.unicast.latency_mean, "{lossy:?}");
        assert!(lossy.credit_reports.lost > 1_000 && lossy.credit_reports.corrupted == 0, "{lossy:?}");
        assert_eq!(whole.credit_reports, CreditCounts::default());
    }
}

/// Switches and nodes ignore totals of flits that were never sent, and each such switch port says so.
#[test]
fn corrupted_credit_reports_are_ignored_and_made_good() {
    for (depth, topology) in [(8, fat_tree(8, 2)), (32, torus(&[4, 3], 2))] {
        let mut config = table(8);
        config.buffer_flits = Some(depth);
        let corrupt =
            railyard_network::harness::Run { corrupt_credits: 0.3, lost_credits: 0.1, ..run(Pattern::Uniform, 0.9) };
        let report = faultless(network(plan(&config, topology), &corrupt), 2_000);
        assert!(report.credit_reports.corrupted > 1_000 && report.credit_reports.lost > 300, "{report:?}");
    }
}

/// A switch that gives credit for a flit of port 0 that was never sent, in a cycle long after set-up.
struct Generous(Switch, Outputs, u64);

impl Device for Generous {
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn outputs(&self) -> &Outputs {
        &self.1
    }

    fn step(&mut self, inputs: &Inputs) {
        self.0.step(inputs);
        self.1.clone_from(self.0.outputs());
        self.2 += 1;
        if self.2 == 5_000 {
            self.1.rx_credit_valid.set(0);
            self.1.rx_credit[0] += 1;
        }
    }
}

/// A report that no link corrupted is the switch's fault if it is impossible.
#[test]
fn credit_for_flits_that_were_never_sent_is_told() {
    for flow_control in [FlowControl::Absolute, FlowControl::Relative] {
        let config = Config { flow_control, ..table(8) };
        let make = |shape: &Shape| Generous(Switch::new(shape), Outputs::new(shape), 0);
        let blueprint = Blueprint::new(plan(&config, mesh(&[2], 2))).unwrap();
        let mut network = Network::new(blueprint, &run(Pattern::Uniform, 0.0), make).unwrap();
        assert!(network.now() < 5_000);
        network.run(5_000, |_| ());
        let (mismatches, count) = network.scoreboard().mismatches();
        let what = "switch 0 gives node 0 credit for flits that were never sent".into();
        assert_eq!((mismatches.first(), count), (Some(&Mismatch::Switch { what }), 2), "of each of two switches");
    }
}

#[test]
fn a_link_goes_down_under_traffic() {
    for (config, topology, link) in
        [(table(8), fat_tree(8, 2), (0, 5)), (table(8), torus(&[4, 3], 2), (3, 2)), (source(8, 8), ring(), (0, 4))]
    {
        let mut network = network(plan(&config, topology), &run(Pattern::Uniform, 0.5));
        network.measure();
        network.run(500, |_| ());
        network.take_out(link.into()).unwrap();
        let delivered = network.report().unicast.packets;
        let error = network.take_out(link.into()).unwrap_err();
        assert!(error.to_string().contains("there is no link"), "{error}");
        network.run(500, |_| ());
        network.finish();
        let report = network.report();
        assert_eq!((report.mismatches, report.outages.len()), (vec![], 1));
        assert!(report.unicast.packets > delivered + 100);
    }
}

#[test]
fn a_link_without_which_there_is_no_way() {
    let mut network = network(plan(&table(8), mesh(&[2], 2)), &run(Pattern::Uniform, 0.5));
    let error = network.take_out((0, 2).into()).unwrap_err().to_string();
    assert_eq!(error, "no way from node 2 to node 0: switch 1 has no route");
}
