use super::*;
use crate::ideal::Ideal;
use crate::traffic::{Arrival, Pattern, Trace, ANY_VC};
use railyard_spec::{presets::PRESETS, Config, RoutingShape};
use std::sync::Arc;

fn preset(text: &str) -> Shape {
    Config::from_json(text).expect("presets are correct").shape()
}

/// Whether the stimulus can't say by which output a packet leaves: such packets are followed in networks only.
fn chooses_ways(shape: &Shape) -> bool {
    matches!(shape.routing, RoutingShape::Dragonfly(_))
}

#[test]
fn all_presets_deliver_what_they_are_offered() {
    for which in PRESETS {
        let shape = preset(which.json);
        if chooses_ways(&shape) {
            continue;
        }
        let result =
            simulate(&shape, &Scenario::new(1, Pattern::Uniform, 0.3), WarmUp::UntilSteady, 20_000, |_| {}).unwrap();
        println!("{}: {result:?}", which.name);
        assert!((result.accepted_load - 0.3).abs() < 0.02, "{}: {result:?}", which.name);
        assert!((result.offered_load - 0.3).abs() < 0.02, "{}: {result:?}", which.name);
    }
}

#[test]
fn outputs_without_a_key_are_told() {
    let notes = |chunk_bits: u32| {
        let text = format!(
            r#"{{"name": "x", "ports": 24, "routing": {{"kind": "algorithmic", "address_bits": 12,
                "node_reduction": {{"topologies": ["fat_tree"], "chunk_bits": [{chunk_bits}]}}}}}}"#
        );
        let scenario = Scenario::new(1, Pattern::Uniform, 0.2);
        simulate(&preset(&text), &scenario, WarmUp::UntilSteady, 20_000, |_| {}).unwrap().notes.join("\n")
    };
    assert!(notes(2).contains("addresses lead to 8 of 24 outputs"), "{}", notes(2));
    assert!(!notes(6).contains("addresses lead to"), "{}", notes(6));
}

#[test]
fn the_same_seed_is_the_same_run() {
    let shape = preset(PRESETS[0].json);
    let run = |seed| {
        let result = simulate(&shape, &Scenario::any(seed), WarmUp::UntilSteady, 20_000, |_| {}).unwrap();
        Simulation { cycles_per_second: 0.0, ..result }
    };
    for seed in [1, 2, 3] {
        assert_eq!(run(seed), run(seed));
    }
    assert_ne!(run(1), run(2));
}

#[test]
fn figures_that_mean_something_else_come_with_a_note() {
    let shape = preset(PRESETS[0].json);
    let notes =
        |scenario: Scenario, cycles| simulate(&shape, &scenario, WarmUp::UntilSteady, cycles, |_| {}).unwrap().notes;
    assert_eq!(notes(Scenario::new(1, Pattern::Uniform, 0.5), 100_000), [""; 0]);
    assert!(notes(Scenario::new(1, Pattern::Uniform, 1.0), 20_000)[0].starts_with("saturated: "));
    // No output is asked for twice: queues come and go, but nothing is refused.
    let full = notes(Scenario::new(1, Pattern::Complement, 1.0), 20_000);
    assert!(!full.iter().any(|note| note.starts_with("saturated: ")), "{full:?}");
    assert!(notes(Scenario::new(1, Pattern::Uniform, 0.0), 1_000)[0].contains("no packet was delivered"));
    // Dropped packets are no sign of saturation.
    let mut lossy = Scenario::new(1, Pattern::Uniform, 0.1);
    lossy.traffic.unroutable = 0.1;
    assert_eq!(notes(lossy, 100_000), [""; 0]);
    let short = simulate(&shape, &Scenario::new(1, Pattern::Uniform, 0.0), WarmUp::UntilSteady, 1_000, |_| {}).unwrap();
    assert_eq!((short.latency_mean, short.latency_p99, short.latency_max), (None, None, None), "there is none");
    assert!(notes(Scenario { mischief: 0.01, ..Scenario::default() }, 1_000)[0].contains("not followed"));
}

/// At 16 ports, for 1 to 4 VCs, the switch is within 2 % of the ideal one.
#[test]
fn saturation_is_that_of_the_ideal_switch() {
    for vcs in 1..=4 {
        let mut config = Config::named("saturation");
        config.virtual_channels.unicast = vcs;
        let scenario = Scenario::new(1, Pattern::Uniform, 1.0);
        let result =
            simulate(&config.check().unwrap().shape(), &scenario, WarmUp::UntilSteady, 60_000, |_| {}).unwrap();
        let ideal = Ideal { ports: 16, vcs: vcs as usize, packets_per_vc: 4 }.saturation(10_000, 1);
        let off = result.accepted_load / ideal - 1.0;
        println!("{vcs} VCs: accepted {:.4}, ideal {ideal:.4}, off {:+.2} %", result.accepted_load, 100.0 * off);
        assert!(off.abs() < 0.02, "{vcs} VCs: {} of ideal {ideal}", result.accepted_load);
    }
}

/// What a short run measures with cold caches is two or three times what a long one does.
#[test]
fn a_run_too_short_to_tell_is_not_called_steady() {
    for (name, load, cycles, seed) in [
        ("hpc16", 0.3, 300, 3),
        ("table16", 0.1, 1_000, 1),
        ("table16", 0.1, 1_000, 3),
        ("hpc16", 0.1, 300, 1),
        ("dragonfly16", 0.6, 300, 5),
    ] {
        let shape = preset(PRESETS.iter().find(|which| which.name == name).unwrap().json);
        let scenario = Scenario::new(seed, Pattern::Uniform, load);
        let result = simulate(&shape, &scenario, WarmUp::UntilSteady, cycles, |_| {}).unwrap();
        assert_eq!(result.steady, None, "{name}: {result:?}");
        assert!(result.notes[0].starts_with("too short to tell whether the switch is steady: "), "{:?}", result.notes);
    }
}

/// Latency of one packet at that cycle of a trace.
fn of_one_packet(shape: &Shape, cycle: u64) -> Simulation {
    let packet = Arrival { cycle, source: 0, destination: 1, flits: 1, vc: ANY_VC };
    let mut sources = vec![Vec::new(); shape.ports];
    sources[0].push(packet);
    let scenario = Scenario::replay(1, Arc::new(Trace { file: std::path::Path::new("one").into(), sources }));
    simulate(shape, &scenario, WarmUp::UntilSteady, cycle + 500, |_| {}).unwrap()
}

/// Tables, port map and groups of registers are written before the first packet, and take none of its time.
#[test]
fn a_packet_takes_the_same_time_whenever_it_comes() {
    let wide = Config::from_json(
        r#"{"name": "wide", "ports": 24, "routing": {"kind": "algorithmic", "address_bits": 24,
            "node_reduction": {"topologies": ["cube", "fat_tree", "dragonfly"], "chunk_bits": [2, 3, 4], "stages": 1}}}"#,
    );
    let others = PRESETS.iter().map(|which| preset(which.json)).filter(|shape| !chooses_ways(shape));
    for shape in others.chain([wide.unwrap().shape()]) {
        let [at_once, later] = [2, 20_000].map(|cycle| of_one_packet(&shape, cycle));
        println!("{} ports: set-up {}, latency {:?}", shape.ports, at_once.set_up, at_once.latency_mean);
        assert_eq!((at_once.packets, later.packets, later.warm_up), (1, 1, 0));
        assert!(at_once.latency_max.unwrap() <= 40, "{at_once:?}");
        // A cache that is still being swept does not answer, but it would have nothing to say either.
        assert_eq!(at_once.latency_max, later.latency_max, "{shape:?}");
        assert_eq!((at_once.steady, at_once.saturated), (None, false));
    }
}

/// The figures of a short run are those of a long one, however much the switch must be told first.
#[test]
fn the_mean_latency_does_not_depend_on_the_length_of_the_run() {
    let table = PRESETS.iter().find(|which| which.name == "table16").unwrap();
    let shape = preset(table.json);
    for seed in 1..=3 {
        let run = |cycles| {
            let result =
                simulate(&shape, &Scenario::new(seed, Pattern::Uniform, 0.1), WarmUp::UntilSteady, cycles, |_| {});
            let result = result.unwrap();
            println!("{cycles}: warm-up {}, {:?} {:?}", result.warm_up, result.latency_mean, result.hit_rate);
            assert_eq!((result.steady, result.saturated), (Some(true), false), "{result:?}");
            result.latency_mean.unwrap()
        };
        let [short, middle, long] = [5_000, 40_000, 400_000].map(run);
        assert!((short / long - 1.0).abs() < 0.05 && (middle / long - 1.0).abs() < 0.03, "{short} {middle} {long}");
    }
}
