//! Files and folders that are written beside their place and moved there when they are whole.

use crate::registry::{delete, registry};
use rustix::fs::{flock, renameat_with, FlockOperation, OFlags, RenameFlags, CWD};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, PersistError};

/// What the names of drafts begin with.
const PREFIX: &str = ".railyard-draft-";

/// What the name of a draft folder's lock ends with; the rest is the folder's name.
const LOCK: &str = ".lock";

/// What the name of a replaced folder begins with while a new one is put in its place. It may hold the only copy, so
/// nobody sweeps it.
const OLD: &str = ".railyard-old-";

/// Names that are tried for a draft: one is lost only if somebody sweeps between its making and its locking.
const NAMES: usize = 16;

/// A file that is not in its place yet. Dropped, or when a signal ends the process, it is deleted.
pub struct DraftFile(Option<NamedTempFile>);

impl DraftFile {
    /// An empty file in `folder`, with the permissions that the user's mask gives to any new file.
    ///
    /// # Errors
    /// The folder can't be written. The error names no path: that of the draft would lead astray.
    pub fn new_in(folder: &Path) -> io::Result<DraftFile> {
        sweep(folder);
        locked(folder, "").map(|file| DraftFile(Some(file)))
    }

    /// An empty file for a place that the user named: beside it, where links are followed. A device or a pipe is
    /// written to and never replaced, so the draft for one stands among the temporary files.
    ///
    /// # Errors
    /// As [`DraftFile::new_in`].
    pub fn for_place(place: &Path) -> io::Result<DraftFile> {
        match is_special(place) {
            true => DraftFile::new_in(&std::env::temp_dir()),
            false => DraftFile::new_in(folder_of(&followed(place))),
        }
    }

    /// Moves a draft [for that place](DraftFile::for_place) there, over the file or behind the link that is there; to a
    /// device or a pipe it is copied.
    ///
    /// # Errors
    /// It can't be moved or copied there.
    pub fn deliver(self, place: &Path) -> io::Result<()> {
        match is_special(place) {
            true => self.copied(place),
            false => self.persist(&followed(place)),
        }
    }

    /// Moves it to its place, over what is there: a link or a pipe is replaced, as nobody named it.
    ///
    /// # Errors
    /// It can't be moved there.
    pub fn persist(self, place: &Path) -> io::Result<()> {
        self.moved(|file| file.persist(place))
    }

    fn copied(self, place: &Path) -> io::Result<()> {
        let mut from = self.as_file();
        from.seek(SeekFrom::Start(0))?;
        io::copy(&mut from, &mut OpenOptions::new().write(true).open(place)?).map(drop)
    }

    /// Moves it to its place, unless something is there.
    ///
    /// # Errors
    /// It can't be moved there.
    pub fn persist_noclobber(self, path: &Path) -> io::Result<()> {
        self.moved(|file| file.persist_noclobber(path))
    }

    fn moved(mut self, to: impl FnOnce(NamedTempFile) -> Result<File, PersistError>) -> io::Result<()> {
        let file = self.0.take().expect("a draft is moved once");
        let before = file.path().to_path_buf();
        let moved = to(file).map(drop).map_err(|e| e.error);
        registry().remove_draft(&before);
        moved
    }

    /// The file.
    pub fn as_file(&self) -> &File {
        self.0.as_ref().expect("a draft is moved last").as_file()
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_file().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.as_file().flush()
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let path = file.path().to_path_buf();
            drop(file);
            registry().remove_draft(&path);
        }
    }
}

/// Who can look into a draft folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderAccess {
    /// Its owner: scratch space.
    Private,
    /// Whom the user's mask lets into any new folder: it becomes a result.
    Shared,
}

/// A folder that is not in its place yet, or is scratch space and has none. Dropped, or when a signal ends the process,
/// it is deleted with all that is in it.
#[derive(Debug)]
pub struct DraftFolder {
    path: PathBuf,
    lock: Option<NamedTempFile>,
}

impl DraftFolder {
    /// Scratch space in the system's folder for temporary files.
    ///
    /// # Errors
    /// That folder can't be written.
    pub fn scratch() -> io::Result<DraftFolder> {
        DraftFolder::new_in(&std::env::temp_dir(), FolderAccess::Private)
    }

    /// An empty folder in `folder`.
    ///
    /// # Errors
    /// As [`DraftFile::new_in`].
    pub fn new_in(folder: &Path, access: FolderAccess) -> io::Result<DraftFolder> {
        sweep(folder);
        let lock = locked(folder, LOCK)?;
        let path = beside_lock(lock.path()).expect("it was named so");
        let mode = if access == FolderAccess::Private { 0o700 } else { 0o777 };
        let mut registry = registry();
        if let Err(error) = DirBuilder::new().mode(mode).create(&path) {
            registry.remove_draft(lock.path());
            return Err(error.kind().into());
        }
        registry.add_draft(&path);
        drop(registry);
        Ok(DraftFolder { path, lock: Some(lock) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves it to its place, where nothing is.
    ///
    /// # Errors
    /// It can't be moved there.
    pub fn publish(self, place: &Path) -> io::Result<()> {
        fs::rename(&self.path, place)
    }

    /// Moves it to its place, in exchange for the folder there, which is deleted. At any time one of the two is there,
    /// where the file system can exchange them.
    ///
    /// # Errors
    /// It can't be moved there; then the folder from before is there.
    pub fn replace(self, place: &Path) -> io::Result<()> {
        match renameat_with(CWD, &self.path, CWD, place, RenameFlags::EXCHANGE) {
            Err(Errno::NOENT) => self.publish(place),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.replace_in_steps(place),
            done => done.map_err(io::Error::from),
        }
    }

    fn replace_in_steps(self, place: &Path) -> io::Result<()> {
        let old = Builder::new().prefix(OLD).tempdir_in(folder_of(place))?.keep();
        let before = old.join("before");
        // No signal ends the process between the steps.
        let registry = registry();
        fs::rename(place, &before)?;
        if let Err(error) = fs::rename(&self.path, place) {
            fs::rename(&before, place)?;
            delete(&old);
            return Err(error);
        }
        drop(registry);
        delete(&old);
        Ok(())
    }
}

impl Drop for DraftFolder {
    fn drop(&mut self) {
        delete(&self.path);
        // The lock goes last: a folder without one would never be swept.
        if let Some(lock) = self.lock.take() {
            let path = lock.path().to_path_buf();
            drop(lock);
            let mut registry = registry();
            registry.remove_draft(&self.path);
            registry.remove_draft(&path);
        }
    }
}

/// Whether a device, a pipe or a socket stands there.
pub fn is_special(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Where a link leads, if something is there.
fn followed(place: &Path) -> PathBuf {
    match place.is_symlink() {
        true => place.canonicalize().unwrap_or_else(|_| place.into()),
        false => place.into(),
    }
}

/// The folder in which a file stands.
fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in `folder` that this process has locked, so that nobody sweeps it.
fn locked(folder: &Path, suffix: &str) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(suffix).permissions(Permissions::from_mode(0o666));
    for _ in 0..NAMES {
        let mut registry = registry();
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        if is_ours(file.as_file()) {
            registry.add_draft(file.path());
            return Ok(file);
        }
    }
    Err(ErrorKind::ResourceBusy.into())
}

/// Locks a new draft, unless somebody has swept it already. Where a file system has no locks nobody sweeps.
fn is_ours(file: &File) -> bool {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => file.metadata().is_ok_and(|found| found.nlink() > 0),
        Err(error) => error != Errno::WOULDBLOCK,
    }
}

/// The folder of a lock.
fn beside_lock(lock: &Path) -> Option<PathBuf> {
    let name = lock.file_name()?.to_str()?.strip_suffix(LOCK)?;
    Some(lock.with_file_name(name))
}

/// Deletes the user's drafts in a folder whose processes were killed. A process does so once for each folder; what
/// can't be deleted stays.
pub fn sweep(folder: &Path) {
    if !registry().sweeps(folder) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            sweep_one(&entry.path());
        }
    }
}

/// Deletes a draft file, or the folder of a lock, if no living process has it locked.
fn sweep_one(path: &Path) {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let Ok(file) = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path) else { return };
    let is_users = file.metadata().is_ok_and(|found| found.is_file() && found.uid() == geteuid().as_raw());
    if is_users && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        if let Some(folder) = beside_lock(path) {
            delete(&folder);
        }
        delete(path);
    }
}
