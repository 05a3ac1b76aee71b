//! Where a waveform goes. What stands in its way is found before the run: that can take hours.

use railyard_input::shown;
use railyard_programs::{DraftFolder, FolderAccess};
use railyard_verilated::{Recording, Waveforms};
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Links in a row that are followed; more are a loop.
const LINKS: usize = 40;

/// A waveform to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waveform {
    /// The file; its ending says the format: `.vcd`, else FST.
    pub path: PathBuf,
    /// Cycles before a failure that it shows: nothing is written if there is none. `None`: the whole run.
    pub window: Option<u64>,
}

/// A waveform can't be written.
#[derive(Debug, thiserror::Error)]
#[error("waveform {}: {why}", shown(path))]
pub struct WaveformError {
    /// The file asked for.
    pub path: PathBuf,
    /// What stands in its way.
    pub why: String,
}

impl Waveform {
    pub(super) fn format(&self) -> Waveforms {
        if self.path.extension().is_some_and(|ending| ending == "vcd") {
            Waveforms::Vcd
        } else {
            Waveforms::Fst
        }
    }

    /// The file to write, with links followed: the writer of FST would replace a link by a file.
    ///
    /// # Errors
    /// A file can't be written there.
    pub fn target(&self) -> Result<PathBuf, WaveformError> {
        let fault = |why: String| WaveformError { path: self.path.clone(), why };
        let target = linked(&self.path);
        let folder = parent(&target);
        match fs::metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(fault(format!("{} is not a folder", shown(folder)))),
            Err(e) => return Err(fault(format!("the folder {}: {e}", shown(folder)))),
        }
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fault("is a folder".into())),
            // FST's writer removes what stands there, and a device must stay.
            Ok(found) if !found.is_file() => return Err(fault("is not a regular file".into())),
            Ok(_) => {
                let open = OpenOptions::new().write(true).open(&target);
                open.map_err(|e| fault(format!("can't be written: {e}")))?;
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(fault(e.to_string())),
        }
        let beside = tempfile::tempfile_in(&folder);
        beside.map_err(|e| fault(format!("the folder {} can't be written to: {e}", shown(folder))))?;
        Ok(target)
    }
}

/// A waveform on its way: the design's process writes to a folder that has nothing else, and the file takes its place
/// when it is complete. What there is goes when a signal ends this process.
#[derive(Debug)]
pub(super) struct Draft {
    folder: DraftFolder,
    target: PathBuf,
}

impl Draft {
    /// One for `target`, beside it.
    ///
    /// # Errors
    /// No folder can be made there.
    pub fn beside(target: &Path) -> Result<Draft, WaveformError> {
        let folder = DraftFolder::new_in(&parent(target), FolderAccess::Private);
        let folder = folder.map_err(|e| WaveformError { path: target.into(), why: e.to_string() })?;
        Ok(Draft { folder, target: target.into() })
    }

    /// The cycles from `first` to the one before `end`.
    pub fn recording(&self, first: u64, end: u64) -> Recording {
        let name = self.target.file_name().unwrap_or_default();
        let folder = self.folder.path().canonicalize();
        Recording { path: folder.unwrap_or_else(|_| self.folder.path().into()).join(name), first, end }
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// It can't be moved there.
    pub fn publish(self) -> Result<(), WaveformError> {
        let written = self.recording(0, 0).path;
        fs::rename(written, &self.target).map_err(|e| WaveformError { path: self.target, why: e.to_string() })
    }
}

/// Where a path leads through links, the last of which may name a file that doesn't exist yet.
fn linked(path: &Path) -> PathBuf {
    let follow = |path: &PathBuf| fs::read_link(path).ok().map(|next| parent(path).join(next));
    let chain = std::iter::successors(Some(path.to_path_buf()), follow);
    chain.take(LINKS).last().expect("the chain begins with the path")
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        _ => ".".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &Path) -> Result<PathBuf, String> {
        Waveform { path: path.into(), window: None }.target().map_err(|e| e.why)
    }

    #[test]
    fn bad_places_are_found_and_nothing_is_left_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(target(&at("run.fst")), Ok(at("run.fst")));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(target(&at("missing/run.fst")).unwrap_err().contains("missing"));
        fs::create_dir(at("dir.vcd")).unwrap();
        assert_eq!(target(&at("dir.vcd")).unwrap_err(), "is a folder");
        fs::write(at("file"), "kept").unwrap();
        assert!(target(&at("file/run.fst")).unwrap_err().contains("not a folder"));
        assert_eq!(target(&at("file")), Ok(at("file")));
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "kept");
        // Not even root can make a file there.
        assert!(target(Path::new("/proc/run.fst")).unwrap_err().contains("can't be written to"));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        symlink("deep/second.fst", at("first.fst")).unwrap();
        symlink("real.fst", at("deep/second.fst")).unwrap();
        assert_eq!(target(&at("first.fst")), Ok(at("deep/real.fst")));
        symlink("loop.fst", at("loop.fst")).unwrap();
        assert!(target(&at("loop.fst")).is_err());
        symlink("/dev/null", at("null.fst")).unwrap();
        assert_eq!(target(&at("null.fst")).unwrap_err(), "is not a regular file");
    }
}
