//! Errors of usage, of the system, and of input that means harm.

use super::{answer, railyard, refusal, text, write};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

/// Every verb, with a bad description, a missing file, and an option that doesn't exist.
#[test]
fn errors_are_json_where_json_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(folder.path(), "bad.json", r#"{"name": "x", "ports": 65}"#);
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let error = |args: &[&str]| -> Value {
        let output = railyard(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
        assert!(output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        assert!(json["error"].is_string() && json["faults"].is_array(), "{args:?}: {json}");
        json
    };
    for verb in ["check", "generate", "verify", "simulate", "bench", "estimate"] {
        let output: &[&str] = if verb == "generate" { &["-o", out] } else { &[] };
        let with = |config| [&[verb, config, "--json"], output].concat();
        let json = error(&with(&bad));
        assert_eq!((&json["legal"], &json["faults"][0]["path"]), (&false.into(), &"/ports".into()), "{verb}: {json}");
        assert!(error(&with("no-such-file"))["error"].as_str().unwrap().contains("no such file"));
        assert!(error(&[&with(&bad)[..], &["--frobnicate"]].concat())["error"]
            .as_str()
            .unwrap()
            .contains("--frobnicate"));
    }
    let scenario = r#"{"traffic": {"load": 7}, "seat": 1}"#;
    let faults = error(&["simulate", "tiny", "--scenario", scenario, "--json"])["faults"].clone();
    let paths: Vec<&str> = faults.as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/seat", "/traffic/load"]);
    for args in [
        &["new", "--preset", "huge", "--json"][..],
        &["new", "--preset", "tiny", "--name", "Not A Name", "--json"],
        &["presets", "--json", "--frobnicate"],
        &["schema", "--json", "--frobnicate"],
        &["frobnicate", "--json"],
    ] {
        error(args);
    }
}

/// Digits that a reader of JSON does not keep are shown all the same, in files of every kind.
#[test]
fn large_numbers_are_shown_as_they_are_written() {
    const LARGE: &str = "18446744073709551617";
    let folder = tempfile::tempdir().unwrap();
    let ports = format!(r#"{{"name": "x", "ports": {LARGE}, "routing": [{LARGE}, 1.0]}}"#);
    let sweep = format!(r#"{{"base": "tiny", "simulate": {{"cycles": {LARGE}}}}}"#);
    let network = format!(r#"{{"switch": "tiny", "topology": {{"kind": "torus", "radix": [{LARGE}], "nodes": 1}}}}"#);
    let scenario = format!(r#"{{"seed": {LARGE}}}"#);
    let name = |name: &str, text: &str| write(folder.path(), name, text);
    for (args, fault) in [
        (&["check", &name("a.json", &ports)][..], "/ports: 18446744073709551617 must be at most 64"),
        (&["check", &name("a.json", &ports)], "/routing: [18446744073709551617,1.0] "),
        (&["explore", &name("b.json", &sweep), "--dry-run"], "/simulate/cycles: 18446744073709551617 must be at most"),
        (&["network", "check", &name("c.json", &network)], "/topology/radix/0: 18446744073709551617 must be"),
        (&["simulate", "tiny", "--scenario", &scenario], "/seed: 18446744073709551617 must be"),
    ] {
        let error = refusal(args);
        assert!(error.contains(fault), "{args:?}: {error}");
    }
}

#[test]
fn usage_errors_end_with_two() {
    for args in [
        &["verify"][..],
        &["verify", "tiny", "--cycles", "0"],
        &["verify", "tiny", "--cycles", "many"],
        &["verify", "tiny", "--scenario", "[]"],
        &["verify", "tiny", "--mixes", "99999999999"],
        &["verify", "tiny", "--load", "1.5"],
        &["simulate", "tiny", "--load", "-1"],
        &["simulate", "tiny", "--load", "nan"],
        &["verify", "tiny", "--trace", ".vcd"],
        &["simulate", "tiny", "--traffic", "rush-hour"],
        &["verify", "tiny", "--trace", "run.png"],
        &["generate", "tiny"],
        &["frobnicate"],
        &[],
    ] {
        assert_eq!(railyard(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn hostile_input_does_not_drive_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "{\"name\": \"x\", \"\\u001b[2J\": \"\u{9b}31m\u{202e}\", \"ports\": \"\u{7f}\"}";
    let file = write(folder.path(), "\u{1b}[31m.json", hostile);
    let output = railyard(&["check", &file]);
    let json = railyard(&["check", &file, "--json"]);
    let missing = railyard(&["check", "\u{1b}[2J"]);
    for shown in [output.stderr, json.stdout.clone(), json.stderr, missing.stderr].map(|bytes| text(&bytes)) {
        assert!(!shown.contains(|c: char| railyard_input::drives_terminal(c) && c != '\n'), "{shown:?}");
    }
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json["faults"].as_array().unwrap().iter().any(|fault| fault["path"] == "/\u{1b}[2J"), "{json}");
}

/// A name with a line end is on one line, so that it can't look like an answer or another error.
#[test]
fn a_name_with_a_line_end_forges_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let forged = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let illegal = write(folder.path(), "a\nerror: forged.json", r#"{"name": "x", "ports": 1}"#);
    let out = forged("b\nerror: forged");
    answer(&["generate", "tiny", "-o", &out]);
    for args in [
        &["check", &illegal][..],
        &["check", &forged("none\nerror: forged")],
        &["generate", "tiny", "-o", &illegal],
        &["verify", "hpc16", "--design", &out],
        &["simulate", "tiny", "--traffic-file", &forged("none\nerror: forged")],
        &["estimate", "tiny", "--library", &forged("none\nerror: forged.lib")],
        &["network", "run", &illegal],
        &["explore", &illegal, "-o", &forged("sweep")],
        &["new", "--preset", "none\nerror: forged"],
        &["verify", "tiny", "--trace", &forged("none\nerror: forged/x.vcd")],
    ] {
        let why = refusal(args);
        assert!(!why.lines().skip(1).any(|line| line.starts_with("error: forged")), "{args:?}: {why}");
    }
    let said = answer(&["generate", "tiny", "-o", &out]);
    assert!(!said.lines().any(|line| line.starts_with("error: forged")), "{said}");
}

/// Rust's run-time library opens another file where none is open.
#[test]
fn a_closed_standard_output_is_an_error() {
    for args in ["schema", "--help", "check tiny", "check tiny --json"] {
        let script = format!("exec \"$0\" {args} >&-");
        let output = Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_railyard")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(text(&output.stderr).contains("(standard output): is closed"), "{args}: {}", text(&output.stderr));
    }
}

#[test]
fn a_full_disk_is_an_error_not_a_panic() {
    for args in [&["schema"][..], &["--help"], &["--version"], &["check", "--help"], &["check", "tiny", "--json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
        let output = command.args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains("standard output"), "{args:?}: {}", text(&output.stderr));
    }
}

/// A path need not be UTF-8; JSON shows it as it can be.
#[test]
fn paths_of_any_bytes_are_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let sweep = write(folder.path(), "sweep.json", r#"{"base": "tiny", "simulate": {"cycles": 100}}"#);
    for args in [
        &["generate", "tiny", "--json", "-o"][..],
        &["new", "--preset", "tiny", "--json", "-o"],
        &["explore", &sweep, "--json", "-o"],
        &["study", "conflict-misses", "--json", "-o"],
    ] {
        let place = folder.path().join(args[0]).join(OsStr::from_bytes(b"\xff"));
        let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
        let output = command.args(args).arg(&place).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(place.exists() && serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{args:?}");
    }
    let place = folder.path().join("explore").join(OsStr::from_bytes(b"\xff"));
    let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
    let output = command.args(["explore", &sweep, "--slurm", "-o"]).arg(place).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not UTF-8"), "{}", text(&output.stderr));
}
