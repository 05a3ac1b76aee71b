//! Algorithms for tables: which ways they take, which VCs they need, and that packets arrive by them.

mod common;

use common::*;
use railyard_network::blueprint::{Algorithm, Blueprint, BlueprintError, Plan};
use railyard_network::check::{deadlock, Rules};
use railyard_network::harness::Pattern;
use railyard_network::tables::{TablesFile, TooFewVcs};
use railyard_network::topology::{Links, Topology};
use railyard_network::wiring::{Peer, Port, Wiring};
use railyard_network::{AlgorithmError, Outlook};
use railyard_spec::{Config, Routing};

/// So many switches in a ring, two nodes at each.
fn circle(switches: usize) -> Topology {
    let link = |a: usize| [Port { switch: a, port: 2 }, Port { switch: (a + 1) % switches, port: 3 }];
    Topology::Wiring(Links {
        switches,
        links: (0..switches).map(|a| link(a).into()).collect(),
        nodes: (0..2 * switches).map(|node| Port { switch: node / 2, port: node % 2 }).collect(),
        roots: None,
    })
}

/// A topology as a wiring, link by link, its switches numbered from the last one on.
fn backwards(topology: &Topology, ports: usize) -> Topology {
    let wiring = topology.wiring(ports).unwrap();
    let at = |end: Port| Port { switch: wiring.switches() - 1 - end.switch, ..end };
    Topology::Wiring(Links {
        switches: wiring.switches(),
        links: wiring.links().map(|(near, far)| [at(near), at(far)].into()).collect(),
        nodes: wiring.nodes().iter().map(|&node| at(node)).collect(),
        roots: None,
    })
}

fn with(config: &Config, unicast: u32) -> Config {
    let mut config = config.clone();
    config.virtual_channels.unicast = unicast;
    config
}

fn by(algorithm: Algorithm, config: &Config, topology: Topology) -> Plan {
    Plan { algorithm, ..plan(config, topology) }
}

/// Links from each switch to one.
fn distances(wiring: &Wiring, home: usize) -> Vec<usize> {
    let mut hops = vec![usize::MAX; wiring.switches()];
    hops[home] = 0;
    let mut reached = vec![home];
    let mut next = 0;
    while let Some(&near) = reached.get(next) {
        next += 1;
        for (_, far) in wiring.links_of(near).filter(|(_, far)| hops[far.switch] == usize::MAX).collect::<Vec<_>>() {
            hops[far.switch] = hops[near] + 1;
            reached.push(far.switch);
        }
    }
    hops
}

fn is_shortest(blueprint: &Blueprint) -> bool {
    let wiring = &blueprint.wiring;
    (0..wiring.nodes().len()).all(|to| {
        let hops = distances(wiring, wiring.nodes()[to].switch);
        (0..wiring.nodes().len()).all(|from| blueprint.way(from, to).count() == hops[wiring.nodes()[from].switch] + 1)
    })
}

#[test]
fn shortest_ways_are_shortest_and_free_of_rings_on_each_vc() {
    for topology in [circle(8), ring(), torus(&[4, 4], 2), mesh(&[3, 4], 2), fat_tree(8, 2)] {
        let blueprint = Blueprint::new(by(Algorithm::Shortest, &with(&source(8, 8), 4), topology)).unwrap();
        assert!(is_shortest(&blueprint));
        let Blueprint { wiring, tables, rules, .. } = &blueprint;
        for &vc in &rules.unicast {
            deadlock(wiring, tables, &[], &Rules { unicast: vec![vc], mixed: None, pairs: false }).unwrap();
        }
        let nodes = wiring.nodes().len();
        let outlook = Outlook::new(&blueprint).layers.unwrap();
        assert!(outlook.fewest >= 1 && outlook.of == 4 && outlook.on_average >= 2.0, "{outlook:?}");
        assert!((0..wiring.switches()).all(|switch| (0..nodes).all(|node| tables.sending(switch, node) < 16)));
        faultless(network(blueprint.plan, &run(Pattern::Uniform, 0.9)), 2_000);
    }
}

/// A ring of eight: the way around it needs a second VC, and no way needs more than one.
#[test]
fn the_number_of_vcs_that_a_ring_needs_is_told() {
    let error = |unicast| Blueprint::new(by(Algorithm::Shortest, &with(&source(8, 8), unicast), circle(8))).err();
    assert_eq!(error(1), Some(BlueprintError::Algorithm(AlgorithmError::TooFewVcs(TooFewVcs { needed: 2, vcs: 1 }))));
    assert_eq!(error(2), None);
    // A mesh needs one, as its ways are those of dimension order.
    Blueprint::new(by(Algorithm::Shortest, &with(&source(8, 8), 1), mesh(&[4, 4], 1))).unwrap();
}

/// The VC of multicast packets is a layer, too, beside the trees.
#[test]
fn unicast_packets_on_the_mixed_vc_close_no_ring_with_trees() {
    for topology in [circle(8), torus(&[4, 4], 2)] {
        let sets = vec![vec![0, 3, 9, 14], (0..16).collect()];
        let plan = by(Algorithm::Shortest, &with(&source(8, 8), 2), topology);
        let plan = Plan { sets, candidates: 2, unicast_on_mixed: true, ..plan };
        let blueprint = Blueprint::new(plan.clone()).unwrap();
        let (nodes, mixed) = (blueprint.wiring.nodes().len(), blueprint.rules.mixed.unwrap());
        let on_mixed = |switch| (0..nodes).any(|node| blueprint.tables.sending(switch, node) >> mixed & 1 == 1);
        assert!((0..blueprint.wiring.switches()).all(on_mixed));
        let mut run = run(Pattern::Uniform, 0.8);
        run.traffic.multicast = 0.2;
        faultless(network(plan, &run), 3_000);
    }
}

#[test]
fn a_link_can_be_taken_out_of_shortest_ways() {
    let mut network = network(by(Algorithm::Shortest, &with(&table(8), 2), ring()), &run(Pattern::Uniform, 0.4));
    network.measure();
    network.run(500, |_| ());
    network.take_out(Port { switch: 0, port: 4 }).unwrap();
    assert!(is_shortest(network.blueprint()) && network.blueprint().tables.has_layers());
    faultless(network, 1_000);
}

#[test]
fn layers_go_out_and_come_back() {
    let plan = by(Algorithm::Shortest, &with(&source(8, 8), 3), circle(8));
    let Blueprint { tables, wiring, .. } = Blueprint::new(plan.clone()).unwrap();
    let file = TablesFile::new(&tables, &[], &[]);
    assert_eq!(file.tables(&wiring, 3, false).unwrap(), tables);
    let error = |change: &dyn Fn(&mut TablesFile)| {
        let mut file = file.clone();
        change(&mut file);
        file.tables(&wiring, 3, false).map_err(|error| error.to_string())
    };
    assert_eq!(error(&|f| f.layers[2][5] = vec![0, 3]).unwrap_err(), "/layers/2/5/1: 3 is no VC: there are 3");
    assert_eq!(error(&|f| f.layers[7].truncate(3)).unwrap_err(), "/layers/7: 3 entries, but there are 16 nodes");
    let mute = error(&|f| f.layers[2][5].clear()).unwrap();
    let none = Blueprint::new(Plan { tables: Some(mute), ..plan.clone() }).unwrap_err();
    assert_eq!(none, BlueprintError::NoVc { switch: 2, node: 5 });
    // All ways on all VCs close the ring.
    let all = error(&|f| f.layers.iter_mut().flatten().for_each(|list| *list = vec![0, 1, 2])).unwrap();
    let ring = Blueprint::new(Plan { tables: Some(all), ..plan }).unwrap_err();
    assert!(matches!(ring, BlueprintError::Deadlock(_)), "{ring}");
}

/// A mesh or torus given link by link has the ways that it has as such.
#[test]
fn dimension_order_of_a_wiring_is_that_of_the_mesh_or_torus() {
    for topology in [mesh(&[4, 3], 2), torus(&[4, 3], 2), torus(&[2, 5], 1)] {
        let whole = Blueprint::new(plan(&table(8), topology.clone())).unwrap();
        let wired = by(Algorithm::DimensionOrder, &table(8), backwards(&topology, 8));
        let blueprint = Blueprint::new(wired).unwrap();
        let nodes = whole.wiring.nodes().len();
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            // Turned around, plus is minus: ways that are as long in both directions go the other way.
            let [here, there] = [&whole, &blueprint].map(|blueprint| blueprint.way(from, to).count());
            assert_eq!(here, there, "from {from} to {to}");
        }
        faultless(network(blueprint.plan, &run(Pattern::Uniform, 0.5)), 1_000);
    }
    let error = Blueprint::new(by(Algorithm::DimensionOrder, &table(8), ring())).unwrap_err().to_string();
    assert!(error.starts_with("/algorithm: needs a mesh or torus"), "{error}");
}

/// Up and down, not by dimensions: the way from corner to corner of a mesh goes by the root.
#[test]
fn up_down_of_a_mesh_is_that_of_a_wiring() {
    let blueprint = Blueprint::new(by(Algorithm::UpDown, &source(8, 12), mesh(&[5, 5], 1))).unwrap();
    let Peer::Node(_) = blueprint.wiring.peer(Port { switch: 12, port: 0 }) else { panic!("a node at each switch") };
    assert!(Outlook::new(&blueprint).up_down.is_some_and(|roots| roots.switches == [12]));
    // Algorithmic routing knows dimension order alone.
    let error = Blueprint::new(by(Algorithm::UpDown, &algorithmic(8), mesh(&[5, 5], 1))).unwrap_err();
    assert!(matches!(error, BlueprintError::Placement(_)), "{error}");
}

/// Each switch of a ring is at the dateline of some way: no VC of any torus closes a ring, and packets arrive.
#[test]
fn tori_of_all_radixes_have_no_ring_on_any_number_of_vcs() {
    for (k, unicast, vc_pairs) in
        [(2, 2, false), (3, 3, false), (4, 4, true), (5, 2, false), (6, 4, true), (8, 5, false)]
    {
        let mut config = with(&algorithmic(5), unicast);
        config.virtual_channels.mixed = 0;
        if let Routing::Algorithmic(routing) = &mut config.routing {
            routing.vc_pairs = vc_pairs;
        }
        faultless(network(plan(&config, torus(&[k, k], 1)), &run(Pattern::Uniform, 0.9)), 600);
    }
}

/// Half a ring away, half of the switches go one way round and half the other: all links carry as many routes.
#[test]
fn ties_are_split() {
    let blueprint = Blueprint::new(plan(&algorithmic(5), torus(&[8, 8], 1))).unwrap();
    let limit = Outlook::new(&blueprint).uniform_limit;
    assert!((limit - 63.0 / 64.0).abs() < 1e-9, "{limit}");
}

/// A torus of four VCs goes on carrying what it can when more is offered; with VCs in pairs it carries half as much
/// again.
#[test]
fn a_saturated_torus_uses_all_vcs() {
    let throughput = |vc_pairs| {
        let mut config = with(&algorithmic(5), 4);
        (config.virtual_channels.mixed, config.buffer_flits) = (0, Some(8));
        if let Routing::Algorithmic(routing) = &mut config.routing {
            routing.vc_pairs = vc_pairs;
        }
        let mut run = run(Pattern::Uniform, 1.0);
        run.traffic.length = Some(4);
        let mut network = network(plan(&config, torus(&[8, 8], 1)), &run);
        network.run(300, |_| ());
        network.measure();
        network.run(1_500, |_| ());
        network.report().throughput
    };
    let [own, paired] = [false, true].map(throughput);
    assert!(own > 0.3 && paired > 0.48, "{own}, {paired}");
}
