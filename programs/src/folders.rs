//! Folders on the way to an output.

use crate::registry::registry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that were made for an output. Those that are still empty when it is dropped, or when a signal ends the
/// process, are removed.
#[must_use]
pub struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes a folder and those above it, where they are missing.
    ///
    /// # Errors
    /// One of them can't be made; then those above it are gone again.
    pub fn make(path: &Path) -> io::Result<NewFolders> {
        let is_missing = |above: &&Path| !above.as_os_str().is_empty() && fs::symlink_metadata(above).is_err();
        let mut made = NewFolders(Vec::new());
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for folder in missing.into_iter().rev() {
            let mut registry = registry();
            match fs::create_dir(folder) {
                Ok(()) => {
                    registry.add_folders(&[folder.into()]);
                    made.0.push(folder.into());
                }
                // `new/..` is there once `new` is; another process may have been quicker.
                Err(_) if folder.is_dir() => {}
                Err(error) => {
                    drop(registry);
                    return Err(error);
                }
            }
        }
        match path.as_os_str().is_empty() || path.is_dir() {
            true => Ok(made),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that is in use is not empty.
            let _ = fs::remove_dir(folder);
        }
        registry().remove_folders(&self.0);
    }
}
