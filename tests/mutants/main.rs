//! Test of the test: bugs planted in the generated Verilog, each of which lock-step must catch.
//!
//! A mutant is a small edit of one module of a small switch. It counts as caught if one of a few scenarios fails; the
//! unedited design passes all of them.

#[path = "../common/mod.rs"]
mod common;

macro_rules! mutants {
    ($switch:expr; $($name:ident: $module:literal, $from:literal => $to:literal;)*) => {
        $(
            #[test]
            fn $name() {
                caught(&$switch, $module, $from, $to);
            }
        )*
    };
}

mod checks;
mod collectives;
mod dragonfly;
mod queues;
mod switch;

use common::{mutated, run, run_built, verilog};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::{Lengths, Pattern};
use railyard_verilated::Build;

const CYCLES: u64 = 20_000;

/// Busy traffic, the same with illegal senders, and mixes.
fn scenarios() -> Vec<Scenario> {
    let mut busy = Scenario::new(1, Pattern::Uniform, 0.95);
    busy.traffic.lengths = Lengths::Uniform;
    busy.traffic.addresses_per_port = 8;
    busy.traffic.unroutable = 0.02;
    busy.traffic.multicast = 0.3; // where there is a mixed VC
    busy.sink.delay_max = 30;
    let hostile = Scenario { mischief: 0.05, seed: 2, ..busy.clone() };
    let moving = Scenario { moves: 0.005, seed: 10, ..busy.clone() };
    let mut list = vec![busy, hostile, moving];
    let mut neighbours = Scenario::new(9, Pattern::Uniform, 0.5);
    neighbours.traffic.twins = 0.5;
    neighbours.traffic.addresses_per_port = 2;
    list.push(neighbours);
    list.extend((3..9).map(Scenario::any));
    // Buffers further on that are full most of the time.
    let mut slow = Scenario { seed: 11, ..list[0].clone() };
    (slow.sink.delay_min, slow.sink.delay_max) = (40, 90);
    let mut mostly_unicast = Scenario { seed: 12, ..slow.clone() };
    mostly_unicast.traffic.multicast = 0.1;
    list.extend([slow, mostly_unicast]);
    list
}

/// Assertions are off: what is caught differs at the pins. Most runs are short, so the build is, too.
fn caught(config: &CheckedConfig, module: &str, from: &str, to: &str) {
    let mutant = mutated(config, module, from, to);
    let build = Build { assertions: false, ..Build::quick() };
    let found = scenarios()
        .into_iter()
        .map(|scenario| run_built(config, &mutant, scenario, CYCLES, build.clone()))
        .find(|result| !result.passed());
    let report = found.unwrap_or_else(|| panic!("not caught: {module}: {from} -> {to}")).to_string();
    assert!(report.contains("again: the same program"), "{report}");
}

/// Holds that the design without bugs passes all scenarios.
fn passes(config: &CheckedConfig) {
    let verilog = verilog(config);
    for scenario in scenarios() {
        let result = run(config, &verilog, scenario, CYCLES);
        assert!(result.passed(), "{}: {result}", config.name);
    }
}
