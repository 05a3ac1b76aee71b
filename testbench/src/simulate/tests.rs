use super::*;
use crate::ideal::Ideal;
use crate::traffic::Pattern;
use railyard_spec::{presets::PRESETS, Config};

fn preset(text: &str) -> Shape {
    Config::from_json(text).expect("presets are correct").shape()
}

#[test]
fn all_presets_deliver_what_they_are_offered() {
    for which in PRESETS {
        let shape = preset(which.json);
        let result = simulate(&shape, &Scenario::new(1, Pattern::Uniform, 0.3), 20_000, 20_000, |_| {}).unwrap();
        println!("{}: {result:?}", which.name);
        assert!((result.accepted_load - 0.3).abs() < 0.02, "{}: {result:?}", which.name);
        assert!((result.offered_load - 0.3).abs() < 0.02, "{}: {result:?}", which.name);
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let shape = preset(PRESETS[0].json);
    let run = |seed| {
        let result = simulate(&shape, &Scenario::any(seed), 100, 20_000, |_| {}).unwrap();
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
    let notes = |scenario: Scenario, cycles| simulate(&shape, &scenario, 0, cycles, |_| {}).unwrap().notes;
    assert_eq!(notes(Scenario::new(1, Pattern::Uniform, 0.5), 20_000), [""; 0]);
    assert!(notes(Scenario::new(1, Pattern::Uniform, 1.0), 20_000)[0].starts_with("saturated: "));
    assert_eq!(notes(Scenario::new(1, Pattern::Complement, 1.0), 20_000), [""; 0]);
    assert!(notes(Scenario::new(1, Pattern::Uniform, 0.0), 1_000)[0].contains("no packet was delivered"));
    // Dropped packets are no sign of saturation.
    let mut lossy = Scenario::new(1, Pattern::Uniform, 0.1);
    lossy.traffic.unroutable = 0.1;
    assert_eq!(notes(lossy, 20_000), [""; 0]);
    assert!(notes(Scenario { mischief: 0.01, ..Scenario::default() }, 1_000)[0].contains("not followed"));
}

/// At 16 ports, for 1 to 4 VCs, the switch is within 2 % of the ideal one.
#[test]
fn saturation_is_that_of_the_ideal_switch() {
    for vcs in 1..=4 {
        let mut config = Config::named("saturation");
        config.virtual_channels.unicast = vcs;
        let scenario = Scenario::new(1, Pattern::Uniform, 1.0);
        let result = simulate(&config.shape(), &scenario, 5_000, 60_000, |_| {}).unwrap();
        let ideal = Ideal { ports: 16, vcs: vcs as usize, packets_per_vc: 4 }.saturation(10_000, 1);
        let off = result.accepted_load / ideal - 1.0;
        println!("{vcs} VCs: accepted {:.4}, ideal {ideal:.4}, off {:+.2} %", result.accepted_load, 100.0 * off);
        assert!(off.abs() < 0.02, "{vcs} VCs: {} of ideal {ideal}", result.accepted_load);
    }
}
