//! The pictures of the book are what the commands draw today. `scripts/pictures` draws them anew.

use railyard_picture::book::{draw, file, BOOK};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn folder() -> PathBuf {
    root().join("docs/src/pictures")
}

#[test]
fn every_picture_is_what_is_drawn_today() {
    let is_update = std::env::var_os("RAILYARD_UPDATE").is_some();
    for (kind, source) in BOOK {
        let path = folder().join(file(kind, source));
        let canvas = draw(kind, source, root()).unwrap_or_else(|trouble| panic!("{kind} {source}: {trouble}"));
        let drawn = canvas.svg();
        if is_update {
            fs::write(&path, &drawn).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{} is not what is drawn today: run scripts/pictures", path.display());
    }
}

#[test]
fn every_file_is_a_picture_of_the_list() {
    let listed: BTreeSet<String> = BOOK.iter().map(|(kind, source)| file(kind, source)).collect();
    let kept = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(kept.collect::<BTreeSet<_>>(), listed);
}

/// Each picture stands on a page of the book.
#[test]
fn every_picture_is_shown() {
    let mut pages = Vec::new();
    let mut folders = vec![root().join("docs/src"), root().join("README.md")];
    while let Some(path) = folders.pop() {
        match path.is_dir() {
            true => folders.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path())),
            false if path.extension().is_some_and(|ending| ending == "md") => {
                pages.push(fs::read_to_string(&path).unwrap())
            }
            false => {}
        }
    }
    for (kind, source) in BOOK {
        let file = file(kind, source);
        assert!(pages.iter().any(|page| page.contains(&format!("pictures/{file})"))), "{file} is on no page");
    }
}
