//! What the whole-switch tests share.
#![allow(dead_code)] // each test program uses its own part

use railyard_spec::{module_prefix, presets, CheckedConfig, Config};
use railyard_testbench::lockstep::{Verification, Verify, Verilog};
use railyard_testbench::stimulus::Scenario;
use railyard_verilated::Build;

/// The checked configuration of a JSON text.
pub fn config(json: &str) -> CheckedConfig {
    Config::from_json(json).unwrap_or_else(|faults| panic!("{json}:\n{faults}"))
}

/// A preset.
pub fn preset(name: &str) -> CheckedConfig {
    config(presets::find(name).expect("a preset").json)
}

/// The generated Verilog of a configuration.
pub fn verilog(config: &CheckedConfig) -> Verilog {
    railyard::commands::verify::generated(config).unwrap_or_else(|error| panic!("{}: {error}", config.name))
}

/// The design with `from` replaced by `to` in the logic of a module; `from` must stand there exactly once.
pub fn mutated(config: &CheckedConfig, module: &str, from: &str, to: &str) -> Verilog {
    let mut mutant = verilog(config);
    let file = format!("{}{module}.v", module_prefix(&config.name));
    let (_, text) =
        mutant.files.iter_mut().find(|(name, _)| *name == file).unwrap_or_else(|| panic!("no module {module}"));
    let (logic, assertions) = text.split_at(text.find("`ifdef RAILYARD_ASSERT").unwrap_or(text.len()));
    assert_eq!(logic.matches(from).count(), 1, "the text of {module} has changed, plant this bug anew: {from}");
    *text = logic.replace(from, to) + assertions;
    mutant
}

/// From this many cycles on, a fast model is worth its longer build; up to this many, the shortest build is best.
const LONG: u64 = 50_000;
const SHORT: u64 = 10_000;

/// Runs a scenario in lock-step.
pub fn run(config: &CheckedConfig, verilog: &Verilog, scenario: Scenario, cycles: u64) -> Verification {
    let build = match cycles {
        LONG.. => Build::default(),
        SHORT.. => Build::balanced(),
        _ => Build::quick(),
    };
    run_built(config, verilog, scenario, cycles, build)
}

/// Runs a scenario in lock-step, with a model built as `build` says.
pub fn run_built(
    config: &CheckedConfig,
    verilog: &Verilog,
    scenario: Scenario,
    cycles: u64,
    build: Build,
) -> Verification {
    let verify = Verify { build, ..Verify::new(&config.shape(), verilog.clone(), scenario, cycles) };
    verify.run(|_| {}).unwrap_or_else(|error| panic!("{}: {error}", config.name))
}

/// Runs a scenario that must pass, with every packet accounted for.
pub fn must_pass(config: &CheckedConfig, verilog: &Verilog, scenario: Scenario, cycles: u64) -> Verification {
    let result = run(config, verilog, scenario, cycles);
    assert!(result.passed(), "{}: {result}", config.name);
    if result.scoreboard {
        let accounted = result.packets_delivered + result.packets_dropped + result.packets_flushed;
        assert_eq!(result.packets_sent, accounted, "{}: {result}", config.name);
    }
    result
}
