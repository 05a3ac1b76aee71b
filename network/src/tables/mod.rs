//! Routing tables of a network: for each switch and each destination the port by which its packets leave, and the VC.

mod file;
mod on_chip;
mod up_down;

pub(crate) use file::members;
pub use file::{Entry, TablesError, TablesFile, TreeEntry};
pub(crate) use on_chip::forwarding_writes;
pub use on_chip::NoRoom;
pub(crate) use up_down::up_down;

/// By which port a packet leaves a switch, and on which VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port.
    pub port: usize,
    /// The VC; `None` is the packet's own.
    pub vc: Option<usize>,
}

/// The tables of all switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    nodes: usize,
    /// By switch and destination.
    hops: Vec<Option<Hop>>,
}

impl Tables {
    /// Tables with the entries that `hop` gives for a switch and a destination.
    pub fn new(switches: usize, nodes: usize, hop: impl Fn(usize, usize) -> Option<Hop>) -> Tables {
        let all = (0..switches).flat_map(|switch| (0..nodes).map(move |node| (switch, node)));
        Tables { nodes, hops: all.map(|(switch, node)| hop(switch, node)).collect() }
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        self.hops.len() / self.nodes.max(1)
    }

    /// Number of destinations.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Where a switch sends packets to a node; `None` drops them.
    #[inline]
    pub fn hop(&self, switch: usize, node: usize) -> Option<Hop> {
        self.hops[switch * self.nodes + node]
    }

    /// All entries, in no order that means something.
    pub(crate) fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        self.hops.iter().flatten().copied()
    }

    /// Changes an entry.
    pub fn set(&mut self, switch: usize, node: usize, hop: Option<Hop>) {
        self.hops[switch * self.nodes + node] = hop;
    }
}
