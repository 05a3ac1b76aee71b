//! Multicast over networks: every packet once at each other member, whatever runs beside it.

mod common;

use common::*;
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{Pattern, Run};
use railyard_network::multicast::{LoadMessages, Selection};

/// Groups that overlap: all nodes, every other one, neighbours, and some far from each other.
fn sets(nodes: usize) -> Vec<Vec<usize>> {
    vec![(0..nodes).collect(), (0..nodes).step_by(2).collect(), vec![0, 1], vec![1, nodes / 2, nodes - 1]]
}

/// A run with a third of multicast packets.
fn mixture(load: f64) -> Run {
    let mut run = run(Pattern::Uniform, load);
    run.traffic.multicast = 0.3;
    run
}

#[test]
fn overlapping_groups_beside_unicast_on_every_topology() {
    for topology in [fat_tree(8, 2), fat_tree(4, 3), torus(&[4, 3], 2), mesh(&[3, 3], 1), ring()] {
        let nodes = topology.wiring(8).unwrap().nodes().len();
        for load in [0.1, 0.8] {
            let plan = Plan { sets: sets(nodes), candidates: 4, ..plan(&table(8), topology.clone()) };
            let report = faultless(network(plan, &mixture(load)), 1_000);
            assert!(report.multicast.packets > 50 && report.unicast.packets > 100, "{report:?}");
        }
    }
}

/// Unicast packets on the mixed VC, too, in both directions of every tree's links.
#[test]
fn unicast_and_multicast_on_one_vc() {
    for topology in [fat_tree(8, 2), fat_tree(4, 3), ring()] {
        let nodes = topology.wiring(8).unwrap().nodes().len();
        let plan = Plan { sets: sets(nodes), unicast_on_mixed: true, ..plan(&source(8, 6), topology) };
        faultless(network(plan, &mixture(0.8)), 2_000);
    }
}

/// Far more than the links can carry. Packets that go down a tree and wait for nothing but their nodes were kept back,
/// once, by packets that went up and waited for room in the next switch: each of two switches stood still for the
/// other.
#[test]
fn all_to_all_multicast_does_not_stand_still_in_overload() {
    for (topology, depth) in [(fat_tree(4, 2), 8), (fat_tree(4, 3), 8), (fat_tree(8, 2), 16)] {
        let mut config = source(8, 5);
        config.buffer_flits = Some(depth);
        let nodes = topology.wiring(8).unwrap().nodes().len();
        let plan = Plan { sets: sets(nodes), candidates: 2, unicast_on_mixed: true, ..plan(&config, topology) };
        let mut run = run(Pattern::Multicast, 0.4);
        run.traffic.length = Some(3);
        let report = faultless(network(plan, &run), 1_500);
        assert!(report.throughput > 0.3, "{report:?}");
    }
}

#[test]
fn every_selection_delivers_everything() {
    for selection in [Selection::Hlse, Selection::Llp, Selection::LlpEc, Selection::Fixed] {
        let plan = Plan { sets: sets(32), candidates: 4, ..plan(&source(8, 5), fat_tree(8, 2)) };
        let run = Run { selection, messages: LoadMessages { period: 64, lag: 32 }, ..mixture(0.3) };
        let report = faultless(network(plan, &run), 1_500);
        assert!(report.multicast.packets > 200, "{selection:?}: {report:?}");
    }
}

#[test]
fn trees_go_on_without_a_link() {
    let plan = Plan { sets: sets(32), candidates: 2, ..plan(&table(8), fat_tree(8, 2)) };
    let mut network = network(plan, &mixture(0.2));
    network.run(400, |_| ());
    // The way from the first leaf switch to the first root.
    network.take_out((0, 4).into()).unwrap();
    network.run(400, |_| ());
    network.finish();
    let report = network.report();
    assert_eq!((report.mismatches, report.outages.len()), (vec![], 1));
}

#[test]
fn groups_need_a_mixed_vc_room_in_the_tables_and_two_members() {
    let error = |plan: Plan| Blueprint::new(plan).unwrap_err().to_string();
    let mut config = source(8, 5);
    let with = |config: &railyard_spec::Config, sets| Plan { sets, candidates: 4, ..plan(config, fat_tree(8, 2)) };
    assert_eq!(error(with(&config, vec![vec![3]])), "multicast group 0: a group needs at least two members");
    assert_eq!(error(with(&config, vec![vec![3, 99]])), "multicast group 0: node 99 does not exist");
    assert_eq!(error(with(&config, vec![vec![3, 4]; 5])), "/multicast: 20 trees, and the switch has 16 groups");
    config.virtual_channels.mixed = 0;
    assert!(error(with(&config, vec![vec![3, 4]])).contains("mixed virtual channel"));
}
