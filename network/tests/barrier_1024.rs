//! Barriers of all nodes of Cao2016's network, FT(16, 3), beside unicast packets: its figure 18. Prints latencies:
//! `cargo test --release -p railyard-network --test barrier_1024 -- --ignored --nocapture`.

mod common;

use common::*;
use railyard_network::blueprint::Plan;
use railyard_network::harness::{BarrierKindReport, BarrierReport, Pattern, Run};

/// Barriers of all nodes back to back, measured over so many cycles after a third as many; then drained and checked.
fn figures(pattern: Pattern, load: f64, length: u32, cycles: u64) -> BarrierKindReport {
    let preset = railyard_spec::presets::find("dawning16").unwrap();
    let config = railyard_spec::Config::from_json(preset.json).unwrap();
    let plan = Plan { barriers: vec![(0..1024).collect()], ..plan(&config, fat_tree(16, 3)) };
    let mut run = Run { barriers: 1.0, link_latency: 4, ..run(pattern, load) };
    run.traffic.length = Some(length);
    let mut network = network(plan, &run);
    network.run(cycles / 3, |_| ());
    network.measure();
    network.run(cycles, |_| ());
    let report = network.report();
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    assert!(mismatches.is_empty(), "{mismatches:#?}");
    let BarrierReport { groups, messages } = report.barriers.unwrap();
    println!("{pattern:?}, load {load}, {length} flits: throughput {:.3}, {groups:?} {messages:?}", report.throughput);
    groups.into_iter().next().unwrap()
}

/// Three switches up, with the root, at five cycles; two down at four; six links.
const ALONE: u64 = 3 * 5 + 2 * 4 + 6 * 4;

#[test]
#[ignore = "long"]
fn beside_unicast() {
    assert_eq!(figures(Pattern::Uniform, 0.0, 8, 600).latency_max, ALONE);
    for (pattern, load) in
        [(Pattern::Uniform, 0.6), (Pattern::Local, 0.6), (Pattern::HotRegion, 0.3), (Pattern::HotRegion, 1.0)]
    {
        for length in [2, 8] {
            let kind = figures(pattern, load, length, 450);
            // A message goes before all flits, so that packets cost it nothing (the seed: as much as a packet is long).
            assert!(kind.latency_max <= ALONE + 3, "{kind:?}");
        }
    }
}
