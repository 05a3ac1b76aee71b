//! Pictures of networks: switches with their ports, nodes with their addresses.

mod barrier;
mod circle;
mod grid;
mod lanes;
mod levels;
mod waits;

pub use barrier::barrier_tree;
pub use lanes::lanes;
pub use waits::waits;

use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_network::description::Input;
use railyard_network::topology::Topology;
use railyard_network::wiring::{Peer, Port, Wiring};

/// The topology with port numbers and addresses. Of large fat trees, tori and meshes a part is drawn.
///
/// # Errors
/// The network has too many switches for a picture.
pub fn topology(input: &Input) -> Result<Canvas, Fault> {
    let wiring = &input.blueprint.wiring;
    match &input.description.topology {
        Topology::FatTree(tree) => Ok(levels::draw(tree, wiring)),
        Topology::Torus(cube) => Ok(grid::draw(cube, wiring, true)),
        Topology::Mesh(cube) => Ok(grid::draw(cube, wiring, false)),
        _ => circle::draw(wiring),
    }
}

/// How many nodes, switches and links.
fn counts(wiring: &Wiring) -> String {
    format!(
        "{} nodes, {} switches, {} links between switches",
        wiring.nodes().len(),
        wiring.switches(),
        wiring.links().count()
    )
}

/// The nodes at a switch's ports: port, node.
fn nodes_of(wiring: &Wiring, switch: usize) -> Vec<(usize, usize)> {
    let node = |port: usize| match wiring.peer(Port { switch, port }) {
        Peer::Node(node) => Some((port, node)),
        Peer::Switch(_) | Peer::Nothing => None,
    };
    (0..wiring.ports()).filter_map(node).collect()
}

/// A node with its address.
fn draw_node(canvas: &mut Canvas, at: PixelPoint, node: usize) {
    let name = node.to_string();
    match name.len() {
        ..=3 => canvas.circle(at, 14, Ink::Paper, Ink::Data),
        _ => {
            let width = node_width(node);
            let rect = Rect::new(at.0 - width / 2, at.1 - 14, width, 28);
            canvas.area(rect, Ink::Paper, Ink::Data, Stroke::Thin);
        }
    }
    canvas.text((at.0, at.1 + 5), Anchor::Middle, Font::Code, Ink::Data, &name);
}

/// Width of a node.
fn node_width(node: usize) -> i32 {
    (Font::Code.width(&node.to_string()) + 6).max(28)
}

/// The number of a port, beside the end of its link.
fn draw_port(canvas: &mut Canvas, at: PixelPoint, port: usize) {
    canvas.text((at.0, at.1 + 5), Anchor::Middle, Font::Code, Ink::Soft, &port.to_string());
}

/// A switch with its name.
fn draw_switch(canvas: &mut Canvas, rect: Rect, lines: &[&str]) {
    canvas.area(rect, Ink::Panel, Ink::Main, Stroke::Thin);
    canvas.label(rect, lines);
}

/// A picture that a network is too large for.
fn too_large(switches: usize, most: usize) -> Fault {
    Fault {
        path: "/topology".into(),
        value: format!("{switches} switches"),
        rule: format!("a picture of this kind has room for {most} switches"),
        legal: "a smaller network".into(),
    }
}

/// What to draw of a row of things: the first ones, and the last one; `None` stands for those between.
fn shown(count: usize, most: usize) -> Vec<Option<usize>> {
    match count > most {
        false => (0..count).map(Some).collect(),
        true => (0..most - 2).map(Some).chain([None, Some(count - 1)]).collect(),
    }
}
