//! Results of runs are kept: a sweep goes on where it was.

use super::{answer, explore, railyard, runs, small, text, Place};
use serde_json::{json, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_sweep_that_was_killed_goes_on_where_it_was() {
    let mut sweep = small();
    sweep["simulate"]["cycles"] = json!(60_000);
    let place = Place::new(&sweep);
    let (whole, broken) = (place.path("whole"), place.path("broken"));
    answer(&[&place.sweep, "-o", &whole]);
    let broken_folder = Path::new(&broken);
    let mut kills = 0;
    // Kill it whenever three more runs are finished, until it has been killed twice.
    while kills < 2 {
        let before = runs(broken_folder);
        let mut child =
            railyard(&["explore", &place.sweep, "-o", &broken, "-j", "1"]).stdout(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while runs(broken_folder).len() < before.len() + 3 && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let after = runs(broken_folder);
        assert!(after.len() >= before.len() + 3 && after.len() < 16, "{} runs of 16", after.len());
        assert!(before.iter().all(|(path, time)| after.get(path) == Some(time)), "finished runs are not made again");
        kills += 1;
    }
    assert!(!broken_folder.join("results.csv").exists());
    let before = runs(broken_folder);
    let json: Value = serde_json::from_str(&answer(&[&place.sweep, "-o", &broken, "--json"])).unwrap();
    assert_eq!(json["runs"]["found"], json!(before.len()));
    let after = runs(broken_folder);
    assert!(before.iter().all(|(path, time)| after.get(path) == Some(time)));
    for file in ["results.csv", "results.json", "plots/accepted_load_over_memory_bits.svg"] {
        assert_eq!(place.read(&format!("whole/{file}")), place.read(&format!("broken/{file}")), "{file}");
    }
}

#[test]
fn shards_at_the_same_time_make_what_one_run_makes() {
    let place = Place::new(&small());
    let (whole, parts) = (place.path("whole"), place.path("parts"));
    answer(&[&place.sweep, "-o", &whole]);
    // The second of three is missing; the first is at work twice.
    let workers: Vec<_> = ["1/3", "3/3", "1/3"]
        .map(|shard| {
            railyard(&["explore", &place.sweep, "-o", &parts, "--shard", shard]).stdout(Stdio::null()).spawn().unwrap()
        })
        .into_iter()
        .collect();
    workers.into_iter().for_each(|mut worker| assert!(worker.wait().unwrap().success()));
    assert_eq!(runs(Path::new(&parts)).len(), 11);
    let missing = explore(&[&place.sweep, "-o", &parts, "--collect"], 1);
    assert!(text(&missing.stdout).contains("11, 5 unfinished"), "{}", text(&missing.stdout));
    let json: Value =
        serde_json::from_slice(&explore(&[&place.sweep, "-o", &parts, "--collect", "--json"], 1).stdout).unwrap();
    assert_eq!(json["unfinished"].as_array().unwrap().len(), 5);
    assert_eq!(json["unfinished"][0]["values"]["seed"], 2);
    answer(&[&place.sweep, "-o", &parts, "--shard", "2/3"]);
    // From anywhere, with the sweep that the folder holds.
    answer(&[&place.path("parts/sweep.json"), "-o", &parts, "--collect"]);
    assert_eq!(place.read("whole/results.csv"), place.read("parts/results.csv"));
}

#[test]
fn a_result_that_is_cut_off_is_none() {
    let place = Place::new(&small());
    let out = place.path("out");
    answer(&[&place.sweep, "-o", &out]);
    let table = place.read("out/results.csv");
    let victim = runs(Path::new(&out)).into_keys().next().unwrap();
    fs::write(&victim, "{\"metrics\": {\"offer").unwrap();
    let again = explore(&[&place.sweep, "-o", &out, "--json"], 0);
    assert!(text(&again.stderr).contains("seal does not fit"), "{}", text(&again.stderr));
    let json: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&json["runs"]["made"], &json["runs"]["found"]), (&json!(1), &json!(15)));
    assert_eq!(place.read("out/results.csv"), table);
}

/// Somebody has changed what was measured: that is no result, and `explore` says so and makes it again.
#[test]
fn a_changed_digit_of_a_kept_result_is_found() {
    let place = Place::new(&small());
    let out = place.path("out");
    answer(&[&place.sweep, "-o", &out]);
    let table = place.read("out/results.csv");
    let files: Vec<PathBuf> = runs(Path::new(&out)).into_keys().collect();
    let change = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let at = text.find("\"packets\": ").unwrap() + "\"packets\": ".len();
        let digit = if text.as_bytes()[at] == b'1' { "2" } else { "1" };
        fs::write(file, [&text[..at], digit, &text[at + 1..]].concat()).unwrap();
    };
    // A digit, and the result of one run in the place of another's.
    change(&files[0]);
    fs::copy(&files[2], &files[1]).unwrap();
    let collected = explore(&[&place.sweep, "-o", &out, "--collect", "--json"], 1);
    let json: Value = serde_json::from_slice(&collected.stdout).unwrap();
    let whys: Vec<&str> =
        json["unfinished"].as_array().unwrap().iter().map(|point| point["why"].as_str().unwrap()).collect();
    assert!(whys.len() == 2 && whys.iter().all(|why| why.contains("its seal does not fit")), "{whys:?}");
    let again = explore(&[&place.sweep, "-o", &out, "--json"], 0);
    let notes = text(&again.stderr);
    for file in &files[..2] {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(notes.lines().any(|note| note.contains(name) && note.contains("seal does not fit")), "{notes}");
    }
    let json: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&json["runs"]["made"], &json["runs"]["found"]), (&json!(2), &json!(14)));
    assert_eq!(place.read("out/results.csv"), table);
}

#[test]
fn a_changed_sweep_uses_what_is_there() {
    let mut sweep = small();
    let place = Place::new(&sweep);
    let out = place.path("out");
    answer(&[&place.sweep, "-o", &out]);
    sweep["simulate"]["load"] = json!([0.3, 0.6]);
    sweep["plots"] = json!([]);
    fs::write(&place.sweep, sweep.to_string()).unwrap();
    let json: Value = serde_json::from_str(&answer(&[&place.sweep, "-o", &out, "--json"])).unwrap();
    assert_eq!((&json["runs"]["made"], &json["runs"]["found"]), (&json!(8), &json!(8)));
    assert!(
        !place.folder.path().join("out/plots/accepted_load_over_memory_bits.svg").exists(),
        "no plot of another sweep"
    );
}

#[test]
fn what_is_no_result_of_a_run_is_made_again() {
    let place = Place::new(&json!({"base": "tiny", "simulate": {"cycles": 500}}));
    let explore = || railyard(&["explore", &place.sweep, "-o", &place.path("out"), "--json"]).output().unwrap();
    let made = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["runs"]["made"].clone()
    };
    assert_eq!(made(&explore()), 1);
    let run = fs::read_dir(place.path("out/runs")).unwrap().next().unwrap().unwrap().path();
    let sound: Value = serde_json::from_str(&fs::read_to_string(&run).unwrap()).unwrap();
    let (mut words, mut other) = (sound.clone(), sound.clone());
    words["metrics"]["accepted_load"] = json!("x");
    other["config"]["flit_bits"] = json!(512);
    for bad in [json!([1]), json!(3), json!({"metrics": {}}), words, other] {
        fs::write(&run, bad.to_string()).unwrap();
        assert_eq!(made(&explore()), 1, "{bad}");
    }
    assert_eq!(made(&explore()), 0);
}
