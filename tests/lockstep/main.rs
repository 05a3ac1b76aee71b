//! Whole switches over the space of parameters: hardware and golden model agree in every output and cycle, with legal
//! traffic at high load (the scoreboard watching) and with whatever a seed brings: gaps, starved credits, lost reports,
//! a slow and unordered CAM, illegal senders, resets.

#[path = "../common/mod.rs"]
mod common;

/// Descriptions by name: a test for each, and a list for the long campaigns.
macro_rules! grid {
    ($($name:ident: $json:expr,)*) => {
        pub const GRID: &[(&str, &str)] = &[$((stringify!($name), $json)),*];
        $(
            #[test]
            fn $name() {
                crate::agree(&crate::described(stringify!($name), $json), crate::CYCLES);
            }
        )*
    };
}

mod dragonfly;
mod long;
mod presets;
mod queues;
mod switches;

use common::{config, must_pass, verilog};
use railyard_spec::CheckedConfig;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::{Lengths, Pattern};

const CYCLES: u64 = 20_000;

/// Legal traffic: mixed lengths, high load, more addresses than a small cache holds, some without a route, multicast
/// packets if there is a mixed VC.
fn busy(seed: u64) -> Scenario {
    let mut scenario = Scenario::new(seed, Pattern::Uniform, 0.95);
    scenario.traffic.lengths = Lengths::Uniform;
    scenario.traffic.addresses_per_port = 32;
    scenario.traffic.unroutable = 0.02;
    scenario.traffic.multicast = 0.2;
    scenario
}

/// Illegal senders at all pins.
fn hostile(seed: u64) -> Scenario {
    let mut scenario = busy(seed);
    scenario.mischief = 0.05;
    scenario
}

fn agree(config: &CheckedConfig, cycles: u64) {
    let verilog = verilog(config);
    must_pass(config, &verilog, busy(1), cycles);
    must_pass(config, &verilog, hostile(2), cycles);
    must_pass(config, &verilog, Scenario::limits(1), cycles / 2);
    must_pass(config, &verilog, Scenario::faults(2), cycles / 2);
    for seed in 3..=5 {
        must_pass(config, &verilog, Scenario::any(seed), cycles / 2);
    }
}

/// A description without its name.
fn described(name: &str, json: &str) -> CheckedConfig {
    config(&format!(r#"{{"name": "{name}", {json}}}"#))
}
