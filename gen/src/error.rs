//! Why a command could not do its work.

use railyard_hdl::ElaborationError;
use railyard_input::{did_you_mean, shortened, shown, Faults, InputSource};
use railyard_spec::presets;
use serde_json::{json, Value};
use std::path::PathBuf;

/// Bad usage, bad input or a missing tool: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The switch description breaks rules.
    #[error("{path}: not a legal switch description ({})\n{}", faults.count(), faults.indented())]
    Config {
        /// File or preset.
        path: String,
        /// All that is wrong.
        faults: Faults,
    },
    /// A traffic file doesn't fit the switch.
    #[error("--traffic-file {file}:\n{}", faults.indented())]
    Traffic {
        /// The file.
        file: InputSource,
        /// What is wrong, by file and line.
        faults: Faults,
    },
    /// A forwarding table doesn't fit the switch.
    #[error("--table {file}:\n{}", faults.indented())]
    Table {
        /// The file.
        file: InputSource,
        /// What is wrong, by file and line.
        faults: Faults,
    },
    /// `--scenario` is none, or not one for the switch.
    #[error("--scenario:\n{}", .0.indented())]
    Scenario(Faults),
    /// Neither a file nor a preset.
    #[error("{}: no such file, and no such preset{}; `railyard presets` lists the presets", shortened(.0), meant(.0))]
    NoConfig(String),
    /// There is no preset of that name.
    #[error("--preset {}: no such preset{}; `railyard presets` lists them", shortened(.0), meant(.0))]
    NoPreset(String),
    /// Reading or writing failed.
    #[error("{}: {source}", shown(path))]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A path is not what the command needs, or not ours to replace.
    #[error("{}: {why}", shown(path))]
    Output {
        /// File or folder.
        path: PathBuf,
        /// Why it can't be written.
        why: String,
    },
    /// A file of the folder to be replaced was edited by hand.
    #[error("{}: was edited since it was generated; name another folder, or replace it with --force", shown(path))]
    Edited {
        /// The file.
        path: PathBuf,
    },
    /// The folder of `--design` is not one that `generate` wrote for this description.
    #[error("--design {}: {why}", shown(path))]
    Design {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An option has a value that won't do.
    #[error("{0}")]
    Usage(String),
    /// The switch has no part for what an option asks for.
    #[error("{option}:\n{}", faults.indented())]
    Lacks {
        /// The option.
        option: &'static str,
        /// The field of the description, and what it must be.
        faults: Faults,
    },
    /// The description is legal but the hardware could not be built from it: a fault of Railyard.
    #[error("the hardware could not be elaborated (please report this):\n{0}")]
    Elaboration(String),
    /// Area and clock could not be estimated.
    #[error(transparent)]
    Estimate(#[from] railyard_estimate::Error),
    /// The sweep file is at fault.
    #[error("{path}: {cause}")]
    Sweep {
        /// The file.
        path: String,
        /// What is wrong with it.
        cause: railyard_explore::Error,
    },
    /// A sweep could not be done.
    #[error(transparent)]
    Explore(#[from] railyard_explore::Error),
    /// The network file, or a file that it names, is at fault.
    #[error("{path}: {cause}")]
    Network {
        /// The file.
        path: String,
        /// What is wrong.
        cause: railyard_network::description::DescriptionError,
    },
    /// A file of another tool is no network.
    #[error("{path}: not a network that can be read as `{format}`\n{}", faults.indented())]
    Import {
        /// The file.
        path: String,
        /// The name of its format.
        format: String,
        /// What is wrong, by line.
        faults: Faults,
    },
    /// A network can't be written in a format of another tool.
    #[error("{path}: can't be exported\n{}", faults.indented())]
    Export {
        /// The network file.
        path: String,
        /// Why.
        faults: Faults,
    },
    /// A network can't be run as the file or an option says.
    #[error("{path}: not a run of this network\n{}", faults.indented())]
    NetworkRun {
        /// The file.
        path: String,
        /// What is wrong: paths are those of the file, whose place options take.
        faults: Faults,
    },
    /// A switch or network has no part for a picture, or too many.
    #[error("{path}: can't be drawn as `{kind}`\n{}", faults.indented())]
    Picture {
        /// The file or preset.
        path: String,
        /// The kind of picture.
        kind: String,
        /// What is missing.
        faults: Faults,
    },
    /// A study has bad input.
    #[error(transparent)]
    Study(#[from] railyard_study::Error),
    /// The test bench could not be built or run.
    #[error("{0}")]
    Testbench(String),
}

/// Words for behind the wrong name of a preset.
fn meant(name: &str) -> String {
    did_you_mean(name, presets::names())
}

impl Error {
    /// For machines: what people would read, the first faults one by one where there can be several, and how many more
    /// there are.
    pub fn to_json(&self) -> Value {
        let none = Faults::default();
        let (is_illegal, Faults { first, more }) = match self {
            Error::Config { faults, .. }
            | Error::Network { cause: railyard_network::description::DescriptionError { faults, .. }, .. } => {
                (true, faults)
            }
            Error::NetworkRun { faults, .. }
            | Error::Import { faults, .. }
            | Error::Export { faults, .. }
            | Error::Estimate(railyard_estimate::Error::SramTable { faults, .. })
            | Error::Sweep { cause: railyard_explore::Error::Sweep(faults), .. }
            | Error::Sweep { cause: railyard_explore::Error::AllSkipped { faults, .. }, .. }
            | Error::Picture { faults, .. }
            | Error::Lacks { faults, .. }
            | Error::Scenario(faults)
            | Error::Table { faults, .. }
            | Error::Traffic { faults, .. } => (false, faults),
            _ => (false, &none),
        };
        let mut report = json!({"error": self.to_string(), "faults": first, "more_faults": more});
        if is_illegal {
            report["legal"] = false.into();
        }
        report
    }

    /// A run that does not fit its network.
    pub fn network_run(path: &str, error: &railyard_network::harness::RunError) -> Error {
        Error::NetworkRun { path: path.into(), faults: error.fault().into() }
    }

    /// An I/O error with its path.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}

impl From<Vec<ElaborationError>> for Error {
    fn from(errors: Vec<ElaborationError>) -> Error {
        Error::Elaboration(errors.iter().map(|error| format!("  {error}")).collect::<Vec<_>>().join("\n"))
    }
}

impl From<clap::Error> for Error {
    fn from(usage: clap::Error) -> Error {
        let text = usage.render().to_string();
        Error::Usage(text.strip_prefix("error: ").unwrap_or(&text).trim_end().into())
    }
}
