//! Switches with a forwarding table on the chip, a default route, or event counters: the golden model against itself.
//! What fails here is the bench, or the model's own account of packets, credit and counters.

use super::tests::Same;
use super::*;
use crate::bench::SwitchBench;
use crate::stimulus::Scenario;
use crate::traffic::Pattern;
use railyard_model::Switch;
use railyard_spec::{presets, Config, Shape};

fn shapes() -> Vec<(&'static str, Shape)> {
    let list = [
        (
            "chip",
            r#""ports": 4, "routing": {"kind": "table", "cache": {"entries": 32}, "forwarding_table": {"entries": 64, "ways": 2}, "external_cam": false}"#,
        ),
        (
            "chip and default",
            r#""ports": 5, "counters": {"bits": 8}, "routing": {"kind": "table", "cache": {"entries": 64}, "forwarding_table": {"entries": 256}, "external_cam": false, "default_route": true}"#,
        ),
        (
            "everything",
            r#""ports": 6, "virtual_channels": {"unicast": 3}, "counters": {}, "routing": {"kind": "table", "cache": {"entries": 64}, "forwarding_table": {"entries": 64, "ways": 8}, "default_route": true, "next_vc": true, "candidates": 3, "link_aggregation": {"groups": 3}}"#,
        ),
        (
            "no cache",
            r#""ports": 5, "counters": {}, "routing": {"kind": "table", "cache": null, "forwarding_table": {"entries": 128}, "default_route": true}"#,
        ),
        (
            "no cache, no CAM",
            r#""ports": 4, "routing": {"kind": "table", "cache": null, "forwarding_table": {"entries": 16}, "external_cam": false}"#,
        ),
        (
            "keys",
            r#""ports": 7, "counters": {"bits": 16}, "routing": {"kind": "table", "cache": {"entries": 16}, "node_reduction": {"topologies": ["cube", "fat_tree"]}, "forwarding_table": {"entries": 128}, "external_cam": false, "default_route": true}"#,
        ),
        (
            "keys and CAM",
            r#""ports": 7, "routing": {"kind": "table", "cache": {"entries": 16}, "node_reduction": {"topologies": ["cube", "dragonfly"]}, "forwarding_table": {"entries": 64, "ways": 1}, "default_route": true, "next_vc": true}"#,
        ),
        (
            "narrow",
            r#""ports": 3, "flit_bits": 16, "counters": {"bits": 12}, "link_arbitration": "flit", "routing": {"kind": "table", "address_bits": 40, "cache": {"entries": 16}, "forwarding_table": {"entries": 64}, "external_cam": false}"#,
        ),
        (
            "default alone",
            r#""ports": 4, "routing": {"kind": "table", "cache": {"entries": 32}, "default_route": true}"#,
        ),
        ("counters, source", r#""ports": 5, "counters": {"bits": 9}, "routing": {"kind": "source", "hops": 4}"#),
        (
            "counters, algorithmic",
            r#""ports": 6, "counters": {"bits": 20}, "crossbar": "single", "routing": {"kind": "algorithmic"}"#,
        ),
    ];
    let shape = |text: &str| Config::from_json(&format!(r#"{{"name": "x", {text}}}"#)).expect("legal").shape();
    list.into_iter().map(|(name, text)| (name, shape(text))).collect()
}

fn run(name: &str, shape: &Shape, scenario: Scenario, cycles: u64) -> Verification {
    let run = Verify::new(shape, Verilog::default(), scenario, cycles);
    let result = run.run_on(Same(Switch::new(shape)), &mut |_| {});
    assert!(result.passed(), "{name}: {:?}\n{result}", run.scenario);
    result
}

#[test]
fn every_scenario_ends_well_on_every_table() {
    let mut watched = 0;
    for (name, shape) in shapes() {
        for seed in 0..12 {
            watched += u32::from(run(name, &shape, Scenario::any(seed), 10_000).scoreboard);
        }
    }
    assert!(watched > 60, "{watched}");
}

#[test]
fn tables_change_under_traffic() {
    let presets = ["fattree16", "dragonfly16", "reduced16", "table16"]
        .map(|name| (name, Config::from_json(presets::find(name).expect("a preset").json).expect("legal").shape()));
    for (name, shape) in shapes().into_iter().chain(presets) {
        for seed in 0..6 {
            let mut scenario = Scenario { moves: 0.002, ..Scenario::new(seed, Pattern::Uniform, 0.6) };
            scenario.traffic.unroutable = if seed % 2 == 0 { 0.1 } else { 0.0 };
            scenario.traffic.addresses_per_port = 8;
            scenario.cam.latency_max = 60;
            let result = run(name, &shape, scenario, 20_000);
            // Narrow flits tell no source, nor do addresses when few are in use.
            let watched = result.scoreboard || name == "narrow";
            assert!(watched && result.packets_delivered > 1_000, "{name}: {result}");
        }
    }
}

/// Traffic goes where the table on the chip says; unknown addresses go by the default route.
#[test]
fn the_table_is_filled() {
    for (name, shape) in shapes() {
        let mut scenario = Scenario::new(1, Pattern::Uniform, 0.5);
        let result = run(name, &shape, scenario.clone(), 20_000);
        let share = |result: &Verification| result.packets_dropped as f64 / result.packets_sent as f64;
        assert!(share(&result) < 0.15, "{name}: {result}");
        scenario.traffic.unroutable = 0.5;
        let dropped = (0..8).map(|seed| share(&run(name, &shape, Scenario { seed, ..scenario.clone() }, 8_000)));
        let dropped: Vec<f64> = dropped.collect();
        // Three of four tables have a default route.
        let with_default = dropped.iter().filter(|share| **share < 0.3).count();
        assert_eq!(with_default > 2, shape.default_route(), "{name}: {dropped:?}");
    }
}

/// A switch that counts a packet too many is found out.
#[test]
fn counters_are_audited() {
    for (name, shape) in shapes().into_iter().filter(|(_, shape)| shape.counter_bits.is_some()) {
        let found = (0..8).filter(|&seed| {
            let (mut switch, mut bench) =
                (Switch::new(&shape), SwitchBench::new(&shape, &Scenario::new(seed, Pattern::Uniform, 0.5)));
            let mut step = |bench: &mut SwitchBench, more: u32| {
                let mut outputs = switch.outputs().clone();
                outputs.apb_prdata += more;
                switch.step(bench.cycle(&outputs));
                switch.is_idle()
            };
            for _ in 0..5_000 {
                step(&mut bench, 0);
            }
            bench.drain();
            while !(step(&mut bench, 0) && bench.is_idle()) {}
            bench.audit();
            let mut reads = 0;
            while !bench.is_audited() {
                reads += 1;
                step(&mut bench, u32::from((4..6).contains(&reads)));
            }
            bench.finish();
            bench.is_faulty()
        });
        // Half of the seeds clear counters on the way, and can't be audited.
        assert!((1..8).contains(&found.count()), "{name}");
    }
}
