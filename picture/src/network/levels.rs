//! A fat tree, drawn by its levels with the nodes below.

use super::{counts, draw_node, draw_port, node_width, nodes_of, shown};
use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_network::topology::FatTree;
use railyard_network::wiring::{Port, Wiring};
use std::collections::BTreeMap;

const HEIGHT: i32 = 62;
const DOWN: i32 = 96;
const GAP: i32 = 18;
/// Switches of a level that are drawn at most.
const MOST: usize = 8;
/// Ports of a side that are drawn at most.
const MOST_PORTS: usize = 8;

/// Draws FT(m, n).
pub(super) fn draw(tree: &FatTree, wiring: &Wiring) -> Canvas {
    let FatTree { ports, levels, .. } = *tree;
    let title = format!("FT({ports}, {levels}): {}", counts(wiring));
    let description = format!(
        "Fat tree of {ports}-port switches in {levels} levels, the nodes below. Ports 0 to {} lead down, the others up; at the top all lead down. \
         A node's address is its number.",
        ports / 2 - 1
    );
    let mut canvas = Canvas::new("network", &title, &description);
    let tree = Tree::new(tree, wiring);
    tree.links(&mut canvas);
    tree.switches(&mut canvas);
    canvas
}

struct Tree<'a> {
    wiring: &'a Wiring,
    ports: usize,
    /// Ports of a switch of the top level.
    top: usize,
    /// Boxes of the switches that are drawn.
    boxes: BTreeMap<usize, Rect>,
    /// Places of others, by level.
    gaps: Vec<PixelPoint>,
    levels: usize,
}

impl<'a> Tree<'a> {
    fn new(tree: &FatTree, wiring: &'a Wiring) -> Tree<'a> {
        let (ports, levels) = (tree.ports, tree.levels);
        let rows: Vec<Vec<usize>> = (0..levels)
            .map(|rank| (0..wiring.switches()).filter(|&switch| wiring.rank(switch) == rank).collect())
            .collect();
        let half = (ports / 2).min(MOST_PORTS) as i32;
        let top = tree.top_ports().min(MOST_PORTS) as i32;
        let lowest = shown(rows[levels - 1].len(), MOST).len() as i32;
        // A port has room for a node.
        let slot = node_width(wiring.nodes().len() - 1) + 3;
        let width = |rank: usize| if rank == 0 { top * slot } else { half * slot };
        let all = (lowest * (width(levels - 1) + GAP)).max(shown(rows[0].len(), MOST).len() as i32 * (width(0) + GAP));
        let mut tree = Tree { wiring, ports, top: tree.top_ports(), boxes: BTreeMap::new(), gaps: Vec::new(), levels };
        for (rank, switches) in rows.iter().enumerate() {
            let drawn = shown(switches.len(), MOST);
            let step = all / drawn.len() as i32;
            for (number, place) in drawn.iter().enumerate() {
                let x = number as i32 * step + (step - width(rank)) / 2;
                let rect = Rect::new(x, rank as i32 * (HEIGHT + DOWN), width(rank), HEIGHT);
                match place {
                    Some(place) => drop(tree.boxes.insert(switches[*place], rect)),
                    None => tree.gaps.push(rect.middle()),
                }
            }
        }
        tree
    }

    /// The ports of a switch's lower side, and of its upper side.
    fn sides(&self, switch: usize) -> [Vec<usize>; 2] {
        match self.wiring.rank(switch) {
            0 => [(0..self.top).collect(), Vec::new()],
            _ => [(0..self.ports / 2).collect(), (self.ports / 2..self.ports).collect()],
        }
    }

    /// Where a port is; none if it is not drawn.
    fn place(&self, at: Port) -> Option<PixelPoint> {
        let rect = self.boxes.get(&at.switch)?;
        let sides = self.sides(at.switch);
        let (side, y) = if sides[0].contains(&at.port) { (&sides[0], rect.bottom()) } else { (&sides[1], rect.y) };
        let drawn = shown(side.len(), MOST_PORTS);
        let slot = drawn.iter().position(|slot| slot.is_some_and(|slot| side[slot] == at.port))? as i32;
        Some((rect.x + rect.width * (2 * slot + 1) / (2 * drawn.len() as i32), y))
    }

    fn links(&self, canvas: &mut Canvas) {
        for (near, far) in self.wiring.links() {
            let line = match (self.place(near), self.place(far)) {
                (Some(near), Some(far)) => vec![near, far],
                (Some(alone), None) | (None, Some(alone)) => {
                    let is_lower = self.boxes.values().any(|rect| rect.bottom() == alone.1);
                    vec![alone, (alone.0, alone.1 + if is_lower { 16 } else { -16 })]
                }
                (None, None) => continue,
            };
            canvas.line(&line, Ink::Soft, Stroke::Thin);
        }
        for &switch in self.boxes.keys() {
            for (port, node) in nodes_of(self.wiring, switch) {
                let Some((x, y)) = self.place(Port { switch, port }) else { continue };
                canvas.line(&[(x, y), (x, y + 32)], Ink::Data, Stroke::Thin);
                draw_node(canvas, (x, y + 46), node);
            }
        }
    }

    fn switches(&self, canvas: &mut Canvas) {
        for (&switch, &rect) in &self.boxes {
            canvas.panel(rect);
            canvas.text(
                (rect.middle().0, rect.middle().1 + 5),
                Anchor::Middle,
                Font::Name,
                Ink::Main,
                &switch.to_string(),
            );
            for (side, y) in self.sides(switch).iter().zip([rect.bottom() - 11, rect.y + 11]) {
                let drawn = shown(side.len(), MOST_PORTS);
                for (slot, port) in drawn.iter().enumerate() {
                    let x = rect.x + rect.width * (2 * slot as i32 + 1) / (2 * drawn.len() as i32);
                    match port {
                        Some(port) => draw_port(canvas, (x, y), side[*port]),
                        None => canvas.text((x, y + 5), Anchor::Middle, Font::Code, Ink::Soft, "…"),
                    }
                }
            }
        }
        for &(x, y) in &self.gaps {
            canvas.text((x, y), Anchor::Middle, Font::Heading, Ink::Soft, "…");
        }
        self.level_names(canvas);
    }

    fn level_names(&self, canvas: &mut Canvas) {
        let left = self.boxes.values().map(|rect| rect.x).min().unwrap_or(0);
        for rank in 0..self.levels {
            let y = rank as i32 * (HEIGHT + DOWN) + HEIGHT / 2;
            let level = format!("level {}", self.levels - 1 - rank);
            canvas.text((left - 18, y + 5), Anchor::End, Font::Note, Ink::Soft, &level);
        }
        let y = self.levels as i32 * (HEIGHT + DOWN) - DOWN + 46;
        let has_nodes = self.boxes.keys().any(|&switch| !nodes_of(self.wiring, switch).is_empty());
        if has_nodes {
            canvas.text((left - 18, y + 5), Anchor::End, Font::Note, Ink::Soft, "nodes");
        }
    }
}
