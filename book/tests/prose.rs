//! The prose of the book: short sentences, the field's words.

use railyard_book::{findings, pages, root, rules, sentences, Page};
use std::fs;

/// Pages that have not been gone through yet. A page that has no finding any more must leave the list.
const NOT_YET: [&str; 0] = [];

/// Crates whose errors a user reads.
const CRATES: [&str; 9] = ["cache", "estimate", "explore", "gen", "input", "network", "spec", "testbench", "verilated"];

#[test]
fn sentences_are_short_and_hardware_is_no_person() {
    let mut faults = Vec::new();
    let book = root().join("docs/src");
    let front = Page::read(&root().join("README.md"));
    for page in pages().into_iter().chain([front]) {
        let name = page.path.strip_prefix(&book).unwrap_or(&page.path).display().to_string();
        let found = findings(&page);
        match NOT_YET.contains(&name.as_str()) {
            true if found.is_empty() => {
                faults.push(format!("{name}: nothing is found any more: take it off the list in {}", file!()))
            }
            true => {}
            false => {
                faults.extend(found.iter().map(|f| format!("docs/src/{name}:{}: {}: {}", f.line, f.rule, f.sentence)))
            }
        }
    }
    assert!(faults.is_empty(), "{} finding(s):\n{}", faults.len(), faults.join("\n"));
}

/// A paragraph that goes on with a sentence begun by a code block has no subject of its own.
#[test]
fn paragraphs_begin_with_a_capital() {
    let book = root().join("docs/src");
    let mut faults = Vec::new();
    for page in pages() {
        let name = page.path.strip_prefix(&book).unwrap().display().to_string();
        if NOT_YET.contains(&name.as_str()) {
            continue;
        }
        let lines: Vec<&str> = page.source.lines().collect();
        let after_code = lines.windows(3).enumerate().filter(|(_, three)| three[0] == "```" && three[1].is_empty());
        let begins_small = |line: &str| line.chars().next().is_some_and(char::is_lowercase);
        let small = after_code.filter(|(_, three)| begins_small(three[2]));
        faults.extend(small.map(|(at, three)| format!("docs/src/{name}:{}: {}", at + 3, three[2])));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The texts of errors, from `#[error("` to the next quote, are held to the rules of the pages.
#[test]
fn errors_are_in_short_sentences() {
    let mut faults = Vec::new();
    let mut folders: Vec<_> = CRATES.iter().map(|name| root().join(name).join("src")).collect();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = fs::read_to_string(&path).expect("a source");
            let texts = source.split("#[error(\"").skip(1).filter_map(|rest| rest.split('"').next());
            for sentence in texts.flat_map(sentences) {
                faults.extend(rules(&sentence).iter().map(|rule| format!("{}: {rule}: {sentence}", path.display())));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
