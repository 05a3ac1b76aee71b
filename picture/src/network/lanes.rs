//! The lanes of a network: where each link ends, and the edge ports of its Verilog.

use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_network::description::Input;
use railyard_network::wiring::{Peer, Port, Wiring};
use railyard_spec::network::Lanes;

/// Ports of all switches together that are drawn, at most.
const MOST: usize = 24;
const SLOT: i32 = 46;
const GAP: i32 = 30;
const BOX: i32 = 76;
const STEP: i32 = 24;

/// Switches in a row above the edge of the network, with the number of the lane that ends at each port.
///
/// # Errors
/// The network has too many ports for a picture.
pub fn lanes(input: &Input) -> Result<Canvas, Fault> {
    let wiring = &input.blueprint.wiring;
    let ports = wiring.switches() * wiring.ports();
    if ports > MOST {
        return Err(Fault {
            path: "/topology".into(),
            value: format!("{ports} ports of switches"),
            rule: format!("a picture of lanes has room for {MOST}"),
            legal: "a smaller network".into(),
        });
    }
    let lanes = wiring.lanes(1);
    let title = format!(
        "lanes of {} switches with {} ports, and {} edge ports",
        wiring.switches(),
        wiring.ports(),
        lanes.edges()
    );
    let description =
        "Switches in a row, and the edge of the network below them. A lane has the number of the place where it ends: \
        port p of switch s has number s P + p, edge port e has number S P + e.";
    let mut canvas = Canvas::new("lanes", &title, description);
    let drawing = Drawing { wiring, lanes: &lanes };
    drawing.links(&mut canvas);
    drawing.switches(&mut canvas);
    drawing.edge(&mut canvas);
    Ok(canvas)
}

struct Drawing<'a> {
    wiring: &'a Wiring,
    lanes: &'a Lanes,
}

impl Drawing<'_> {
    fn x(&self, at: Port) -> i32 {
        at.switch as i32 * (self.wiring.ports() as i32 * SLOT + GAP) + at.port as i32 * SLOT + SLOT / 2
    }

    fn ports(&self) -> impl Iterator<Item = Port> + '_ {
        (0..self.wiring.switches()).flat_map(|switch| (0..self.wiring.ports()).map(move |port| Port { switch, port }))
    }

    fn width(&self) -> i32 {
        self.x(Port { switch: self.wiring.switches(), port: 0 }) - GAP - SLOT / 2
    }

    /// Where the edge of the network is.
    fn edge_y(&self) -> i32 {
        BOX + STEP * (self.wiring.links().count() as i32 + 2)
    }

    fn links(&self, canvas: &mut Canvas) {
        // Long links pass below short ones.
        let mut links: Vec<(Port, Port)> = self.wiring.links().collect();
        links.sort_by_key(|(near, far)| self.x(*far) - self.x(*near));
        for (number, (near, far)) in links.into_iter().enumerate() {
            let y = BOX + STEP * (number as i32 + 1);
            let (a, b) = (self.x(near), self.x(far));
            canvas.line(&[(a, BOX), (a, y), (b, y), (b, BOX)], Ink::Main, Stroke::Thin);
        }
        for at in self.ports() {
            let ink = match self.wiring.peer(at) {
                Peer::Switch(_) => continue,
                Peer::Node(_) => Ink::Data,
                Peer::Nothing => Ink::Soft,
            };
            canvas.line(&[(self.x(at), BOX), (self.x(at), self.edge_y())], ink, Stroke::Thin);
        }
    }

    fn switches(&self, canvas: &mut Canvas) {
        for switch in 0..self.wiring.switches() {
            let left = self.x(Port { switch, port: 0 }) - SLOT / 2;
            let rect = Rect::new(left, 0, self.wiring.ports() as i32 * SLOT, BOX);
            canvas.panel(rect);
            let name = format!("switch {switch}");
            canvas.text((rect.middle().0, 20), Anchor::Middle, Font::Name, Ink::Main, &name);
        }
        for at in self.ports() {
            let x = self.x(at);
            self.numbers(canvas, (x, 44), at.port, self.lanes.of_port(at.switch, at.port));
        }
        for (y, name) in [(44, "port"), (66, "lane")] {
            canvas.text((-12, y), Anchor::End, Font::Note, Ink::Soft, name);
        }
    }

    /// A port's number, and below it that of the lane that ends there.
    fn numbers(&self, canvas: &mut Canvas, (x, y): PixelPoint, port: usize, lane: usize) {
        canvas.text((x, y), Anchor::Middle, Font::Code, Ink::Soft, &port.to_string());
        canvas.text((x, y + 22), Anchor::Middle, Font::Code, Ink::Control, &lane.to_string());
    }

    fn edge(&self, canvas: &mut Canvas) {
        let y = self.edge_y();
        canvas.line(&[(-20, y), (self.width() + 20, y)], Ink::Soft, Stroke::Dashed);
        let nodes = self.wiring.nodes();
        let unwired = self.ports().filter(|at| self.wiring.peer(*at) == Peer::Nothing);
        let ends: Vec<Port> = nodes.iter().copied().chain(unwired).collect();
        for (edge, at) in ends.into_iter().enumerate() {
            let x = self.x(at);
            self.numbers(canvas, (x, y + 22), edge, self.lanes.of_edge(edge));
            if edge < nodes.len() {
                canvas.text((x, y + 66), Anchor::Middle, Font::Note, Ink::Data, "node");
            }
        }
        for (down, name) in [(22, "edge port"), (44, "lane")] {
            canvas.text((-12, y + down), Anchor::End, Font::Note, Ink::Soft, name);
        }
    }
}
