//! Why a network file is no network.

use crate::run::RunError;
use railyard_input::{shown, Fault, Faults};
use std::path::{Path, PathBuf};

/// A network file, or a file that it names, breaks rules.
#[derive(Debug, thiserror::Error)]
#[error("{} ({})\n{}", what(file.as_deref()), faults.count(), faults.indented())]
pub struct DescriptionError {
    /// The file that it names; none for the network file itself.
    pub file: Option<PathBuf>,
    /// All that is wrong.
    pub faults: Faults,
}

impl DescriptionError {
    /// A single fault of the network file: a JSON pointer, the value, the rule, and what would be legal.
    pub(super) fn of(path: &str, value: impl ToString, rule: impl Into<String>, legal: impl Into<String>) -> Self {
        let fault = Fault { path: path.into(), value: value.to_string(), rule: rule.into(), legal: legal.into() };
        DescriptionError { file: None, faults: fault.into() }
    }

    /// The same of a file that it names.
    pub(super) fn inside(self, file: &Path) -> Self {
        DescriptionError { file: Some(file.into()), ..self }
    }
}

impl From<RunError> for DescriptionError {
    /// The network file asks for a run that its network can't do.
    fn from(error: RunError) -> Self {
        DescriptionError { file: None, faults: error.fault().into() }
    }
}

/// What is at fault.
fn what(file: Option<&Path>) -> String {
    file.map_or("not a legal network".into(), |file| format!("{}: not legal", shown(file)))
}
