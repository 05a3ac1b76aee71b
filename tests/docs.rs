//! The book: every page is in the summary, every link leads somewhere.

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Targets of the Markdown links in a text that are files.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.map(|target| target.split('#').next().unwrap_or_default().to_string()).collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    for page in pages.chain([root().join("README.md"), root().join("scripts/flow/README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            assert!(page.parent().unwrap().join(&link).exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    for entry in fs::read_dir(root().join("docs/src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name}");
    }
}

/// The limits that the guide tells are those that are in force.
#[test]
fn the_guide_tells_every_limit() {
    let guide = fs::read_to_string(root().join("docs/src/guide.md")).unwrap();
    for kind in railyard_input::Kind::ALL {
        let row = format!("| {} | {} |", kind.name(), grouped(kind.most_mib()));
        assert!(guide.contains(&row), "{row}");
    }
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}
