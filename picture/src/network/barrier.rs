//! The tree of a barrier group, with the cycles of its messages from a run of the golden models.

use super::draw_node;
use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_model::Switch;
use railyard_network::barrier::BarrierTree;
use railyard_network::description::Input;
use railyard_network::harness::{Network, NetworkCycle, Observer, Run};
use railyard_network::wiring::{Peer, Port, Wiring};
use railyard_spec::barrier::{Message, MessageKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Members of a group that is drawn, at most.
const MOST: usize = 24;
const STEP: i32 = 84;
const DOWN: i32 = 112;
const BOX: (i32, i32) = (84, 44);
/// Cycles that the first barrier may take.
const CYCLES: u64 = 2_000;

/// The tree of the first barrier group, and when the messages of its first barrier leave, all nodes arriving at once.
///
/// # Errors
/// The network has no barrier group, or one that is too large for a picture.
pub fn barrier_tree(input: &Input) -> Result<Canvas, Fault> {
    let fault = |value: String, rule: &str| Fault {
        path: "/barriers".into(),
        value,
        rule: rule.into(),
        legal: "a group of up to 24 nodes".into(),
    };
    let Some(tree) = input.blueprint.barriers.first() else {
        return Err(fault("no group".into(), "must have a group: the switch needs a barrier virtual channel"));
    };
    if tree.members().len() > MOST {
        return Err(fault(format!("{} nodes", tree.members().len()), "group 0 is too large for a picture"));
    }
    let times = times(input, tree);
    let title = format!("a barrier of {} nodes: cycles in which its messages leave", tree.members().len());
    let description = format!(
        "Tree of a barrier group. Its root is switch {}. All nodes arrive in cycle 0. Arrivals go up, completions go down; beside each link stand the cycles in which they leave.",
        tree.root()
    );
    let mut canvas = Canvas::new("barrier-tree", &title, &description);
    let mut drawing = Drawing { wiring: &input.blueprint.wiring, tree, times, next: 0 };
    drawing.switch(&mut canvas, tree.root(), 0);
    let extent = canvas.extent();
    let note = "↑ arrival    ↓ completion";
    canvas.text((extent.x, extent.bottom() + 26), Anchor::Start, Font::Note, Ink::Soft, note);
    Ok(canvas)
}

/// Where a message leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    Node(usize),
    Switch(Port),
}

/// The first cycle in which an arrival or a completion of barrier 0 leaves.
type Times = BTreeMap<(From, u8), u64>;

struct Recorder {
    /// Nodes and their ports.
    nodes: Vec<Port>,
    switches: usize,
    ports: usize,
    vc: u8,
    now: u64,
    times: Arc<Mutex<Times>>,
}

impl Observer<Switch> for Recorder {
    fn see(&mut self, cycle: &NetworkCycle<'_, Switch>) -> Option<String> {
        for (node, at) in self.nodes.iter().enumerate() {
            if let Some(drive) = cycle.sent(*at).filter(|drive| drive.lane.valid && drive.lane.vc == self.vc) {
                self.note(From::Node(node), drive.flit[0], self.now);
            }
        }
        for switch in 0..self.switches {
            let outputs = cycle.outputs(switch);
            for port in (0..self.ports).filter(|port| outputs.tx_valid >> port & 1 == 1) {
                if outputs.tx_vc[port] == self.vc {
                    // What is at the outputs after the clock edge is that of the next cycle.
                    self.note(From::Switch(Port { switch, port }), outputs.flit(port)[0], self.now + 1);
                }
            }
        }
        self.now += 1;
        None
    }
}

impl Recorder {
    fn note(&self, from: From, word: u32, cycle: u64) {
        let Some(message) = Message::decode(word).filter(|message| message.sequence == 0) else { return };
        self.times.lock().expect("no thread panics").entry((from, message.kind as u8)).or_insert(cycle);
    }
}

/// Runs the group alone, without packets and faults.
fn times(input: &Input, tree: &BarrierTree) -> Times {
    let mut blueprint = input.blueprint.as_ref().clone();
    blueprint.barriers = vec![tree.clone()];
    let file = input.run(1);
    let mut run = Run { barriers: 1.0, link_latency: file.link_latency, ..Run::default() };
    run.traffic.load = 0.0;
    let times = Arc::new(Mutex::new(Times::new()));
    let shape = &input.blueprint.plan.shape;
    let recorder = Recorder {
        nodes: blueprint.wiring.nodes().to_vec(),
        switches: blueprint.wiring.switches(),
        ports: shape.ports,
        vc: shape.barrier.map_or(0, |built| built.vc as u8),
        now: 0,
        times: times.clone(),
    };
    let network = Network::observed(blueprint, &run, Switch::new, Some(Box::new(recorder)));
    if let Ok(mut network) = network {
        network.run(CYCLES.min(40 * (1 + run.link_latency) + 400), |_| {});
    }
    let times = times.lock().expect("no thread panics").clone();
    let start = times.values().copied().min().unwrap_or(0);
    times.into_iter().map(|(from, cycle)| (from, cycle - start)).collect()
}

struct Drawing<'a> {
    wiring: &'a Wiring,
    tree: &'a BarrierTree,
    times: Times,
    /// Place of the next node from the left.
    next: i32,
}

impl Drawing<'_> {
    /// Draws a switch with all below it, and gives the middle of its box's upper side.
    fn switch(&mut self, canvas: &mut Canvas, switch: usize, depth: i32) -> PixelPoint {
        let place = self.tree.place(switch).unwrap_or_default();
        let y = depth * DOWN;
        let ports: Vec<usize> = (0..64).filter(|port| place.leaves >> port & 1 == 1).collect();
        let mut below = Vec::new();
        for port in ports {
            let down = From::Switch(Port { switch, port });
            let (at, up) = match self.wiring.peer(Port { switch, port }) {
                Peer::Node(node) => {
                    let at = (self.next, y + DOWN);
                    self.next += STEP;
                    (at, From::Node(node))
                }
                Peer::Switch(far) => (self.switch(canvas, far.switch, depth + 1), From::Switch(far)),
                Peer::Nothing => continue,
            };
            below.push((at, up, down));
        }
        let ends = [below.first(), below.last()].map(|end| end.map_or(0, |(at, _, _)| at.0));
        let middle = (ends[0] + ends[1]) / 2;
        for (at, up, down) in below {
            self.link(canvas, (middle, y + BOX.1), at, up, down);
        }
        let rect = Rect::new(middle - BOX.0 / 2, y, BOX.0, BOX.1);
        canvas.panel(rect);
        let name = format!("switch {switch}");
        let is_root = switch == self.tree.root();
        canvas.label(rect, &[name.as_str(), "root"][..if is_root { 2 } else { 1 }]);
        (middle, y)
    }

    fn link(&self, canvas: &mut Canvas, from: PixelPoint, to: PixelPoint, up: From, down: From) {
        canvas.line(&[from, (to.0, from.1 + 26), to], Ink::Soft, Stroke::Thin);
        let time =
            |from: From, kind: MessageKind| self.times.get(&(from, kind as u8)).map_or("?".into(), u64::to_string);
        let y = to.1 - 10;
        if let From::Node(node) = up {
            draw_node(canvas, (to.0, to.1 + 14), node);
        }
        let (arrival, completion) = (time(up, MessageKind::Arrival), time(down, MessageKind::Completion));
        canvas.text((to.0 - 5, y), Anchor::End, Font::Code, Ink::Control, &format!("↑{arrival}"));
        canvas.text((to.0 + 5, y), Anchor::Start, Font::Code, Ink::Back, &format!("↓{completion}"));
    }
}
