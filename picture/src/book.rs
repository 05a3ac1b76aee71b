//! The pictures of the book: which there are, and where each comes from.

use crate::canvas::Canvas;
use crate::kind::{find, Trouble};
use railyard_spec::{presets, Config};
use std::path::Path;

/// Kind and source of each picture: the source is a preset, or a network file of the repository.
pub const BOOK: [(&str, &str); 30] = [
    ("blocks", "tiny"),
    ("blocks", "hpc16"),
    ("blocks", "table16"),
    ("blocks", "dawning16"),
    ("blocks", "torus16"),
    ("packet", "hpc16"),
    ("packet", "dawning16"),
    ("lookup", "hpc16"),
    ("keys", "reduced16"),
    ("crossbar", "hpc16"),
    ("cycles", "hpc16"),
    ("cycles", "source16"),
    ("cycles", "torus16"),
    ("miss", "hpc16"),
    ("back-to-back", "hpc16"),
    ("credits", "hpc16"),
    ("lost-credit", "hpc16"),
    ("lost-credit", "noc5"),
    ("multicast", "dawning16"),
    ("barrier", "dawning16"),
    ("table-change", "hpc16"),
    ("registers", "hpc16"),
    ("network", "configs/pictures/fat_tree.json"),
    ("network", "configs/pictures/torus.json"),
    ("network", "configs/pictures/mesh.json"),
    ("network", "configs/pictures/dragonfly.json"),
    ("barrier-tree", "configs/pictures/barrier.json"),
    ("lanes", "configs/pictures/lanes.json"),
    ("waits", "configs/pictures/ring.json"),
    ("waits", "configs/pictures/ring_dateline.json"),
];

/// The name of a picture's file.
pub fn file(kind: &str, source: &str) -> String {
    let stem = Path::new(source).file_stem().unwrap_or_default().to_string_lossy().replace('_', "-");
    format!("{kind}-{stem}.svg")
}

/// A picture of the book, drawn anew. Files are looked for in the repository at `root`.
///
/// # Errors
/// The source is missing or at fault.
///
/// # Panics
/// There is no such kind or preset, or a file can't be read: the list is at fault.
pub fn draw(kind: &str, source: &str, root: &Path) -> Result<Canvas, Trouble> {
    let kind = find(kind).expect("a kind of picture");
    if !kind.is_of_network() {
        let preset = presets::find(source).expect("a preset");
        let config = Config::from_json(preset.json).expect("presets are legal");
        return kind.of_switch(&config).expect("it is one of switches");
    }
    let path = root.join(source);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    kind.of_network(&text, path.parent().unwrap_or(root)).expect("it is one of networks")
}
