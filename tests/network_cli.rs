//! `railyard network`: the examples check and run, tables go out and come back, bad networks are refused.

use serde_json::{json, Value};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn network(args: &[&str], status: i32) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_railyard")).arg("network").args(args).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/networks").join(name);
    path.to_str().unwrap().into()
}

fn file(folder: &Path, name: &str, value: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, value.to_string()).unwrap();
    path
}

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

#[test]
fn a_run_says_that_it_is_saturated_and_how_often_caches_hit() {
    let args = ["run", &example("wiring.json"), "--cycles", "3000", "--load", "0.9"];
    let table = text(&network(&args, 0).stdout);
    for part in ["accepted: saturated", "busiest link", "routing caches", "% of them hits", "note: saturated: "] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let cold = report(&[&example("wiring.json"), "--cycles", "400", "--load", "0.1"]);
    let warm = report(&[&example("wiring.json"), "--cycles", "400", "--load", "0.1", "--caches", "warm"]);
    assert_eq!((&warm["caches"]["hit_rate"], &warm["saturated"]), (&json!(1.0), &json!(false)), "{warm}");
    assert!(cold["caches"]["hit_rate"].as_f64().unwrap() < 0.9, "{cold}");
    let error = text(&network(&["run", &example("fat_tree.json"), "--caches", "warm"], 2).stderr);
    assert!(error.contains("/caches: \"warm\" needs switches with routing caches; legal: \"cold\""), "{error}");
}

#[test]
fn a_link_that_would_go_down_after_the_run_is_told() {
    let short = network(&["run", &example("torus.json"), "--cycles", "300", "--load", "0.1"], 0);
    let note = "note: /faults/links_down/0/cycle: 4000 is not below 300, the cycles of this run";
    assert!(text(&short.stdout).contains(note), "{}", text(&short.stdout));
}

#[test]
fn barriers_by_the_command_line() {
    let table =
        text(&network(&["run", &example("barriers.json"), "--cycles", "2000", "--lost-messages", "0.02"], 0).stdout);
    for part in ["with 32 nodes; latency", "span", "lost", "arrivals again"] {
        assert!(table.contains(part), "{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    assert!(!table.contains("credit reports"), "{table}");
    let file = example("barriers.json");
    let args = ["run", &file, "--cycles", "1000", "--lost-credits", "0.1", "--corrupt-credits", "0.1"];
    let table = text(&network(&args, 0).stdout);
    let row = table.lines().find(|line| line.starts_with("credit reports")).expect("a row");
    assert!(row.contains(" lost, ") && !row.contains(" 0 "), "{row}");
    let args = ["run", &example("barriers.json"), "--cycles", "2000", "--barriers", "0", "--json"];
    let report: Value = serde_json::from_slice(&network(&args, 0).stdout).unwrap();
    assert!(report["barriers"].is_null(), "{report}");
    let error = text(&network(&["run", &example("fat_tree.json"), "--barriers", "0.1"], 2).stderr);
    assert!(error.contains("/barriers/rate: 0.1 needs a switch with a barrier virtual channel"), "{error}");
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let run = |seed: &str| {
        let args = ["run", &example("fat_tree.json"), "--cycles", "400", "--json", "--seed", seed];
        let mut report: Value = serde_json::from_slice(&network(&args, 0).stdout).unwrap();
        assert!(report.as_object_mut().unwrap().remove("cycles_per_second").unwrap().as_f64().unwrap() > 0.0);
        report
    };
    let report = run("3");
    assert_eq!((report["nodes"].as_u64(), report["mismatch_count"].as_u64()), (Some(32), Some(0)));
    assert!(report["multicast"]["packets"].as_u64().unwrap() > 10);
    assert_eq!(report, run("3"));
    assert_ne!(report, run("4"));
}

#[test]
fn any_number_of_threads_gives_the_same_report() {
    // 320 switches, so that there is work for ten threads.
    let run = |threads: &str| report(&[&example("dawning1024.json"), "--cycles", "60", "--threads", threads]);
    let one = run("1");
    assert!(one["unicast"]["packets"].as_u64().unwrap() > 100, "{one}");
    assert_eq!(one, run("4"));
}

#[test]
fn tables_go_out_and_come_back_and_planted_faults_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables.json");
    network(&["check", &example("wiring.json"), "--write-tables", tables.to_str().unwrap()], 0);
    let again = network(&["check", &example("wiring.json"), "--write-tables", tables.to_str().unwrap()], 2);
    assert!(text(&again.stderr).contains("exists"), "nothing is overwritten");
    let below = tables.join("below.json");
    let early = network(&["check", "no_such_file.json", "--write-tables", below.to_str().unwrap()], 2);
    assert!(text(&early.stderr).contains("tables.json: is a file, not a folder"), "{}", text(&early.stderr));
    fs::copy(example("ring_with_chord.json"), folder.path().join("ring_with_chord.json")).unwrap();
    let mut value: Value = serde_json::from_str(&fs::read_to_string(example("wiring.json")).unwrap()).unwrap();
    value["tables"] = json!("tables.json");
    let path = file(folder.path(), "net.json", &value);
    let path = path.to_str().unwrap();
    network(&["run", path, "--cycles", "200"], 0);
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&fs::read_to_string(&tables).unwrap()).unwrap();
        let sound = value.clone();
        change(&mut value);
        fs::write(&tables, value.to_string()).unwrap();
        let error = text(&network(&["check", path], 2).stderr);
        fs::write(&tables, sound.to_string()).unwrap();
        error
    };
    let error = refused(&|v| v["routes"][2][11] = Value::Null);
    assert!(error.contains("no way from node 4 to node 11: switch 2 has no route"), "{error}");
    let around = |v: &mut Value| {
        let routes = v["routes"].as_array_mut().unwrap().iter_mut().enumerate();
        routes.for_each(|(switch, row)| {
            let row = row.as_array_mut().unwrap().iter_mut().enumerate();
            row.filter(|(node, _)| node / 2 != switch).for_each(|(_, entry)| *entry = json!(1));
        });
    };
    let error = refused(&around);
    assert!(error.contains("deadlock: switch 0 port 1 VC 0 -> switch 1 port 1 VC 0 ->"), "{error}");
    let error = refused(&|v| v["routes"][0][0] = json!(99));
    assert!(error.contains("tables.json") && error.contains("/routes/0/0: 99 is no port"), "{error}");
}

/// What a run says, but for its speed.
fn report(args: &[&str]) -> Value {
    let args = [&["run"], args, &["--json"]].concat();
    let mut report: Value = serde_json::from_slice(&network(&args, 0).stdout).unwrap();
    report.as_object_mut().unwrap().remove("cycles_per_second").unwrap();
    report
}

#[test]
fn tables_and_trees_of_multicast_and_barriers_that_come_back_run_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut value: Value = serde_json::from_str(&fs::read_to_string(example("verified.json")).unwrap()).unwrap();
    // A tree of a file is a group of its own, so that each group has one.
    value["multicast"]["roots"] = json!(1);
    value["barriers"]["sets"] = json!([[0, 1, 2, 3, 4, 5, 6, 7], [1, 6], [7, 0, 3]]);
    value["faults"]["links_down"] = json!([{"link": [0, 2], "cycle": 1_500}]);
    let computed = file(folder.path(), "computed.json", &value);
    let computed = computed.to_str().unwrap();
    let tables = folder.path().join("tables.json");
    network(&["check", computed, "--write-tables", tables.to_str().unwrap()], 0);
    let written: Value = serde_json::from_str(&fs::read_to_string(&tables).unwrap()).unwrap();
    assert_eq!((written["trees"].as_array().unwrap().len(), written["barriers"].as_array().unwrap().len()), (2, 3));
    value["tables"] = json!("tables.json");
    for sets in ["multicast", "barriers"] {
        let path = file(folder.path(), "read.json", &value);
        let error = text(&network(&["check", path.to_str().unwrap()], 2).stderr);
        assert!(error.contains(&format!("/{sets}/sets: ")) && error.contains("legal: leave it out"), "{error}");
        value[sets].as_object_mut().unwrap().remove("sets");
    }
    let read = file(folder.path(), "read.json", &value);
    let first = report(&[computed, "--cycles", "3000"]);
    assert!(first["barriers"]["groups"][1]["barriers"].as_u64().unwrap() > 10, "{first}");
    assert_eq!(first["outages"].as_array().unwrap().len(), 1);
    assert_eq!(first, report(&[read.to_str().unwrap(), "--cycles", "3000"]));
}

#[test]
fn a_link_that_breaks_strands_what_needs_it_and_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut value: Value = serde_json::from_str(&fs::read_to_string(example("verified.json")).unwrap()).unwrap();
    value["faults"]["links_break"] = json!([{"link": [0, 2], "cycle": 500}]);
    let path = file(folder.path(), "net.json", &value);
    let path = path.to_str().unwrap();
    let table = text(&network(&["run", path, "--cycles", "1000"], 0).stdout);
    for part in [
        "link broken",
        "switch 0 port 2 in cycle 500: ",
        " flits lost on it",
        "lost or waiting for it, ",
        " never sent",
        " accepted: packets are stranded",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let report = report(&[path, "--cycles", "1000"]);
    let broken = &report["broken"];
    assert_eq!((&broken["links"][0]["link"], &report["mismatch_count"]), (&json!([0, 2]), &json!(0)));
    assert!(broken["packets_over"].as_u64().unwrap() > 0, "{broken}");
    value["faults"]["links_break"][0]["link"] = json!([0, 1]);
    let path = file(folder.path(), "net.json", &value);
    let error = text(&network(&["run", path.to_str().unwrap()], 2).stderr);
    assert!(error.contains("/faults/links_break/0/link: [0,1] must be an end of a link"), "{error}");
}

#[test]
fn a_run_in_which_nothing_is_sent_says_so() {
    let table = text(&network(&["run", &example("fat_tree.json"), "--load", "0", "--cycles", "100"], 0).stdout);
    assert!(table.contains("note: no node sent a packet or a barrier message"), "{table}");
    assert!(!report(&[&example("fat_tree.json"), "--cycles", "100"])["has_sent_nothing"].as_bool().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "pair.json", &pair());
    let args = ["verify", path.to_str().unwrap(), "--load", "0", "--cycles", "100"];
    let table = text(&network(&args, 0).stdout);
    assert!(table.contains("equal, but nothing was sent") && !table.contains("passed"), "{table}");
    assert!(table.contains("note: no node sent"), "{table}");
}

#[test]
fn faults_of_networks_are_told_to_machines_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let value = json!({"switch": "hpc16", "topology": {"kind": "torus", "radix": [5]}});
    let path = file(folder.path(), "net.json", &value);
    let fault = |args: &[&str]| {
        let answer: Value = serde_json::from_slice(&network(args, 2).stdout).unwrap();
        assert_eq!(answer["faults"].as_array().map(Vec::len), Some(1), "{answer}");
        answer["faults"][0].clone()
    };
    let ring = fault(&["check", path.to_str().unwrap(), "--json"]);
    assert_eq!((&ring["path"], &ring["value"]), (&json!("/tables"), &json!("\"computed\"")));
    assert!(ring["rule"].as_str().unwrap().starts_with("can deadlock: switch 0 port 1 VC 0 -> "), "{ring}");
    let length = fault(&["run", &example("torus.json"), "--length", "99", "--json"]);
    assert_eq!((&length["path"], &length["value"]), (&json!("/traffic/length"), &json!("99")));
    assert!(length["legal"].as_str().unwrap().parse::<u32>().is_ok(), "{length}");
    let rate = fault(&["run", &example("fat_tree.json"), "--barriers", "0.1", "--json"]);
    assert_eq!((&rate["path"], &rate["legal"]), (&json!("/barriers/rate"), &json!("0")));
    let missing = json!({"switch": "hpc16", "topology": {"kind": "mesh", "radix": [4]}, "tables": "none.json"});
    let path = file(folder.path(), "net.json", &missing);
    assert_eq!(fault(&["check", path.to_str().unwrap(), "--json"])["path"], "/tables");
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

#[test]
fn input_without_an_end_is_refused_and_pipes_are_read() {
    let binary = env!("CARGO_BIN_EXE_railyard");
    let refused = |args: &[&str]| {
        let output = Command::new(binary).args(args).stdin(fs::File::open("/dev/zero").unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let reason = if args.contains(&"-") { "has more than " } else { "is a device, not a file" };
        assert!(text(&output.stderr).contains(reason), "{args:?}: {}", text(&output.stderr));
    };
    let folder = tempfile::tempdir().unwrap();
    let value = json!({"switch": "/dev/zero", "topology": {"kind": "mesh", "radix": [4]}});
    let path = file(folder.path(), "net.json", &value);
    for args in [
        &["check", "/dev/zero"][..],
        &["check", "-"],
        &["network", "check", "/dev/zero"],
        &["network", "check", "-"],
        &["network", "check", path.to_str().unwrap()],
    ] {
        refused(args);
    }
    let piped = |name: &str| {
        let command = &mut Command::new(binary);
        command.args(["network", "check", name]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // One that is refused is not read.
        let _ = child.stdin.take().unwrap().write_all(pair().to_string().as_bytes());
        child.wait_with_output().unwrap()
    };
    assert_eq!(piped("-").status.code(), Some(0));
    let by_name = piped("/dev/stdin");
    assert_eq!(by_name.status.code(), Some(2));
    assert!(text(&by_name.stderr).contains("is a pipe, not a file; standard input is `-`"));
}

#[test]
fn bad_input_names_path_value_and_rule() {
    let folder = tempfile::tempdir().unwrap();
    let value = json!({"switch": "source16", "topology": {"kind": "fat_tree", "ports": 16, "levels": 2, "width": 3}});
    let path = file(folder.path(), "net.json", &value);
    let error = text(&network(&["check", path.to_str().unwrap()], 2).stderr);
    assert!(error.contains("/topology/width: 3 is not a field here"), "{error}");
    let answer: Value =
        serde_json::from_slice(&network(&["check", path.to_str().unwrap(), "--json"], 2).stdout).unwrap();
    assert_eq!((&answer["faults"][0]["path"], &answer["legal"]), (&json!("/topology/width"), &json!(false)));
    let error = text(&network(&["run", &example("barriers.json"), "--lost-messages", "0.7"], 2).stderr);
    assert!(error.contains("from 0.0 to 0.5"), "{error}");
    let relative = json!({"switch": {"name": "relative", "ports": 5, "flow_control": "relative"},
        "topology": {"kind": "mesh", "radix": [4]}, "faults": {"corrupt_credits": 0.1}});
    let path = file(folder.path(), "relative.json", &relative);
    for command in ["check", "run", "verify"] {
        let error = text(&network(&[command, path.to_str().unwrap()], 2).stderr);
        assert!(error.contains("/faults/corrupt_credits: 0.1 needs absolute credits"), "{error}");
    }
    let error = text(&network(&["run", &example("torus.json"), "--lost-messages", "0.1"], 2).stderr);
    assert!(error.contains("/faults/lost_messages: 0.1 needs a switch with a barrier virtual channel"), "{error}");
    let error = text(&network(&["run", &example("torus.json"), "--length", "99"], 2).stderr);
    assert!(error.contains("/traffic/length: 99 must be"), "{error}");
    let value = json!({"switch": "dawning16", "topology": 5, "multicast": {"sets": "most"}});
    let path = file(folder.path(), "net.json", &value);
    let error = text(&network(&["check", path.to_str().unwrap()], 2).stderr);
    for part in [
        "net.json: not a legal network (2 faults)\n  /multicast/sets: \"most\" must be one of \"all\", or of type array or object",
        "\n  /topology: 5 must be of type object; legal: {\"kind\"",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    let value = json!({"topology": {"kind": "wiring", "switches": 2, "nodes": [[0, 0], [1]]}});
    let path = file(folder.path(), "net.json", &value);
    let answer = network(&["check", path.to_str().unwrap(), "--json"], 2);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let legal = |at: usize| answer["faults"][at]["legal"].as_str().unwrap();
    assert_eq!((legal(0), legal(1)), ("\"dawning16\"", "an end that is free: [switch, port]"), "{answer}");
    let folder = folder.path().to_str().unwrap();
    assert!(text(&network(&["check", folder], 2).stderr).contains("is a folder, not a file"));
    network(&["check", "no_such_file.json"], 2);
}

/// Two switches with a link, and a node at each.
fn pair() -> Value {
    json!({"switch": {"name": "p", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4},
            "routing": {"kind": "source", "hops": 2}},
        "topology": {"kind": "wiring", "switches": 2, "links": [[[0, 0], [1, 0]]], "nodes": [[0, 1], [1, 2]]}})
}

#[test]
fn a_network_is_generated_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "pair.json", &pair());
    let (path, output) = (path.to_str().unwrap(), folder.path().join("out"));
    let answer = network(&["generate", path, "-o", output.to_str().unwrap(), "--json"], 0);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer["top"], "pair_network");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(output.join("manifest.json")).unwrap()).unwrap();
    let link =
        |number: usize| (&manifest["network"]["links"][number]["from"], &manifest["network"]["links"][number]["to"]);
    assert_eq!(link(0), (&json!("switch 1 port 0"), &json!("switch 0 port 0")));
    assert_eq!(link(7), (&json!("switch 1 port 2"), &json!("node 1")));
    assert_eq!(manifest["network"]["edge_ports"], 4);
    let listed = fs::read_to_string(output.join("files.f")).unwrap();
    let last: Vec<&str> = listed.lines().rev().take(3).collect();
    assert_eq!(last, ["pair_network.v", "pair_link.v", "p_switch.v"]);

    fs::write(output.join("pair_link.v"), "// mine").unwrap();
    let refused = text(&network(&["generate", path, "-o", output.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("pair_link.v: was edited since"), "{refused}");
    network(&["generate", path, "-o", output.to_str().unwrap(), "--name", "two", "--force"], 0);
    assert!(output.join("two_network.v").exists() && !output.join("pair_link.v").exists());

    let nothing = folder.path().join("nothing");
    let refused = text(&network(&["generate", path, "-o", nothing.to_str().unwrap(), "--name", "3x"], 2).stderr);
    assert!(refused.contains("--name: /name: \"3x\""), "{refused}");
    let mut direct = pair();
    direct["link_latency"] = json!(0);
    let direct = file(folder.path(), "direct.json", &direct);
    let refused = text(&network(&["generate", direct.to_str().unwrap(), "-o", nothing.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("/link_latency: 0 must be at least 1"), "{refused}");
    let parity = json!({"kind": "table", "parity": {"fault_pins": true}});
    let groups = json!({"groups": 4, "parity": {"fault_pins": true}});
    for (field, value, told) in [
        ("buffer_ecc", json!({"fault_pins": true}), "/switch/buffer_ecc/fault_pins: true must be false"),
        ("routing", parity, "/switch/routing/parity/fault_pins: true must be false"),
        ("multicast", groups, "/switch/multicast/parity/fault_pins: true must be false"),
    ] {
        let mut own = pair();
        own["switch"]["virtual_channels"]["mixed"] = json!(u32::from(field == "multicast"));
        own["switch"][field] = value;
        let own = file(folder.path(), "own.json", &own);
        let refused = text(&network(&["generate", own.to_str().unwrap(), "-o", nothing.to_str().unwrap()], 2).stderr);
        assert!(refused.contains(told), "{refused}");
    }
    let long = |latency: i32| {
        let mut long = pair();
        long["topology"]["links"][0] = json!({"ends": [[0, 0], [1, 0]], "latency": latency});
        file(folder.path(), "long.json", &long)
    };
    for (latency, told) in
        [(0, "/topology/links/0/latency: 0 must be at least 1"), (1001, "/topology/links/0/latency: 1001")]
    {
        let refused = network(&["generate", long(latency).to_str().unwrap(), "-o", nothing.to_str().unwrap()], 2);
        assert!(text(&refused.stderr).contains(told), "{}", text(&refused.stderr));
    }
    assert!(!nothing.exists());
    network(&["generate", long(5).to_str().unwrap(), "-o", nothing.to_str().unwrap()], 0);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(nothing.join("manifest.json")).unwrap()).unwrap();
    let links = manifest["network"]["links"].as_array().unwrap();
    let long = links.iter().filter(|link| link["latency"] == 5).map(|link| &link["to"]).collect::<Vec<_>>();
    assert_eq!(long, [&json!("switch 0 port 0"), &json!("switch 1 port 0")]);
    assert!(nothing.join("long_link_1.v").exists() && nothing.join("long_link_5.v").exists());
}

#[test]
fn a_network_is_verified_and_an_edited_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "pair.json", &pair());
    let path = path.to_str().unwrap();
    let table = text(&network(&["verify", path, "--cycles", "500"], 0).stdout);
    assert!(table.contains("passed: Verilog and golden models equal in every cycle"), "{table}");

    // The same model, with packets from a file: by option, and by a field.
    let packets = folder.path().join("app.trace");
    fs::write(&packets, "0 0 1 4 0\n300 1 0 4 # later\n").unwrap();
    let by_option = ["verify", path, "--traffic-file", packets.to_str().unwrap()];
    let mut named = pair();
    named["traffic"] = json!({"file": "app.trace"});
    let by_field = file(folder.path(), "named.json", &named);
    for args in [&by_option[..], &["verify", by_field.to_str().unwrap()]] {
        let answer: Value = serde_json::from_slice(&network(&[args, &["--json"]].concat(), 0).stdout).unwrap();
        assert_eq!((&answer["passed"], &answer["unicast"]["packets"]), (&json!(true), &json!(2)), "{answer}");
        assert!(answer["cycles"].as_u64() > Some(300), "{answer}");
    }
    let refused = text(&network(&["verify", by_field.to_str().unwrap(), "--load", "0.1"], 2).stderr);
    assert!(refused.contains("--load: the network file names its packets (/traffic/file)"), "{refused}");
    let refused = text(&network(&["curve", by_field.to_str().unwrap()], 2).stderr);
    assert!(refused.contains("/traffic/file"), "{refused}");

    let output = folder.path().join("out");
    let output = output.to_str().unwrap();
    network(&["generate", path, "-o", output], 0);
    let link = Path::new(output).join("pair_link.v");
    let edited = fs::read_to_string(&link).unwrap().replace("rx_flit = rank_flit_q", "rx_flit = ~rank_flit_q");
    fs::write(&link, edited).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!((&answer["passed"], &answer["mismatches"][0]["kind"]), (&json!(false), &json!("observed")));
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("cycle ") && what.contains("Verilog and golden model differ"), "{what}");

    let exits = fs::read_to_string(&link).unwrap().replace("~rank_flit_q", "rank_flit_q");
    let attack = "    always @(posedge clock) $c(\"std::exit(0);\");\nendmodule";
    fs::write(&link, exits.replace("endmodule", attack)).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.contains("the design ended its process with exit code 0"), "{what}");

    fs::write(&link, exits.replace("endmodule", "    final $error(\"too few\");\nendmodule")).unwrap();
    let answer = network(&["verify", path, "--design", output, "--cycles", "500", "--json"], 1);
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let what = answer["mismatches"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("after the last cycle the Verilog fails: pair_link.v:"), "{what}");
}

/// A file of another tool comes in, is checked, and goes out as a graph and as a platform.
#[test]
fn networks_come_from_other_tools_and_go_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let foreign = place("anynet_file");
    fs::write(&foreign, "router 0 node 0 node 1 router 1 15\nrouter 1 node 2 node 3 router 0 15\n").unwrap();
    let made = place("made.json");
    let import = ["import", &foreign, "--from", "anynet", "-o", &made];
    let table = text(&network(&import, 0).stdout);
    assert!(table.contains("ports of a switch       3 or more") && table.contains("made.json"), "{table}");
    assert!(text(&network(&["check", &made], 0).stdout).contains("no ring of channels"));
    assert!(text(&network(&import, 2).stderr).contains("exists; remove it first"));
    let refused = ["import", &foreign, "--from", "graphml", "-o", &place("other.json"), "--json"];
    let answer: Value = serde_json::from_slice(&network(&refused, 2).stdout).unwrap();
    assert_eq!(answer["faults"][0]["path"], "line 1", "{answer}");
    let option = ["import", &foreign, "--from", "anynet", "-o", &place("other.json"), "--uplinks", "2"];
    assert!(text(&network(&option, 2).stderr).contains("--uplinks: is an option of --from topology-conf only"));

    let graph = text(&network(&["export", &made, "--to", "dot"], 0).stdout);
    assert!(graph.starts_with("graph {") && graph.contains("taillabel = 2 headlabel = 2 label = 15"), "{graph}");
    let platform = place("platform.xml");
    network(&["export", &made, "--to", "simgrid", "--clock", "500", "-o", &platform], 0);
    let platform = fs::read_to_string(platform).unwrap();
    let link = "<link id=\"link_0_2_1_2\" bandwidth=\"32000Mbps\" latency=\"30ns\" sharing_policy=\"SPLITDUPLEX\"/>";
    let route = "<route src=\"node3\" dst=\"node0\" symmetrical=\"NO\"><link_ctn id=\"link_node3\" direction=\"UP\"/>\
        <link_ctn id=\"switch1\"/><link_ctn id=\"link_0_2_1_2\" direction=\"DOWN\"/><link_ctn id=\"switch0\"/>\
        <link_ctn id=\"link_node0\" direction=\"DOWN\"/></route>";
    assert!(platform.contains(link) && platform.contains(route), "{platform}");
    let shortest = text(&network(&["export", &made, "--to", "simgrid", "--shortest"], 0).stdout);
    assert!(shortest.contains("<route src=\"router1\" dst=\"router0\"") && shortest.contains("Dijkstra"), "{shortest}");
}

/// As text, packed, and with faults; a long pause takes no time.
#[test]
fn packets_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, network_file) = (folder.path().join("app.trace"), example("leaf_spine.json"));
    fs::write(&plain, "0 0 3 4 # first\n\n5000000000 3 1 4\n2 2 2 4\n").unwrap();
    assert!(Command::new("gzip").arg("--keep").arg(&plain).status().unwrap().success());
    let [text_file, packed] = ["app.trace", "app.trace.gz"].map(|name| folder.path().join(name).display().to_string());
    let figures = |file: &str| report(&[&network_file, "--traffic-file", file]);
    let csv = folder.path().join("packets.csv").display().to_string();
    let run = report(&[&network_file, "--traffic-file", &text_file, "--packets", &csv]);
    let lines = fs::read_to_string(&csv).unwrap();
    let heads = "source,destination,group,vc,flits,kind,cycle_made,cycle_in,cycle_out";
    assert_eq!((lines.lines().next(), lines.lines().count()), (Some(heads), 3), "{lines}");
    assert!(lines.lines().nth(1).unwrap().starts_with("0,3,,") && lines.contains(",4,unicast,0,0,"), "{lines}");
    assert_eq!(run["packets_file"]["packets"], 2, "{run:#}");
    assert_eq!(run["unicast"]["packets"], 2, "{run:#}");
    assert!(run["cycles"].as_u64() > Some(5_000_000_000), "{run:#}");
    assert!(run["notes"][0].as_str().unwrap().contains("1 packets go to their own nodes"), "{run:#}");
    assert_eq!(figures(&packed)["unicast"], run["unicast"]);
    fs::write(&plain, "0 0 99 4\n").unwrap();
    let output = network(&["run", &network_file, "--traffic-file", &text_file], 2);
    assert!(text(&output.stderr).contains("app.trace:1: 99 must be a node, 0 to"), "{}", text(&output.stderr));
    network(&["run", "-", "--traffic-file", "-"], 2);
    network(&["run", &network_file, "--traffic-file", &text_file, "--load", "0.1"], 2);
}
