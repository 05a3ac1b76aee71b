//! Networks are checked: examples, algorithms, virtual channels.

use super::{example, file, network, report, text};
use serde_json::{json, Value};
use std::fs;

#[test]
fn the_small_examples_check_and_run() {
    for name in [
        "fat_tree.json",
        "torus.json",
        "wiring.json",
        "leaf_spine.json",
        "dragonfly.json",
        "dragonfly_adaptive.json",
        "hyperx.json",
        "barriers.json",
        "verified.json",
        "verified12.json",
    ] {
        let path = example(name);
        let checked = text(&network(&["check", &path], 0).stdout);
        assert!(checked.contains("no ring"), "{name}: {checked}");
        assert!(checked.lines().all(|line| line.chars().count() <= 100), "{checked}");
        let report = network(&["run", &path, "--cycles", "600", "--load", "0.2"], 0);
        let table = text(&report.stdout);
        assert!(["throughput", "unicast", "cycles/s"].iter().all(|row| table.contains(row)), "{table}");
        assert!(table.lines().all(|line| line.chars().count() <= 100) && report.stderr.is_empty(), "{table}");
    }
}

#[test]
fn vcs_of_a_dragonfly_are_shown_for_requests_and_replies() {
    let both = ["vcs", "lglgl", "--replies", "lgl"];
    let table = text(&network(&both, 0).stdout);
    assert!(table.contains("l0 g1 l2 g3 l4 | l5 g6 l7") && table.contains("g replies"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let answer: Value = serde_json::from_slice(&network(&[&both[..], &["--json"]].concat(), 0).stdout).unwrap();
    assert_eq!(answer["vc_mask"], json!([7, 3, 3, 1, 3, 3, 1, 1, 31, 15, 15, 7, 7, 7, 3, 3]), "{answer}");
    assert_eq!(answer["classes"][0]["routings"]["in transit"], json!("opportunistic"));
    let wide = ["vcs", "lgl", "--local", "4", "--global", "2", "--json"];
    let answer: Value = serde_json::from_slice(&network(&wide, 0).stdout).unwrap();
    assert_eq!(answer["requests"], json!("lgllgl"), "{answer}");
    let fly = example("dragonfly.json");
    let table = text(&network(&["vcs", "lglgl", "--network", &fly, "--in-transit", "mm"], 0).stdout);
    assert!(table.contains("escapes close no ring") && table.contains("yes, which is no deadlock"), "{table}");
    let all = [&both[..], &["--network", &fly, "--in-transit", "rrg", "--valiant", "switch", "--json"]].concat();
    let answer: Value = serde_json::from_slice(&network(&all, 0).stdout).unwrap();
    assert!(answer["deadlock"]["states"].as_u64().unwrap() > 1_000, "{answer}");
    let mesh = example("hyperx.json");
    for (args, part) in [
        (&["vcs", "lgl", "--network", &fly, "--valiant", "group"][..], "the shortest sequence with some is lglgl"),
        (&["vcs", "lgl", "--network", &mesh], "is no Dragonfly"),
        (&["vcs", "gl", "--network", &fly], "has no way on"),
        (&["vcs", "lgl", "--valiant", "group"], "--network"),
        (&["vcs", "lxl"], "REQUESTS: must be made of the letters l (local link) and g (global link), and has `x`"),
        (&["vcs", "lgl", "--replies", "?"], "--replies: must be made of"),
        (&["vcs", "lglgl", "--local", "2"], "--local: needs 3 virtual channels of class l, and there are 2"),
        (&["vcs", "lglgl", "--global", "1"], "--global: needs 2 virtual channels of class g, and there are 1"),
    ] {
        let output = network(args, 2);
        assert!(text(&output.stderr).contains(part), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn check_says_what_routes_can_carry() {
    let table = text(&network(&["check", &example("wiring.json")], 0).stdout);
    for row in ["up*/down* roots", "busiest link", "uniform traffic", "note: up*/down* routes have one root"] {
        assert!(table.contains(row), "{row}: {table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let answer: Value =
        serde_json::from_slice(&network(&["check", &example("fat_tree.json"), "--json"], 0).stdout).unwrap();
    assert_eq!((&answer["outlook"]["uniform_limit"], &answer["notes"]), (&json!(1.0), &json!([])), "{answer}");
    assert!(answer["outlook"]["busiest_link"]["routes"].as_u64().unwrap() <= 31, "{answer}");
    let args = ["check", &example("torus.json"), "--json"];
    let torus: Value = serde_json::from_slice(&network(&args, 0).stdout).unwrap();
    assert!(torus["outlook"]["up_down"].is_null(), "{torus}");
}

/// The network of a file, and the same with its switches in another order.
fn renumbered(value: &Value, first: u64) -> Value {
    let switches = value["topology"]["switches"].as_u64().unwrap();
    let mut other = value.clone();
    let turn = |end: &mut Value| end[0] = json!((end[0].as_u64().unwrap() + first) % switches);
    let topology = other["topology"].as_object_mut().unwrap();
    topology["nodes"].as_array_mut().unwrap().iter_mut().for_each(turn);
    topology["links"].as_array_mut().unwrap().iter_mut().flat_map(|link| link.as_array_mut().unwrap()).for_each(turn);
    other
}

#[test]
fn a_leaf_or_a_spine_may_stand_first() {
    let folder = tempfile::tempdir().unwrap();
    let spine_first: Value = serde_json::from_str(&fs::read_to_string(example("leaf_spine.json")).unwrap()).unwrap();
    let leaf_first = file(folder.path(), "leaf_first.json", &renumbered(&spine_first, 8));
    let args = |path: &str| report(&[path, "--load", "1", "--cycles", "4000"]);
    let [spine, leaf] = [args(&example("leaf_spine.json")), args(leaf_first.to_str().unwrap())];
    assert!(spine["throughput"].as_f64().unwrap() > 0.75, "{spine}");
    for figure in ["throughput", "accepted", "unicast"] {
        assert_eq!(spine[figure], leaf[figure], "{figure}");
    }
    let answer = network(&["check", leaf_first.to_str().unwrap(), "--json"], 0);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer["outlook"]["up_down"]["switches"], json!([8, 9, 10, 11]), "{answer}");
    let mut one = spine_first;
    one["topology"]["roots"] = json!([0]);
    let one = file(folder.path(), "one.json", &one);
    let single = report(&[one.to_str().unwrap(), "--load", "1", "--cycles", "4000"]);
    assert!(single["throughput"].as_f64().unwrap() < 0.4, "one spine as the root: {single}");
}

/// Eight switches in a ring, two nodes at each, and so many VCs.
fn circle(vcs: usize, algorithm: &str) -> Value {
    let links: Vec<Value> = (0..8).map(|i| json!([[i, 2], [(i + 1) % 8, 3]])).collect();
    let nodes: Vec<Value> = (0..16).map(|node| json!([node / 2, node % 2])).collect();
    json!({"switch": {"name": "circle", "ports": 4, "virtual_channels": {"unicast": vcs}, "packet": {"max_flits": 4},
            "routing": {"kind": "table"}},
        "topology": {"kind": "wiring", "switches": 8, "links": links, "nodes": nodes}, "algorithm": algorithm,
        "caches": "warm", "traffic": {"load": 0.1}})
}

#[test]
fn shortest_ways_have_virtual_channels_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = |vcs, algorithm| file(folder.path(), &format!("{algorithm}{vcs}.json"), &circle(vcs, algorithm));
    let (shortest, up_down) = (path(2, "shortest"), path(2, "up_down"));
    let table = text(&network(&["check", shortest.to_str().unwrap()], 0).stdout);
    assert!(table.contains("virtual channels        1 to 2 for a route") && !table.contains("roots"), "{table}");
    let [shortest_run, up_down_run] =
        [&shortest, &up_down].map(|path| report(&[path.to_str().unwrap(), "--cycles", "4000"]));
    let latency = |report: &Value| report["unicast"]["latency_mean"].as_f64().unwrap();
    assert!(latency(&shortest_run) < latency(&up_down_run), "{shortest_run} {up_down_run}");
    let error = text(&network(&["check", path(1, "shortest").to_str().unwrap()], 2).stderr);
    let told = "/algorithm: \"shortest\" does not do: the shortest ways need 2 virtual channels for unicast packets";
    assert!(error.contains(told) && error.contains("`virtual_channels.unicast` of 2"), "{error}");

    let tables = folder.path().join("tables.json");
    network(&["check", shortest.to_str().unwrap(), "--write-tables", tables.to_str().unwrap()], 0);
    let mut value = circle(2, "shortest");
    value["tables"] = json!("tables.json");
    let read = file(folder.path(), "read.json", &value);
    assert_eq!(report(&[read.to_str().unwrap(), "--cycles", "4000"]), shortest_run);
    let mut layers: Value = serde_json::from_str(&fs::read_to_string(&tables).unwrap()).unwrap();
    layers["layers"][1][9] = json!([]);
    fs::write(&tables, layers.to_string()).unwrap();
    let error = text(&network(&["check", read.to_str().unwrap()], 2).stderr);
    assert!(error.contains("/layers/1/9: [] names no virtual channel of unicast packets"), "{error}");
}

#[test]
fn an_algorithm_that_does_not_fit_is_refused_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |value: &Value| {
        let path = file(folder.path(), "net.json", value);
        text(&network(&["check", path.to_str().unwrap()], 2).stderr)
    };
    let mut value = circle(2, "dimension_order");
    value["topology"]["links"][3] = json!([[3, 3], [4, 2]]);
    value["topology"]["links"][2] = json!([[2, 2], [3, 2]]);
    value["topology"]["links"][4] = json!([[4, 3], [5, 3]]);
    let error = refused(&value);
    assert!(error.contains("/algorithm: \"dimension_order\" needs a mesh or torus"), "{error}");
    assert!(error.contains("switch 2 port 2 and switch 3 port 2 are linked") && error.contains("legal: \"up_down\""));
    let error = refused(&circle(2, "shortest_way"));
    assert!(error.contains("/algorithm: \"shortest_way\""), "{error}");
    let noc = json!({"switch": "noc5", "topology": {"kind": "mesh", "radix": [3, 3]}, "algorithm": "up_down"});
    let error = refused(&noc);
    assert!(error.contains("/algorithm: \"up_down\" algorithmic routing follows the topology"), "{error}");
}

/// Each legal value is one, nowhere `null`.
#[test]
fn legal_values_are_values() {
    let folder = tempfile::tempdir().unwrap();
    let value = json!({"switch": "hpc16", "topology": {"kind": "wiring", "switches": 2, "links": [[[0, "x"], [1, 0]]],
        "nodes": [[0, 1], [1, 1]]}, "multicast": 5, "barriers": "all",
        "faults": {"links_down": [{"link": [0, true], "cycle": 1}], "links_break": [{"link": 4}]}});
    let path = file(folder.path(), "net.json", &value);
    let answer = network(&["check", path.to_str().unwrap(), "--json"], 2);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let faults = answer["faults"].as_array().unwrap();
    assert!(faults.len() >= 6, "{answer}");
    assert!(faults.iter().all(|fault| fault["legal"] != "null"), "{answer}");
}
