//! Deadlock: a ring in the channel dependency graph (Dally and Seitz, 1987).
//!
//! A channel is a VC of a link between switches, that is, a buffer at its end. Channel a depends on channel b if a packet at the front of
//! a's buffer can wait for room in b's. Without a ring there is always a packet that waits for none.
//!
//! A multicast packet waits for room behind all ports of its tree but the one by which it came, at once. Packets on the mixed VC that are
//! kept back by a multicast packet of the same switch wait for no other buffers than their own (switch reference 6.1, *hold*).

use crate::multicast::Tree;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

/// A VC of a link, named by the link's sending end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The output.
    pub from: Port,
    /// The VC.
    pub vc: usize,
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} VC {}", self.from, self.vc)
    }
}

/// Channels of which each can wait for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("deadlock: {}", .0.iter().chain(.0.first()).map(Channel::to_string).collect::<Vec<_>>().join(" -> "))]
pub struct Deadlock(pub Vec<Channel>);

/// On which VCs packets travel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// VCs on which nodes send unicast packets.
    pub unicast: Vec<usize>,
    /// The VC of multicast packets, if there is one.
    pub mixed: Option<usize>,
}

/// Looks for a ring.
///
/// # Errors
/// A shortest ring of the first that was found.
pub fn deadlock(wiring: &Wiring, tables: &Tables, trees: &[Tree], rules: &Rules) -> Result<(), Deadlock> {
    let mut graph = Graph { wiring, edges: DiGraphMap::new() };
    graph.unicast(tables, rules);
    if let Some(mixed) = rules.mixed {
        trees.iter().for_each(|tree| graph.multicast(tree, mixed));
    }
    graph.ring().map_or(Ok(()), |ring| Err(Deadlock(ring)))
}

struct Graph<'a> {
    wiring: &'a Wiring,
    edges: DiGraphMap<Channel, ()>,
}

impl Graph<'_> {
    /// Walks every entry that a packet can meet.
    fn unicast(&mut self, tables: &Tables, rules: &Rules) {
        let mut seen = HashSet::new();
        let sources: HashSet<usize> = self.wiring.nodes().iter().map(|at| at.switch).collect();
        for node in 0..self.wiring.nodes().len() {
            seen.clear();
            for &source in &sources {
                rules.unicast.iter().for_each(|&vc| self.walk(source, vc, node, tables, &mut seen));
            }
        }
    }

    /// Follows one destination's packets from a switch on, until where they have been followed before.
    fn walk(
        &mut self,
        mut switch: usize,
        mut vc: usize,
        node: usize,
        tables: &Tables,
        seen: &mut HashSet<(Option<Channel>, Channel)>,
    ) {
        let mut before: Option<Channel> = None;
        while let Some(hop) = tables.hop(switch, node) {
            let from = Port { switch, port: hop.port };
            vc = hop.vc.unwrap_or(vc);
            let Peer::Switch(far) = self.wiring.peer(from) else { return };
            let channel = Channel { from, vc };
            if !seen.insert((before, channel)) {
                return;
            }
            if let Some(before) = before {
                self.edges.add_edge(before, channel, ());
            }
            (before, switch) = (Some(channel), far.switch);
        }
    }

    /// From each channel that enters a switch of a tree to all others of the tree that leave it.
    fn multicast(&mut self, tree: &Tree, vc: usize) {
        for (switch, _) in tree.masks() {
            let links = || tree.ports(switch).map(|port| Port { switch, port });
            for entered in links() {
                let Peer::Switch(from) = self.wiring.peer(entered) else { continue };
                let leave =
                    links().filter(|&port| port != entered && matches!(self.wiring.peer(port), Peer::Switch(_)));
                leave.for_each(|port| {
                    self.edges.add_edge(Channel { from, vc }, Channel { from: port, vc }, ());
                });
            }
        }
    }

    /// A shortest ring through the lowest channel of those that are in one.
    fn ring(&self) -> Option<Vec<Channel>> {
        let in_rings = tarjan_scc(&self.edges)
            .into_iter()
            .filter(|part| part.len() > 1 || self.edges.contains_edge(part[0], part[0]));
        let start = in_rings.flatten().min()?;
        let mut came_from: HashMap<Channel, Channel> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while !came_from.contains_key(&start) {
            let channel = queue.pop_front().expect("it is in a ring");
            let mut next: Vec<Channel> = self.edges.neighbors(channel).collect();
            next.sort_unstable();
            for far in next {
                came_from.entry(far).or_insert_with(|| {
                    queue.push_back(far);
                    channel
                });
            }
        }
        let mut ring = vec![came_from[&start]];
        while ring[ring.len() - 1] != start {
            ring.push(came_from[&ring[ring.len() - 1]]);
        }
        ring.reverse();
        Some(ring)
    }
}
