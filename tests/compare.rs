//! `railyard compare`: the figures are there, they repeat, and the second answer comes from the cache.
//!
//! Needs Yosys, OpenSTA and nangate45 in the folder that `RAILYARD_LIBERTY_DIR` names; says so if it is not run.

use railyard_estimate::NamedLibrary;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn ready() -> bool {
    let runs = |tool: &str, flag: &str| Command::new(tool).arg(flag).output().is_ok();
    let ready = NamedLibrary::get("nangate45").is_ok_and(|named| named.find(&[]).is_ok())
        && runs("yosys", "-V")
        && runs("sta", "-version");
    if !ready {
        eprintln!("not run: yosys, sta or nangate45 missing");
    }
    ready
}

fn answer(command: &mut Command) -> Value {
    let output = command.output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

fn command(arguments: &[&str], cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.arg("compare").args(arguments).env("RAILYARD_CACHE", cache);
    command
}

fn compare(arguments: &[&str], cache: &Path) -> Value {
    answer(&mut command(arguments, cache))
}

/// The same with tools that know their version and nothing else: all must come from the cache.
fn kept(arguments: &[&str], cache: &Path) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var("PATH").unwrap();
    for (tool, flag) in [("yosys", "-V"), ("sta", "-version")] {
        let file = folder.path().join(tool);
        let script = format!("#!/bin/sh\n[ \"$*\" = {flag} ] || exit 1\nPATH='{path}' exec {tool} {flag}\n");
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    answer(command(arguments, cache).env("PATH", format!("{}:{path}", folder.path().display())))
}

/// Ours, by the beginning of the figure's name and its unit.
fn ours(answer: &Value, figure: &str, unit: &str) -> Option<f64> {
    let rows = answer["figures"].as_array().expect("a list");
    let named = |row: &&Value| row["figure"].as_str().is_some_and(|f| f.starts_with(figure)) && row["unit"] == unit;
    let row = rows.iter().find(named).unwrap_or_else(|| panic!("no figure {figure} in {unit}"));
    assert!(row["source"].as_str().is_some_and(|source| !source.is_empty()), "{row}");
    row["ours"].as_f64()
}

#[test]
fn blocks_repeat_from_the_cache() {
    if !ready() {
        return;
    }
    let (cache, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = compare(&["--quick", "--json"], cache.path());
    assert_eq!(kept(&["--quick", "--json"], cache.path()), first);
    assert_eq!(compare(&["--quick", "--json"], other.path()), first, "made again");

    let delay = |figure: &str| ours(&first, figure, "ns").unwrap();
    assert!(delay("round-robin arbiter 1:16") < delay("round-robin arbiter 1:64"));
    assert!(
        delay("allocator of an output, k planes") < delay("allocator of an output, one kN arbiter"),
        "Cao2016's claim"
    );
    assert!(delay("CRC hash") < 1.0 && delay("routing cache") < 1.0);
    for (figure, unit) in
        [("hpc16, clock", "MHz"), ("hpc64, clock", "MHz"), ("look-ups at 700", "W"), ("0.18 um chip, memories", "mm2")]
    {
        assert_eq!(ours(&first, figure, unit), None, "no whole switch was asked for");
    }
    // For people, too.
    assert_eq!(compare(&["--quick"], cache.path()), Value::Null);
}

#[test]
#[ignore = "long"]
fn whole_switches_meet_their_clock() {
    if !ready() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let first = compare(&["--json"], cache.path());
    assert_eq!(kept(&["--json"], cache.path()), first);
    assert!(ours(&first, "hpc16, clock", "MHz").unwrap() >= 1000.0);
    assert!(ours(&first, "hpc64, clock", "MHz").unwrap() >= 800.0);
    assert!(ours(&first, "clock of parallel planes over one plane", "").unwrap() > 1.0);
}
