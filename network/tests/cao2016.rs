//! Cao2016's network, FT(16, 3): 1,024 nodes, 320 switches of the prototype's kind. Prints its rate and its printed
//! figures beside its own: `cargo test --release -p railyard-network --test cao2016 -- --ignored --nocapture`.

mod common;

use common::*;
use railyard_network::blueprint::Plan;
use railyard_network::harness::{Pattern, Run, RunReport};
use railyard_network::multicast::Selection;
use std::time::Instant;

/// Measured over so many cycles, after a third as many; then drained and checked.
fn figures(name: &str, run: &Run, cycles: u64) -> RunReport {
    let preset = railyard_spec::presets::find("dawning16").unwrap();
    let config = railyard_spec::Config::from_json(preset.json).unwrap();
    let plan = Plan { sets: vec![(0..1024).collect()], candidates: 64, ..plan(&config, fat_tree(16, 3)) };
    let mut network = network(plan, run);
    network.run(cycles / 3, |_| ());
    network.measure();
    let start = Instant::now();
    network.run(cycles, |_| ());
    let rate = cycles as f64 / start.elapsed().as_secs_f64();
    let report = network.report();
    println!(
        "{name}: throughput {:.3}, {rate:.0} cycles/s, {:?} {:?}",
        report.throughput, report.unicast, report.multicast
    );
    network.finish();
    let (mismatches, _) = network.scoreboard().mismatches();
    assert!(mismatches.is_empty(), "{mismatches:#?}");
    report
}

#[test]
#[ignore = "long"]
fn unicast() {
    assert!(figures("uniform, load 0.6", &run(Pattern::Uniform, 0.6), 600).throughput > 0.55);
    // Seed: more than 0.70.
    figures("uniform, saturated", &run(Pattern::Uniform, 1.0), 3_000);
}

#[test]
#[ignore = "long"]
fn all_to_all_multicast() {
    // Seed: 0.93.
    for selection in [Selection::Hlse, Selection::Llp, Selection::LlpEc, Selection::Fixed] {
        let run = Run { selection, ..run(Pattern::Multicast, 0.00115) };
        let report = figures(&format!("all to all, {selection:?}"), &run, 900);
        assert!(report.multicast.packets > 20, "{report:?}");
    }
}
