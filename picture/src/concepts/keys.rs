//! Node reduction: many destinations become one key.

use crate::canvas::{Anchor, Canvas, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_model::route::reduction::node_reduction::{Compared, NodeReduction};
use railyard_spec::reduction::{address, key, ReductionSettings};
use railyard_spec::{CheckedConfig, ReductionShape, Topology};

const CHUNK: i32 = 46;
const ROW: i32 = 40;

/// A place in a topology, and destinations seen from there, lowest chunk first.
struct Example {
    about: String,
    settings: ReductionSettings,
    destinations: Vec<[u32; 3]>,
}

/// Destinations and their keys, for each topology that is built.
///
/// # Errors
/// The switch has no node reduction.
pub fn keys(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let shape = config.shape();
    let (Some(reduction), Some(bits)) = (shape.reduction(), shape.address_bits()) else {
        let rule = "must have node reduction".into();
        return Err(Fault { path: "/routing/node_reduction".into(), value: "null".into(), rule, legal: "{}".into() });
    };
    let title = format!("{}: destinations and their keys", config.name);
    let description = "Destinations as chunks, the highest first, beside the place of a switch. Node reduction makes a key of each. Destinations with the same key leave by the same link.";
    let mut canvas = Canvas::new("keys", &title, description);
    let unit = NodeReduction::new(reduction, bits);
    let chunk = reduction.chunk_bits.iter().copied().find(|bits| *bits >= 3).unwrap_or(reduction.chunk_bits[0]);
    let mut y = 0;
    for topology in reduction.topologies.iter().filter(|_| 3 * chunk <= bits) {
        y = draw(&mut canvas, y, &unit, reduction, &example(*topology, chunk)) + 34;
    }
    Ok(canvas)
}

/// Examples with digits below 4, which all chunk widths of two bits and more have room for.
fn example(topology: Topology, chunk: u32) -> Example {
    match topology {
        Topology::Cube => Example {
            about: "4 × 4 × 4 torus".into(),
            settings: ReductionSettings::torus(chunk, &[4, 4, 4], &[1, 2, 0]),
            destinations: vec![[2, 2, 0], [3, 1, 3], [1, 3, 1], [1, 2, 3], [1, 2, 0]],
        },
        Topology::FatTree => Example {
            about: "fat tree, level 0".into(),
            settings: ReductionSettings::fat_tree(chunk, 0, &[1, 2]),
            destinations: vec![[3, 1, 2], [0, 1, 2], [3, 2, 1], [3, 0, 0]],
        },
        Topology::Dragonfly => Example {
            about: "Dragonfly".into(),
            settings: ReductionSettings::dragonfly(chunk, 1, 2),
            destinations: vec![[0, 3, 1], [3, 0, 1], [2, 3, 2], [3, 1, 2]],
        },
    }
}

fn draw(canvas: &mut Canvas, top: i32, unit: &NodeReduction, reduction: &ReductionShape, example: &Example) -> i32 {
    let ReductionSettings { chunk_bits, coordinate, bound, .. } = example.settings;
    let place: Vec<u32> = (0..3).map(|at| (coordinate >> (at * chunk_bits)) as u32 & ((1 << chunk_bits) - 1)).collect();
    canvas.text((0, top), Anchor::Start, Font::Name, Ink::Main, &example.about);
    let x = 170;
    canvas.text((x + 3 * CHUNK / 2, top), Anchor::Middle, Font::Note, Ink::Soft, "chunks 2, 1, 0");
    canvas.text((x + 3 * CHUNK + 70, top), Anchor::Middle, Font::Note, Ink::Soft, "key");
    chunks(canvas, top + 10, "this switch", &place, &place, Ink::Soft);
    let mut y = top + 10 + ROW;
    for destination in &example.destinations {
        let compared = Compared { destination: address(chunk_bits, destination), coordinate, bound };
        let Some(found) = unit.key(compared, &example.settings) else { continue };
        chunks(canvas, y, "destination", destination, &place, Ink::Control);
        let middle = y + 14;
        canvas.arrow(&[(x + 3 * CHUNK + 8, middle), (x + 3 * CHUNK + 44, middle)], Ink::Control, Stroke::Thin);
        canvas.text((x + 3 * CHUNK + 70, middle + 5), Anchor::Middle, Font::Code, Ink::Control, &found.to_string());
        let words = meaning(example.settings.topology, found, reduction);
        canvas.text((x + 3 * CHUNK + 104, middle + 5), Anchor::Start, Font::Note, Ink::Main, &words);
        y += ROW;
    }
    y
}

/// Chunks side by side, the highest first; those that differ from the switch's place stand out.
fn chunks(canvas: &mut Canvas, y: i32, name: &str, values: &[u32], place: &[u32], ink: Ink) {
    canvas.text((156, y + 19), Anchor::End, Font::Note, Ink::Soft, name);
    for (at, value) in values.iter().enumerate() {
        let rect = Rect::new(170 + (2 - at as i32) * CHUNK, y, CHUNK, 28);
        let differs = values[at] != place[at];
        canvas.area(
            rect,
            Ink::Panel,
            if differs { ink } else { Ink::Soft },
            if differs { Stroke::Thick } else { Stroke::Thin },
        );
        canvas.text((rect.middle().0, y + 19), Anchor::Middle, Font::Code, Ink::Main, &value.to_string());
    }
}

/// What a key stands for.
fn meaning(topology: Option<Topology>, found: u32, reduction: &ReductionShape) -> String {
    let digits = reduction.digit_bits;
    let digit = found & ((1 << digits) - 1);
    match topology {
        Some(Topology::Cube) if found == key::LOCAL => "to a node of this switch".into(),
        Some(Topology::Cube) => {
            let (dimension, is_minus) = (found / 2 - 1, found % 2 == 1);
            format!("{} in dimension {dimension}", if is_minus { "minus" } else { "plus" })
        }
        Some(Topology::FatTree) if found == key::up(digit, digits) => format!("up, to parent {digit}"),
        Some(Topology::FatTree) => format!("down, to child or node {digit}"),
        Some(Topology::Dragonfly) if found == key::group(digit, digits) => format!("to group {digit}"),
        Some(Topology::Dragonfly) if found == key::up(digit, digits) => format!("to router {digit} of this group"),
        _ => format!("to node {digit} of this switch"),
    }
}
