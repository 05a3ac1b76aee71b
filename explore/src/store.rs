//! The folder of a sweep.

use crate::error::{at, Error};
use crate::run::{Metrics, Run};
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where finished runs are, one a file. By this folder a sweep's folder is known.
const RUNS: &str = "runs";

/// A folder that holds a sweep and what is known of it. Every file in it is written whole or not at all, so any number of workers
/// on any number of machines can use it at the same time, and each can be killed at any time.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A finished run as it is kept.
#[derive(Serialize, Deserialize)]
struct Stored {
    railyard: String,
    job: Value,
    metrics: Metrics,
    config: Value,
}

impl Stored {
    /// Whether it is the result of this run.
    fn is_of(&self, run: &Run) -> bool {
        self.railyard == crate::VERSION && self.job == json!(run.job) && self.config == json!(run.config)
    }
}

impl Store {
    /// The folder, new or as it was left.
    ///
    /// # Errors
    /// It is somebody else's, or can't be made.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let runs = folder.join(RUNS);
        let taken = folder.exists() && !runs.is_dir();
        if taken && (!folder.is_dir() || fs::read_dir(folder).map_err(at(folder))?.next().is_some()) {
            return Err(Error::Foreign(folder.into()));
        }
        fs::create_dir_all(&runs).map_err(at(&runs))?;
        Ok(Store { folder: folder.canonicalize().map_err(at(folder))? })
    }

    /// Whether a sweep has been here.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(RUNS).is_dir()
    }

    /// A file or folder of the sweep.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The folder itself, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The result of a run, if it is finished.
    pub fn get(&self, run: &Run) -> Option<Metrics> {
        let text = fs::read(self.result(run)).ok()?;
        let stored: Stored = serde_json::from_slice(&text).ok()?;
        let is_measured = stored.metrics.values().all(|value| value.is_number() || value.is_null());
        (is_measured && !stored.metrics.is_empty() && stored.is_of(run)).then_some(stored.metrics)
    }

    /// Keeps the result of a run, with what it was made of beside it.
    ///
    /// # Errors
    /// It can't be written.
    pub fn put(&self, run: &Run, metrics: &Metrics) -> Result<(), Error> {
        let (job, config) = (json!(run.job), json!(run.config));
        let stored = Stored { railyard: crate::VERSION.into(), job, metrics: metrics.clone(), config };
        write(&self.result(run), &(serde_json::to_string_pretty(&stored).expect("plain data") + "\n"))
    }

    /// Writes a file of the sweep, unless it is there already with these contents.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.path(name);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(at(parent))?;
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            write(&path, text)?;
        }
        Ok(path)
    }

    fn result(&self, run: &Run) -> PathBuf {
        self.folder.join(RUNS).join(format!("{}.json", run.key()))
    }
}

/// Writes a file beside its place and moves it there.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().expect("a file in a folder");
    // Private temporary files would stay private: let the user's mask decide, as for any file.
    let permissions = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new()
        .prefix(".railyard-")
        .permissions(permissions)
        .tempfile_in(folder)
        // Its own text names the temporary file.
        .map_err(|e| at(folder)(e.kind().into()))?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(at(path))?;
    file.persist(path).map_err(|e| at(path)(e.error))?;
    Ok(())
}
