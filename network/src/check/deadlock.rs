//! Deadlock: a ring in the channel dependency graph (Dally and Seitz, 1987).
//!
//! A channel is a VC of a link between switches, that is, a buffer at its end. Channel a depends on channel b if a
//! packet at the front of a's buffer can wait for room in b's. Without a ring there is always a packet that waits for
//! none.
//!
//! A multicast packet waits for room behind all ports of its tree but the one by which it came, at once. Packets on the
//! mixed VC that are kept back by a multicast packet of the same switch wait for no other buffers than their own
//! (switch reference 6.1, *hold*).

use crate::multicast::Tree;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use railyard_model::bits::ones;
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
    /// A VC that a table names is one of the packet's own pair.
    pub pairs: bool,
}

impl Rules {
    /// The VC on which a packet leaves a switch, by the one that the table names.
    fn leaves_on(&self, own: usize, named: Option<usize>) -> usize {
        match named {
            Some(named) if self.pairs => own - own % 2 + named % 2,
            named => named.unwrap_or(own),
        }
    }
}

/// Looks for a ring.
///
/// # Errors
/// A shortest ring of the first that was found.
pub fn deadlock(wiring: &Wiring, tables: &Tables, trees: &[Tree], rules: &Rules) -> Result<(), Deadlock> {
    let set = tables.hops().filter_map(|hop| hop.vc);
    let vcs = 1 + rules.unicast.iter().copied().chain(rules.mixed).chain(set).max().unwrap_or(0);
    let mut graph = Graph::new(wiring, vcs);
    graph.unicast(tables, rules);
    if let Some(mixed) = rules.mixed {
        trees.iter().for_each(|tree| graph.multicast(tree, mixed));
    }
    graph.ring().map_or(Ok(()), |ring| Err(Deadlock(ring)))
}

/// The channel dependency graph. Channels have numbers in their order.
struct Graph<'a> {
    wiring: &'a Wiring,
    vcs: usize,
    /// By channel and VC: the ports of the switch at the channel's end whose channels of that VC it depends on, as a
    /// mask.
    waits_for: Vec<u64>,
}

impl<'a> Graph<'a> {
    fn new(wiring: &'a Wiring, vcs: usize) -> Graph<'a> {
        Graph { wiring, vcs, waits_for: vec![0; wiring.switches() * wiring.ports() * vcs * vcs] }
    }

    fn channels(&self) -> usize {
        self.waits_for.len() / self.vcs
    }

    fn number(&self, channel: Channel) -> usize {
        (channel.from.switch * self.wiring.ports() + channel.from.port) * self.vcs + channel.vc
    }

    fn channel(&self, number: usize) -> Channel {
        let (port, vc) = (number / self.vcs, number % self.vcs);
        Channel { from: Port { switch: port / self.wiring.ports(), port: port % self.wiring.ports() }, vc }
    }

    /// Numbers of the channels on which a channel depends.
    fn waits_for(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let far = match self.wiring.peer(self.channel(number).from) {
            Peer::Switch(far) => far.switch,
            Peer::Node(_) | Peer::Nothing => 0,
        };
        let masks = &self.waits_for[number * self.vcs..(number + 1) * self.vcs];
        let of_vc = move |(vc, mask): (usize, &u64)| {
            ones(*mask).map(move |port| self.number(Channel { from: Port { switch: far, port }, vc }))
        };
        masks.iter().enumerate().flat_map(of_vc)
    }

    /// The first one depends on the second one, which begins where the first one ends.
    fn add(&mut self, channel: usize, waits_for: Channel) {
        self.waits_for[channel * self.vcs + waits_for.vc] |= 1 << waits_for.from.port;
    }

    /// Walks every entry that a packet can meet.
    fn unicast(&mut self, tables: &Tables, rules: &Rules) {
        let mut followed = vec![usize::MAX; self.channels()];
        let sources: BTreeSet<usize> = self.wiring.nodes().iter().map(|at| at.switch).collect();
        for node in 0..self.wiring.nodes().len() {
            for &source in &sources {
                let sending = tables.sending(source, node);
                let vcs = rules.unicast.iter().filter(|&&vc| sending >> vc & 1 == 1);
                vcs.for_each(|&vc| self.walk(source, vc, node, (tables, rules), &mut followed));
            }
        }
    }

    /// Follows one destination's packets from a switch on, until a channel from which they have been followed before:
    /// `followed` has the last destination of each.
    fn walk(
        &mut self,
        mut switch: usize,
        mut vc: usize,
        node: usize,
        (tables, rules): (&Tables, &Rules),
        followed: &mut [usize],
    ) {
        let mut before: Option<usize> = None;
        while let Some(hop) = tables.hop(switch, node) {
            let from = Port { switch, port: hop.port };
            vc = rules.leaves_on(vc, hop.vc);
            let Peer::Switch(far) = self.wiring.peer(from) else { return };
            let channel = Channel { from, vc };
            if let Some(before) = before {
                self.add(before, channel);
            }
            let number = self.number(channel);
            if std::mem::replace(&mut followed[number], node) == node {
                return;
            }
            (before, switch) = (Some(number), far.switch);
        }
    }

    /// From each channel that enters a switch of a tree to all others of the tree that leave it.
    fn multicast(&mut self, tree: &Tree, vc: usize) {
        for (switch, _) in tree.masks() {
            let links = || tree.ports(switch).map(|port| Port { switch, port });
            for entered in links() {
                let Peer::Switch(from) = self.wiring.peer(entered) else { continue };
                let from = self.number(Channel { from, vc });
                let leave =
                    links().filter(|&port| port != entered && matches!(self.wiring.peer(port), Peer::Switch(_)));
                leave.for_each(|port| self.add(from, Channel { from: port, vc }));
            }
        }
    }

    /// Channels that are left when those on which none depends are taken away, again and again: in rings, and behind
    /// rings.
    fn left(&self) -> Vec<usize> {
        let mut dependants = vec![0u32; self.channels()];
        (0..self.channels()).flat_map(|channel| self.waits_for(channel)).for_each(|next| dependants[next] += 1);
        let mut free: Vec<usize> = (0..self.channels()).filter(|&channel| dependants[channel] == 0).collect();
        while let Some(channel) = free.pop() {
            for next in self.waits_for(channel) {
                dependants[next] -= 1;
                if dependants[next] == 0 {
                    free.push(next);
                }
            }
        }
        (0..self.channels()).filter(|&channel| dependants[channel] > 0).collect()
    }

    /// A shortest ring through the lowest channel of those that are in one.
    fn ring(&self) -> Option<Vec<Channel>> {
        let left = self.left();
        let edges = left.iter().flat_map(|&channel| self.waits_for(channel).map(move |next| (channel, next)));
        let edges = DiGraphMap::<_, ()>::from_edges(edges);
        let waits_for_itself = |channel: usize| self.waits_for(channel).any(|next| next == channel);
        let in_rings = tarjan_scc(&edges).into_iter().filter(|part| part.len() > 1 || waits_for_itself(part[0]));
        let start = in_rings.flatten().min()?;
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while !came_from.contains_key(&start) {
            let channel = queue.pop_front().expect("it is in a ring");
            let mut next: Vec<usize> = self.waits_for(channel).collect();
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
        Some(ring.into_iter().rev().map(|number| self.channel(number)).collect())
    }
}
