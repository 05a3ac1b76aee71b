//! Why a study could not be made.

/// Bad input, or a program that is missing or fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of a trace breaks a rule.
    #[error("{file}:{line}: {value:?} {rule}")]
    Trace {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        value: String,
        /// What must stand there.
        rule: String,
    },
    /// A trace without a packet.
    #[error("{0}: has no packet; a line is a packet: source and destination, two node numbers")]
    NoPackets(String),
    /// A network that can't be.
    #[error("{value:?} is not a torus: {rule}")]
    Torus {
        /// What was given.
        value: String,
        /// What is legal.
        rule: &'static str,
    },
    /// A program can't be run.
    #[error(transparent)]
    Program(#[from] railyard_programs::ProgramFailure),
    /// CAMINOS is not there.
    #[error("{} not found: install CAMINOS with `scripts/setup --caminos` or `cargo install caminos`, and name the program in `CAMINOS`", railyard_input::shown(program))]
    NoCaminos {
        /// The name, or the path, that was looked for.
        program: std::path::PathBuf,
    },
    /// A checkout of the NAS benchmarks does not do.
    #[error("{}: {rule}", railyard_input::shown(path))]
    Nas {
        /// Its folder.
        path: std::path::PathBuf,
        /// What is wrong with it.
        rule: String,
    },
    /// Scratch space can't be used.
    #[error("scratch space: {0}")]
    Scratch(std::io::Error),
}
