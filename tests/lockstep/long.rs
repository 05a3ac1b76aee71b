//! The long campaign: every preset, a million cycles, three seeds; routers of Dragonflies and output queues.

use crate::common::{config, must_pass, preset, verilog};
use crate::{busy, described, dragonfly, hostile, queues, switches};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

fn campaign(name: &str) {
    let config = preset(name);
    let verilog = verilog(&config);
    for seed in 1..=3 {
        let mut scenario = Scenario::new(seed, Pattern::Uniform, 0.7);
        scenario.traffic.multicast = 0.2; // where there is a mixed VC; and barriers where there is a barrier VC
        must_pass(&config, &verilog, scenario, 1_000_000);
        must_pass(&config, &verilog, Scenario::any(seed), 100_000);
    }
}

/// The same, with moves to other places in mid-traffic.
fn moving_campaign(name: &str) {
    let config = preset(name);
    let verilog = verilog(&config);
    for seed in 1..=3 {
        let scenario = Scenario { moves: 0.0005, ..Scenario::new(seed, Pattern::Uniform, 0.7) };
        must_pass(&config, &verilog, scenario, 1_000_000);
    }
}

#[test]
#[ignore = "long"]
fn moves() {
    ["noc5", "torus16", "fattree16", "dragonfly15", "dragonfly16", "reduced16", "table16", "dawning16"]
        .iter()
        .for_each(|name| moving_campaign(name));
}

/// Wrong bits in buffers, caches and tables (also of groups), with events of all of them.
#[test]
#[ignore = "long"]
fn wrong_bits() {
    let config = config(
        r#"{"name": "wrong_bits", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "mixed": 1}, "events": true, "counters": {},
            "multicast": {"groups": 16, "parity": {"fault_pins": true}}, "buffer_ecc": {"fault_pins": true},
            "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 4}, "next_vc": true, "candidates": 2,
                        "forwarding_table": {"entries": 64}, "default_route": true, "parity": {"fault_pins": true}}}"#,
    );
    let verilog = verilog(&config);
    for seed in 1..=3 {
        must_pass(&config, &verilog, Scenario { moves: 0.0005, ..busy(seed) }, 1_000_000);
        must_pass(&config, &verilog, hostile(seed), 1_000_000);
    }
}

#[test]
#[ignore = "long"]
fn tiny() {
    campaign("tiny");
}

#[test]
#[ignore = "long"]
fn table16() {
    campaign("table16");
}

#[test]
#[ignore = "long"]
fn noc5() {
    campaign("noc5");
}

#[test]
#[ignore = "long"]
fn torus16() {
    campaign("torus16");
}

#[test]
#[ignore = "long"]
fn source16() {
    campaign("source16");
}

#[test]
#[ignore = "long"]
fn dawning16() {
    campaign("dawning16");
}

#[test]
#[ignore = "long"]
fn dragonfly15() {
    campaign("dragonfly15");
}

#[test]
#[ignore = "long"]
fn dragonfly31() {
    campaign("dragonfly31");
}

#[test]
#[ignore = "long"]
fn hpc16() {
    campaign("hpc16");
}

#[test]
#[ignore = "long"]
fn hpc64() {
    campaign("hpc64");
}

/// A million cycles of each design of a grid: legal traffic, and a hundred thousand of whatever a seed brings.
fn grid(designs: &[(&str, &str)]) {
    for (name, json) in designs {
        let config = described(name, json);
        let verilog = verilog(&config);
        must_pass(&config, &verilog, Scenario { moves: 0.0002, ..busy(7) }, 1_000_000);
        must_pass(&config, &verilog, hostile(8), 100_000);
        must_pass(&config, &verilog, Scenario::any(9), 100_000);
    }
}

#[test]
#[ignore = "long"]
fn routers_of_dragonflies() {
    grid(dragonfly::GRID);
}

#[test]
#[ignore = "long"]
fn output_queues() {
    grid(queues::GRID);
}

#[test]
#[ignore = "long"]
fn other_switches() {
    grid(switches::GRID);
}
