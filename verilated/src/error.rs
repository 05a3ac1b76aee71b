//! What can go wrong, as values that say what to do next.

#![allow(missing_docs)] // Fields stand in the message above them.

use std::{io, panic::Location, path::PathBuf};

use railyard_input::shown;
use railyard_programs::ProgramFailure;

use crate::PinDirection;

/// A design could not be turned into a model.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A program isn't installed, or can't be run.
    #[error(transparent)]
    Program(#[from] ProgramFailure),

    /// A library header isn't installed.
    #[error("`{what}` is not installed; on Debian or Ubuntu: apt-get install {package}")]
    MissingTool { what: String, package: &'static str },

    /// Verilator 4 evaluates in another order; the binding relies on that of version 5.
    #[error("Verilator 5 or newer is needed, `{program}` is: {version}")]
    OldVerilator { program: PathBuf, version: String },

    /// Verilator rejects the design. `message` begins with the file name, line and column of the first error.
    #[error("Verilator rejects the design `{top}`:\n{message}")]
    Verilator { top: String, message: String },

    /// The C++ compiler or the linker failed: a limit of this binding, not a fault of the design.
    #[error("compiling the Verilator model `{top}` failed:\n{message}")]
    Compiler { top: String, message: String },

    /// A tool was ended because it reached a limit of [`Guard`](crate::Guard).
    #[error("building the model of `{top}`: {tool} {what}")]
    Limit { top: String, tool: &'static str, what: String },

    /// The design reads files that are no part of it: what they hold may change, and a cached model does not follow.
    #[error(
        "the design `{top}` reads files that do not belong to it:{}\n(all files of a design are given by name; copy these to the others)",
        list("\n  ", files)
    )]
    Outside { top: String, files: Vec<String> },

    /// The port list names ports that the top module doesn't have, or the top module has others and mustn't.
    #[error(
        "the top module `{top}` has not the ports that it should have:{}{}",
        list("\n  missing: ", missing),
        list("\n  not expected: ", extra)
    )]
    Ports { top: String, missing: Vec<String>, extra: Vec<String> },

    /// The port list and the Verilog disagree about a port.
    #[error(
        "port `{port}` is {listed_width}-bit {listed:?} in the port list, {actual_width}-bit {actual:?} in the Verilog"
    )]
    PortMismatch { port: String, listed_width: usize, listed: PinDirection, actual_width: usize, actual: PinDirection },

    /// A source file's name leaves the build folder or looks like an option.
    #[error("`{name}` can't be a source file's name: letters, digits, `_`, `-`, `+` and `.` only, and no leading `-`, `.` or `+`")]
    SourceName { name: String },

    /// No place for a model, not even for a while.
    #[error(transparent)]
    NoPlace(#[from] railyard_cache::Error),

    #[error("{action} {}: {source}", shown(path))]
    Io { action: &'static str, path: PathBuf, source: io::Error },

    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A model could not be loaded or used as asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("loading {}: {source}", shown(path))]
    Load { path: PathBuf, source: libloading::Error },

    #[error("{} was made by another version of this program; delete it", shown(path))]
    Version { path: PathBuf },

    /// `hint` says what was meant, `at` who asked.
    #[error("{at}: no {} `{name}` in the port list of `{top}`{hint}", direction.word())]
    NoSuchPin { top: String, name: String, direction: PinDirection, hint: String, at: &'static Location<'static> },

    #[error("a clock has one bit, `{name}` has {width}")]
    ClockWidth { name: String, width: usize },

    #[error("starting {}: {source}", shown(program))]
    Process { program: PathBuf, source: io::Error },

    #[error("the model was built without waveforms: set `Build::trace`")]
    NoTrace,

    #[error("can't write the waveform file {}", shown(path))]
    TraceFile { path: PathBuf },
}

/// `title` and the names, if there are any.
fn list(title: &str, names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("{title}{}", names.join(", "))
    }
}

/// Attaches what was being done to an I/O error.
pub(crate) trait IoContext<T> {
    fn io(self, action: &'static str, path: impl Into<PathBuf>) -> Result<T, BuildError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn io(self, action: &'static str, path: impl Into<PathBuf>) -> Result<T, BuildError> {
        self.map_err(|source| BuildError::Io { action, path: path.into(), source })
    }
}
