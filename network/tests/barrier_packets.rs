//! Barrier messages as packets among others, over networks: nothing is lost, and a message waits as the packets do that
//! share its VC.

mod common;

use common::*;
use railyard_network::barrier::PacketBarrierSwitch;
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{BarrierTimers, Network, Pattern, Run, RunError, RunReport};
use railyard_spec::{Config, FlowControl};

const MIXED_VC: u8 = 2;

/// Eight ports, four of them for links.
fn switch() -> Config {
    let mut config = source(8, 5);
    config.virtual_channels.barrier = 1;
    config.barrier.groups = 4;
    config
}

fn blueprint(config: &Config, others: &[Vec<usize>]) -> Blueprint {
    let barriers = std::iter::once((0..16).collect()).chain(others.iter().cloned()).collect();
    let sets = vec![(0..16).collect()];
    Blueprint::new(Plan { barriers, sets, ..plan(config, fat_tree(4, 3)) }).unwrap()
}

fn barriers(vc: u8, load: f64) -> Run {
    let barrier_timers = BarrierTimers { retransmit: 0, urge: 0, scale: 0 };
    Run { barriers: 1.0, barrier_packets: Some(vc), barrier_timers, ..run(Pattern::Uniform, load) }
}

/// A network with a group of all nodes, and others.
fn build(config: &Config, others: &[Vec<usize>], run: &Run) -> Result<Network<PacketBarrierSwitch>, RunError> {
    let vc = run.barrier_packets.unwrap();
    Network::new(blueprint(config, others), run, |shape| PacketBarrierSwitch::new(shape, vc))
}

fn measured(others: &[Vec<usize>], run: &Run) -> RunReport {
    let mut network = build(&switch(), others, run).unwrap();
    network.run(3_000, |_| ());
    network.finish();
    let report = network.report();
    assert_eq!(report.mismatches, []);
    report
}

#[test]
fn all_barriers_complete_and_all_packets_arrive() {
    for vc in [0, 1, MIXED_VC] {
        let mut run = barriers(vc, 0.3);
        run.traffic.multicast = 0.1;
        let report = measured(&[vec![0, 1], vec![3, 7, 12]], &run);
        assert!(report.unicast.packets > 2_000 && report.multicast.packets > 200, "VC {vc}: {report:?}");
        let groups = &report.barriers.as_ref().unwrap().groups;
        assert!(groups.iter().map(|kind| kind.members).eq([2, 3, 16]), "VC {vc}: {report:?}");
        assert!(groups.iter().all(|kind| kind.barriers > 10), "VC {vc}: {report:?}");
    }
}

#[test]
fn a_message_waits_behind_the_packets_of_its_vc() {
    let latency = |vc, load| measured(&[], &barriers(vc, load)).barriers.unwrap().groups[0].latency_mean;
    let (idle, own, shared) = (latency(0, 0.0), latency(MIXED_VC, 0.8), latency(0, 0.8));
    // Five switches with six cycles to and from the barrier logic each, beside those of the barrier VC and six links.
    assert_eq!(idle, 5.0 * 6.0 + 3.0 * 5.0 + 2.0 * 4.0 + 6.0);
    assert!(own > idle + 5.0 && shared - idle > 2.0 * (own - idle), "{idle} {own} {shared}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let rule = |config: &Config, run: &Run| build(config, &[], run).err().expect("it does not fit").to_string();
    let mut short = barriers(0, 0.1);
    short.traffic.length = Some(1);
    assert!(rule(&switch(), &short).starts_with("/barriers/packets: 0 needs packets that are longer"));
    let mut relative = switch();
    relative.flow_control = FlowControl::Relative;
    assert!(rule(&relative, &barriers(0, 0.1)).contains("absolute credits"));
    let mut narrow = switch();
    narrow.ports = 6;
    assert!(rule(&narrow, &barriers(0, 0.1)).contains("twice the ports"));
    assert!(rule(&switch(), &barriers(3, 0.1)).contains("no virtual channel"));
}
