//! The page "Write a test of your own" shows the code of this crate.

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_code_that_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/src/own-test.md")).expect("the page is there");
    let files = ["Cargo.toml", "src/lib.rs", "tests/own.rs"].map(|file| root.join(file));
    let sources = files.map(|file| fs::read_to_string(file).expect("the source is there"));
    let shown: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(shown.len() > 2);
    for code in shown {
        assert!(sources.iter().any(|source| source.contains(code.trim_end())), "not in the example crate:\n{code}");
    }
}
