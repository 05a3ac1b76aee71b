//! What has to go when a signal ends the process.

use rustix::process::{kill_process_group, test_kill_process_group, waitpid, Pid, Signal, WaitOptions};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::thread::sleep;
use std::time::Duration;

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    groups: BTreeSet::new(),
    drafts: BTreeSet::new(),
    folders: Vec::new(),
    swept: BTreeSet::new(),
});

/// What the process has begun and not finished.
pub(crate) struct Registry {
    /// Process groups of programs, by the process ids of their leaders.
    groups: BTreeSet<i32>,
    /// Drafts: files, and folders with all that is in them.
    drafts: BTreeSet<PathBuf>,
    /// Folders on the way to an output, which go if they are empty; outer ones first.
    folders: Vec<PathBuf>,
    /// Folders in which this process has looked for the drafts of killed ones.
    swept: BTreeSet<PathBuf>,
}

/// The registry. Whoever begins something does so with the lock held: what begins is known, and nothing begins once a
/// signal ends the process.
pub(crate) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// How often, and how long apart, the end of killed programs is looked for: half a second in all. Where nobody asks for
/// the ends of orphans (a container without an init process), they are never gone.
const LOOKS: usize = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

impl Registry {
    pub fn add_group(&mut self, leader: Pid) {
        self.groups.insert(leader.as_raw_nonzero().get());
    }

    pub fn remove_group(&mut self, leader: Pid) {
        self.groups.remove(&leader.as_raw_nonzero().get());
    }

    pub fn add_draft(&mut self, path: &Path) {
        self.drafts.insert(path.into());
    }

    pub fn remove_draft(&mut self, path: &Path) {
        self.drafts.remove(path);
    }

    pub fn add_folders(&mut self, paths: &[PathBuf]) {
        self.folders.extend_from_slice(paths);
    }

    pub fn remove_folders(&mut self, paths: &[PathBuf]) {
        self.folders.retain(|path| !paths.contains(path));
    }

    /// Whether the folder is swept for the first time.
    pub fn sweeps(&mut self, folder: &Path) -> bool {
        self.swept.insert(folder.into())
    }

    /// Sends a signal to all programs.
    pub fn signal(&self, signal: Signal) {
        for leader in self.leaders() {
            // A program that has just ended needs no signal.
            let _ = kill_process_group(leader, signal);
        }
    }

    fn leaders(&self) -> impl Iterator<Item = Pid> + '_ {
        self.groups.iter().filter_map(|&leader| Pid::from_raw(leader))
    }

    /// Kills the programs, waits until they are gone, and deletes drafts and empty folders. What can't be deleted stays
    /// for [`crate::sweep`].
    pub fn end(&mut self) {
        self.signal(Signal::KILL);
        for _ in 0..LOOKS {
            if self.leaders().all(is_gone) {
                break;
            }
            sleep(BETWEEN_LOOKS);
        }
        for draft in &self.drafts {
            delete(draft);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether all processes of a killed group are gone. The leader, a child of this process, is so only once its end is
/// asked for.
fn is_gone(leader: Pid) -> bool {
    let _ = waitpid(Some(leader), WaitOptions::NOHANG);
    test_kill_process_group(leader).is_err()
}

/// How often a folder is deleted to which another thread still adds files.
const TRIES: usize = 10;

/// Deletes a file, or a folder with all that is in it, as far as that can be done. A link is deleted, not what it leads
/// to.
pub(crate) fn delete(path: &Path) {
    for _ in 0..TRIES {
        let deleted = match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
            Err(_) => return,
        };
        if deleted.is_ok() {
            return;
        }
    }
}
