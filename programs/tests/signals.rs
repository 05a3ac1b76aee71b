//! A process that is told to end, in the middle of its work: nothing of it stays.

use railyard_programs::{end_on_signals, sweep, Child, DraftFile, DraftFolder, FolderAccess, NewFolders};
use rustix::process::{kill_process, Pid, Signal};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where the work is done. Its presence makes [`work`] a worker.
const PLACE: &str = "RAILYARD_TEST_PLACE";

/// Not a test of its own: what the processes of the tests do. A tool with a child, a draft file, a draft folder, a new
/// folder.
#[test]
#[ignore = "run by the other tests"]
fn work() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Path::new(&place);
    end_on_signals().unwrap();
    let mut file = DraftFile::new_in(place).unwrap();
    file.write_all(b"half").unwrap();
    let folder = DraftFolder::new_in(place, FolderAccess::Shared).unwrap();
    fs::write(folder.path().join("some"), "thing").unwrap();
    let _new = NewFolders::make(&place.join("new/er")).unwrap();
    let tool = &mut Command::new("sh");
    let mut tool = Child::spawn(tool.args(["-c", "sleep 600 & echo $!; wait"]).stdout(Stdio::piped())).unwrap();
    let mut line = String::new();
    BufReader::new(tool.stdout.take().unwrap()).read_line(&mut line).unwrap();
    // On standard error: the test harness writes on standard output.
    eprintln!("{} {line}", tool.id());
    std::thread::sleep(Duration::from_secs(600));
}

/// Sends signals to a worker once it works, the last of which ends it; the process ids of its tool and of the tool's
/// child. `before` is what a shell does before it becomes the worker.
fn ended_by(signals: &[Signal], place: &Path, before: &str) -> [i32; 2] {
    // A suite in the background of a shell ignores interrupts, and so would its children.
    let mut command = Command::new("env");
    command
        .args(["--default-signal=INT", "sh", "-c", &format!("{before}; exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap());
    command.args(["--exact", "work", "--ignored", "--nocapture"]).env(PLACE, place);
    let mut worker = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(worker.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(fs::read_dir(place).unwrap().count() >= 4, "a file, a folder, its lock, and a new folder");
    for &signal in signals {
        kill_process(Pid::from_child(&worker), signal).unwrap();
    }
    assert_eq!(worker.wait().unwrap().signal(), Some(signals.last().unwrap().as_raw()), "it dies of the signal");
    let pids: Vec<i32> = line.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    pids.try_into().unwrap()
}

/// Whether a process runs; a dead one that nobody has asked for does not.
fn runs(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn a_signal_leaves_no_tool_and_no_draft() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let place = tempfile::tempdir().unwrap();
        let tools = ended_by(&[signal], place.path(), ":");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0, "{signal:?}");
        assert_eq!(tools.map(runs), [false; 2], "{signal:?}");
    }
}

/// A worker that `nohup` has started goes on after SIGHUP.
#[test]
fn an_ignored_signal_stays_ignored() {
    let place = tempfile::tempdir().unwrap();
    ended_by(&[Signal::HUP, Signal::TERM], place.path(), "trap '' HUP");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// What SIGKILL leaves is deleted by the next process that comes by; that of living processes stays.
#[test]
fn what_a_kill_leaves_is_swept() {
    let place = tempfile::tempdir().unwrap();
    let tools = ended_by(&[Signal::KILL], place.path(), ":");
    assert!(fs::read_dir(place.path()).unwrap().count() >= 4);
    // They outlive the killed one, and do no harm.
    for tool in tools {
        kill_process(Pid::from_raw(tool).unwrap(), Signal::KILL).unwrap();
    }
    let mine = DraftFolder::new_in(place.path(), FolderAccess::Private).unwrap();
    let file = DraftFile::new_in(place.path()).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sweeper", "--ignored"])
        .env(PLACE, place.path())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() && mine.path().is_dir());
    file.persist(&place.path().join("mine")).unwrap();
    drop(mine);
    let left: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "the file, and the new folder, which is no draft: {left:?}");
}

#[test]
#[ignore = "run by the other tests"]
fn sweeper() {
    if let Some(place) = std::env::var_os(PLACE) {
        sweep(Path::new(&place));
    }
}
