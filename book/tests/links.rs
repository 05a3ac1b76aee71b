//! Links lead somewhere, pictures exist, code blocks are whole.

use railyard_book::{pages, root, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Languages of code blocks.
const LANGUAGES: [&str; 8] = ["console", "json", "python", "rust", "sh", "text", "toml", "verilog"];

/// Pages beside the book that have links, too.
const BESIDE: [&str; 2] = ["README.md", "scripts/flow/README.md"];

fn all() -> Vec<Page> {
    pages().into_iter().chain(BESIDE.map(|path| Page::read(&root().join(path)))).collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    let pages = all();
    let anchors: BTreeMap<PathBuf, &[String]> =
        pages.iter().map(|page| (plain(&page.path), page.anchors.as_slice())).collect();
    let mut faults = Vec::new();
    for page in &pages {
        for link in page.links.iter().filter(|link| !link.target.contains("://")) {
            let (file, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
            let target = match file {
                "" => page.path.clone(),
                file => page.path.parent().unwrap().join(file),
            };
            let at = format!("{}:{}: {}", page.path.display(), link.line, link.target);
            if !target.exists() {
                faults.push(format!("{at}: there is no such file"));
            } else if !anchor.is_empty()
                && !anchors.get(&plain(&target)).is_some_and(|list| list.iter().any(|a| a == anchor))
            {
                faults.push(format!("{at}: there is no such heading"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Who does not see a picture gets words.
#[test]
fn every_picture_has_a_text() {
    for page in all() {
        for picture in page.links.iter().filter(|link| link.is_picture) {
            assert!(picture.text.len() > 10, "{}:{}: {}", page.path.display(), picture.line, picture.target);
        }
    }
}

#[test]
fn every_page_is_in_the_summary_once() {
    let book = root().join("docs/src");
    let summary = Page::read(&book.join("SUMMARY.md"));
    let listed: Vec<&str> = summary.links.iter().map(|link| link.target.as_str()).collect();
    let there: BTreeSet<String> =
        pages().iter().map(|page| page.path.strip_prefix(&book).unwrap().display().to_string()).collect();
    for page in there.iter().filter(|page| *page != "SUMMARY.md") {
        assert_eq!(listed.iter().filter(|target| *target == page).count(), 1, "{page} in SUMMARY.md");
    }
}

#[test]
fn code_blocks_are_whole() {
    for page in all() {
        let fences = page.source.lines().filter(|line| line.trim_start().starts_with("```")).count();
        assert_eq!(fences % 2, 0, "{}: a code block is not closed", page.path.display());
        for block in &page.code {
            let at = format!("{}:{}", page.path.display(), block.line);
            // Behind a comma stands what a JSON file is.
            let language = block.language.split(',').next().unwrap_or_default();
            assert!(LANGUAGES.contains(&language), "{at}: '{language}' is none of {LANGUAGES:?}");
            if language == "json" {
                assert!(serde_json::from_str::<serde_json::Value>(&block.text).is_ok(), "{at}: is no JSON");
            }
        }
    }
}

/// The front page and the book have the same limits, word by word.
#[test]
fn the_limits_of_the_front_page_are_in_the_book() {
    let limits = |path: &str| {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let section = text.split("## What it is not").nth(1).unwrap_or_else(|| panic!("{path}: no limits")).to_string();
        let lines = section.lines().skip_while(|line| !line.starts_with("- ")).take_while(|line| !line.is_empty());
        lines.map(String::from).collect::<Vec<_>>()
    };
    let front = limits("README.md");
    assert!(front.len() > 5, "{front:?}");
    assert_eq!(front, limits("docs/src/scope.md"));
}
