//! Dragonflies and HyperX: short ways, no rings, and everything arrives by them.

mod common;

use common::*;
use railyard_network::blueprint::{Algorithm, Blueprint, BlueprintError, Plan};
use railyard_network::harness::Pattern;
use railyard_network::topology::{Arrangement, Dragonfly, GlobalEnd, HyperX, Topology};
use railyard_network::wiring::{Peer, Port};
use railyard_spec::{AlgorithmicRouting, Config, NodeReduction, Routing, Topology as Family};

fn balanced(h: usize) -> Dragonfly {
    Dragonfly::new(h, 2 * h, h)
}

fn blueprint(config: &Config, topology: Topology) -> Blueprint {
    Blueprint::new(plan(config, topology)).unwrap()
}

/// Links between switches on the longest way, and whether all ways are one local, one global and one local link at
/// most.
fn longest(blueprint: &Blueprint, fly: &Dragonfly) -> usize {
    let nodes = blueprint.wiring.nodes().len();
    let mut longest = 0;
    for to in 0..nodes {
        // The nodes of a switch have the same ways.
        for from in (0..nodes).step_by(fly.p).filter(|&from| from != to) {
            let ports: Vec<Port> = blueprint.way(from, to).collect();
            let is_global = |at: &Port| at.port >= fly.global_port(0);
            let links = ports.len() - 1;
            assert!(ports[..links].iter().filter(|at| is_global(at)).count() <= 1, "{from} to {to}: {ports:?}");
            longest = longest.max(links);
        }
    }
    longest
}

#[test]
fn all_pairs_are_at_most_three_links_apart() {
    for (h, ports) in [(2, 8), (4, 15)] {
        let fly = balanced(h);
        assert_eq!(longest(&blueprint(&table(ports), Topology::Dragonfly(fly.clone())), &fly), 3);
    }
    for arrangement in [Arrangement::PalmTree, Arrangement::Consecutive] {
        for groups in [3, 4, 5, 7, 8] {
            let fly = Dragonfly { groups: Some(groups), arrangement: arrangement.clone(), ..balanced(2) };
            let blueprint = blueprint(&table(8), Topology::Dragonfly(fly.clone()));
            assert!(longest(&blueprint, &fly) <= 3, "{groups} groups");
            assert_eq!(blueprint.wiring.switches(), 4 * groups);
        }
    }
}

fn listed() -> Dragonfly {
    let link = |near: (usize, usize, usize), far| [GlobalEnd::from(near), GlobalEnd::from(far)];
    let links = vec![link((0, 0, 0), (1, 1, 0)), link((0, 1, 0), (2, 0, 0)), link((1, 2, 0), (2, 2, 0))];
    Dragonfly { groups: Some(3), arrangement: Arrangement::Listed(links), ..Dragonfly::new(2, 3, 1) }
}

/// Node reduction of a Dragonfly, and routes that name VCs.
fn by_digits(ports: u32) -> Config {
    let mut config = algorithmic(ports);
    let node_reduction =
        NodeReduction { topologies: vec![Family::Dragonfly], chunk_bits: vec![4], ..NodeReduction::default() };
    config.routing = Routing::Algorithmic(AlgorithmicRouting {
        address_bits: 24,
        node_reduction,
        next_vc: true,
        ..AlgorithmicRouting::default()
    });
    config
}

#[test]
fn everything_arrives_by_tables_and_by_digits() {
    let trunked = Dragonfly { groups: Some(4), ..balanced(2) };
    let consecutive = Dragonfly { arrangement: Arrangement::Consecutive, ..trunked.clone() };
    for fly in [balanced(2), trunked, consecutive, listed()] {
        for config in [table(8), by_digits(8)] {
            let topology = Topology::Dragonfly(fly.clone());
            let report = faultless(network(plan(&config, topology), &run(Pattern::Uniform, 1.0)), 600);
            assert!(report.unicast.packets as usize > 20 * report.nodes, "{fly:?}: {report:?}");
        }
    }
}

#[test]
fn routes_that_name_no_vc_close_a_ring_and_layers_do_not() {
    let fly = Topology::Dragonfly(balanced(2));
    let error = Blueprint::new(plan(&source(8, 4), fly.clone())).unwrap_err();
    assert!(matches!(error, BlueprintError::Deadlock(_)), "{error}");
    for algorithm in [Algorithm::UpDown, Algorithm::Shortest] {
        Blueprint::new(Plan { algorithm, ..plan(&source(8, 8), fly.clone()) }).unwrap();
    }
}

/// Another trunk takes the packets of one that is cut. Where there is none, routes are up*/down* routes.
#[test]
fn a_link_goes() {
    for (groups, is_minimal) in [(4, true), (9, false)] {
        let fly = Dragonfly { groups: Some(groups), ..balanced(2) };
        let whole = blueprint(&table(8), Topology::Dragonfly(fly.clone()));
        let link = Port { switch: 0, port: fly.global_port(0) };
        assert!(matches!(whole.wiring.peer(link), Peer::Switch(_)));
        let left = whole.without(link).unwrap();
        let nodes = left.wiring.nodes().len();
        let most = (0..nodes).flat_map(|to| (0..nodes).map(move |from| (from, to))).filter(|(from, to)| from != to);
        let most = most.map(|(from, to)| left.way(from, to).count() - 1).max().unwrap();
        assert_eq!(most <= 3, is_minimal, "{groups} groups: {most} links");
    }
}

#[test]
fn dimension_order_keeps_a_hyperx_free_of_rings_on_one_vc() {
    for (radix, nodes) in [(vec![4, 4], 2), (vec![7], 1), (vec![3, 2, 3], 1)] {
        let hyperx = Topology::HyperX(HyperX { radix: radix.clone(), nodes });
        let mut one = source(8, 4);
        (one.virtual_channels.unicast, one.virtual_channels.mixed) = (1, 0);
        for algorithm in [Algorithm::ByTopology, Algorithm::DimensionOrder] {
            let blueprint = Blueprint::new(Plan { algorithm, ..plan(&one, hyperx.clone()) }).unwrap();
            let count = blueprint.wiring.nodes().len();
            let pairs =
                (0..count).flat_map(|to| (0..count).map(move |from| (from, to))).filter(|(from, to)| from != to);
            let most = pairs.map(|(from, to)| blueprint.way(from, to).count() - 1).max();
            assert_eq!(most, Some(radix.len()));
        }
        for config in [one, table(8)] {
            faultless(network(plan(&config, hyperx.clone()), &run(Pattern::Uniform, 1.0)), 600);
        }
    }
}
