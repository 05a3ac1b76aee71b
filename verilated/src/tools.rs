//! The programs that a build runs, where they are, and their versions.

use railyard_programs::{output_of, ProgramFailure};
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
    /// The same for what Verilator generates, in short builds; `cxx` where it is not installed. Without optimisation,
    /// Clang needs half of GCC's time.
    pub quick_cxx: PathBuf,
    /// Folders to search, in the form of `PATH`; `None` for `PATH` itself.
    pub search_path: Option<OsString>,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools { verilator: "verilator".into(), cxx: "g++".into(), quick_cxx: "clang++".into(), search_path: None }
    }
}

/// The programs, found.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    pub verilator: PathBuf,
    pub verilator_version: String,
    /// Compiles Verilator's library, and links.
    pub cxx: CxxCompiler,
    /// Compiles what Verilator generates.
    pub generated_cxx: CxxCompiler,
}

/// A compiler, found.
#[derive(Clone, Debug)]
pub(crate) struct CxxCompiler {
    pub program: PathBuf,
    pub version: String,
    /// Where it finds headers that no option names: its own and the system's.
    pub headers: Vec<PathBuf>,
}

impl CxxCompiler {
    fn found(program: PathBuf) -> Result<CxxCompiler, BuildError> {
        let version = version(&program, "--version")?;
        let headers = system_headers(&program)?;
        Ok(CxxCompiler { program, version, headers })
    }

    /// Whether it is Clang.
    pub fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Whether it has a C++ library: a Clang may come without.
    fn has_library(&self) -> bool {
        self.headers.iter().any(|folder| folder.join("string").exists())
    }
}

/// Variables by which programs find other files than those that their versions and arguments tell: no part of a cache's
/// key.
const ASIDE: [&str; 13] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "GCC_COMPARE_DEBUG",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "CCC_OVERRIDE_OPTIONS",
    "VERILATOR_GDB",
    "VERILATOR_SOLVER",
];

/// Takes from a command what would lead it to files of the user's environment.
pub(crate) fn unswayed(command: &mut Command) -> &mut Command {
    ASIDE.iter().fold(command, |command, name| command.env_remove(name))
}

impl Tools {
    /// Finds the programs, for a short build or another one, and asks each for its version, once a process.
    pub(crate) fn find(&self, quick: bool) -> Result<Toolchain, BuildError> {
        let verilator = self.locate(&self.verilator, "verilator")?;
        let cxx = self.locate(&self.cxx, "g++")?;
        let verilator_version = version(&verilator, "--version")?;
        if is_old_verilator(&verilator_version) {
            return Err(BuildError::OldVerilator { program: verilator, version: verilator_version });
        }
        let cxx = CxxCompiler::found(cxx)?;
        let clang = quick.then(|| self.locate(&self.quick_cxx, "clang").ok()).flatten();
        let quick_cxx = clang.map(CxxCompiler::found).transpose()?;
        let generated_cxx = quick_cxx.filter(CxxCompiler::has_library).unwrap_or_else(|| cxx.clone());
        Ok(Toolchain { verilator, verilator_version, cxx, generated_cxx })
    }

    fn locate(&self, program: &Path, package: &'static str) -> Result<PathBuf, BuildError> {
        Ok(railyard_programs::find(program, package, self.search_path.as_deref())?)
    }
}

impl Toolchain {
    /// The folder that holds Verilator's own run-time sources.
    pub fn verilator_root(&self) -> Result<PathBuf, BuildError> {
        let output = answer(&self.verilator, &["--getenv", "VERILATOR_ROOT"])?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    }
}

/// Runs a command to its end with its output captured.
fn run(command: &mut Command) -> Result<Output, BuildError> {
    let program = PathBuf::from(command.get_program());
    let started = output_of(unswayed(command)).map_err(|failure| match failure {
        ProgramFailure::Start { source, .. } => source,
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
    let output = answer(program, &[option])?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}

/// What a program says about itself, asked once a process.
fn answer(program: &Path, options: &[&str]) -> Result<Output, BuildError> {
    static KNOWN: OnceLock<Mutex<HashMap<(PathBuf, String), Output>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let question = (program.to_path_buf(), options.join(" "));
    if let Some(output) = known.lock().expect("no holder panics").get(&question) {
        return Ok(output.clone());
    }
    let output = run(Command::new(program).args(options))?;
    known.lock().expect("no holder panics").insert(question, output.clone());
    Ok(output)
}

/// The folders of headers of a compiler without options.
fn system_headers(cxx: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let output = answer(cxx, &["-x", "c++", "-E", "-v", "/dev/null"])?;
    Ok(listed_folders(&String::from_utf8_lossy(&output.stderr)))
}

/// The list in what GCC and Clang say with `-v`.
fn listed_folders(text: &str) -> Vec<PathBuf> {
    let list = text.lines().skip_while(|line| !line.starts_with("#include <...>")).skip(1);
    list.take_while(|line| line.starts_with(' ')).map(|line| PathBuf::from(line.trim())).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_headers_are_read() {
        let text = "Target: x\n#include \"...\" search starts here:\n /none\n#include <...> search starts here:\n \
                    /usr/include/c++/12\n /usr/include\nEnd of search list.\n /later\n";
        assert_eq!(listed_folders(text), ["/usr/include/c++/12", "/usr/include"].map(PathBuf::from));
    }
}
