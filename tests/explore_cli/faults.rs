//! Faults of sweeps and of usage.

use super::{explore, railyard, small, text, Place};
use serde_json::{json, Value};

#[test]
fn every_fault_of_a_sweep_is_listed() {
    let place = Place::new(&json!({
        "base": "no-such-preset",
        "vary": { "ports": [], "a..b": [1], "routing.cache.ways": [1, 1] },
        "together": [{ "flit_bits": [64, 128], "buffer_flits": [32] }, { "/ports": [8] }],
        "simulate": { "cycles": 3, "load": [1.5], "traffic": ["rush_hour"], "vary": { "traffic.queue": [0], "seat": [1] } },
        "estimate": { "library": "unobtainium", "node": 7, "blocks": 1 },
        "plots": [{ "x": "speed", "y": "latency_mean", "where": { "loda": 0.1 }, "pareto": { "x": "min", "y": "max", "z": 1 } }],
        "colour": 1
    }));
    let error = text(&explore(&[&place.sweep, "-o", &place.path("out")], 2).stderr);
    for part in [
        "/base: \"no-such-preset\" is no file",
        "/vary/ports: [] must have at least one value",
        "/vary/a..b: [1] is not the path of a field",
        "/vary/routing.cache.ways/1: 1 is there twice",
        "/together/0: lists of 2, 1 values must have lists of one length",
        "/together/1/~1ports: [8] is varied twice",
        "/simulate/cycles: 3 must be at least 10",
        "/simulate/load/0: 1.5 must be at most 1",
        "/simulate/traffic/0: \"rush_hour\" must be one of uniform, ",
        "/simulate/vary/traffic.queue/0: 0 does not fit",
        "/simulate/vary/seat/0: 1 does not fit",
        "/estimate/library: \"unobtainium\" must be one of nangate45",
        "/estimate/node: 7 goes with \"liberty\" only",
        "/estimate/blocks: 1 is not a field here (did you mean `block`?); legal: leave it out; fields here: library, liberty",
        "/plots/0/x: \"speed\" is no column of this sweep; legal: ",
        "/plots/0/where/loda: \"loda\" is no column of this sweep",
        "/plots/0/pareto/z: 1 is not a field here; legal: leave it out; fields here: x, y",
        "/colour: 1 is not a field here",
    ] {
        assert!(error.contains(part), "{part} in\n{error}");
    }
    assert!(!place.folder.path().join("out").exists(), "nothing is written");
}

#[test]
fn input_that_is_no_sweep_is_refused() {
    let error = |sweep: Value| {
        let place = Place::new(&sweep);
        text(&explore(&[&place.sweep, "-o", &place.path("out")], 2).stderr)
    };
    assert!(error(json!([1, 2])).contains("object"));
    assert!(error(json!({"simulate": {}})).contains("/base: (missing) must be given"));
    assert!(error(json!({"base": "tiny"})).contains("/simulate: (missing) must be given, or \"estimate\""));
    assert!(error(json!({"base": 7, "simulate": {}}))
        .contains("/base: 7 must be of type string or object; legal: \"hpc16\""));
    let two = error(
        json!({"vary": {"ports": []}, "simulate": 5, "plots": [{"x": "ports", "y": "ports", "pareto": {"x": "small", "y": "max"}}]}),
    );
    for part in [
        "/base: (missing)",
        "/vary/ports: []",
        "/simulate: 5 must be of type object",
        "/pareto/x: \"small\" must be one of \"min\", \"max\"; legal: \"min\"",
    ] {
        assert!(two.contains(part), "{part} in {two}");
    }
    let none = error(json!({"base": "tiny", "vary": {"portz": [2, 4]}, "simulate": {}}));
    assert!(none.contains("none of the 2 points") && none.contains("  /vary/portz: 2 is not a field here"), "{none}");
    assert_eq!(none.matches("is not a field").count(), 1, "{none}");
    let cache = json!([{"flit_bits": [32, 64], "routng.cache.ways": [1, 2]}]);
    let none = error(json!({"base": "tiny", "together": cache, "simulate": {}}));
    assert!(none.contains("  /together/0/routng.cache.ways: {\"cache\":{\"ways\":1}} is not a field here"), "{none}");
    let many: Vec<u32> = (0..2_000).collect();
    let many = error(json!({"base": "tiny", "vary": {"ports": many, "flit_bits": many}, "simulate": {}}));
    assert!(many.contains("4000000 points must be at most"), "{many}");
    let empty = error(json!({
        "base": "tiny", "vary": {"ports": [2, 4]}, "simulate": {"traffic": ["uniform"]},
        "plots": [{"x": "traffic", "y": "ports", "where": {"ports": 8}}, {"x": "ports", "y": "hit_rate", "where": {"hit_rate": 1}}]
    }));
    for part in [
        "/x: \"traffic\" must be a column of numbers",
        "/where/ports: 8 is not a value",
        "legal: [2,4]",
        "hit_rate: 1 is a measured",
    ] {
        assert!(empty.contains(part), "{part} in {empty}");
    }
    assert!(text(&explore(&["no-such-file.json", "-o", "x"], 2).stderr).contains("no-such-file.json"));
}

#[test]
fn a_folder_of_others_is_left_alone() {
    let place = Place::new(&small());
    let error = text(&explore(&[&place.sweep, "-o", place.folder.path().to_str().unwrap()], 2).stderr);
    assert!(error.contains("not the folder of a sweep"), "{error}");
}

#[test]
fn usage_errors_end_with_two() {
    let place = Place::new(&small());
    let out = place.path("out");
    for args in [
        &["--shard", "0/3"][..],
        &["--shard", "4/3"],
        &["--shard", "half"],
        &["--collect", "--slurm"],
        &["--submit"],
        &["--jobs", "0"],
        &["--slurm", "--partition", "two words"],
        &["--slurm", "--sbatch", "account"],
        &["--slurm", "--time", "soon"],
        &["--slurm", "--mem", "much"],
    ] {
        explore(&[&[place.sweep.as_str(), "-o", &out], args].concat(), 2);
    }
    explore(&[&place.sweep], 2);
}

#[test]
fn fields_inside_each_other_are_not_varied_side_by_side() {
    let routing = json!([{"kind": "source"}, {"kind": "table"}]);
    let load = json!([{"load": 0.1}, {"load": 0.9}]);
    let said = |sweep: Value| {
        let place = Place::new(&sweep);
        let output = railyard(&["explore", &place.sweep, "--dry-run"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let fields =
        said(json!({"base": "tiny", "vary": {"routing.cache.ways": [1, 2], "routing": routing}, "simulate": {}}));
    assert!(fields.contains("/vary/routing: ") && fields.contains("beside routing.cache.ways"), "{fields}");
    let loads = said(json!({"base": "tiny", "simulate": {"load": [0.5], "vary": {"traffic": load}}}));
    assert!(loads.contains("/simulate/vary/traffic: ") && loads.contains("beside traffic.load"), "{loads}");
    let twice = json!({"load": [0.5], "scenario": {"traffic": {"load": 0.1}}});
    let twice = said(json!({"base": "tiny", "simulate": twice}));
    assert!(twice.contains("/simulate/scenario/traffic/load: 0.1 stands beside /simulate/load"), "{twice}");
}
