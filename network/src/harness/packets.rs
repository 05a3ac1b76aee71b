//! Packets at nodes: those that wait at their source, those that were begun, and those that were received.

use super::ages::Aged;
use super::target::Destination;
use railyard_bench::traffic::Identity;

/// A packet in the source queue. The tree of a multicast packet is chosen when it is begun.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The node that it is for, or the multicast group.
    pub node_or_group: Result<usize, usize>,
    /// Cycle in which its source had it.
    pub generated: u64,
    /// Flits.
    pub length: usize,
    /// The VC that its file names.
    pub vc: Option<u8>,
}

impl Waiting {
    /// A packet for a node, made in cycle `now`.
    pub fn to(node: usize, now: u64, length: usize) -> Waiting {
        Waiting { node_or_group: Ok(node), generated: now, length, vc: None }
    }
}

/// A packet was begun.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// Who it is.
    pub identity: Identity,
    /// Where it goes.
    pub target: Destination,
    /// The VC on which its source sent it.
    pub vc: usize,
    /// Cycle in which its source had it.
    pub generated: u64,
    /// Flits.
    pub length: usize,
    /// It answers another one.
    pub is_reply: bool,
}

/// A packet was received as a whole.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedPacket {
    /// The node that has it.
    pub node: usize,
    /// Who it is, or if it is damaged, who it says to be.
    pub identity: Result<Identity, Identity>,
    /// Its length in flits.
    pub length: usize,
    /// Its age, if packets have ages.
    pub aged: Option<Aged>,
}
