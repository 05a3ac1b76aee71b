//! What the command line does for its users: help, completions, man pages, `doctor`, the names that were meant, files
//! of the wrong kind.

use clap::Command as Verb;
use serde_json::{json, Value};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn run(args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(environment.iter().copied());
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must end with this code; its standard output.
fn answer(args: &[&str], code: i32) -> String {
    let output = run(args, &[]);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that must end with exit code 2; its standard error.
fn refusal(args: &[&str]) -> String {
    let output = run(args, &[]);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// A file in a folder; its path.
fn file(folder: &Path, name: &str, contents: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, contents).expect("a temporary file");
    path.to_str().expect("UTF-8").into()
}

/// The words of all verbs, those of `network` too.
fn verbs(command: &Verb, before: &[String], all: &mut Vec<Vec<String>>) {
    all.push(before.to_vec());
    for verb in command.get_subcommands() {
        verbs(verb, &[before, &[verb.get_name().to_string()]].concat(), all);
    }
}

fn all_verbs() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    verbs(&railyard::cli::command(), &[], &mut all);
    all
}

#[test]
fn help_is_short_or_long_and_the_long_one_has_an_example() {
    for words in all_verbs() {
        let help = |option| {
            let words: Vec<&str> = words.iter().map(String::as_str).chain([option]).collect();
            answer(&words, 0)
        };
        let (short, long) = (help("-h"), help("--help"));
        let line = ["railyard".to_string(), words.join(" ")].join(" ");
        assert!(long.contains("Example") && long.contains(line.trim()), "{words:?}: {long}");
        assert!(!short.contains("Example") && short.len() < long.len(), "{words:?}: {short}");
        assert!(long.lines().chain(short.lines()).all(|line| line.chars().count() <= 100), "{words:?}: {long}");
    }
    let narrow = text(&run(&["verify", "--help"], &[("COLUMNS", "60")]).stdout);
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}

#[test]
fn colour_is_for_terminals() {
    for args in [&["verfy"][..], &["check", "no-such-file"], &["--help"], &["simulate", "tiny", "--cycles", "0"]] {
        let plain = run(args, &[]);
        assert!(!text(&[plain.stdout, plain.stderr].concat()).contains('\x1b'), "{args:?}");
        let forced = run(args, &[("CLICOLOR_FORCE", "1")]);
        assert!(text(&[forced.stdout, forced.stderr].concat()).contains('\x1b'), "{args:?}");
    }
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer(&["completions", shell], 0);
        assert!(["railyard", "curve", "packets"].iter().all(|word| script.contains(word)), "{shell}: {script}");
        let json: Value = serde_json::from_str(&answer(&["completions", shell, "--json"], 0)).unwrap();
        assert_eq!((&json["shell"], &json["script"]), (&json!(shell), &json!(script)));
    }
    let folder = tempfile::tempdir().unwrap();
    let script = file(folder.path(), "railyard.bash", &answer(&["completions", "bash"], 0));
    let line = format!("source {script} && COMP_WORDS=(railyard veri) COMP_CWORD=1 && _railyard railyard veri railyard && echo ${{COMPREPLY[@]}}");
    let output = Command::new("bash").args(["-c", &line]).output().expect("bash");
    assert_eq!(text(&output.stdout).trim(), "verify", "{}", text(&output.stderr));
}

#[test]
fn every_verb_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("new/man1");
    let out = pages.to_str().unwrap();
    let json: Value = serde_json::from_str(&answer(&["man", "-o", out, "--json"], 0)).unwrap();
    assert_eq!(json["files"].as_array().unwrap().len(), all_verbs().len());
    for words in all_verbs() {
        let name = std::iter::once("railyard".to_string()).chain(words).collect::<Vec<_>>();
        let page = fs::read_to_string(pages.join(format!("{}.1", name.join("-")))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH NOTES") && page.contains("Example"), "{page}");
    }
    assert!(answer(&["man", "-o", out], 0).contains("pages"));
    assert!(refusal(&["man", "-o", &file(folder.path(), "a_file", "")]).contains("is a file, not a folder"));
}

/// A program that says `version`.
fn program(folder: &Path, name: &str, version: &str) {
    let path = file(folder, name, &format!("#!/bin/sh\necho '{version}'\n"));
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// What `doctor --json` says with those programs, and its exit code.
fn examined(folder: &Path) -> (Value, Option<i32>) {
    let output = run(&["doctor", "--json"], &[("PATH", folder.to_str().unwrap())]);
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

fn need<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["needs"].as_array().unwrap().iter().find(|need| need["name"] == name).expect(name)
}

#[test]
fn doctor_says_what_is_missing_for_what() {
    let folder = tempfile::tempdir().unwrap();
    let (report, code) = examined(folder.path());
    assert_eq!((code, &report["can_verify"]), (Some(1), &json!(false)), "{report}");
    assert!(report["get"][0].as_str().unwrap().starts_with("apt-get install verilator g++"), "{report}");
    assert_eq!(need(&report, "Verilator")["state"], "missing");
    assert_eq!(need(&report, "Slurm")["needed_by"], json!(["explore --slurm --submit"]));
    assert_eq!(need(&report, "SimGrid")["get"], "apt-get install libsimgrid-dev");

    program(folder.path(), "verilator", "Verilator 4.038 2020-07-11");
    program(folder.path(), "g++", "g++ 12.2.0");
    program(folder.path(), "yosys", "I am no Yosys");
    file(folder.path(), "sta", "");
    let (report, code) = examined(folder.path());
    assert_eq!(code, Some(1));
    let old = need(&report, "Verilator");
    assert!(old["state"] == "unusable" && old["why"].as_str().unwrap().contains("is older than 5"), "{old}");
    assert_eq!(need(&report, "g++")["version"], "g++ 12.2.0");
    assert!(need(&report, "Yosys")["why"].as_str().unwrap().contains("is another program"), "{report}");
    assert_eq!(need(&report, "OpenSTA")["why"], "is not executable");

    program(folder.path(), "verilator", "Verilator 5.006 2023-01-22");
    let (report, code) = examined(folder.path());
    assert_eq!((code, &report["can_verify"]), (Some(0), &json!(true)), "{report}");
    let table = text(&run(&["doctor"], &[("PATH", folder.path().to_str().unwrap())]).stdout);
    assert!(table.contains("5.006 2023-01-22") && table.contains("`railyard verify` can be run."), "{table}");
    assert!(table.contains("apt-get install") && table.contains("NOT USABLE"), "{table}");
}

const NETWORK: &str = r#"{"switch": "source16", "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}}"#;

#[test]
fn a_file_of_another_kind_is_told_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, contents: &str| file(folder.path(), name, contents);
    let network = at("net.json", NETWORK);
    let description = at("switch.json", r#"{"name": "mine", "ports": 4}"#);
    let sweep = at("sweep.json", r#"{"base": "tiny", "simulate": {}}"#);
    let scenario = at("scenario.json", r#"{"seed": 1, "traffic": {"load": 0.5}}"#);
    let wiring = at("wiring.json", r#"{"switches": 1, "nodes": [[0, 0], [0, 1]]}"#);
    let tables = at("tables.json", r#"{"routes": [[0, 1]]}"#);
    let design = folder.path().join("design");
    answer(&["generate", "tiny", "-o", design.to_str().unwrap()], 0);
    let manifest = design.join("manifest.json").to_str().unwrap().to_string();
    let names =
        at("names.json", r#"{"switch": "net.json", "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}}"#);
    for (args, told) in [
        (&["check", &network][..], "this is a network file: use `railyard network check`; legal: a switch description"),
        (&["verify", &sweep], "this is a sweep: use `railyard explore`; legal: a switch description"),
        (&["simulate", &scenario], "this is a scenario: its text is for `railyard verify CONFIG --scenario`"),
        (&["generate", &manifest, "-o", "unused"], "this is the manifest of a design: its folder is for"),
        (&["estimate", &tables], "this is the tables of a network: a network file names it as \"tables\""),
        (&["check", &wiring], "this is the wiring of a network: a network file names it as \"topology\""),
        (
            &["network", "check", &description],
            "this is a switch description: use `railyard check`; legal: a network file",
        ),
        (&["network", "run", &scenario], "this is a scenario: "),
        (&["network", "check", &names], "this is a network file: "),
        (&["picture", "network", &description], "this is a switch description: "),
        (&["explore", &network, "--dry-run"], "this is a network file: use `railyard network check`; legal: a sweep"),
        (&["explore", &description, "--dry-run"], "this is a switch description: use `railyard check`; legal: a sweep"),
        (
            &["verify", "tiny", "--scenario", NETWORK],
            "this is a network file: use `railyard network check`; legal: a scenario",
        ),
    ] {
        let error = refusal(args);
        assert!(error.contains(told), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 2, "nothing else is said: {error}");
    }
    fs::write(&manifest, NETWORK).unwrap();
    let error = refusal(&["verify", "tiny", "--design", design.to_str().unwrap()]);
    assert!(error.contains("manifest.json is a network file: use `railyard network check`"), "{error}");
    // A stray key makes no other document of a description.
    let stray = at("stray.json", r#"{"name": "mine", "ports": 4, "topology": 2}"#);
    assert!(refusal(&["check", &stray]).contains("/topology: 2 is not a field here"));
}

#[test]
fn the_name_that_was_meant_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, contents: &str| file(folder.path(), name, contents);
    let plots = r#"{"base": "tiny", "simulate": {}, "plots": [{"x": "memory_bit", "y": "latency_mean"}]}"#;
    let key = at("key.json", r#"{"name": "mine", "buffer_flit": 8}"#);
    let kind = at("kind.json", &NETWORK.replace("fat_tree", "fattree"));
    let switch = at("switch.json", &NETWORK.replace("source16", "sourc16"));
    let topology = at("topology.json", &NETWORK.replace("fat_tree", "fat_tre"));
    let base = at("base.json", r#"{"base": "tinny", "simulate": {}}"#);
    let traffic = at("traffic.json", r#"{"base": "tiny", "simulate": {"traffic": ["tornaod"]}}"#);
    let library = at("library.json", r#"{"base": "tiny", "estimate": {"library": "nangate54"}}"#);
    let column = at("column.json", plots);
    for (args, told) in [
        (&["verfy"][..], "a similar subcommand exists: 'verify'"),
        (&["check", "tiny", "--jsn"], "a similar argument exists: '--json'"),
        (&["check", "hcp16"], "no such preset (did you mean `hpc16`?)"),
        (&["new", "--preset", "tinny"], "no such preset (did you mean `tiny`?)"),
        (&["simulate", "tiny", "--traffic", "unifrm"], "a similar value exists: 'uniform'"),
        (&["study", "capcity"], "a similar value exists: 'capacity'"),
        (&["picture", "blokcs", "tiny"], "a similar value exists: 'blocks'"),
        (&["check", &key], "/buffer_flit: 8 is not a field here (did you mean `buffer_flits`?)"),
        (&["network", "check", &kind], "legal: \"fat_tree\""),
        (&["network", "check", &topology], "\"wiring\", \"file\" (did you mean `fat_tree`?); legal: \"fat_tree\""),
        (&["network", "check", &switch], "neither a preset nor a file (did you mean `source16`?); legal: \"source16\""),
        (&["report", "conflict-mises"], "no such file, preset or study (did you mean `conflict-misses`?)"),
        (&["explore", &base, "--dry-run"], "no preset (did you mean `tiny`?)"),
        (&["explore", &traffic, "--dry-run"], "legal: \"tornado\""),
        (&["explore", &library, "--dry-run"], "legal: \"nangate45\""),
        (&["explore", &column, "--dry-run"], "is no column of this sweep (did you mean `memory_bits`?)"),
        (&["estimate", "tiny", "--library", "nangate54"], "unknown library nangate54 (did you mean `nangate45`?)"),
    ] {
        let error = refusal(args);
        assert!(error.contains(told), "{args:?}: {error}");
    }
}

#[test]
fn the_nearest_legal_number_is_told() {
    for (args, told) in [
        (&["bench", "tiny", "--seconds", "601"][..], "from 1 to 600; the nearest is 600"),
        (&["simulate", "tiny", "--cycles", "-3"], "; the nearest is 10"),
        (&["simulate", "tiny", "--cycles", "99.6"], "; the nearest is 100"),
        (&["simulate", "tiny", "--load", "1.5"], "from 0.0 to 1.0; the nearest is 1.0"),
        (&["simulate", "tiny", "--load", "-1"], "from 0.0 to 1.0; the nearest is 0.0"),
    ] {
        assert!(refusal(args).contains(told), "{args:?}: {}", refusal(args));
    }
    assert!(!refusal(&["simulate", "tiny", "--load", "full"]).contains("nearest"));
}

/// The place is said once, and so is the fault.
#[test]
fn what_is_no_json_is_told_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    for (text, told) in [
        (" \n", "(file): the file is empty; legal: "),
        (r#"{"ports": 1e400}"#, "(file): line 1, column 15 is not JSON: number out of range; legal: "),
        (r#"{"ports": 4,}"#, "(file): line 1, column 13 is not JSON: trailing comma; legal: "),
        ("// a comment", "(file): line 1, column 1 is not JSON: expected value; legal: "),
        (r#"{"name": "a", "buffer_flits": 1.5}"#, "/buffer_flits: 1.5 must be of type integer or null; legal: 32"),
    ] {
        let error = refusal(&["check", &file(folder.path(), "a.json", text)]);
        assert!(error.contains(told) && error.lines().count() == 2, "{error}");
    }
    let json = file(folder.path(), "t.json", r#"{"seed": 1}"#);
    let error = refusal(&["verify", "tiny", "--scenario", &json]);
    assert!(error.contains("is a file name, and the option takes the JSON itself: --scenario \"$(cat "), "{error}");
    for (option, kind) in [("--multicast", "mixed"), ("--barriers", "barrier")] {
        let error = refusal(&["simulate", "tiny", option, "0.1"]);
        assert!(error.contains(&format!("/virtual_channels/{kind}: 0 must be 1 for {option}; legal: 1")), "{error}");
    }
}

/// One thing has one name; the old names still do, and are not shown.
#[test]
fn old_names_of_options_are_taken_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let network = file(folder.path(), "net.json", NETWORK);
    let report = |option| -> Value {
        let args = ["network", "run", &network, "--cycles", "200", option, "local", "--json"];
        let mut report: Value = serde_json::from_str(&answer(&args, 0)).unwrap();
        report["cycles_per_second"] = Value::Null;
        report
    };
    assert_eq!(report("--traffic"), report("--pattern"));
    let trace = file(folder.path(), "packets.txt", "0 1\n1 0\n2 3\n");
    let study = |option| answer(&["study", "trace", option, &trace, "--torus", "2x2x2", "--json"], 0);
    assert_eq!(study("--traffic-file"), study("--trace"));
    assert!(!answer(&["network", "run", "--help"], 0).contains("--pattern"));
    assert!(!answer(&["study", "--help"], 0).contains("--trace"));
}

#[test]
fn packets_are_written_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out.csv");
    let path = out.to_str().unwrap();
    let args = ["simulate", "tiny", "--cycles", "2000", "--packets", path, "--json"];
    let report: Value = serde_json::from_str(&answer(&args, 0)).unwrap();
    let csv = fs::read_to_string(&out).unwrap();
    let heads = "port,vc,cycle_made,cycle_in,cycle_out,out_ports,out_vc,flits,kind,address,hops";
    assert_eq!(csv.lines().next(), Some(heads));
    assert_eq!(csv.lines().count() as u64, 1 + report["packets_file"]["packets"].as_u64().unwrap());
    let first_measured = report["set_up"].as_u64().unwrap() + report["warm_up"].as_u64().unwrap();
    let rows = csv.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let left = |row: &Vec<String>| row[4].parse::<u64>().unwrap() >= first_measured && row[10] == "1";
    assert_eq!(rows.filter(left).count() as u64, report["packets"].as_u64().unwrap());
    answer(&args, 0);
    assert_eq!(fs::read_to_string(&out).unwrap(), csv, "the same seed gives the same lines");
    assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1, "no draft stays");

    let error = refusal(&["simulate", "tiny", "--traffic", "faults", "--packets", path]);
    assert!(error.contains("--packets: packets can't be followed"), "{error}");
    assert!(refusal(&["simulate", "tiny", "--packets", folder.path().to_str().unwrap()]).contains("is a folder"));
}

#[test]
fn a_curve_is_the_same_with_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let network = file(folder.path(), "net.json", NETWORK);
    let curve = |jobs: &str, out: &str| {
        let out = folder.path().join(out);
        let args = ["network", "curve", &network, "--loads", "0.2:1:0.4", "--cycles", "2000", "-j", jobs];
        let table = answer(&[&args[..], &["-o", out.to_str().unwrap()]].concat(), 0);
        let names = ["curve.csv", "curve.json", "latency.svg", "throughput.svg"];
        (table, names.map(|name| fs::read_to_string(out.join(name)).unwrap()))
    };
    let ((table, files), (_, again)) = (curve("1", "one"), curve("3", "three"));
    assert_eq!(files, again);
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let lines: Vec<&str> = files[0].lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    let loads: Vec<&str> = lines[1..].iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(loads, ["0.2", "0.6", "1"]);
    let points = serde_json::from_str::<Value>(&files[1]).unwrap()["points"].clone();
    assert!(points[0]["saturated"] == json!(false) && points[2]["saturated"] == json!(true), "{points}");
    assert!(table.lines().nth(3).unwrap().ends_with("saturated"), "{table}");
    assert!(files[2].contains("saturated, or not steady") && files[2].contains("latency (cycles)"));
    let one = answer(&["network", "curve", &network, "--loads", "0.6", "--cycles", "2000", "--json"], 0);
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["points"][0], points[1], "a point does not depend on the others");
    assert!(refusal(&["network", "curve", &network, "--loads", "0.9:0.1:0.1"]).contains("must rise from FROM to TO"));
}

/// Runs at a load are repetitions: a row each in CSV and JSON; their mean, with its confidence, for people and in
/// pictures.
#[test]
fn a_curve_of_several_runs_has_error_bars() {
    let folder = tempfile::tempdir().unwrap();
    let network = file(folder.path(), "net.json", NETWORK);
    let out = folder.path().join("out");
    let curve = ["network", "curve", &network, "--loads", "0.2,0.6", "--cycles", "2000"];
    let several = answer(&[&curve[..], &["--runs", "3", "-o", out.to_str().unwrap()]].concat(), 0);
    let one: Value = serde_json::from_str(&answer(&[&curve[..], &["--json"]].concat(), 0)).unwrap();
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let all: Value = serde_json::from_str(&read("curve.json")).unwrap();
    let points = all["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[0], &points[3]), (6, &one["points"][0], &one["points"][1]));
    let rate = |point: &Value| point["accepted"].as_f64().unwrap();
    let (low, high) = (points[..3].iter().map(rate), points[..3].iter().map(rate));
    let mean = points[..3].iter().map(rate).sum::<f64>() / 3.0;
    assert!(low.fold(1.0, f64::min) < high.fold(0.0, f64::max), "each run has a seed of its own: {all}");
    assert_eq!(several.lines().next().unwrap().matches("+-").count(), 2, "{several}");
    assert!(several.lines().nth(1).unwrap().contains(&format!("  {mean:.4}  ")), "{mean}: {several}");
    assert!(read("curve.csv").starts_with("load,seed,offered,") && read("curve.csv").lines().count() == 7);
    for name in ["latency.svg", "throughput.svg"] {
        assert!(read(name).contains("95 % confidence"), "{name}");
    }
}
