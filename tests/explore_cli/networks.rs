//! Sweeps of networks.

use super::{answer, explore, text, Place};
use serde_json::{json, Value};
use std::fs;

/// The committed sweep over a Dragonfly, shorter: two loads, one seed.
fn dragonfly() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/sweeps/dragonfly.json");
    let mut sweep: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    sweep["simulate"] = json!({"cycles": 1000, "load": [0.05, 0.4], "seed": [1]});
    sweep
}

/// Adversarial traffic: all nodes of a group share one link on minimal ways, which are twice as short as Valiant's.
#[test]
fn networks_are_swept_as_switches_are() {
    let place = Place::new(&dragonfly());
    let whole = place.path("whole");
    // In two parts, the second from the sweep that the folder keeps; the answer has both.
    answer(&[&place.sweep, "-o", &whole, "--slurm"]);
    answer(&[&place.sweep, "-o", &whole, "--shard", "1/2"]);
    let json: Value =
        serde_json::from_str(&answer(&[&place.path("whole/sweep.json"), "-o", &whole, "--json"])).unwrap();
    assert_eq!((&json["runs"]["found"], &json["runs"]["made"]), (&json!(4), &json!(4)), "{json}");
    let all: Value = serde_json::from_str(&place.read("whole/results.json")).unwrap();
    let figure = |mode: &str, load: f64, name: &str| -> f64 {
        let points = all["points"].as_array().unwrap();
        let point = points.iter().find(|point| point["switch.name"] == mode && point["load"] == load).unwrap();
        point[name].as_f64().unwrap_or_else(|| panic!("{name}: {point}"))
    };
    let accepted = |mode| figure(mode, 0.4, "accepted_load");
    assert!(accepted("minimal") <= 0.125 && accepted("minimal") > 0.11, "{}", accepted("minimal"));
    assert!(["valiant", "by_credits", "by_contention"].iter().all(|mode| accepted(mode) > 0.3));
    // Buffers that fill are no steady state: nodes then send more than arrives.
    assert!(all["points"].as_array().unwrap().iter().all(|point| point["steady"] == true), "{all}");
    assert!(figure("minimal", 0.4, "warm_up") > 1000.0);
    assert!(figure("minimal", 0.05, "latency_mean") < figure("valiant", 0.05, "latency_mean"));
    assert_eq!([figure("minimal", 0.4, "misrouted"), figure("valiant", 0.4, "misrouted")], [0.0, 1.0]);
    assert!(figure("minimal", 0.4, "injected_max_over_min") >= 1.0 && figure("minimal", 0.4, "injected_jain") <= 1.0);
    for plot in ["latency", "accepted", "misrouted"] {
        let svg = place.read(&format!("whole/plots/{plot}.svg"));
        assert!(svg.contains("offered load (flits/node/cycle)") && svg.contains("by_contention"), "{plot}");
    }
}

#[test]
fn faults_of_network_sweeps_name_path_value_and_rule() {
    let told = |change: &dyn Fn(&mut Value), status: i32| {
        let mut sweep = dragonfly();
        change(&mut sweep);
        let place = Place::new(&sweep);
        let output = explore(&[&place.sweep, "--dry-run"], status);
        text(&output.stdout) + &text(&output.stderr)
    };
    let all = told(
        &|sweep| {
            sweep["vary"] = json!({"traffic.load": [0.1]});
            sweep["simulate"]["traffic"] = json!(["rush_hour"]);
            sweep["simulate"]["vary"] = json!({"traffic.load": [0.1]});
            sweep["simulate"]["scenario"] = json!({"seed": 3});
        },
        2,
    );
    for part in [
        "/simulate/load: [0.05,0.4] can't be varied beside traffic.load, which sets it, too",
        "/simulate/traffic/0: \"rush_hour\" must be one of uniform, ",
        "/simulate/scenario: {\"seed\":3} is of a switch alone",
        "/simulate/vary: {\"traffic.load\":[0.1]} is of a switch alone",
    ] {
        assert!(all.contains(part), "{part} in\n{all}");
    }
    for (field, value, fault) in [
        ("tables", json!("mine.json"), "/tables: \"mine.json\" names a file"),
        ("faults", json!({"links_down": [{"link": [0, 2], "cycle": 9}]}), "/faults/links_down: [{"),
        ("link_latency", json!(-1), "/link_latency: -1 must be"),
    ] {
        let error = told(&|sweep| sweep["base"][field] = value.clone(), 2);
        assert!(error.contains("none of the 4 points is legal") && error.contains(fault), "{error}");
    }
    let file = told(&|sweep| sweep["base"]["switch"] = json!("no-such-switch"), 2);
    assert!(file.contains("/base/switch: \"no-such-switch\" is no preset, and can't be read"), "{file}");
    // What a network has no part for is skipped, as for switches.
    let skipped = told(&|sweep| sweep["simulate"]["traffic"] = json!(["uniform", "multicast"]), 0);
    assert!(skipped.contains("/traffic/pattern: \"multicast\" needs multicast groups"), "{skipped}");
}
