//! `railyard network`: the examples check and run, tables go out and come back, bad networks are refused.

mod check;
mod faults;
mod hardware;
mod other_tools;
mod run;
mod tables;

use serde_json::{json, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// What a run says, but for its speed.
fn report(args: &[&str]) -> Value {
    let args = [&["run"], args, &["--json"]].concat();
    let mut report: Value = serde_json::from_slice(&network(&args, 0).stdout).unwrap();
    report.as_object_mut().unwrap().remove("cycles_per_second").unwrap();
    report
}

/// Two switches with a link, and a node at each.
fn pair() -> Value {
    json!({"switch": {"name": "p", "ports": 3, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4},
            "routing": {"kind": "source", "hops": 2}},
        "topology": {"kind": "wiring", "switches": 2, "links": [[[0, 0], [1, 0]]], "nodes": [[0, 1], [1, 2]]}})
}
