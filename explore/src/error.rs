//! Why a sweep could not be done.

use railyard_input::{shown, Faults};
use std::path::{Path, PathBuf};

/// Bad input, or something missing on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sweep file breaks rules.
    #[error("not a legal sweep ({})\n{}", .0.count(), .0.indented())]
    Sweep(Faults),
    /// No point keeps the rules.
    #[error("none of the {points} points is legal; each breaks at least one of these rules\n{}", faults.indented())]
    AllSkipped {
        /// How many there are.
        points: usize,
        /// What is wrong with them, each fault once.
        faults: Faults,
    },
    /// Reading or writing failed.
    #[error("{}: {source}", shown(path))]
    File {
        /// File or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The folder is somebody else's.
    #[error("{}: exists and is not the folder of a sweep; name a new folder or an empty one", shown(.0))]
    Foreign(PathBuf),
    /// No run can be made on this machine: a tool or a library is missing.
    #[error("{0}")]
    Machine(String),
    /// Slurm did not take the job.
    #[error("{0}")]
    Submit(String),
}

/// Adds a path to an error of the file system.
pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::File { path: path.into(), source }
}
