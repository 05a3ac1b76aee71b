//! A sweep from its file to its table.

use super::{answer, explore, railyard, small, text, Place};
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

#[test]
fn a_sweep_becomes_a_table_and_plots() {
    let place = Place::new(&small());
    let out = place.path("out");
    let json: Value = serde_json::from_str(&answer(&[&place.sweep, "-o", &out, "--json"])).unwrap();
    assert_eq!((&json["points"], &json["runs"]["made"]), (&json!(16), &json!(16)));
    // Three ways are no power of two.
    let skipped = json["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2);
    assert_eq!(skipped[0]["values"], json!({"routing.cache.entries": 16, "routing.cache.ways": 3}));
    assert_eq!(skipped[0]["faults"][0]["path"], "/routing/cache/ways");

    let table = place.read("out/results.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 17);
    assert!(lines[0]
        .starts_with("routing.cache.entries,routing.cache.ways,load,seed,memory_bits,offered_load,accepted_load,"));
    assert!(lines[0].ends_with(",hit_rate,steady,saturated,pareto_accepted_load_over_memory_bits"));
    let columns: Vec<&str> = lines[0].split(',').collect();
    let saturated = columns.iter().position(|&column| column == "saturated").unwrap();
    let high = lines[1..].iter().filter(|line| line.split(',').nth(2) == Some("0.9"));
    assert!(high.clone().count() == 8 && high.clone().all(|line| line.split(',').nth(saturated) == Some("true")));
    assert!(lines[1].starts_with("16,1,0.3,1,") && lines[1].ends_with(','), "not in the plot: {}", lines[1]);
    assert!(lines[3].starts_with("16,1,0.9,1,") && lines[3].ends_with(",true"), "least memory: {}", lines[3]);
    // Repetitions are judged by their mean, so together.
    assert!(lines[4].starts_with("16,1,0.9,2,") && lines[4].ends_with(",true"), "{}", lines[4]);
    assert!(place.read("out/plots/accepted_load_over_memory_bits.svg").contains("Pareto front"));
    let all: Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
    assert_eq!(all["points"].as_array().unwrap().len(), 16);

    let people = answer(&[&place.sweep, "-o", &out]);
    for part in ["0 made, 16 found finished", "2 skipped", "ways 3", "Pareto front of accepted_load_over_memory_bits"] {
        assert!(people.contains(part), "{part} in {people}");
    }
}

/// Files are named as the folder was given: from where the user is.
#[test]
fn what_was_written_is_named_as_given() {
    let place = Place::new(&json!({"base": "tiny", "simulate": {"cycles": 200, "load": [0.3]}}));
    let explore = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_railyard"));
        let output =
            command.args(["explore", &place.sweep, "-o", "out"]).args(more).current_dir(place.path("")).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert!(explore(&[]).contains("wrote   out/results.csv\n"));
    let all: Value = serde_json::from_str(&explore(&["--json"])).unwrap();
    assert_eq!(all["files"], json!(["out/results.csv", "out/results.json"]));
    let array = explore(&["--slurm"]);
    assert!(array.contains("sbatch out/sweep.sbatch") && array.contains("explore out/sweep.json -o out "), "{array}");
}

#[test]
fn a_dry_run_lists_points_and_writes_nothing() {
    let place = Place::new(&small());
    let people = answer(&[&place.sweep, "--dry-run"]);
    assert!(people.contains("32                     2                   0.9   2"), "{people}");
    assert!(people.contains("skipped"), "{people}");
    let out = place.path("out");
    let json: Value = serde_json::from_str(&answer(&[&place.sweep, "--dry-run", "-o", &out, "--json"])).unwrap();
    assert_eq!((json["points"].as_array().unwrap().len(), &json["runs"]["all"]), (16, &json!(16)));
    assert!(!Path::new(&out).exists());
}

/// A sweep is read as a description is.
#[test]
fn a_sweep_is_json_as_it_is_written() {
    let place = Place::new(&json!({"base": "tiny", "vary": {"ports": [2, 4]}, "simulate": {}}));
    let fault = |sweep: &str| {
        fs::write(&place.sweep, sweep).unwrap();
        text(&explore(&[&place.sweep, "--dry-run"], 2).stderr)
    };
    let twice = fault(r#"{"base": "tiny", "simulate": {"cycles": 50, "cycles": 60}}"#);
    assert!(twice.contains("/simulate/cycles: 50 and 60 is given more than once"), "{twice}");
    assert!(fault("\u{feff}{}").contains("without BOM"));
    let load = fault(r#"{"base": "tiny", "simulate": {"load": 0.5}}"#);
    assert!(load.contains("/simulate/load: 0.5 must be of type array or null; legal: "), "{load}");
    fs::write(&place.sweep, r#"{"base": "tiny", "vary": {"ports": [2.0, 4]}, "simulate": {"cycles": 2e3}}"#).unwrap();
    explore(&[&place.sweep, "--dry-run"], 0);
}

/// What a switch has no part for is no point of the sweep; without a packet there is no latency.
#[test]
fn loads_that_do_not_fit_are_skipped_and_nothing_is_no_latency() {
    let place = Place::new(&json!({
        "base": {"name": "s", "ports": 4, "routing": {"kind": "source"}, "multicast": {"groups": 16}},
        "vary": {"virtual_channels.mixed": [0, 1]},
        "simulate": {"cycles": 200, "load": [0.0, 0.4], "vary": {"traffic.multicast": [0.0, 0.5]}}
    }));
    let report: Value = serde_json::from_str(&answer(&[&place.sweep, "-o", &place.path("out"), "--json"])).unwrap();
    let skipped = report["skipped"].as_array().expect("a list");
    assert_eq!(skipped.len(), 2, "{report}");
    for point in skipped {
        assert_eq!(point["faults"][0]["path"], "/simulate/scenario/traffic/multicast", "{point}");
        assert_eq!(
            (&point["values"]["virtual_channels.mixed"], &point["values"]["scenario.traffic.multicast"]),
            (&json!(0), &json!(0.5))
        );
    }
    let csv = place.read("out/results.csv");
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let column =
        |name: &str| heads.iter().position(|head| *head == name).unwrap_or_else(|| panic!("{name} in {heads:?}"));
    let (load, packets, latency) = (column("load"), column("packets"), column("latency_mean"));
    let rows: Vec<Vec<&str>> = lines.collect();
    assert_eq!(rows.len(), 6, "{csv}");
    for row in rows {
        assert_eq!((row[packets] == "0", row[latency].is_empty()), (row[load] == "0.0", row[load] == "0.0"), "{row:?}");
    }
}

#[test]
fn committed_sweeps_are_legal() {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/sweeps")).unwrap() {
        answer(&[entry.unwrap().path().to_str().unwrap(), "--dry-run"]);
    }
}

#[test]
fn the_schema_of_sweeps_is_a_schema() {
    let output = railyard(&["schema", "--sweep"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$defs"]["Simulate"]["properties"]["cycles"]["minimum"], 10);
}
