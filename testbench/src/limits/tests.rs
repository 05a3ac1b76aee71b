//! What the directed stimulus reaches, seen by the golden model.

use super::*;
use crate::bench::SwitchBench;
use crate::stimulus::Scenario;
use railyard_spec::{presets::PRESETS, Config};

/// Runs the golden model alone for so many cycles with traffic.
fn run(shape: &Shape, scenario: &Scenario, cycles: u64) -> Limits {
    let (mut golden, mut bench, mut watch) =
        (Switch::new(shape), SwitchBench::new(shape, scenario), LimitWatch::new(shape));
    while bench.since_set_up() < cycles {
        let inputs = bench.cycle(golden.outputs()).clone();
        golden.step(&inputs);
        watch.look(&inputs, &golden, bench.stimulus().begun());
        assert!(!bench.is_faulty(), "{:?}", bench.faults());
    }
    watch.limits().clone()
}

/// The runs of directed phases that `verify` makes by default.
fn both(shape: &Shape, seed: u64, cycles: u64) -> Limits {
    let mut limits = run(shape, &Scenario::limits(seed), cycles);
    limits.join(&run(shape, &Scenario::faults(seed), cycles), cycles);
    limits
}

/// The limits that are not reached, though so many cycles should do.
fn late(name: &str, shape: &Shape, seed: u64, cycles: u64) -> Vec<String> {
    let limits = both(shape, seed, cycles);
    println!("{name} seed {seed}: {limits}");
    let late = limits.missing().filter(|limit| limit.cycles <= cycles);
    late.map(|limit| format!("{name}, seed {seed}: {}", limit.name)).collect()
}

#[test]
fn presets_reach_their_limits_in_a_default_run() {
    for which in PRESETS {
        let shape = Config::from_json(which.json).unwrap().shape();
        for seed in 1..3 {
            assert_eq!(late(which.name, &shape, seed, 20_000), [""; 0]);
        }
    }
}

/// Headers of several flits, lengths that do not divide buffers, the smallest buffers, relative credits, one crossbar,
/// many VCs, output selection, tables on the chip before a CAM, short counters.
const ODD: [&str; 12] = [
    r#""ports": 3, "flit_bits": 16, "routing": {"kind": "table", "address_bits": 64, "cache": {"entries": 64, "ways": 4}}"#,
    r#""ports": 4, "flit_bits": 32, "packet": {"max_flits": 5}, "buffer_flits": 16, "flow_control": "relative", "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 8}}"#,
    r#""ports": 4, "flit_bits": 32, "packet": {"max_flits": 1}, "buffer_flits": 2, "routing": {"kind": "source", "hops": 4}"#,
    r#""ports": 3, "flit_bits": 32, "packet": {"max_flits": 2}, "buffer_flits": 64, "routing": {"kind": "table", "address_bits": 20, "lookups_per_vc": 16, "cache": {"entries": 16, "ways": 4}}"#,
    r#""ports": 6, "flit_bits": 40, "virtual_channels": {"unicast": 3}, "crossbar": "single", "routing": {"kind": "table", "address_bits": 24, "cache": {"entries": 128, "ways": 4}}"#,
    r#""ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 8}, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}}"#,
    r#""ports": 6, "flit_bits": 48, "virtual_channels": {"unicast": 3}, "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32, "ways": 4}, "forwarding_table": {"entries": 64, "ways": 4}, "default_route": true, "next_vc": true, "candidates": 3, "link_aggregation": {"groups": 3, "links": 4}}"#,
    r#""ports": 3, "flit_bits": 24, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "address_bits": 12, "lookups_per_vc": 1, "cache": null, "forwarding_table": {"entries": 32, "ways": 1}, "external_cam": false, "default_route": true}"#,
    r#""ports": 3, "flit_bits": 24, "counters": {"bits": 8}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2, "replacement": "random"}}"#,
    r#""ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 4}, "link_arbitration": "flit", "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 2}}"#,
    r#""ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "multicast": {"groups": 6}, "barrier": {"groups": 4}, "packet": {"max_flits": 4}, "counters": {"bits": 12}, "events": true, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}}"#,
    r#""ports": 34, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 1}, "packet": {"max_flits": 2}, "routing": {"kind": "source", "hops": 2}"#,
];

#[test]
fn odd_switches_reach_their_limits_in_the_cycles_that_are_told() {
    let mut missing = Vec::new();
    for (number, fields) in ODD.iter().enumerate() {
        let shape = Config::from_json(&format!(r#"{{"name": "odd", {fields}}}"#)).unwrap().shape();
        for seed in 1..3 {
            missing.extend(late(&number.to_string(), &shape, seed, 60_000));
        }
    }
    assert_eq!(missing, [""; 0]);
}

/// What takes longer than a default run is reached in the cycles that are told, too.
#[test]
fn what_takes_long_is_reached_in_time() {
    let fields = r#""ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 1}, "packet": {"max_flits": 2},
        "counters": {"bits": 10}, "routing": {"kind": "source", "hops": 2}"#;
    let shape = Config::from_json(&format!(r#"{{"name": "long", {fields}}}"#)).unwrap().shape();
    let limits = run(&shape, &Scenario::limits(1), 100_000);
    println!("{limits}");
    let late = limits.missing().filter(|limit| limit.cycles <= 100_000 && !limit.name.starts_with("error_"));
    assert_eq!(late.map(|limit| limit.name.as_str()).collect::<Vec<_>>(), [""; 0]);
    assert!(limits.0.iter().any(|limit| limit.cycles > 60_000 && limit.is_reached()));
}
