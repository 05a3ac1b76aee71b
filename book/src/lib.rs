//! The book as data: its pages with their prose, links, headings and code blocks. The tests of this crate check them.

pub mod columns;
mod page;
mod prose;

pub use page::{CodeBlock, Page, PageLink, Text};
pub use prose::{findings, rules, sentences, words, Finding, LONGEST};

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).to_path_buf()
}

/// All pages of the book, by path.
///
/// # Panics
/// A page can't be read.
pub fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("an entry of a folder").path()) {
            match path.extension().and_then(|ending| ending.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("md") => pages.push(Page::read(&path)),
                _ => {}
            }
        }
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}
