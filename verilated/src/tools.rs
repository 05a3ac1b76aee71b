//! The programs that a build runs, where they are, and their versions.

use railyard_programs::{output_of, Failure};
use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, OnceLock},
};

use crate::{error::IoContext, BuildError};

/// Names or paths of the programs, and where names are looked up.
#[derive(Clone, Debug)]
pub struct Tools {
    /// Verilator 5 or newer.
    pub verilator: PathBuf,
    /// A C++17 compiler that takes GCC's options.
    pub cxx: PathBuf,
    /// Folders to search, in the form of `PATH`; `None` for `PATH` itself.
    pub search_path: Option<OsString>,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools { verilator: "verilator".into(), cxx: "g++".into(), search_path: None }
    }
}

/// The programs, found.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    pub verilator: PathBuf,
    pub verilator_version: String,
    pub cxx: PathBuf,
    pub cxx_version: String,
}

impl Tools {
    /// Finds the programs and asks each for its version, once a process.
    pub(crate) fn find(&self) -> Result<Toolchain, BuildError> {
        let verilator = self.locate(&self.verilator, "verilator")?;
        let cxx = self.locate(&self.cxx, "g++")?;
        let verilator_version = version(&verilator, "--version")?;
        if is_old_verilator(&verilator_version) {
            return Err(BuildError::OldVerilator { program: verilator, version: verilator_version });
        }
        let cxx_version = version(&cxx, "--version")?;
        Ok(Toolchain { verilator, verilator_version, cxx, cxx_version })
    }

    fn locate(&self, program: &Path, package: &'static str) -> Result<PathBuf, BuildError> {
        Ok(railyard_programs::find(program, package, self.search_path.as_deref())?)
    }
}

impl Toolchain {
    /// The folder that holds Verilator's own run-time sources.
    pub fn verilator_root(&self) -> Result<PathBuf, BuildError> {
        let output = run(Command::new(&self.verilator).args(["--getenv", "VERILATOR_ROOT"]))?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    }
}

/// Runs a command to its end with its output captured.
fn run(command: &mut Command) -> Result<Output, BuildError> {
    let program = PathBuf::from(command.get_program());
    let started = output_of(command).map_err(|failure| match failure {
        Failure::Start { source, .. } => source,
        other => io::Error::other(other),
    });
    started.io("running", program)
}

/// The first `limit` lines of a message, with a note of how many follow.
pub(crate) fn first_lines(message: &str, limit: usize) -> String {
    let lines: Vec<&str> = message.trim_end().lines().collect();
    if lines.len() <= limit {
        return lines.join("\n");
    }
    format!("{}\n... {} more lines", lines[..limit].join("\n"), lines.len() - limit)
}

fn version(program: &Path, option: &str) -> Result<String, BuildError> {
    static KNOWN: OnceLock<Mutex<HashMap<PathBuf, String>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(version) = known.lock().expect("no holder panics").get(program) {
        return Ok(version.clone());
    }
    let output = run(Command::new(program).arg(option))?;
    let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
    known.lock().expect("no holder panics").insert(program.to_path_buf(), version.clone());
    Ok(version)
}

/// Whether this version of Verilator, as it tells it, is older than 5.
pub fn is_old_verilator(version: &str) -> bool {
    major_version(version).is_some_and(|major| major < 5)
}

/// The leading number of the first word that begins with a digit; some packages of Verilator print none.
fn major_version(version: &str) -> Option<u32> {
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split('.').next()?.parse().ok()
}
