//! The programs of the machine that Railyard runs (Yosys, OpenSTA, nextpnr, Verilator, a compiler, `sbatch`), and
//! drafts of what it writes. Both end with the process, however it ends.
//!
//! - [`find`] passes over files that can't be executed;
//! - [`run`] captures the output; a program that did not end well is a [`ProgramFailure`], which tells its exit status
//!   or signal and the end of its output;
//! - [`Child`] is a program that is still running;
//! - [`DraftFile`] and [`DraftFolder`] are written beside their place and moved there when they are whole;
//! - [`NewFolders`] are the folders on the way to an output;
//! - [`end_on_signals`] makes SIGINT, SIGTERM, SIGHUP and SIGQUIT kill the programs and delete the drafts before the
//!   process dies of the signal.
//!
//! SIGKILL leaves no time for that. Then [`sweep`] deletes the drafts in a later run; a draft is locked while its
//! process lives, so no run deletes that of another. The name of a draft is used once: a program that outlives a killed
//! run can't write into the draft of another.

mod child;
mod draft;
mod folders;
mod registry;
mod signals;

pub use child::Child;
pub use draft::{is_special, sweep, DraftFile, DraftFolder, FolderAccess};
pub use folders::NewFolders;
pub use signals::end_on_signals;

use railyard_input::shown;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

/// Lines of a program's output that a failure shows.
const SHOWN_LINES: usize = 12;

/// Exit statuses above this one are those of a shell whose program was killed by the signal of the difference.
const SHELL_SIGNALS: i32 = 128;

/// The signal of a system that is out of memory.
const SIGKILL: i32 = 9;

/// A program could not be run, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ProgramFailure {
    /// No executable file of this name.
    #[error("{}", not_found(name, package, unusable.as_deref()))]
    Missing {
        /// The name, or the path, that was looked for.
        name: String,
        /// The Debian package that has it.
        package: String,
        /// A file of this name that can't be executed.
        unusable: Option<PathBuf>,
    },
    /// The system can't run the file.
    #[error("{} can't be run: {source}", shown(program))]
    Start {
        /// The file.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was killed, or its exit status is not 0.
    #[error("{program} {}\n{output}", how(*status))]
    Ended {
        /// Its file name.
        program: String,
        /// Exit status or signal.
        status: ExitStatus,
        /// The end of its output, indented, or a line that says that there is none.
        output: String,
    },
}

fn not_found(name: &str, package: &str, unusable: Option<&Path>) -> String {
    let install = format!("install it with `apt-get install {package}`");
    match unusable {
        Some(path) => format!("{name} not found: {} is not executable; mend that, or {install}", shown(path)),
        None => format!("{name} not found: {install}"),
    }
}

/// How a program ended, as the rest of a sentence that begins with its name.
pub fn how(status: ExitStatus) -> String {
    let hint = |signal| if signal == SIGKILL { ", often for want of memory" } else { "" };
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            // The standard library knows the names: "signal: 9 (SIGKILL)".
            let told = status.to_string().replacen("signal: ", "signal ", 1);
            format!("was killed by {told}{}", hint(signal))
        }
        (_, Some(code)) if code > SHELL_SIGNALS => {
            let signal = code - SHELL_SIGNALS;
            let told = ExitStatus::from_raw(signal).to_string().replacen("signal: ", "signal ", 1);
            format!("ended with exit status {code}: a program that it ran was killed by {told}{}", hint(signal))
        }
        (_, code) => format!("ended with exit status {}", code.unwrap_or_default()),
    }
}

/// The executable file of a program: a path as it is, a name in the folders of `search`, in the form of `PATH`, or of
/// `PATH` itself. `package` is the Debian package that has it.
///
/// # Errors
/// [`ProgramFailure::Missing`].
pub fn find(program: &Path, package: &str, search: Option<&OsStr>) -> Result<PathBuf, ProgramFailure> {
    let folders: OsString = search.map(OsStr::to_owned).or_else(|| env::var_os("PATH")).unwrap_or_default();
    let here = env::current_dir().unwrap_or_default();
    which::which_in(program, Some(&folders), here).map_err(|_| {
        let in_folders = || env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file());
        let unusable = match program.components().count() {
            1 => in_folders(),
            _ => program.is_file().then(|| program.to_path_buf()),
        };
        ProgramFailure::Missing { name: program.display().to_string(), package: package.into(), unusable }
    })
}

/// Runs a command to its end, without input, and captures its output.
///
/// # Errors
/// It can't be started, is killed, or its exit status is not 0.
pub fn run(command: &mut Command) -> Result<Output, ProgramFailure> {
    let output = output_of(command)?;
    match output.status.success() {
        true => Ok(output),
        false => Err(ended(command, &output)),
    }
}

/// As [`run`], for a program whose exit status says more than good or bad: whatever it is, the output is given.
///
/// # Errors
/// It can't be started.
pub fn output_of(command: &mut Command) -> Result<Output, ProgramFailure> {
    output(command, None)
}

/// As [`run`], but not for longer than `limit`.
///
/// # Errors
/// As [`run`]; or it does not end in time, and is killed.
pub fn run_within(limit: Duration, command: &mut Command) -> Result<Output, ProgramFailure> {
    let output = output(command, Some(limit))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(ended(command, &output)),
    }
}

fn output(command: &mut Command, limit: Option<Duration>) -> Result<Output, ProgramFailure> {
    child::output(command, limit)
        .map_err(|source| ProgramFailure::Start { program: command.get_program().into(), source })
}

/// The failure of a command that has ended with this output.
pub fn ended(command: &Command, output: &Output) -> ProgramFailure {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    ProgramFailure::Ended { program, status: output.status, output: last_lines(&text(output)) }
}

/// All that a program has printed, standard error last: that is where the reason of its end is.
pub fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The end of a program's output, indented.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let left_out = lines.len().saturating_sub(SHOWN_LINES);
    let mut shown: Vec<String> = lines[left_out..].iter().map(|line| format!("  {line}")).collect();
    match (left_out, lines.is_empty()) {
        (0, true) => return "  (it printed nothing)".into(),
        (0, false) => {}
        (more, _) => shown.insert(0, format!("  ({more} lines before)")),
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn shell(script: &str) -> String {
        run(Command::new("sh").args(["-c", script])).unwrap_err().to_string()
    }

    #[test]
    fn status_signal_and_the_last_lines_are_told() {
        assert_eq!(shell("exit 3"), "sh ended with exit status 3\n  (it printed nothing)");
        assert_eq!(
            shell("echo at work; kill -9 $$"),
            "sh was killed by signal 9 (SIGKILL), often for want of memory\n  at work"
        );
        assert!(shell("kill -6 $$").starts_with("sh was killed by signal 6 (SIGABRT)"));
        let inner = shell("sh -c 'kill -9 $$'; exit $?");
        assert!(inner.contains("exit status 137: a program that it ran was killed by signal 9 (SIGKILL)"), "{inner}");
        let long = shell("seq 40; echo why >&2; exit 1");
        assert!(long.starts_with("sh ended with exit status 1\n  (29 lines before)\n  30\n"), "{long}");
        assert!(long.ends_with("  40\n  why"), "{long}");
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed() {
        let start = std::time::Instant::now();
        let mut endless = Command::new("sh");
        let error =
            run_within(Duration::from_millis(200), endless.args(["-c", "echo at work; sleep 600"])).unwrap_err();
        assert!(error.to_string().ends_with("can't be run: did not end within 0 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(60));
        let output = run_within(Duration::from_secs(60), Command::new("sh").args(["-c", "echo done"])).unwrap();
        assert_eq!(output.stdout, b"done\n");
    }

    #[test]
    fn what_is_not_executable_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, mode| {
            let path = folder.path().join(name).join("tool");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let (plain, good) = (file("a", 0o644), file("b", 0o755));
        fs::create_dir_all(folder.path().join("c/tool")).unwrap();
        let search = |names: &[&str]| env::join_paths(names.iter().map(|name| folder.path().join(name))).unwrap();
        let found = |names: &[&str]| find(Path::new("tool"), "tools", Some(&search(names)));
        assert_eq!(found(&["c", "a", "b"]).unwrap(), good);
        let error = found(&["c", "a"]).unwrap_err().to_string();
        assert!(error.contains(&format!("tool not found: {} is not executable", plain.display())), "{error}");
        let error = found(&["c"]).unwrap_err().to_string();
        assert_eq!(error, "tool not found: install it with `apt-get install tools`");
        assert_eq!(find(&good, "tools", None).unwrap(), good);
        assert!(find(&plain, "tools", None).unwrap_err().to_string().contains("is not executable"));
    }

    #[test]
    fn a_file_that_the_system_can_not_run_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        fs::write(&path, [0x7f, b'E', b'L', b'F', 0]).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let error = run(&mut Command::new(&path)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{} can't be run: ", path.display())), "{error}");
    }
}
