//! Networks are run.

use super::{example, file, network, pair, report, text};
use serde_json::{json, Value};
use std::fs;
use std::process::Command;

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
