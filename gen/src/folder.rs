//! Writes output files and folders whole or not at all.

use crate::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the file by which a folder written by `generate` is known.
pub const MANIFEST: &str = "manifest.json";

/// Writes a new file: first beside its place, then moved there.
///
/// # Errors
/// It exists already, or can't be written.
pub fn write_new_file(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = tempfile::NamedTempFile::new_in(parent(path)).map_err(Error::io(path))?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    make_readable(file.path())?;
    file.persist_noclobber(path).map_err(|e| match e.error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Error::Output { path: path.into(), why: "exists; remove it first or name another file" }
        }
        _ => Error::Io { path: path.into(), source: e.error },
    })?;
    Ok(())
}

/// Writes a folder of files `(name, text)`: first beside its place, then moved there. A folder that `generate` wrote
/// before is replaced as a whole.
///
/// # Errors
/// The place is taken by something else, or can't be written; then what stood there still does.
pub fn write_folder(path: &Path, files: &[(String, String)]) -> Result<(), Error> {
    let occupied = path.exists() && !is_empty_folder(path);
    if occupied && !path.join(MANIFEST).is_file() {
        return Err(Error::Output {
            path: path.into(),
            why: "exists and was not written by `railyard generate`; name a new folder or an empty one",
        });
    }
    let parent = parent(path);
    fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
    let fresh = tempfile::Builder::new().prefix(".railyard-").tempdir_in(&parent).map_err(Error::io(&parent))?;
    for (name, text) in files {
        let file = fresh.path().join(name);
        fs::write(&file, text).map_err(Error::io(&file))?;
    }
    make_readable(fresh.path())?;
    let old = tempfile::Builder::new().prefix(".railyard-old-").tempdir_in(&parent).map_err(Error::io(&parent))?;
    if path.exists() {
        fs::rename(path, old.path().join("design")).map_err(Error::io(path))?;
    }
    if let Err(error) = fs::rename(fresh.path(), path) {
        let before = old.path().join("design");
        if before.exists() {
            fs::rename(before, path).map_err(Error::io(path))?;
        }
        return Err(Error::Io { path: path.into(), source: error });
    }
    // The folder has moved away from under its guard: nothing is left to delete there.
    let _ = fresh.keep();
    Ok(())
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        _ => ".".into(),
    }
}

fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).map(|mut entries| entries.next().is_none()).unwrap_or(false)
}

/// Temporary files are private to their owner; results are not.
fn make_readable(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(Error::io(path))?;
    }
    Ok(())
}
