//! `railyard explore`: sweeps from file to table.

use railyard_estimate::NamedLibrary;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

fn railyard(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.args(args);
    command
}

fn explore(args: &[&str], status: i32) -> Output {
    let output = railyard(&[&["explore"], args].concat()).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer(args: &[&str]) -> String {
    let output = explore(args, 0);
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A temporary folder with a sweep in it.
struct Place {
    folder: tempfile::TempDir,
    sweep: String,
}

impl Place {
    fn new(sweep: &Value) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sweep.json");
        fs::write(&file, sweep.to_string()).unwrap();
        Place { sweep: file.to_str().unwrap().into(), folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().into()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn small() -> Value {
    json!({
        "base": "tiny",
        "vary": { "/routing/cache/entries": [16, 32], "routing.cache.ways": [1, 2, 3] },
        "simulate": { "cycles": 2000, "load": [0.3, 0.9], "seed": [1, 2] },
        "plots": [{
            "x": "memory_bits", "y": "accepted_load", "series": "routing.cache.ways", "where": { "load": 0.9 }, "log": ["x"],
            "pareto": { "x": "min", "y": "max" }
        }]
    })
}

/// Finished runs and when each was written.
fn runs(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let results = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json"));
    results.map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap())).collect()
}

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
fn the_job_array_is_a_script() {
    let place = Place::new(&small());
    let out = place.path("out");
    let options =
        ["--slurm", "--tasks", "4", "--throttle", "2", "--time", "10", "--sbatch=--account=net", "-j", "3", "--json"];
    let json: Value =
        serde_json::from_str(&answer(&[&[place.sweep.as_str(), "-o", &out][..], &options].concat())).unwrap();
    assert_eq!((&json["tasks"], &json["runs"], &json["job"]), (&json!(4), &json!(16), &Value::Null));
    let script = place.read("out/sweep.sbatch");
    for line in ["#SBATCH --array=1-4%2", "#SBATCH --cpus-per-task=3", "#SBATCH --time=10", "#SBATCH --account=net"] {
        assert!(script.lines().any(|l| l == line), "{line} in {script}");
    }
    // What Slurm does with it, done by hand.
    for task in 1..=4 {
        let shell = &mut Command::new("sh");
        shell.arg(place.path("out/sweep.sbatch")).env("SLURM_ARRAY_TASK_ID", task.to_string()).stdout(Stdio::null());
        assert!(shell.status().unwrap().success());
    }
    answer(&[&place.sweep, "-o", &out, "--collect"]);
    answer(&[&place.sweep, "-o", &place.path("local")]);
    assert_eq!(place.read("local/results.csv"), place.read("out/results.csv"));
}

#[test]
fn a_missing_sbatch_is_an_error_that_says_so() {
    let place = Place::new(&small());
    let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out"), "--slurm", "--submit"]);
    let output = command.env("PATH", place.path("nowhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("submit "), "{}", text(&output.stderr));
}

/// `sbatch` is told by how it ended, whatever it printed, and a job without a number is none.
#[test]
fn what_becomes_of_sbatch_is_told() {
    let place = Place::new(&small());
    let submit = |script: &str| {
        let tools = place.folder.path().join("tools");
        fs::create_dir_all(&tools).unwrap();
        fs::write(tools.join("sbatch"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(tools.join("sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
        let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out"), "--slurm", "--submit"]);
        let output = command.env("PATH", &tools).output().unwrap();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for (script, told) in [
        ("kill -9 $$", "sbatch was killed by signal 9 (SIGKILL)"),
        ("echo 'no such partition' >&2; exit 3", "sbatch ended with exit status 3\n  no such partition"),
        ("exit 0", "printed no job number"),
    ] {
        let (code, text) = submit(script);
        assert!(code == Some(2) && text.contains(told), "{script}: {text}");
    }
    let (code, text) = submit("echo '17;cluster'");
    assert!(code == Some(0) && text.contains("job") && text.contains("17"), "{text}");
}

#[test]
fn committed_sweeps_are_legal() {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/sweeps")).unwrap() {
        answer(&[entry.unwrap().path().to_str().unwrap(), "--dry-run"]);
    }
}

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

#[test]
fn the_schema_of_sweeps_is_a_schema() {
    let output = railyard(&["schema", "--sweep"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$defs"]["Simulate"]["properties"]["cycles"]["minimum"], 10);
}

/// Yosys, OpenSTA and a library, or a line that says that the test was not run.
fn estimates_can_be_made() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/liberty");
    let folder = std::env::var_os("RAILYARD_LIBERTY_DIR").map_or(beside, PathBuf::from);
    let runs = |tool: &str, flag: &str| Command::new(tool).arg(flag).output().is_ok();
    let named = NamedLibrary::get("nangate45").unwrap();
    let ready = named.find(std::slice::from_ref(&folder)).is_ok() && runs("yosys", "-V") && runs("sta", "-version");
    if !ready {
        eprintln!("not run: yosys, sta or nangate45 missing");
    }
    ready.then_some(folder)
}

#[test]
fn estimates_join_simulations() {
    let Some(folder) = estimates_can_be_made() else { return };
    let place = Place::new(&json!({
        "base": "tiny",
        "together": [{ "flit_bits": [16], "buffer_flits": [8] }],
        "simulate": { "cycles": 2000, "load": [0.5, 1.0] },
        "estimate": {},
        "plots": [{ "x": "area_um2", "y": "port_gbps", "pareto": { "x": "min", "y": "max" } }]
    }));
    let out = place.path("out");
    let command = &mut railyard(&["explore", &place.sweep, "-o", &out, "--json"]);
    let output =
        command.env("RAILYARD_LIBERTY_DIR", folder).env("RAILYARD_CACHE", place.path("cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    // An estimate is of a switch, whatever its load.
    assert_eq!((&json["points"], &json["runs"]["made"]), (&json!(2), &json!(3)));
    let all: Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
    for point in all["points"].as_array().unwrap() {
        let number = |name: &str| point[name].as_f64().unwrap_or_else(|| panic!("{name}: {point}"));
        let expected = number("accepted_load") * number("flit_bits") * number("fmax_mhz") / 1_000.0;
        assert!((number("port_gbps") - expected).abs() < 1e-6, "{point}");
        assert!(number("area_um2") > 1_000.0, "{point}");
    }
    assert_eq!((&json["pareto"][0]["of"], &json["pareto"][0]["points"][0]["load"]), (&json!(2), &json!(1.0)));
}

#[test]
fn a_run_that_fails_does_not_stop_the_others() {
    let Some(folder) = estimates_can_be_made() else { return };
    let place = Place::new(&json!({
        "base": "tiny",
        "vary": { "routing.cache": [null, { "entries": 16, "ways": 2 }] },
        "estimate": { "block": "routing_cache" }
    }));
    let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out"), "--json"]);
    let output =
        command.env("RAILYARD_LIBERTY_DIR", folder).env("RAILYARD_CACHE", place.path("cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["points"], 1, "{json}");
    let unfinished = &json["unfinished"][0];
    assert_eq!(unfinished["values"], json!({"routing.cache": null}));
    assert!(unfinished["why"].as_str().unwrap().contains("no module routing_cache"), "{unfinished}");
}

#[test]
fn a_block_of_no_design_is_a_fault_of_the_sweep() {
    for (block, legal) in [("no_such", "legal: allocator, "), ("ram_1r1w_512x20", "legal: leave it out")] {
        let sweep = json!({"base": "hpc16", "vary": {"flit_bits": [64, 128]}, "estimate": {"block": block}});
        let place = Place::new(&sweep);
        for arguments in [["--dry-run", "--json"], ["-o", &place.path("out")]] {
            let output = railyard(&["explore", &place.sweep]).args(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            let said = [text(&output.stdout), text(&output.stderr)].concat();
            assert!(said.contains("/estimate/block") && said.contains(legal), "{said}");
        }
    }
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

#[test]
fn a_missing_library_ends_the_sweep() {
    let place = Place::new(&json!({"base": "tiny", "vary": {"ports": [2, 4]}, "estimate": {"library": "gt2n"}}));
    let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out")]);
    let output = command.env("RAILYARD_LIBERTY_DIR", place.path("none")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}
