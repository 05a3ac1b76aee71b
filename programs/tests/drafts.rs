//! Drafts: whole in their place, or gone.

use railyard_programs::{output_of, run, DraftFile, DraftFolder, FolderAccess, NewFolders};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_in_its_place_or_gone() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("file");
    let draft = |text: &[u8]| {
        let mut draft = DraftFile::new_in(place.path()).unwrap();
        draft.write_all(text).unwrap();
        draft
    };
    drop(draft(b"dropped"));
    assert!(names(place.path()).is_empty());
    draft(b"one").persist_noclobber(&target).unwrap();
    assert!(draft(b"two").persist_noclobber(&target).is_err());
    assert_eq!(fs::read(&target).unwrap(), b"one");
    draft(b"three").persist(&target).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"three");
    assert_eq!(names(place.path()), ["file"]);
}

/// `-o /dev/null` as the administrator must leave the device what it is.
#[test]
fn pipes_are_written_to_and_links_stay_links() {
    let place = tempfile::tempdir().unwrap();
    let [pipe, link, file] = ["pipe", "link", "file"].map(|name| place.path().join(name));
    run(Command::new("mkfifo").arg(&pipe)).unwrap();
    let write = |place: &Path, text: &[u8]| {
        let mut draft = DraftFile::for_place(place).unwrap();
        draft.write_all(text).unwrap();
        draft.deliver(place).unwrap();
    };
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read(&pipe).unwrap());
        write(&pipe, b"one");
        assert_eq!(reader.join().unwrap(), b"one");
    });
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    fs::create_dir(file.with_file_name("below")).unwrap();
    let target = place.path().join("below/target");
    fs::write(&target, b"before").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write(&link, b"two");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"two");
    write(&file, b"three");
    assert_eq!(names(place.path()), ["below", "file", "link", "pipe"]);
    assert_eq!(names(&place.path().join("below")), ["target"]);
}

#[test]
fn a_folder_is_in_its_place_or_gone() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("folder");
    let draft = |text: &str| {
        let draft = DraftFolder::new_in(place.path(), FolderAccess::Shared).unwrap();
        fs::write(draft.path().join("file"), text).unwrap();
        draft
    };
    drop(draft("dropped"));
    assert!(names(place.path()).is_empty());
    draft("one").replace(&target).unwrap();
    draft("two").replace(&target).unwrap();
    assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "two");
    assert!(draft("three").publish(&target).is_err(), "something is there");
    assert_eq!(names(place.path()), ["folder"]);
}

#[test]
fn drafts_work_in_folders_of_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join(std::ffi::OsStr::from_bytes(b"\xff\n"));
    fs::create_dir(&folder).unwrap();
    DraftFolder::new_in(&folder, FolderAccess::Private).unwrap().publish(&folder.join("in")).unwrap();
    assert_eq!(names(&folder), ["in"]);
}

#[test]
fn folders_on_the_way_stay_if_they_are_used() {
    let place = tempfile::tempdir().unwrap();
    let at = |path: &str| place.path().join(path);
    drop(NewFolders::make(&at("a/b/c")).unwrap());
    drop(NewFolders::make(&at("new/..")).unwrap());
    assert!(names(place.path()).is_empty());
    let made = NewFolders::make(&at("a/b/c")).unwrap();
    fs::write(at("a/b/file"), "").unwrap();
    drop(made);
    assert_eq!(names(&at("a/b")), ["file"]);
    assert!(NewFolders::make(&at("a/b/file/c")).is_err() && NewFolders::make(&at("a/b/file")).is_err());
    assert!(NewFolders::make(Path::new("")).is_ok());
}

#[test]
fn a_tool_says_what_it_prints_and_how_it_ends() {
    let sh = |script: &str| output_of(Command::new("sh").args(["-c", script])).unwrap();
    let result = sh("cat; echo out; echo err >&2; exit 3");
    let said = (result.stdout.as_slice(), result.stderr.as_slice(), result.status.code());
    assert_eq!(said, (&b"out\n"[..], &b"err\n"[..], Some(3)));
    assert_eq!(sh("yes | head -c 1000000").stdout.len(), 1_000_000, "more than a pipe holds");
    assert!(run(&mut Command::new("no-such-tool-at-all")).is_err());
}
