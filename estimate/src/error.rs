//! What can go wrong, each with the line that says what to do.

use railyard_input::{did_you_mean, shown, Faults};
use railyard_programs::ProgramFailure;
use std::path::PathBuf;

/// Words for behind a wrong name.
fn meant(name: &str, known: &[String]) -> String {
    did_you_mean(name, known.iter().map(String::as_str))
}

/// Why there is no estimate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is not installed.
    #[error("{0}")]
    MissingTool(ProgramFailure),
    /// A program can't be run, or not even say its version.
    #[error("{0}")]
    Program(ProgramFailure),
    /// A program is another one than its name says.
    #[error("{} is not the tool that is needed: with {flag} it says\n{said}", shown(program))]
    NotTheTool {
        /// The file.
        program: PathBuf,
        /// What it was asked with.
        flag: String,
        /// What it said.
        said: String,
    },
    /// A named library is not on this machine.
    #[error("library {name} not found: {how}")]
    MissingLibrary {
        /// Its name.
        name: String,
        /// Where to get it and where it is looked for.
        how: String,
    },
    /// No library of this name.
    #[error("unknown library {}{}: take one of {}, or a Liberty file by path", shown(name), meant(name, known), known.join(", "))]
    UnknownLibrary {
        /// The name asked for.
        name: String,
        /// Names that exist.
        known: Vec<String>,
    },
    /// A Liberty file can't be used.
    #[error("{}: {reason}", shown(path))]
    Liberty {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The design has no such module.
    #[error("no module {} in the design{}: it has {}", shown(block), meant(block, known), known.join(", "))]
    NoSuchBlock {
        /// The module asked for.
        block: String,
        /// Modules of the design.
        known: Vec<String>,
    },
    /// The block is a memory, and not synthesised.
    #[error("{block} is a memory, whose figures come from the memory model: take a block that holds it")]
    MemoryBlock {
        /// The module asked for.
        block: String,
    },
    /// Yosys or OpenSTA did not end well.
    #[error("{tool} failed on {module}: {message}")]
    Tool {
        /// The program.
        tool: String,
        /// What it worked on.
        module: String,
        /// How it ended, and the end of its output.
        message: String,
    },
    /// Yosys or OpenSTA ended well, but a result is missing or means nothing.
    #[error("{tool} ended well on {module}, but its result can't be used: {what}")]
    Result {
        /// The program.
        tool: String,
        /// What it worked on.
        module: String,
        /// What is missing or wrong.
        what: String,
    },
    /// A table of SRAM points can't be used.
    #[error("memory table {}: not a legal one\n{}", shown(path), faults.indented())]
    SramTable {
        /// The file.
        path: PathBuf,
        /// All that is wrong with it.
        faults: Faults,
    },
    /// The user's macros lack a memory of the design.
    #[error("no macro for memories of {}: the files have {}", missing.join(", "), known.join(", "))]
    NoMacro {
        /// Words x bits of the memories without one.
        missing: Vec<String>,
        /// Those of the macros.
        known: Vec<String>,
    },
    /// An activity file can't be used.
    #[error("activity file {}: {reason}", shown(path))]
    Activity {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file can't be read or written.
    #[error("{}: {source}", shown(path))]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Adds a path to an error of the file system.
pub(crate) fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::File { path: path.into(), source }
}
