//! Who is at the other ends of a group's links: a node at each leaf, and the rest of the tree above the parent's port.

use crate::random::Random;
use railyard_bench::barrier_node::{BarrierNode, Patience};
use railyard_model::barrier::barrier_group::{BarrierGroup, GroupSettings, Happened};
use railyard_model::bits::ones;
use railyard_spec::barrier::{Message, MessageKind};

/// The switch as a leaf of the root above it, and all others below that.
const SWITCH: usize = 0;
const OTHERS: usize = 1;

/// Most ticks that a node waits for an acknowledgement, and for a completion.
const RETRANSMIT: u64 = 30;
const URGE: u64 = 60;

/// The peers of a group that was just set up.
#[derive(Clone, Debug)]
pub struct Peers {
    group: u8,
    settings: GroupSettings,
    /// By leaf, ascending: its port.
    nodes: Vec<(usize, BarrierNode)>,
    /// The root above the parent's port.
    above: Option<BarrierGroup>,
}

impl Peers {
    /// Peers before their first barrier, with `crowd` times the patience.
    pub fn new(group: usize, settings: GroupSettings, crowd: u32, random: &mut Random) -> Peers {
        let group = group as u8;
        let mut patience = || {
            let (retransmit, urge) = (random.within(1, RETRANSMIT), random.within(1, URGE));
            Patience { retransmit: retransmit as u32 * crowd, urge: urge as u32 * crowd }
        };
        let root = GroupSettings { leaves: 1 << SWITCH | 1 << OTHERS, enable: true, root: true, parent: 0 };
        Peers {
            group,
            settings,
            nodes: ones(settings.leaves).map(|port| (port, BarrierNode::new(group, patience()))).collect(),
            above: (!settings.root).then(|| BarrierGroup::new(root)),
        }
    }

    /// The settings of the switch that they talk to.
    pub fn settings(&self) -> &GroupSettings {
        &self.settings
    }

    /// Whether nobody waits for anybody.
    pub fn are_idle(&self) -> bool {
        self.nodes.iter().all(|(_, node)| !node.is_waiting())
    }

    /// Barriers that all nodes have completed.
    pub fn completed(&self) -> u64 {
        self.nodes.iter().map(|(_, node)| node.completed()).min().unwrap_or(0)
    }

    /// Time goes by: nodes (and the others above) arrive if `arrives` says so. What the peers have to send goes to
    /// `out`, port first.
    pub fn tick(&mut self, mut arrives: impl FnMut() -> bool, out: &mut Vec<(usize, Message)>) {
        for (port, node) in &mut self.nodes {
            if !node.is_waiting() && arrives() {
                node.arrive();
            }
            speak(*port, node, out);
        }
        if arrives() {
            self.others_arrive(out);
        }
    }

    /// What is begun is ended: nodes for which others wait arrive. To be called in place of [`Peers::tick`].
    pub fn finish(&mut self, out: &mut Vec<(usize, Message)>) {
        let waiting = self.nodes.iter().filter(|(_, node)| node.is_waiting());
        let Some(last) = waiting.map(|(_, node)| node.completed()).max() else { return };
        for (port, node) in &mut self.nodes {
            if !node.is_waiting() && node.completed() == last {
                node.arrive();
            }
            speak(*port, node, out);
        }
        self.others_arrive(out);
    }

    /// A message came out at `port`. Who is told of a completion arrives at the next barrier at once if `hurries` says
    /// so.
    pub fn receive(
        &mut self,
        port: usize,
        message: Message,
        hurries: impl FnOnce() -> bool,
        out: &mut Vec<(usize, Message)>,
    ) {
        match message.kind {
            MessageKind::Acknowledgement | MessageKind::Completion => {
                let Some((_, node)) = self.nodes.iter_mut().find(|(at, _)| *at == port) else { return };
                if node.take(message) && hurries() {
                    node.arrive();
                    out.extend(node.next_message().map(|message| (port, message)));
                }
            }
            MessageKind::Arrival | MessageKind::Urge if port == self.settings.parent => {
                self.tell_above(SWITCH, message, out)
            }
            MessageKind::Arrival | MessageKind::Urge => {}
        }
    }

    fn others_arrive(&mut self, out: &mut Vec<(usize, Message)>) {
        let Some(above) = &self.above else { return };
        if above.arrived() >> OTHERS & 1 == 0 {
            let message = Message { kind: MessageKind::Arrival, group: self.group, sequence: above.status() as u8 };
            self.tell_above(OTHERS, message, out);
        }
    }

    /// The root above takes a message and says all that it has to say.
    fn tell_above(&mut self, from: usize, message: Message, out: &mut Vec<(usize, Message)>) {
        let Some(above) = &mut self.above else { return };
        let mut happened = Happened::default();
        above.take(from, message, &mut happened);
        above.step(&happened, None);
        while above.is_gathered() || above.ports_to_send() != 0 {
            let mut happened = Happened::default();
            for port in ones(above.ports_to_send()) {
                let message = above.send(port, self.group, &mut happened);
                if port == SWITCH {
                    out.push((self.settings.parent, message));
                }
            }
            above.step(&happened, None);
        }
    }
}

/// A tick of a node, and what it has to send.
fn speak(port: usize, node: &mut BarrierNode, out: &mut Vec<(usize, Message)>) {
    node.tick();
    while let Some(message) = node.next_message() {
        out.push((port, message));
    }
}
