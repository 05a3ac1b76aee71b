//! Of what the report is, told by the content of what is named.

use crate::text::read_text;
use crate::Error;
use railyard_explore::Store;
use railyard_input::{did_you_mean, shortened, Document, FileKind, InputSource};
use railyard_spec::{presets, CheckedConfig, Config};
use railyard_study::{Study, STUDIES};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What a report can be of.
pub(super) enum Subject {
    /// A switch.
    Switch(Box<CheckedConfig>),
    /// The text of a network file.
    Network(String),
    /// The folder of a sweep.
    Sweep(PathBuf),
    /// A study.
    Study(&'static Study),
}

impl Subject {
    /// What it is, with its article.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Subject::Switch(_) => Subject::SWITCH,
            Subject::Network(_) => Subject::NETWORK,
            Subject::Sweep(_) => "a sweep",
            Subject::Study(_) => Subject::STUDY,
        }
    }

    /// What a switch is called.
    pub(super) const SWITCH: &str = "a switch";
    /// What a network is called.
    pub(super) const NETWORK: &str = "a network";
    /// What a study is called.
    pub(super) const STUDY: &str = "a study";

    /// That of a file, a folder or a name.
    ///
    /// # Errors
    /// There is no such thing, or it is nothing to report on.
    pub(super) fn of(source: &InputSource) -> Result<Subject, Error> {
        let path = match source {
            InputSource::StandardInput => return of_text(source),
            InputSource::File(path) => path,
        };
        let name = path.to_str().unwrap_or_default();
        if let Some(preset) = presets::find(name).filter(|_| !path.exists() || path.is_dir()) {
            return switch(name, preset.json);
        }
        match STUDIES.iter().find(|study| study.name == name) {
            Some(study) if !path.exists() => Ok(Subject::Study(study)),
            _ if path.is_dir() => sweep(path, path),
            _ if path.extension().is_some_and(|ending| ending == "csv") => sweep(path, parent(path)),
            _ if path.symlink_metadata().is_err() => Err(none(name)),
            _ => of_text(source),
        }
    }
}

/// There is nothing of this name.
fn none(name: &str) -> Error {
    let names = presets::names().chain(STUDIES.iter().map(|study| study.name));
    Error::Usage(format!(
        "{}: no such file, preset or study{}; `railyard presets` and `railyard study --list` list the names",
        shortened(name),
        did_you_mean(name, names)
    ))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The sweep of a folder, or of a table in it.
fn sweep(named: &Path, folder: &Path) -> Result<Subject, Error> {
    match Store::is_at(folder) {
        true => Ok(Subject::Sweep(folder.into())),
        false => Err(nothing(named, "is no folder of `railyard explore`, and no table in one")),
    }
}

fn of_text(source: &InputSource) -> Result<Subject, Error> {
    let text = read_text(source, FileKind::Network)?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let refuse = |why: &str| Err(nothing(Path::new(&source.to_string()), why));
    if value["study"].is_string() && value["tables"].is_object() {
        return refuse("is the result of a study; give the name of the study, and it is made again");
    }
    match Document::of(&value).map(|document| document.name) {
        Some(Document::NETWORK) => Ok(Subject::Network(text)),
        Some(Document::SWEEP) => refuse("is a sweep; run `railyard explore` on it, and give the folder of its results"),
        _ => switch(&source.to_string(), &text),
    }
}

/// The switch of a description. What is none of the others is taken for one, and its faults say what it lacks.
fn switch(path: &str, text: &str) -> Result<Subject, Error> {
    let config = Config::from_json(text).map_err(|faults| Error::Config { path: path.into(), faults })?;
    Ok(Subject::Switch(config.into()))
}

fn nothing(path: &Path, why: &str) -> Error {
    Error::Output { path: path.into(), why: why.into() }
}
