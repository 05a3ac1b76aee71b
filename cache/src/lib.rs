//! A folder of results that are kept from run to run: JSON values and folders of files, each under the hash of all that
//! it depends on ([`Key`]).
//!
//! - What is kept appears whole or not at all, and is sealed ([`seal_json`]). What does not fit its seal is made again,
//!   with a note.
//! - Any number of processes and users may share a folder.
//! - A cache is never needed: where a folder can't be read or written, results are not kept, with a note. Notes are
//!   warnings of the crate `log`.

mod folder;
mod key;
mod seal;
mod shared;

pub use folder::{Error, Folder};
pub use key::Key;
pub use seal::{open_json, seal_json, BrokenSeal};

use railyard_input::{shown, FileKind};
use railyard_programs::{sweep, DraftFile, DraftFolder};
use serde::{de::DeserializeOwned, Serialize};
use shared::Mode;
use std::env;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder that caches are in unless told otherwise: `$RAILYARD_CACHE`, else `railyard` in the user's cache folder.
/// If there is none, that is noted.
pub fn default_folder() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("RAILYARD_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("railyard")))
        .or_else(|| variable("HOME").map(|path| path.join(".cache/railyard")));
    if folder.is_none() {
        log::warn!("no cache folder, nothing is kept: set RAILYARD_CACHE, XDG_CACHE_HOME or HOME");
    }
    folder
}

/// A folder of kept results, or none.
#[derive(Clone, Debug)]
pub struct DiskCache {
    root: Option<Root>,
    /// Where folders are made that can't be kept.
    scratch: Option<Arc<DraftFolder>>,
}

/// A cache folder that is there, if not for writing.
#[derive(Clone, Debug)]
struct Root {
    folder: PathBuf,
    mode: Mode,
}

impl DiskCache {
    /// The cache in a folder, which is made if it is not there; `None`, or a folder that can't be made: nothing is
    /// kept.
    pub fn open(folder: Option<&Path>) -> DiskCache {
        let open = |folder: &Path| Root::open(folder).map_err(|error| unusable(folder, &error)).ok();
        DiskCache { root: folder.and_then(open), scratch: None }
    }

    /// The JSON value kept under a name. One that can't be read, or does not fit its seal, is noted.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let path = self.root.as_ref()?.json(name);
        let text = match railyard_input::read(&path, FileKind::Result) {
            Ok(text) => text,
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    log::warn!("{}: {error}; the result is made again", shown(path));
                }
                return None;
            }
        };
        let value = open_json(name, &text);
        value.map_err(|broken| log::warn!("{}: {broken}; the result is made again", shown(path))).ok()
    }

    /// Keeps a JSON value under a name, written whole or not at all. If that can't be done, it is noted.
    pub fn put(&self, name: &str, value: &impl Serialize) {
        if let Some(root) = &self.root {
            root.put(name, value).unwrap_or_else(|error| unusable(&root.folder, &error));
        }
    }
}

/// Notes that nothing can be kept in a folder.
fn unusable(folder: &Path, error: &io::Error) {
    // The kind alone: the text of some errors names a temporary file, and a note is to be said once.
    log::warn!("cache folder {}: {}; new results are not kept", shown(folder), error.kind());
}

impl Root {
    fn open(folder: &Path) -> io::Result<Root> {
        // A new folder in a shared one is shared with the same users.
        let parent = folder.parent().filter(|parent| parent.is_dir() && !folder.exists());
        fs::create_dir_all(folder)?;
        if let Some(parent) = parent {
            Mode::of(parent)?.set_folder(folder)?;
        }
        let folder = folder.canonicalize()?;
        sweep(&folder);
        Ok(Root { mode: Mode::of(&folder)?, folder })
    }

    fn json(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    fn put(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let mut file = DraftFile::new_in(&self.folder)?;
        file.write_all(seal_json(name, value).as_bytes())?;
        self.mode.set_file(file.as_file())?;
        file.persist(&self.json(name))
    }
}
