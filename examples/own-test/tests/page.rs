//! The page "Write a test of your own" shows whole files of the example crates, so that they can be pasted.

use std::fs;
use std::path::Path;

/// The files that the page shows, from the folder of the examples.
const FILES: [&str; 5] = [
    "own-test/src/lib.rs",
    "own-test/tests/own.rs",
    "own-traffic/src/lib.rs",
    "own-check/src/lib.rs",
    "own-check/tests/longest_stay.rs",
];

/// A file without its first comment.
fn body(source: &str) -> String {
    let lines = source.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_shows_files_that_are_compiled() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(examples.join("../docs/src/own-test.md")).expect("the page is there");
    let shown: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    let files = FILES.map(|file| body(&fs::read_to_string(examples.join(file)).expect("the source is there")));
    assert_eq!(shown, files);
}
