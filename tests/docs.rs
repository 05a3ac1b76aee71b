//! What the pages say of the program is so.

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
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
