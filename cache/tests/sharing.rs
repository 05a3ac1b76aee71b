//! Folders shared by users and processes, and folders that can't be written.
//!
//! Where the tests run as root, other users are other processes of this test with another user ID; elsewhere only what
//! one user can try is tried.

use railyard_cache::{DiskCache, Error};
use std::cell::Cell;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Names the folder that a process of another user works in, and what it does there.
const FOLDER: &str = "RAILYARD_CACHE_TEST_FOLDER";
const ROLE: &str = "RAILYARD_CACHE_TEST_ROLE";

/// User IDs that need not be in any list of users.
const ALICE: u32 = 54_321;
const BOB: u32 = 54_322;

fn is_root() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root {
        eprintln!("not run: only root can be several users");
    }
    is_root
}

/// Notes go to standard error.
struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }
    fn log(&self, record: &log::Record) {
        eprintln!("note: {}", record.args());
    }
    fn flush(&self) {}
}

/// Runs a role as a user whose files are private unless they are shared on purpose; the notes that it made.
fn as_user(user: u32, role: &str, folder: &Path) -> Vec<String> {
    let umask = "umask 077; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", umask]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "another_user", "--nocapture"]).env(FOLDER, folder).env(ROLE, role);
    let output = command.uid(user).gid(user).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{role}: {}{text}", String::from_utf8_lossy(&output.stdout));
    text.lines().filter(|line| line.starts_with("note: ")).map(String::from).collect()
}

/// The folder of a model with one file; `made` is set if it was filled.
fn model(cache: &DiskCache, made: &Cell<bool>) -> (String, bool) {
    let fill = |draft: &Path| {
        made.set(true);
        fs::write(draft.join("model.so"), "code").unwrap();
        Ok::<(), Error>(())
    };
    let folder = cache.folder("model-1", fill).unwrap();
    (fs::read_to_string(folder.path().join("model.so")).unwrap(), folder.found())
}

/// What a process of another user does; nothing in the process of the tests.
#[test]
fn another_user() {
    let (Some(folder), Ok(role)) = (std::env::var_os(FOLDER), std::env::var(ROLE)) else { return };
    log::set_logger(&Stderr).map(|()| log::set_max_level(log::LevelFilter::Warn)).unwrap();
    let (cache, made) = (DiskCache::open(Some(Path::new(&folder))), Cell::new(false));
    match role.as_str() {
        "keeps" => {
            cache.put("result-1", &7);
            assert_eq!(model(&cache, &made), ("code".into(), false));
        }
        "finds" => {
            assert_eq!(cache.get::<u32>("result-1"), Some(7));
            assert_eq!(model(&cache, &made), ("code".into(), true));
            assert!(!made.get());
        }
        "makes" => {
            assert_eq!(cache.get::<u32>("result-1"), None);
            cache.put("result-1", &7);
            assert_eq!(model(&cache, &made), ("code".into(), false));
            assert!(made.get());
        }
        other => panic!("no role {other}"),
    }
}

fn folder(mode: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
    folder
}

fn damage(folder: &Path) {
    fs::write(folder.join("result-1.json"), "{}").unwrap();
    fs::write(folder.join("model-1/model.so"), "edoc").unwrap();
}

#[test]
fn what_one_user_keeps_serves_the_others() {
    if !is_root() {
        return;
    }
    let shared = folder(0o777);
    assert!(as_user(ALICE, "keeps", shared.path()).is_empty());
    assert!(as_user(BOB, "finds", shared.path()).is_empty());
    // Bob repairs what is Alice's.
    damage(shared.path());
    let notes = as_user(BOB, "makes", shared.path());
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes.iter().all(|note| note.contains("seal does not fit")), "{notes:?}");
    assert!(as_user(ALICE, "finds", shared.path()).is_empty());
    // What a killed build of another user has left does not stop Bob, though he can't delete it.
    damage(shared.path());
    let left = shared.path().join("draft-model-1-left");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("model.so"), "half").unwrap();
    as_user(BOB, "makes", shared.path());
    as_user(ALICE, "finds", shared.path());
}

#[test]
fn in_a_sticky_folder_files_are_their_owners() {
    if !is_root() {
        return;
    }
    let sticky = folder(0o1777);
    as_user(ALICE, "keeps", sticky.path());
    for name in ["result-1.json", "model-1/model.so"] {
        assert_eq!(fs::metadata(sticky.path().join(name)).unwrap().mode() & 0o077, 0, "{name}: Alice's mask decides");
    }
    // Bob can neither read nor replace them: he works without, and is told so.
    let notes = as_user(BOB, "makes", sticky.path());
    assert!(notes.iter().any(|note| note.contains("new results are not kept")), "{notes:?}");
}

#[test]
fn a_folder_for_reading_serves_what_is_in_it() {
    if !is_root() {
        return;
    }
    let fixed = folder(0o777);
    as_user(ALICE, "keeps", fixed.path());
    fs::set_permissions(fixed.path(), Permissions::from_mode(0o755)).unwrap();
    assert!(as_user(BOB, "finds", fixed.path()).is_empty(), "nothing has to be written");
    let empty = folder(0o755);
    let notes = as_user(BOB, "makes", empty.path());
    assert!(!notes.is_empty() && notes.iter().all(|note| *note == notes[0]), "one note: {notes:?}");
    assert!(notes[0].contains("new results are not kept"), "{notes:?}");
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_can_not_be_made_is_none() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (cache, made) = (DiskCache::open(Some(&file.path().join("cache"))), Cell::new(false));
    cache.put("result-1", &7);
    assert_eq!(cache.get::<u32>("result-1"), None);
    assert_eq!(model(&cache, &made), ("code".into(), false));
    let folder = cache.folder("other", |_| Ok::<(), Error>(())).unwrap();
    let path = folder.path().to_path_buf();
    assert!(path.is_dir());
    drop(folder);
    assert!(!path.exists(), "temporary folders go");
}

#[test]
fn a_pipe_in_place_of_a_lock_is_not_waited_for() {
    let shared = folder(0o755);
    let lock = shared.path().join("model-1.lock");
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, &lock, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let (cache, made) = (DiskCache::open(Some(shared.path())), Cell::new(false));
    assert_eq!(model(&cache, &made), ("code".into(), false));
    assert!(made.get() && !shared.path().join("model-1").exists(), "built, and not kept");
}

#[test]
fn threads_wait_for_the_one_that_builds() {
    for folder in [Some(folder(0o755)), None] {
        let builds = std::sync::atomic::AtomicUsize::new(0);
        let build = || {
            let cache = DiskCache::open(folder.as_ref().map(TempDir::path));
            let fill = |draft: &Path| {
                builds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                fs::write(draft.join("model.so"), "code").unwrap();
                Ok::<(), Error>(())
            };
            cache.folder("model-1", fill).unwrap()
        };
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!((all.len(), builds.into_inner()), (4, 1));
    }
}

#[test]
fn a_model_under_another_name_is_no_model() {
    let folder = folder(0o755);
    let (cache, made) = (DiskCache::open(Some(folder.path())), Cell::new(false));
    let other = |draft: &std::path::Path| {
        fs::write(draft.join("model.so"), "other").unwrap();
        Ok::<(), Error>(())
    };
    cache.folder("model-0", other).unwrap();
    fs::rename(folder.path().join("model-0"), folder.path().join("model-1")).unwrap();
    assert_eq!(model(&cache, &made), ("code".into(), false));
    assert_eq!(model(&cache, &made), ("code".into(), true));
}
