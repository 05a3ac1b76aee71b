//! What the directed stimulus reaches, seen by the golden model.

use super::*;
use crate::bench::Bench;
use crate::stimulus::Scenario;
use railyard_spec::{presets::PRESETS, Config};

/// Runs the golden model alone for so many cycles with traffic.
fn run(shape: &Shape, scenario: &Scenario, cycles: u64) -> Limits {
    let (mut golden, mut bench, mut watch) = (Switch::new(shape), Bench::new(shape, scenario), Watch::new(shape));
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

/// Seeds that must do.
const SEEDS: std::ops::Range<u64> = 1..7;

#[test]
fn presets_reach_their_limits_in_a_default_run() {
    let mut missing = Vec::new();
    for which in
        PRESETS.iter().filter(|p| std::env::var("ONLY").is_err() || std::env::var("ONLY").as_deref() == Ok(p.name))
    {
        let shape = Config::from_json(which.json).unwrap().shape();
        for seed in SEEDS {
            let limits = both(&shape, seed, 20_000);
            println!("{} seed {seed}: {limits}", which.name);
            let late = limits.missing().filter(|limit| limit.cycles <= 20_000);
            missing.extend(late.map(|limit| format!("{}, seed {seed}: {}", which.name, limit.name)));
        }
    }
    assert_eq!(missing, [""; 0]);
}
