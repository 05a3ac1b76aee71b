//! Barriers over networks: each completes once at each member and not before the last one has arrived, whatever runs
//! beside it and whatever links do to messages; then all groups are at rest.

mod common;

use common::*;
use railyard_model::{Inputs, Switch};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{BarrierReport, BarrierTimers, Mismatch, Network, Pattern, Run, RunReport};
use railyard_network::topology::Topology;
use railyard_spec::registers::address;
use railyard_spec::{Config, Shape};

/// Source routing with all classes of virtual channels, and room for eight barrier groups.
fn switch(ports: u32) -> Config {
    let mut config = source(ports, 8);
    config.virtual_channels.barrier = 1;
    config.barrier.groups = 8;
    config
}

fn topologies() -> [Topology; 4] {
    [fat_tree(4, 3), fat_tree(8, 2), torus(&[4, 3], 2), ring()]
}

fn nodes(topology: &Topology) -> usize {
    topology.wiring(8).unwrap().nodes().len()
}

/// All nodes, every other one, neighbours, and some far from each other.
fn sets(nodes: usize) -> Vec<Vec<usize>> {
    vec![(0..nodes).collect(), (0..nodes).step_by(2).collect(), vec![0, 1], vec![1, nodes / 2, nodes - 1]]
}

/// The torus needs routes that name VCs, and so a table.
fn with_barriers(topology: &Topology, barriers: Vec<Vec<usize>>) -> Plan {
    let config = match topology {
        Topology::Torus(_) => {
            let mut config = table(8);
            config.virtual_channels.barrier = 1;
            config.barrier.groups = 8;
            config
        }
        _ => switch(8),
    };
    Plan { barriers, ..plan(&config, topology.clone()) }
}

/// Barriers alone, with time-outs that are a few times as long as a barrier takes.
fn barriers(rate: f64) -> Run {
    let barrier_timers = BarrierTimers { retransmit: 15, urge: 40, scale: 3 };
    Run { barriers: rate, barrier_timers, ..run(Pattern::Uniform, 0.0) }
}

fn figures(report: &RunReport) -> &BarrierReport {
    report.barriers.as_ref().expect("barriers were run")
}

fn completed(report: &RunReport) -> u64 {
    figures(report).groups.iter().map(|kind| kind.barriers).sum()
}

#[test]
fn all_nodes_back_to_back_on_every_topology() {
    for topology in topologies() {
        let all = vec![(0..nodes(&topology)).collect()];
        let report = faultless(network(with_barriers(&topology, all), &barriers(1.0)), 4_000);
        let BarrierReport { groups, messages } = figures(&report);
        assert!(groups[0].barriers > 80, "{topology:?}: {report:?}");
        assert_eq!((messages.retransmissions, messages.urges, messages.lost), (0, 0, 0), "{topology:?}");
        // All arrive when they are told, which in a fat tree is at the same time.
        assert!(groups[0].span_max >= groups[0].latency_max);
    }
}

/// Sequence numbers wrap after 256 barriers.
#[test]
fn overlapping_groups_for_longer_than_numbers_last() {
    for topology in topologies() {
        let groups = sets(nodes(&topology));
        let report = faultless(network(with_barriers(&topology, groups), &barriers(1.0)), 14_000);
        assert!(figures(&report).groups.iter().all(|kind| kind.barriers > 256), "{topology:?}: {report:?}");
    }
}

#[test]
fn groups_that_think_for_a_while() {
    for topology in topologies() {
        let report = faultless(network(with_barriers(&topology, sets(nodes(&topology))), &barriers(0.01)), 8_000);
        for kind in &figures(&report).groups {
            assert!(kind.barriers > 8 && kind.span_mean > kind.latency_mean + 50.0, "{topology:?}: {report:?}");
        }
    }
}

/// Unicast, multicast and barriers. Barriers go first: packets cost them a few cycles at most.
#[test]
fn beside_packets_at_load() {
    for topology in topologies() {
        let groups = sets(nodes(&topology));
        let plan = Plan { sets: groups.clone(), candidates: 2, ..with_barriers(&topology, groups) };
        let alone = faultless(network(plan.clone(), &barriers(0.02)), 3_000);
        for load in [0.3, 1.0] {
            let mut run = barriers(0.02);
            (run.traffic.load, run.traffic.multicast) = (load, 0.2);
            let report = faultless(network(plan.clone(), &run), 3_000);
            assert!(report.unicast.packets > 500 && report.multicast.packets > 100, "{report:?}");
            let latency = |report: &RunReport| figures(report).groups.last().unwrap().latency_mean;
            assert!(latency(&report) < latency(&alone) + 3.0, "{topology:?}: {report:?}");
        }
    }
}

#[test]
fn lost_messages_are_made_good() {
    for topology in topologies() {
        let plan = with_barriers(&topology, sets(nodes(&topology)));
        let completed_with = |lost_messages| {
            let report = faultless(network(plan.clone(), &Run { lost_messages, ..barriers(1.0) }), 20_000);
            let messages = figures(&report).messages;
            assert!(messages.lost > 100 && messages.retransmissions > 30 && messages.urges > 10, "{report:?}");
            assert!(figures(&report).groups.iter().all(|kind| kind.barriers > 10), "{report:?}");
            completed(&report)
        };
        assert!(completed_with(0.01) > completed_with(0.05), "{topology:?}");
    }
}

#[test]
fn corrupt_messages_are_thrown_away_and_made_good() {
    for topology in topologies() {
        let mut run = Run { corrupt_messages: 0.02, lost_messages: 0.01, ..barriers(1.0) };
        (run.traffic.load, run.traffic.multicast) = (0.3, 0.1);
        let groups = sets(nodes(&topology));
        let plan = Plan { sets: groups.clone(), ..with_barriers(&topology, groups) };
        let report = faultless(network(plan, &run), 10_000);
        let messages = figures(&report).messages;
        assert!(messages.corrupted > 100 && messages.lost > 50 && completed(&report) > 50, "{report:?}");
    }
}

/// Nothing beside it, all arrive at once: five cycles a switch up to the root and through it, four a switch down
/// (switch reference, section 11), and the links.
#[test]
fn a_level_more_costs_a_switch_and_a_link_each_way() {
    for latency in [0, 1, 7] {
        for levels in 1..5 {
            let topology = fat_tree(4, levels);
            let all = vec![(0..nodes(&topology)).collect()];
            let run = Run { link_latency: latency, ..barriers(1.0) };
            let report = faultless(network(with_barriers(&topology, all), &run), 2_000);
            let (up, down, links) = (5 * levels as u64, 4 * (levels as u64 - 1), 2 * levels as u64);
            let kind = &figures(&report).groups[0];
            assert_eq!((kind.latency_max, kind.span_max), (up + down + links * latency, up + down + links * latency));
            assert_eq!(kind.latency_mean, kind.latency_max as f64);
        }
    }
}

#[test]
fn groups_go_on_without_a_link() {
    for (topology, link) in [(fat_tree(8, 2), (0, 4)), (torus(&[4, 3], 2), (3, 2)), (ring(), (0, 2))] {
        let mut run = Run { lost_messages: 0.01, ..barriers(0.05) };
        run.traffic.load = 0.3;
        let mut network = network(with_barriers(&topology, sets(nodes(&topology))), &run);
        network.measure();
        network.run(2_000, |_| ());
        let before = completed(&network.report());
        network.take_out(link.into()).unwrap();
        network.run(2_000, |_| ());
        network.finish();
        let report = network.report();
        assert_eq!((&report.mismatches[..], report.outages.len()), (&[][..], 1), "{topology:?}");
        assert!(before > 20 && completed(&report) > before + 20, "{topology:?}: {report:?}");
    }
}

/// Nobody sends anything again.
#[test]
fn without_time_outs_a_lost_message_is_found() {
    let barrier_timers = BarrierTimers { retransmit: 0, urge: 0, scale: 0 };
    let run = Run { lost_messages: 0.05, barrier_timers, ..barriers(1.0) };
    let mut network = network(with_barriers(&fat_tree(4, 2), vec![(0..8).collect()]), &run);
    network.run(10_000, |_| ());
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    let text = mismatches[0].to_string();
    assert!(text.contains("of group 0 does not complete: all nodes have arrived; without completion: "), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let report = |seed, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let run = Run { seed, lost_messages: 0.02, ..barriers(0.1) };
        let plan = with_barriers(&fat_tree(8, 3), sets(128));
        pool.install(|| faultless(network(plan, &run), 500))
    };
    let first = report(5, 1);
    assert_eq!(first, report(5, 3));
    assert_ne!(first.barriers, report(6, 1).barriers);
}

#[test]
fn groups_need_a_barrier_vc_room_and_two_members() {
    let error = |config: &Config, barriers| {
        Blueprint::new(Plan { barriers, ..plan(config, fat_tree(8, 2)) }).unwrap_err().to_string()
    };
    let config = switch(8);
    assert_eq!(error(&config, vec![vec![0, 1], vec![3]]), "barrier group 1: a group needs at least two members");
    assert_eq!(error(&config, vec![vec![3, 99]]), "barrier group 0: node 99 does not exist");
    assert_eq!(error(&config, vec![vec![3, 4]; 9]), "/barriers: 9 groups, and the switch has 8");
    assert!(error(&source(8, 5), vec![vec![3, 4]]).contains("/barriers: needs a switch with a barrier"));
    let blueprint = Blueprint::new(plan(&config, fat_tree(8, 2))).unwrap();
    let error = Network::new(blueprint, &barriers(0.1), Switch::new).err().unwrap().to_string();
    assert!(error.starts_with("/barriers/rate: 0.1 needs a switch"), "{error}");
}

#[test]
fn switches_that_do_not_wait_for_all_are_found() {
    let plan = with_barriers(&fat_tree(4, 1), vec![(0..4).collect()]);
    // Each switch is told that nothing is at port 1, whoever is.
    let forget = |inputs: &mut Inputs| {
        if u32::from(inputs.apb.paddr) == address::BARRIER_LEAVES_LOW {
            inputs.apb.pwdata &= !0b10;
        }
    };
    let make = |shape: &Shape| Misled(Switch::new(shape), forget);
    let mut network = Network::new(Blueprint::new(plan).unwrap(), &barriers(0.02), make).unwrap();
    network.run(150, |_| ());
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    let text: Vec<String> = mismatches.iter().map(Mismatch::to_string).collect();
    let has = |part: &str| assert!(text.iter().any(|line| line.contains(part)), "{part}: {text:#?}");
    has("barrier 0 of group 0 completes at node 2, and 1 have not arrived");
    has("barrier 0 of group 0 does not complete: all nodes have arrived; without completion: 1");
}
