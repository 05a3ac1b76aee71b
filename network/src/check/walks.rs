//! Ways of packets by the tables, for one destination after the other.
//!
//! By a table the ways of all nodes to a destination join: each switch is walked once, however many nodes are behind
//! it.

use super::unreachable::Unreachable;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};

/// Follows the tables from all nodes.
#[derive(Debug)]
pub(crate) struct Walks<'a> {
    wiring: &'a Wiring,
    tables: &'a Tables,
    /// A node of each switch that has some: the lowest, in order. The ways of the others are the same.
    sources: Vec<usize>,
    /// Number of the walk in which each switch was passed last.
    passed: Vec<u64>,
    /// Walks so far.
    walks: u64,
    /// Switches from a switch to the destination, both included.
    hops: Vec<u32>,
    /// The switches that packets to the destination pass, each after the one that it sends to.
    nearest_first: Vec<usize>,
}

impl<'a> Walks<'a> {
    /// Of a network's nodes by these tables.
    pub fn new(wiring: &'a Wiring, tables: &'a Tables) -> Walks<'a> {
        let mut sources: Vec<usize> =
            wiring.nodes_by_switch().iter().filter_map(|nodes| nodes.first().copied()).collect();
        sources.sort_unstable();
        let switches = wiring.switches();
        Walks {
            wiring,
            tables,
            sources,
            passed: vec![0; switches],
            walks: 0,
            hops: vec![0; switches],
            nearest_first: Vec::new(),
        }
    }

    /// Walks from all nodes to a destination.
    ///
    /// # Errors
    /// The first node without a way.
    pub fn walk_to(&mut self, destination: usize) -> Result<(), Unreachable> {
        let first = self.walks + 1;
        self.nearest_first.clear();
        for at in 0..self.sources.len() {
            self.walk(self.sources[at], destination, first)?;
        }
        Ok(())
    }

    /// Walks from a node until a switch from which the way is known, by the walks from number `first` on.
    fn walk(&mut self, source_node: usize, destination: usize, first: u64) -> Result<(), Unreachable> {
        let start = self.nearest_first.len();
        let mut switch = self.wiring.nodes()[source_node].switch;
        self.walks += 1;
        let left = loop {
            let walk = std::mem::replace(&mut self.passed[switch], self.walks);
            if walk == self.walks {
                let why = format!("packets come back to switch {switch}");
                return Err(Unreachable { source_node, destination, switch, why });
            }
            if walk >= first {
                break self.hops[switch];
            }
            self.nearest_first.push(switch);
            match next(self.wiring, self.tables, switch, destination) {
                Ok(Some(far)) => switch = far,
                Ok(None) => break 0,
                Err(why) => return Err(Unreachable { source_node, destination, switch, why }),
            }
        };
        self.nearest_first[start..].reverse();
        for (&switch, hops) in self.nearest_first[start..].iter().zip(left + 1..) {
            self.hops[switch] = hops;
        }
        Ok(())
    }

    /// A node of each switch that has some, in order.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// The switches that packets to the destination pass, each after the one that it sends to.
    pub fn nearest_first(&self) -> &[usize] {
        &self.nearest_first
    }

    /// Switches from a switch that was passed to the destination, both included.
    pub fn hops(&self, switch: usize) -> usize {
        self.hops[switch] as usize
    }
}

/// The next switch, or none at the destination.
fn next(wiring: &Wiring, tables: &Tables, switch: usize, destination: usize) -> Result<Option<usize>, String> {
    let Some(hop) = tables.hop(switch, destination) else {
        return Err(format!("switch {switch} has no route"));
    };
    let leaves = Port { switch, port: hop.port };
    match wiring.peer(leaves) {
        Peer::Switch(far) => Ok(Some(far.switch)),
        Peer::Node(node) if node == destination => Ok(None),
        Peer::Node(node) => Err(format!("{leaves} leads to node {node}")),
        Peer::Nothing => Err(format!("{leaves} is not wired")),
    }
}
