//! Writes output files and folders whole or not at all.

use crate::error::Error;
use railyard_input::{read_text, shown, FileKind};
use railyard_programs::{is_special, DraftFile, DraftFolder, FolderAccess, NewFolders};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the file that lists the Verilog files, for `-f` of simulators and synthesis scripts.
pub const FILE_LIST: &str = "files.f";

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

/// Whether [`write_files`] could write into a folder files of names that `could_be` them: to be asked before long work.
/// Nothing is made.
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

/// Whether [`write_file`] could write there: to be asked before long work. Nothing is made.
///
/// # Errors
/// It is a folder, or can't be written.
pub fn check_file(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Output { path: path.into(), why: "is a folder, not a file".into() });
    }
    match is_special(path) {
        true => Ok(()),
        false => check_writable(&parent(path)),
    }
}

/// Whether a folder, or the one in which it would be made, can be written.
fn check_writable(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(no_folder(there));
    }
    DraftFile::new_in(there).map(drop).map_err(no_draft(there, there))
}

fn exists(path: &Path) -> Error {
    Error::Output { path: path.into(), why: "exists; remove it first or name another file".into() }
}

fn no_folder(path: &Path) -> Error {
    Error::Output { path: path.into(), why: "is a file, not a folder".into() }
}

/// What is written stands first beside its place, in `folder`, and can't be made there.
fn no_draft<'a>(path: &'a Path, folder: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    move |source| {
        let why = format!("nothing can be made in {}: {source}; name a place where you can write", shown(folder));
        Error::Output { path: path.into(), why }
    }
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
    let _made = make_folders(&parent)?;
    let mut file = DraftFile::new_in(&parent).map_err(no_draft(path, &parent))?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    file.persist_noclobber(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(path),
        _ => Error::io(path)(error),
    })
}

/// Writes a folder of files `(name, text)`: first beside its place, then moved there. A folder that `generate` wrote
/// before is replaced as a whole.
///
/// # Errors
/// The place is taken by something else, or can't be written; then what stood there still does.
pub fn write_folder(path: &Path, files: &[(String, String)]) -> Result<(), Error> {
    let (path, _made) = &resolved(path)?;
    if path.exists() {
        check_ours(path)?;
    }
    let parent = parent(path);
    let fresh = DraftFolder::new_in(&parent, FolderAccess::Shared).map_err(no_draft(path, &parent))?;
    for (name, text) in files {
        fs::write(fresh.path().join(name), text).map_err(Error::io(path.join(name)))?;
    }
    fresh.replace(path).map_err(Error::io(path))
}

/// Writes files `(name, text)` into a folder, new or not: all beside their places first, then each is moved there, over
/// one of that name.
///
/// # Errors
/// The folder or a file can't be written; then no file was begun.
pub fn write_files(folder: &Path, files: &[(String, String)]) -> Result<Vec<PathBuf>, Error> {
    let _made = make_folders(folder)?;
    let mut ready = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        if path.is_dir() {
            return Err(in_the_way(path));
        }
        let mut file = DraftFile::new_in(folder).map_err(no_draft(&path, folder))?;
        file.write_all(text.as_bytes()).map_err(Error::io(&path))?;
        ready.push((file, path));
    }
    let put = |(file, path): (DraftFile, PathBuf)| match file.persist(&path) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Io { path, source }),
    };
    ready.into_iter().map(put).collect()
}

/// Writes a file that the user named: first beside its place, then moved there, over one of that name. To a device or a
/// pipe it is copied.
///
/// # Errors
/// It is a folder, or can't be written.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    let (mut file, _made) = begin_file(path)?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    file.deliver(path).map_err(Error::io(path))
}

/// A file to be written beside its place and delivered there, with the folders that were made on the way.
///
/// # Errors
/// The folder can't be written, or the file is a folder.
pub fn begin_file(path: &Path) -> Result<(DraftFile, NewFolders), Error> {
    if path.is_dir() {
        return Err(in_the_way(path.into()));
    }
    let folder = parent(path);
    let made = make_folders(&folder)?;
    Ok((DraftFile::for_place(path).map_err(Error::io(path))?, made))
}

/// Makes a folder and those above it, unless they are there. What is still empty at the end goes.
fn make_folders(path: &Path) -> Result<NewFolders, Error> {
    match path.exists() && !path.is_dir() {
        true => Err(no_folder(path)),
        false => NewFolders::make(path).map_err(|source| {
            let why = format!("the folder can't be made: {source}; name a place where you can write");
            Error::Output { path: path.into(), why }
        }),
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        _ => ".".into(),
    }
}

/// The absolute path, links followed (`..` in a relative one could mean something else once folders have moved), and
/// the folders that were made on the way.
fn resolved(path: &Path) -> Result<(PathBuf, NewFolders), Error> {
    if path.exists() && !path.is_dir() {
        return Err(Error::Output {
            path: path.into(),
            why: "is a file, and a design is a folder; name another place".into(),
        });
    }
    if path.exists() {
        let path = path.canonicalize().map_err(Error::io(path))?;
        return Ok((path, make_folders(Path::new(""))?));
    }
    let Some(name) = path.file_name() else {
        return Err(Error::Output { path: path.into(), why: "does not name a folder".into() });
    };
    let parent = parent(path);
    let made = make_folders(&parent)?;
    Ok((parent.canonicalize().map_err(Error::io(&parent))?.join(name), made))
}

/// Whether a folder may be replaced: it is empty, or holds nothing but what `generate` wrote.
fn check_ours(path: &Path) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::Output { path: path.into(), why });
    let entries = fs::read_dir(path).map_err(Error::io(path))?;
    let names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let text = read_text(path.join(MANIFEST), FileKind::Manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if !manifest["generator"].as_str().is_some_and(|generator| generator.starts_with("railyard ")) {
        return refuse("exists and was not written by `railyard generate`; name a new folder or an empty one".into());
    }
    let listed = ["modules", "files"].into_iter().flat_map(|list| manifest[list].as_array().into_iter().flatten());
    let ours: Vec<&str> = listed.filter_map(|entry| entry["file"].as_str()).chain([MANIFEST, FILE_LIST]).collect();
    match names.iter().find(|name| !ours.contains(&name.as_str())) {
        Some(name) => {
            refuse(format!("holds {}, which `railyard generate` did not write; name another folder", shown(name)))
        }
        None => Ok(()),
    }
}
