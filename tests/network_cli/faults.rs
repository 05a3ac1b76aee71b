//! Faults of networks are told, and input without an end is refused.

use super::{example, file, network, pair, text};
use serde_json::{json, Value};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

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
    assert!(error.contains("/faults/lost_messages: 0.1 needs a switch with messages"), "{error}");
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
