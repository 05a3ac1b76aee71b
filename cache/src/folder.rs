//! Folders of files as results: built by one process while others wait, published by a rename.

use crate::seal::{of_folder, SEAL};
use crate::shared::{Lock, Mode};
use crate::{unusable, DiskCache, Root};
use railyard_input::{shown, FileKind};
use railyard_programs::{DraftFolder, FolderAccess};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// There is no place for a result, not even for a while.
#[derive(Debug, thiserror::Error)]
#[error("temporary folder {}: {source}", shown(folder))]
pub struct Error {
    /// Where it was tried.
    pub folder: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// A folder of files that is kept, or lives as long as this value and its clones.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    found: bool,
    _scratch: Option<Arc<DraftFolder>>,
}

impl Folder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was there before it was asked for.
    pub fn found(&self) -> bool {
        self.found
    }
}

/// What there is of a folder when it is asked for.
enum Begun {
    Found(PathBuf),
    /// To be filled, with the lock held.
    Draft(Lock, DraftFolder),
}

impl DiskCache {
    /// The cache with a temporary folder for what can't be kept, if that is to be expected: it lives as long as the
    /// cache.
    ///
    /// # Errors
    /// A temporary folder is needed, and can't be made.
    pub fn with_scratch(mut self) -> Result<DiskCache, Error> {
        if !self.root.as_ref().is_some_and(Root::is_writable) {
            self.scratch = Some(scratch()?);
        }
        Ok(self)
    }

    /// The folder kept under a name. If there is none, or it does not fit its seal, `fill` makes its files. While one
    /// process does that, others wait for it. Where nothing can be kept, the folder is a temporary one.
    ///
    /// # Errors
    /// Those of `fill`; a temporary folder that can't be made.
    pub fn folder<E: From<Error>>(&self, name: &str, fill: impl FnOnce(&Path) -> Result<(), E>) -> Result<Folder, E> {
        let begin = |root: &Root| root.begin(name).map_err(|error| unusable(&root.folder, &error)).ok();
        if let Some((root, begun)) = self.root.as_ref().and_then(|root| Some((root, begin(root)?))) {
            return root.finish(name, begun, None, fill);
        }
        let scratch = scratch()?;
        let root = Root::open(scratch.path()).map_err(|source| in_temporary(scratch.path(), source))?;
        let begun = root.begin(name).map_err(|source| in_temporary(&root.folder, source))?;
        root.finish(name, begun, Some(scratch), fill)
    }
}

impl Root {
    fn is_writable(&self) -> bool {
        rustix::fs::access(&self.folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
    }

    fn begin(&self, name: &str) -> io::Result<Begun> {
        let folder = self.folder.join(name);
        if is_intact(name, &folder) {
            return Ok(Begun::Found(folder));
        }
        let lock = Lock::take(&self.folder.join(format!("{name}.lock")), self.mode)?;
        if is_intact(name, &folder) {
            return Ok(Begun::Found(folder));
        }
        if folder.exists() {
            log::warn!("{}: damaged, or changed by hand: its seal does not fit; it is made again", shown(folder));
        }
        Ok(Begun::Draft(lock, DraftFolder::new_in(&self.folder, FolderAccess::Shared)?))
    }

    fn finish<E: From<Error>>(
        &self,
        name: &str,
        begun: Begun,
        scratch: Option<Arc<DraftFolder>>,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<Folder, E> {
        let (_lock, draft) = match begun {
            Begun::Found(path) => return Ok(Folder { path, found: true, _scratch: scratch }),
            Begun::Draft(lock, draft) => (lock, draft),
        };
        fill(draft.path())?;
        let place = self.folder.join(name);
        match publish(name, draft.path(), &place, self.mode) {
            Ok(()) => Ok(Folder { path: place, found: false, _scratch: scratch }),
            Err(error) => {
                unusable(&self.folder, &error);
                Ok(Folder { path: draft.path().into(), found: false, _scratch: Some(Arc::new(draft)) })
            }
        }
    }
}

/// Seals a filled folder and puts it in its place, where a damaged one may be.
fn publish(name: &str, draft: &Path, place: &Path, mode: Mode) -> io::Result<()> {
    fs::write(draft.join(SEAL), of_folder(name, draft)?)?;
    mode.set_folder(draft)?;
    let Err(taken) = fs::rename(draft, place) else { return Ok(()) };
    if !place.exists() {
        return Err(taken);
    }
    // Another user's folder can be renamed where its files can't be deleted.
    let aside = draft.with_extension("damaged");
    fs::rename(place, &aside)?;
    let _ = fs::remove_dir_all(&aside).or_else(|_| fs::remove_file(&aside));
    fs::rename(draft, place)
}

fn is_intact(name: &str, folder: &Path) -> bool {
    let sealed = railyard_input::read_text(folder.join(SEAL), FileKind::Result);
    sealed.is_ok_and(|sealed| of_folder(name, folder).is_ok_and(|seal| seal == sealed))
}

/// A temporary folder for what can't be kept, shared by all that is in use at a time: parts of a model serve others,
/// too.
fn scratch() -> Result<Arc<DraftFolder>, Error> {
    static SHARED: Mutex<Weak<DraftFolder>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(scratch) = shared.upgrade() {
        return Ok(scratch);
    }
    let made = DraftFolder::scratch();
    let scratch = Arc::new(made.map_err(|source| in_temporary(&std::env::temp_dir(), source))?);
    *shared = Arc::downgrade(&scratch);
    Ok(scratch)
}

fn in_temporary(folder: &Path, source: io::Error) -> Error {
    Error { folder: folder.into(), source }
}
