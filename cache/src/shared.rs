//! A cache folder shared by users: who may read and write what is kept, and one builder at a time.
//!
//! In a folder that a group or all may write, what is kept has the folder's permissions, whatever the user's mask:
//! another user may read, replace and repair it. In other folders, and in those with the sticky bit (as `/tmp`), the
//! mask decides.

use fs4::FileExt;
use railyard_input::shown;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The sticky bit of a folder: files in it are their owner's.
const STICKY: u32 = 0o1000;

/// The permissions of folders in a cache folder that users write together; none in other cache folders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode(Option<u32>);

/// What new files have before the user's mask.
const ANY_FILE: u32 = 0o666;

impl Mode {
    /// Of what is kept in `folder`.
    pub fn of(folder: &Path) -> Result<Mode> {
        let mode = fs::metadata(folder)?.permissions().mode();
        let is_shared = mode & 0o022 != 0 && mode & STICKY == 0;
        // The bit that gives new files the folder's group goes along.
        Ok(Mode(is_shared.then_some(mode & 0o2777)))
    }

    /// Gives a file these permissions.
    pub fn set_file(self, file: &File) -> Result<()> {
        self.0.map_or(Ok(()), |mode| file.set_permissions(Permissions::from_mode(mode & ANY_FILE)))
    }

    /// Gives a folder and the files in it these permissions.
    pub fn set_folder(self, folder: &Path) -> Result<()> {
        let Some(mode) = self.0 else { return Ok(()) };
        for entry in fs::read_dir(folder)? {
            fs::set_permissions(entry?.path(), Permissions::from_mode(mode & ANY_FILE))?;
        }
        fs::set_permissions(folder, Permissions::from_mode(mode))
    }
}

/// An exclusive lock on a file, released when dropped or when the process ends however it ends.
pub(crate) struct Lock(File);

impl Lock {
    /// Waits for the lock.
    pub fn take(path: &Path, mode: Mode) -> Result<Lock> {
        let file = open(path, mode)?;
        FileExt::lock(&file)?;
        Ok(Lock(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file releases the lock as well.
        let _ = FileExt::unlock(&self.0);
    }
}

/// Opens a regular file. Another user may have put a pipe or a link there: a pipe is not waited for, a link not
/// followed.
fn regular(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let file = options.custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::other(format!("{} is no regular file", shown(path))));
    }
    Ok(file)
}

/// Opens a lock file, which may be another user's. Without `O_CREAT` at first: Linux refuses that for files of others
/// in a sticky folder. A file that can only be read serves too, but not on NFS.
fn open(path: &Path, mode: Mode) -> Result<File> {
    let there =
        || regular(path, OpenOptions::new().write(true)).or_else(|_| regular(path, OpenOptions::new().read(true)));
    let missing = |error: &Error| error.kind() == ErrorKind::NotFound;
    match there() {
        Err(error) if missing(&error) => {}
        done => return done,
    }
    match OpenOptions::new().write(true).create_new(true).mode(ANY_FILE).open(path) {
        Ok(file) => mode.set_file(&file).map(|()| file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => there(),
        Err(error) => Err(error),
    }
}
