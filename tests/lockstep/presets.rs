//! Presets, and designs with a scenario of their own.

use crate::common::{config, must_pass, preset, verilog};
use crate::{agree, busy, hostile, CYCLES};
use railyard_testbench::stimulus::{Scenario, Stalls};
use railyard_testbench::traffic::{Lengths, Pattern};

/// The other styles of reset, with resets under way.
#[test]
fn reset_styles() {
    for (kind, active) in [("synchronous", "low"), ("asynchronous", "high")] {
        let json = format!(
            r#"{{"name": "{kind}_{active}", "ports": 2, "flit_bits": 32, "virtual_channels": {{"unicast": 1, "barrier": 1}},
                 "barrier": {{"groups": 2}}, "reset": {{"kind": "{kind}", "active": "{active}"}},
                 "packet": {{"max_flits": 2}}, "routing": {{"kind": "source", "hops": 2}}}}"#
        );
        let config = config(&json);
        let verilog = verilog(&config);
        for scenario in [busy(1), hostile(2), Scenario::any(3)] {
            must_pass(&config, &verilog, Scenario { resets: 0.005, ..scenario }, CYCLES / 2);
        }
    }
}

#[test]
fn tiny() {
    agree(&preset("tiny"), 100_000);
}

#[test]
fn hpc16() {
    agree(&preset("hpc16"), CYCLES);
}

#[test]
fn noc5() {
    agree(&preset("noc5"), CYCLES);
}

#[test]
fn torus16() {
    agree(&preset("torus16"), CYCLES);
}

/// Node reduction in front of a cache, told of another place (or table) in mid-traffic again and again.
#[test]
fn reduced_presets() {
    for name in ["fattree16", "dragonfly16", "reduced16"] {
        let config = preset(name);
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.002, ..busy(seed) }, CYCLES);
        }
        must_pass(&config, &verilog, Scenario::any(3), CYCLES);
    }
}

/// The same with a forwarding table on the chip: alone, before a CAM, and without a cache.
#[test]
fn tables_change_on_the_chip() {
    let others = [
        r#"{"name": "chip_and_cam", "ports": 6, "flit_bits": 48, "counters": {}, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 32}, "forwarding_table": {"entries": 64}, "default_route": true, "next_vc": true, "candidates": 2, "link_aggregation": {"groups": 2}}}"#,
        r#"{"name": "chip_uncached", "ports": 5, "flit_bits": 32, "routing": {"kind": "table", "address_bits": 16, "cache": null, "forwarding_table": {"entries": 64}, "external_cam": false, "default_route": true}}"#,
    ];
    for config in std::iter::once(preset("table16")).chain(others.map(config)) {
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.002, ..busy(seed) }, CYCLES);
        }
    }
}

/// Groups (and tables) rewritten in mid-traffic again and again.
#[test]
fn multicast_groups_move() {
    for json in [
        r#""ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 1, "mixed": 1}, "multicast": {"groups": 12}, "routing": {"kind": "source", "hops": 4}"#,
        r#""ports": 4, "flit_bits": 40, "virtual_channels": {"unicast": 2, "mixed": 1}, "multicast": {"groups": 6}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "next_vc": true}"#,
    ] {
        let config = config(&format!(r#"{{"name": "multicast_moves", {json}}}"#));
        let verilog = verilog(&config);
        for seed in [1, 2] {
            must_pass(&config, &verilog, Scenario { moves: 0.005, ..busy(seed) }, CYCLES);
        }
    }
}

/// Outputs that get no credit for long, so that multicast packets for several of them have room saved.
#[test]
fn multicast_where_room_is_saved() {
    for json in [
        r#""packet": {"max_flits": 1}, "buffer_flits": 2, "crossbar": "single", "flow_control": "relative""#,
        r#""packet": {"max_flits": 2}, "buffer_flits": 8"#,
    ] {
        let config = config(&format!(
            r#"{{"name": "multicast_saved", "ports": 4, "flit_bits": 32, "virtual_channels": {{"unicast": 1, "mixed": 1}},
                "multicast": {{"groups": 8}}, "routing": {{"kind": "source", "hops": 2}}, {json}}}"#
        ));
        let verilog = verilog(&config);
        for seed in [1, 2] {
            let mut scenario = Scenario::new(seed, Pattern::Uniform, 1.0);
            (scenario.traffic.lengths, scenario.traffic.multicast) = (Lengths::Uniform, 0.1);
            scenario.sink.stalls = Some(Stalls { share: 0.9, cycles: 60.0 });
            must_pass(&config, &verilog, scenario, CYCLES);
        }
    }
}

#[test]
fn table16() {
    agree(&preset("table16"), CYCLES);
}

#[test]
fn dawning16() {
    agree(&preset("dawning16"), CYCLES);
}

#[test]
fn source16() {
    agree(&preset("source16"), CYCLES);
}

/// A conflict-free permutation at full load leaves no gap on any link, in the hardware as in the model.
#[test]
fn full_throughput() {
    for name in ["tiny", "noc5", "source16"] {
        let config = preset(name);
        let scenario = Scenario::new(1, Pattern::Complement, 1.0);
        let result = must_pass(&config, &verilog(&config), scenario, CYCLES);
        let shape = config.shape();
        let flits = result.packets_delivered * shape.max_flits as u64;
        let possible = CYCLES * shape.ports as u64;
        // The table switch starts with an empty cache; nothing else may cost a cycle.
        assert!(flits as f64 > 0.98 * possible as f64, "{name}: {flits} of {possible}");
    }
}
