//! The cache of compiled objects: folders named by the hash of all that went into them.
//!
//! A folder appears whole or not at all: it is built under another name and renamed. A lock file beside it lets one
//! builder work while others, in this process or another, wait for what it makes.

use std::{
    env,
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
};

use fs4::FileExt;
use railyard_programs::{sweep, Access, DraftFolder};
use sha2::{Digest, Sha256};

use crate::{error::IoContext, BuildError};

/// The hash of a list of named parts; lengths are hashed too, so parts can't run into each other.
pub(crate) struct Key(Sha256);

impl Key {
    pub fn new() -> Key {
        Key(Sha256::new())
    }

    pub fn part(mut self, name: &str, value: &str) -> Key {
        for text in [name, value] {
            self.0.update((text.len() as u64).to_le_bytes());
            self.0.update(text.as_bytes());
        }
        self
    }

    /// Half of the SHA-256 sum in hexadecimal: 128 bits are enough, and paths stay short.
    pub fn finish(self) -> String {
        self.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A folder of cached builds.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `folder`, else `$RAILYARD_CACHE`, else `railyard` in the user's cache folder.
    pub fn open(folder: Option<&Path>) -> Result<Cache, BuildError> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = folder
            .map(Path::to_path_buf)
            .or_else(|| variable("RAILYARD_CACHE"))
            .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("railyard")))
            .or_else(|| variable("HOME").map(|path| path.join(".cache/railyard")))
            .ok_or(BuildError::NoCache)?;
        fs::create_dir_all(&root).io("creating", &root)?;
        let root = root.canonicalize().io("opening", &root)?;
        sweep(&root);
        Ok(Cache { root })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder `<kind>-<key>`, and whether it was there already. If not, `fill` makes its content in a
    /// temporary folder, with the lock held.
    pub fn get(
        &self,
        kind: &str,
        key: &str,
        fill: impl FnOnce(&Path) -> Result<(), BuildError>,
    ) -> Result<(PathBuf, bool), BuildError> {
        let folder = self.root.join(format!("{kind}-{key}"));
        if is_intact(&folder) {
            return Ok((folder, true));
        }
        let _lock = Lock::take(&self.root.join(format!("{kind}-{key}.lock")))?;
        if is_intact(&folder) {
            return Ok((folder, true));
        }
        // What is there is damaged: a full disk, a copy cut short, somebody's hand.
        if folder.is_dir() {
            fs::remove_dir_all(&folder).io("deleting", &folder)?;
        } else if folder.exists() {
            fs::remove_file(&folder).io("deleting", &folder)?;
        }
        let draft = DraftFolder::new_in(&self.root, Access::Shared).io("writing to", &self.root)?;
        fill(draft.path())?;
        let path = draft.path().join(SEAL);
        fs::write(&path, seal(draft.path())).io("writing", path)?;
        draft.publish(&folder).io("publishing", &folder)?;
        Ok((folder, false))
    }
}

/// Name of the file that holds the hash of all others in a folder.
const SEAL: &str = "seal";

/// The hash of all files of a folder but the seal, names and contents; what can't be read counts as empty.
fn seal(folder: &Path) -> String {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name != SEAL));
    files.sort();
    let mut sum = Sha256::new();
    for path in files {
        let contents = fs::read(&path).unwrap_or_default();
        sum.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        sum.update((contents.len() as u64).to_le_bytes());
        sum.update(contents);
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_intact(folder: &Path) -> bool {
    fs::read_to_string(folder.join(SEAL)).is_ok_and(|sealed| sealed == seal(folder))
}

/// An exclusive lock on a file, released when dropped or when the process ends however it ends.
struct Lock(File);

impl Lock {
    fn take(path: &Path) -> Result<Lock, BuildError> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).io("opening", path)?;
        FileExt::lock(&file).io("locking", path)?;
        Ok(Lock(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file releases the lock as well.
        let _ = FileExt::unlock(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_do_not_run_into_each_other() {
        let joined = Key::new().part("a", "bc").finish();
        assert_ne!(joined, Key::new().part("ab", "c").finish());
        assert_ne!(joined, Key::new().part("a", "b").part("", "c").finish());
        assert_eq!(joined.len(), 32);
    }
}
