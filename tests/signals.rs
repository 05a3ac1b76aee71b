//! Signals: a command that is told to end leaves no tool, no temporary folder and no half-written output; what SIGKILL
//! leaves is swept by the next run. The tools are scripts that never end.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// A tool: tells its version and where its headers are; else it starts a child, writes both process ids beside itself,
/// and waits for ever. Where `fail` is set, it ends instead.
const TOOL: &str = r#"#!/bin/sh
case "$1" in
    -V | --version | -version) echo "NAME VERSION"; exit 0 ;;
    --getenv) echo /nowhere; exit 0 ;;
    -x) exit 0 ;;
esac
[ -n "$FAIL" ] && exit 1
echo half > "$TMPDIR/left_by_tool"
sleep 600 &
echo $$ $! >> "$(dirname "$0")/pids.tmp"
mv "$(dirname "$0")/pids.tmp" "$(dirname "$0")/pids"
wait
"#;

/// The commands that run tools for long, or work for long themselves.
const TOOLED: &[&str] = &[
    "estimate tiny",
    "estimate tiny --keep kept",
    "estimate tiny --fpga ecp5",
    "compare --quick",
    "verify tiny",
    "bench tiny",
    "explore sweep.json -o swept",
    "network verify network.json",
];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        };
        for (name, version) in
            [("yosys", "Yosys 0.23"), ("sta", "2.0.17"), ("verilator", "Verilator 5.006"), ("g++", "g++ 12.2.0")]
        {
            put(&format!("bin/{name}"), &TOOL.replace("NAME VERSION", version));
        }
        let library = "library(one) { time_unit : \"1ns\"; cell(DFF) { area : 1; ff(q) {} } }\n";
        put("lib/nangate45_typ.lib", library);
        put("lib/osu018_stdcells.lib", library);
        put("sweep.json", r#"{"base": "tiny", "estimate": {}, "simulate": {"cycles": 100}}"#);
        let network = r#"{"switch": "noc5", "topology": {"kind": "mesh", "radix": [2, 2]}, "link_latency": 1}"#;
        put("network.json", network);
        fs::create_dir(place.path().join("tmp")).unwrap();
        Place(place)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn start(&self, words: &str) -> Command {
        let path = format!("{}:{}", self.path().join("bin").display(), std::env::var("PATH").unwrap_or_default());
        // A suite in the background of a shell ignores interrupts, and so would its children.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_railyard"));
        command.args(words.split(' ')).current_dir(self.path()).env("PATH", path);
        command.env("RAILYARD_CACHE", self.path().join("cache")).env("TMPDIR", self.path().join("tmp"));
        command.env("RAILYARD_LIBERTY_DIR", self.path().join("lib"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Waits until the tool is at work; the process ids of the last and of its child.
    fn tool(&self, worker: &mut Child, words: &str) -> Vec<i32> {
        loop {
            if let Ok(text) = fs::read_to_string(self.path().join("bin/pids")) {
                fs::remove_file(self.path().join("bin/pids")).unwrap();
                return text.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
            }
            assert!(worker.try_wait().unwrap().is_none(), "`{words}` ended before the tool was at work");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Temporary files and folders, anywhere below.
    fn drafts(&self) -> Vec<String> {
        fn walk(folder: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
                let path = entry.path();
                let name = entry.file_name().into_string().unwrap();
                if name.starts_with(".railyard") || name.starts_with(".tmp") || name == "left_by_tool" {
                    found.push(path.display().to_string());
                } else if path.is_dir() {
                    walk(&path, found);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.path(), &mut found);
        found
    }
}

fn kill(signal: i32, pid: i32) {
    let status = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().unwrap();
    assert!(status.success());
}

/// Whether a process runs; a dead one that nobody has asked for does not.
fn runs(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn a_signal_leaves_no_tool_and_no_temporary_folder() {
    let place = Place::new();
    for (index, words) in TOOLED.iter().enumerate() {
        let signal = [SIGTERM, SIGINT][index % 2];
        let mut worker = place.start(words).spawn().unwrap();
        let pids = place.tool(&mut worker, words);
        assert!(!place.drafts().is_empty() && pids.iter().all(|&pid| runs(pid)), "{words}");
        kill(signal, worker.id() as i32);
        assert_eq!(worker.wait().unwrap().signal(), Some(signal), "{words}: it dies of the signal");
        assert!(!pids.iter().any(|&pid| runs(pid)), "{words}: the tool and its child are gone");
        assert_eq!(place.drafts(), [""; 0], "{words}");
        assert!(!place.path().join("kept").exists(), "{words}: a folder on the way to an output is gone");
    }
}

/// Commands that run no tool end by a signal as well, and what they were to write is not there.
#[test]
fn a_signal_ends_a_command_that_runs_no_tool() {
    let place = Place::new();
    fs::write(place.path().join("long.json"), r#"{"base": "tiny", "simulate": {"cycles": 1000000000}}"#).unwrap();
    for words in [
        "simulate tiny --cycles 1000000000",
        "network run network.json --cycles 1000000000",
        "explore long.json -o swept",
        "study unicast-network --nodes 1024 -o figures",
    ] {
        let mut worker = place.start(words).spawn().unwrap();
        // It may have begun its work or not: in any case it ends by the signal.
        std::thread::sleep(Duration::from_millis(300));
        kill(SIGTERM, worker.id() as i32);
        assert_eq!(worker.wait().unwrap().signal(), Some(SIGTERM), "{words}");
        assert_eq!(place.drafts(), [""; 0], "{words}");
        assert!(!place.path().join("figures").exists(), "{words}");
    }
}

/// What SIGKILL leaves is swept by the next run, which does not use the killed one's folders: a tool that goes on
/// writes into none of them.
#[test]
fn what_a_kill_leaves_is_swept_by_the_next_run() {
    let place = Place::new();
    for words in TOOLED {
        let mut worker = place.start(words).spawn().unwrap();
        let pids = place.tool(&mut worker, words);
        worker.kill().unwrap();
        assert_eq!(worker.wait().unwrap().signal(), Some(SIGKILL), "{words}");
        let left = place.drafts();
        assert!(!left.is_empty(), "{words}");
        let status = place.start(words).env("FAIL", "1").status().unwrap();
        assert!(status.code().is_some_and(|code| code != 0), "{words}: the tools fail");
        assert_eq!(place.drafts(), [""; 0], "{words}");
        pids.iter().filter(|&&pid| runs(pid)).for_each(|&pid| kill(SIGKILL, pid));
    }
}

/// A run that lives keeps its folders while others sweep.
#[test]
fn a_living_run_is_not_swept() {
    let place = Place::new();
    let mut worker = place.start("estimate tiny").spawn().unwrap();
    let pids = place.tool(&mut worker, "estimate tiny");
    let before = place.drafts();
    place.start("estimate hpc16").env("FAIL", "1").status().unwrap();
    assert_eq!(place.drafts(), before);
    kill(SIGTERM, worker.id() as i32);
    worker.wait().unwrap();
    assert!(!pids.iter().any(|&pid| runs(pid)) && place.drafts().is_empty());
}
