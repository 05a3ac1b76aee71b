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
use std::collections::{BTreeSet, HashMap, VecDeque};
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
    let set = tables.hops().filter_map(|hop| hop.vc);
    let vcs = 1 + rules.unicast.iter().copied().chain(rules.mixed).chain(set).max().unwrap_or(0);
    let channels = wiring.switches() * wiring.ports() * vcs;
    let mut graph = Graph { wiring, vcs, waits_for: vec![Vec::new(); channels] };
    graph.unicast(tables, rules);
    if let Some(mixed) = rules.mixed {
        trees.iter().for_each(|tree| graph.multicast(tree, mixed));
    }
    graph.ring().map_or(Ok(()), |ring| Err(Deadlock(ring)))
}

struct Graph<'a> {
    wiring: &'a Wiring,
    vcs: usize,
    /// By the number of a channel: those on which it depends, each once. They are few, and asked for once for each node behind them.
    waits_for: Vec<Vec<Channel>>,
}

impl Graph<'_> {
    fn number(&self, channel: Channel) -> usize {
        (channel.from.switch * self.wiring.ports() + channel.from.port) * self.vcs + channel.vc
    }

    fn channel(&self, number: usize) -> Channel {
        let (port, vc) = (number / self.vcs, number % self.vcs);
        Channel { from: Port { switch: port / self.wiring.ports(), port: port % self.wiring.ports() }, vc }
    }

    fn add(&mut self, channel: Channel, waits_for: Channel) {
        let number = self.number(channel);
        let known = &mut self.waits_for[number];
        if !known.contains(&waits_for) {
            known.push(waits_for);
        }
    }

    /// Walks every entry that a packet can meet.
    fn unicast(&mut self, tables: &Tables, rules: &Rules) {
        let mut followed = vec![usize::MAX; self.waits_for.len()];
        let sources: BTreeSet<usize> = self.wiring.nodes().iter().map(|at| at.switch).collect();
        for node in 0..self.wiring.nodes().len() {
            for &source in &sources {
                rules.unicast.iter().for_each(|&vc| self.walk(source, vc, node, tables, &mut followed));
            }
        }
    }

    /// Follows one destination's packets from a switch on, until a channel from which they have been followed before: `followed` has the last
    /// destination of each.
    fn walk(&mut self, mut switch: usize, mut vc: usize, node: usize, tables: &Tables, followed: &mut [usize]) {
        let mut before: Option<Channel> = None;
        while let Some(hop) = tables.hop(switch, node) {
            let from = Port { switch, port: hop.port };
            vc = hop.vc.unwrap_or(vc);
            let Peer::Switch(far) = self.wiring.peer(from) else { return };
            let channel = Channel { from, vc };
            if let Some(before) = before {
                self.add(before, channel);
            }
            if std::mem::replace(&mut followed[self.number(channel)], node) == node {
                return;
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
                for port in leave {
                    self.add(Channel { from, vc }, Channel { from: port, vc });
                }
            }
        }
    }

    /// A shortest ring through the lowest channel of those that are in one.
    fn ring(&self) -> Option<Vec<Channel>> {
        let waits_for = |channel: Channel| &self.waits_for[self.number(channel)];
        let all = (0..self.waits_for.len()).map(|number| self.channel(number));
        let edges = DiGraphMap::<_, ()>::from_edges(
            all.flat_map(|channel| waits_for(channel).iter().map(move |&next| (channel, next))),
        );
        let in_rings =
            tarjan_scc(&edges).into_iter().filter(|part| part.len() > 1 || waits_for(part[0]).contains(&part[0]));
        let start = in_rings.flatten().min()?;
        let mut came_from: HashMap<Channel, Channel> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while !came_from.contains_key(&start) {
            let channel = queue.pop_front().expect("it is in a ring");
            let mut next = waits_for(channel).clone();
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
