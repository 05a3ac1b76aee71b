//! What the whole-switch tests share.
#![allow(dead_code)] // each test program uses its own part

use railyard_spec::{presets, Config};
use railyard_testbench::lockstep::{Verification, Verify, Verilog};
use railyard_testbench::stimulus::Scenario;
use railyard_verilated::Build;

/// The checked configuration of a JSON text.
pub fn config(json: &str) -> Config {
    Config::from_json(json).unwrap_or_else(|faults| panic!("{json}:\n{faults}"))
}

/// A preset.
pub fn preset(name: &str) -> Config {
    config(presets::find(name).expect("a preset").json)
}

/// The generated Verilog of a configuration.
pub fn verilog(config: &Config) -> Verilog {
    railyard::commands::verify::generated(config).unwrap_or_else(|error| panic!("{}: {error}", config.name))
}

/// From this many cycles on, a fast model is worth its longer build.
const LONG: u64 = 50_000;

/// Runs a scenario in lock-step.
pub fn run(config: &Config, verilog: &Verilog, scenario: Scenario, cycles: u64) -> Verification {
    let mut verify = Verify::new(&config.shape(), verilog.clone(), scenario, cycles);
    if cycles < LONG {
        verify.build = Build::quick();
    }
    verify.run(|_| {}).unwrap_or_else(|error| panic!("{}: {error}", config.name))
}

/// Runs a scenario that must pass, with every packet accounted for.
pub fn must_pass(config: &Config, verilog: &Verilog, scenario: Scenario, cycles: u64) -> Verification {
    let result = run(config, verilog, scenario, cycles);
    assert!(result.passed(), "{}: {result}", config.name);
    if result.scoreboard {
        let accounted = result.packets_delivered + result.packets_dropped + result.packets_flushed;
        assert_eq!(result.packets_sent, accounted, "{}: {result}", config.name);
    }
    result
}
