//! Sweeps as job arrays of Slurm.

use super::{answer, railyard, small, text, Place};
use serde_json::{json, Value};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

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
