//! The chapter "Writing a block" shows the code of this crate and of `own-block`, and the Verilog of its blocks.

use railyard_event_counters::event_counter;
use railyard_hdl::rtl::emit;
use std::fs;
use std::path::Path;

/// The fenced blocks of this language.
fn fences(page: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    let starts = page.split(&start).skip(1);
    starts.map(|rest| rest.split("```").next().unwrap_or_default().trim_end().to_string()).collect()
}

#[test]
fn the_page_shows_code_that_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/src/writing-a-block.md")).expect("the page is there");
    let folders = ["src", "../own-block/src", "../own-block/tests"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the sources are there"));
    let sources: Vec<String> =
        files.map(|file| fs::read_to_string(file.expect("it can be listed").path()).expect("it is text")).collect();
    let shown = fences(&page, "rust");
    assert!(shown.len() > 5);
    for code in shown {
        assert!(sources.iter().any(|source| source.contains(&code)), "not in the example crate:\n{code}");
    }
    let verilog = emit(&event_counter(4, true, true), "event_counter").expect("the block is sound").text();
    for code in fences(&page, "verilog") {
        assert!(verilog.contains(&code), "not in the Verilog:\n{code}");
    }
}
