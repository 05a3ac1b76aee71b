//! Writes output files and folders whole or not at all.

use crate::commands::generate::FILE_LIST;
use crate::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the file by which a folder written by `generate` is known.
pub const MANIFEST: &str = "manifest.json";

/// Whether [`write_new_file`] could write there: to be asked before long work. Nothing is made.
///
/// # Errors
/// It exists already, or can't be written.
pub fn check_new_file(path: &Path) -> Result<(), Error> {
    match path.exists() {
        true => Err(exists(path)),
        false => check_writable(&parent(path)),
    }
}

/// Whether [`write_files`] could write into a folder files of names that `could_be` them: to be asked before long work. Nothing is made.
///
/// # Errors
/// The folder can't be written, or a folder stands in the place of such a file.
pub fn check_files(folder: &Path, could_be: impl Fn(&str) -> bool) -> Result<(), Error> {
    check_writable(folder)?;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut taken = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    match taken.find(|path| path.file_name().is_some_and(|name| could_be(&name.to_string_lossy()))) {
        Some(path) => Err(in_the_way(path)),
        None => Ok(()),
    }
}

/// Whether a folder, or the one in which it would be made, can be written.
fn check_writable(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(no_folder(there));
    }
    tempfile::NamedTempFile::new_in(there).map(drop).map_err(Error::beside(there))
}

fn exists(path: &Path) -> Error {
    Error::Output { path: path.into(), why: "exists; remove it first or name another file".into() }
}

fn no_folder(path: &Path) -> Error {
    Error::Output { path: path.into(), why: "is a file, not a folder".into() }
}

fn in_the_way(path: PathBuf) -> Error {
    Error::Output { path, why: "is a folder; remove it first or name another folder".into() }
}

/// Writes a new file: first beside its place, then moved there. Folders on the way are made.
///
/// # Errors
/// It exists already, or can't be written.
pub fn write_new_file(path: &Path, text: &str) -> Result<(), Error> {
    let parent = parent(path);
    make_folders(&parent)?;
    let mut file = tempfile::NamedTempFile::new_in(&parent).map_err(Error::beside(path))?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    make_readable(file.path())?;
    file.persist_noclobber(path).map_err(|e| match e.error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(path),
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
    let path = &resolved(path)?;
    if path.exists() {
        check_ours(path)?;
    }
    let parent = parent(path);
    let fresh = tempfile::Builder::new().prefix(".railyard-").tempdir_in(&parent).map_err(Error::beside(path))?;
    for (name, text) in files {
        let file = fresh.path().join(name);
        fs::write(&file, text).map_err(Error::io(path.join(name)))?;
    }
    make_readable(fresh.path())?;
    let old = tempfile::Builder::new().prefix(".railyard-old-").tempdir_in(&parent).map_err(Error::beside(path))?;
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

/// Writes files `(name, text)` into a folder, new or not: all beside their places first, then each is moved there, over one of
/// that name.
///
/// # Errors
/// The folder or a file can't be written; then no file was begun.
pub fn write_files(folder: &Path, files: &[(String, String)]) -> Result<Vec<PathBuf>, Error> {
    make_folders(folder)?;
    let mut ready = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        if path.is_dir() {
            return Err(in_the_way(path));
        }
        let mut file =
            tempfile::Builder::new().prefix(".railyard-").tempfile_in(folder).map_err(Error::beside(folder))?;
        file.write_all(text.as_bytes()).map_err(Error::io(&path))?;
        make_readable(file.path())?;
        ready.push((file, path));
    }
    let put = |(file, path): (tempfile::NamedTempFile, PathBuf)| match file.persist(&path) {
        Ok(_) => Ok(path),
        Err(error) => Err(Error::Io { path, source: error.error }),
    };
    ready.into_iter().map(put).collect()
}

/// Makes a folder and those above it, unless they are there.
fn make_folders(path: &Path) -> Result<(), Error> {
    match path.exists() && !path.is_dir() {
        true => Err(no_folder(path)),
        false => fs::create_dir_all(path).map_err(Error::io(path)),
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        _ => ".".into(),
    }
}

/// The absolute path, links followed: `..` in a relative one could mean something else once folders have moved.
fn resolved(path: &Path) -> Result<PathBuf, Error> {
    if path.exists() && !path.is_dir() {
        return Err(Error::Output {
            path: path.into(),
            why: "is a file, and a design is a folder; name another place".into(),
        });
    }
    if path.exists() {
        return path.canonicalize().map_err(Error::io(path));
    }
    let parent = parent(path);
    make_folders(&parent)?;
    let parent = parent.canonicalize().map_err(Error::io(&parent))?;
    match path.file_name() {
        Some(name) => Ok(parent.join(name)),
        None => Err(Error::Output { path: path.into(), why: "does not name a folder".into() }),
    }
}

/// Whether a folder may be replaced: it is empty, or holds nothing but what `generate` wrote.
fn check_ours(path: &Path) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::Output { path: path.into(), why });
    let entries = fs::read_dir(path).map_err(Error::io(path))?;
    let names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let text = fs::read_to_string(path.join(MANIFEST)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if !manifest["generator"].as_str().is_some_and(|generator| generator.starts_with("railyard ")) {
        return refuse("exists and was not written by `railyard generate`; name a new folder or an empty one".into());
    }
    let modules = manifest["modules"].as_array().into_iter().flatten();
    let ours: Vec<&str> = modules.filter_map(|module| module["file"].as_str()).chain([MANIFEST, FILE_LIST]).collect();
    match names.iter().find(|name| !ours.contains(&name.as_str())) {
        Some(name) => refuse(format!("holds {name}, which `railyard generate` did not write; name another folder")),
        None => Ok(()),
    }
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
