//! The folder of a sweep.

use crate::error::{at, Error};
use crate::run::{Metrics, SweepRun};
use railyard_cache::{open_json, seal_json, BrokenSeal};
use railyard_input::{read, shown, FileKind};
use railyard_programs::{sweep, DraftFile, NewFolders};
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where finished runs are, one a file. By this folder a sweep's folder is known.
const RUNS: &str = "runs";

/// A folder that holds a sweep and what is known of it. Every file in it is written whole or not at all, so any number
/// of workers on any number of machines can use it at the same time, and each can be killed at any time.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    /// The folder as it was given, for messages.
    given: PathBuf,
}

/// A finished run as it is kept, with what it was made of beside the result, for people.
#[derive(Serialize, Deserialize)]
struct Stored {
    railyard: String,
    job: Value,
    metrics: Metrics,
    config: Value,
}

/// What there is of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// Its result.
    Finished(Metrics),
    /// A file that does not fit its seal, or can't be read: no result.
    Damaged(PathBuf),
    /// Nothing.
    Missing,
}

impl Store {
    /// The folder, new or as it was left.
    ///
    /// # Errors
    /// It is somebody else's, or can't be made.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let foreign = || Err(Error::Foreign(folder.into()));
        if folder.exists() && !folder.is_dir() {
            return foreign();
        }
        let _made = NewFolders::make(folder).map_err(at(folder))?;
        let place = folder.canonicalize().map_err(at(folder))?;
        let runs = place.join(RUNS);
        // In this order: another worker may make its first folder between the two looks.
        let used = fs::read_dir(&place).map_err(at(folder))?.next().is_some();
        if used && !runs.is_dir() {
            return foreign();
        }
        fs::create_dir_all(&runs).map_err(at(&runs))?;
        sweep(&place);
        sweep(&runs);
        Ok(Store { folder: place, given: folder.into() })
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

    /// A path in the folder as the user has named the folder, for messages.
    pub fn as_given(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.folder) {
            Ok(inside) if inside.as_os_str().is_empty() => self.given.clone(),
            Ok(inside) => self.given.join(inside),
            Err(_) => path.into(),
        }
    }

    /// What there is of a run.
    pub fn look(&self, run: &SweepRun) -> Kept {
        let path = self.result(run);
        match read(&path, FileKind::Result) {
            Ok(text) => match open_json::<Stored>(&run.key(), &text) {
                Ok(stored) => Kept::Finished(stored.metrics),
                Err(_) => Kept::Damaged(path),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Kept::Missing,
            Err(_) => Kept::Damaged(path),
        }
    }

    /// The result of a run, if it is finished. A damaged one is noted: it is none.
    pub fn get(&self, run: &SweepRun) -> Option<Metrics> {
        match self.look(run) {
            Kept::Finished(metrics) => Some(metrics),
            Kept::Damaged(path) => {
                log::warn!("{}: {BrokenSeal}; its run counts as not finished", shown(self.as_given(&path)));
                None
            }
            Kept::Missing => None,
        }
    }

    /// Keeps the result of a run, sealed.
    ///
    /// # Errors
    /// It can't be written.
    pub fn put(&self, run: &SweepRun, metrics: &Metrics) -> Result<(), Error> {
        let (job, config) = (json!(run.job), json!(run.config));
        let stored = Stored { railyard: crate::VERSION.into(), job, metrics: metrics.clone(), config };
        write(&self.result(run), &seal_json(&run.key(), &stored))
    }

    /// Writes a file of the sweep, unless it is there already with these contents.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.path(name);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(at(parent))?;
        if read(&path, FileKind::Result).ok().as_deref() != Some(text.as_bytes()) {
            write(&path, text)?;
        }
        Ok(path)
    }

    fn result(&self, run: &SweepRun) -> PathBuf {
        self.folder.join(RUNS).join(format!("{}.json", run.key()))
    }
}

/// Writes a file beside its place and moves it there.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().expect("a file in a folder");
    let mut file = DraftFile::new_in(folder).map_err(at(folder))?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(at(path))?;
    file.persist(path).map_err(at(path))
}

#[cfg(test)]
mod tests {
    use super::Store;
    use std::thread::scope;

    #[test]
    fn workers_make_a_folder_at_the_same_time() {
        let place = tempfile::tempdir().unwrap();
        for round in 0..200 {
            let folder = place.path().join(format!("{round}"));
            scope(|all| {
                let workers = [(); 4].map(|()| all.spawn(|| Store::open(&folder).map(drop)));
                workers.into_iter().for_each(|worker| worker.join().unwrap().unwrap());
            });
        }
    }
}
