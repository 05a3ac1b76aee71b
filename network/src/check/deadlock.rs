//! Deadlock: a ring in the channel dependency graph (Dally and Seitz, 1987).
//!
//! A channel is a VC of a link between switches, that is, a buffer at its end. Channel a depends on channel b if a packet at the front of
//! a's buffer can wait for room in b's. Without a ring there is always a packet that waits for none.
//!
//! A multicast packet waits for room behind all ports of its tree but the one by which it came, at once. On the mixed VC
//! packets also wait for each other without a buffer between them: one that wants a port which a multicast packet of the same switch
//! wants, too, waits for its turn there or is kept back in favour of it (switch reference 6.1, *turn* and *favoured*), and so depends
//! on all that the other one waits for.

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
    let wanted = graph.unicast(tables, rules);
    if let Some(mixed) = rules.mixed {
        graph.multicast(trees, &wanted, mixed);
    }
    graph.ring().map_or(Ok(()), |ring| Err(Deadlock(ring)))
}

/// By switch: which output packets want on the mixed VC that came in by a channel (none: from a node).
type Wanted = HashMap<usize, HashSet<(Option<Channel>, Port)>>;

struct Graph<'a> {
    wiring: &'a Wiring,
    edges: DiGraphMap<Channel, ()>,
}

impl Graph<'_> {
    /// Walks every entry that a packet can meet. Gives what unicast packets want on the mixed VC.
    fn unicast(&mut self, tables: &Tables, rules: &Rules) -> Wanted {
        let mut wanted = Wanted::new();
        let mut seen = HashSet::new();
        let sources: HashSet<usize> = self.wiring.nodes().iter().map(|at| at.switch).collect();
        for node in 0..self.wiring.nodes().len() {
            seen.clear();
            for &source in &sources {
                for &vc in &rules.unicast {
                    self.walk((source, vc), node, tables, rules, &mut seen, &mut wanted);
                }
            }
        }
        wanted
    }

    /// Follows one destination's packets from a switch on, until where they have been followed before.
    fn walk(
        &mut self,
        (mut switch, mut vc): (usize, usize),
        node: usize,
        tables: &Tables,
        rules: &Rules,
        seen: &mut HashSet<(Option<Channel>, Channel)>,
        wanted: &mut Wanted,
    ) {
        let mut before: Option<Channel> = None;
        while let Some(hop) = tables.hop(switch, node) {
            let from = Port { switch, port: hop.port };
            vc = hop.vc.unwrap_or(vc);
            if Some(vc) == rules.mixed {
                wanted.entry(switch).or_default().insert((before, from));
            }
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

    /// Adds what multicast packets, and unicast packets because of them, wait for on the mixed VC.
    fn multicast(&mut self, trees: &[Tree], unicast: &Wanted, mixed: usize) {
        for switch in 0..self.wiring.switches() {
            let here: Vec<Vec<usize>> = trees.iter().map(|tree| tree.ports(switch).collect()).collect();
            // (the channel by which a packet waits, an output that it wants, the outputs that it waits for).
            let mut waiting: Vec<(Option<Channel>, Vec<usize>)> = Vec::new();
            for ports in here.iter().filter(|ports| ports.len() > 1) {
                for &entered in ports {
                    let fan_out = ports.iter().copied().filter(|&port| port != entered).collect();
                    waiting.push((self.channel_into(Port { switch, port: entered }, mixed), fan_out));
                }
            }
            let fan_outs: HashSet<Vec<usize>> = waiting.iter().map(|(_, fan_out)| fan_out.clone()).collect();
            let one = unicast.get(&switch).into_iter().flatten();
            waiting.extend(one.map(|(before, from)| (*before, vec![from.port])));
            for (before, wants) in waiting {
                let Some(before) = before else { continue };
                let kept_back = |fan_out: &&Vec<usize>| fan_out.iter().any(|port| wants.contains(port));
                let ports = fan_outs.iter().filter(kept_back).flatten().chain(&wants);
                for port in ports.copied().collect::<HashSet<usize>>() {
                    let from = Port { switch, port };
                    if let Peer::Switch(_) = self.wiring.peer(from) {
                        self.edges.add_edge(before, Channel { from, vc: mixed }, ());
                    }
                }
            }
        }
    }

    /// The channel that ends at a port, if that is wired to a switch.
    fn channel_into(&self, port: Port, vc: usize) -> Option<Channel> {
        match self.wiring.peer(port) {
            Peer::Switch(from) => Some(Channel { from, vc }),
            Peer::Node(_) | Peer::Nothing => None,
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
