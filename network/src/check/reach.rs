//! Reachability: packets between each two nodes arrive, and multicast packets arrive once at each other member.

use super::unreachable::Unreachable;
use super::walks::Walks;
use crate::multicast::Tree;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;

/// The longest way between two nodes; of several that of the lowest nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Switches on it.
    pub hops: usize,
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
}

/// Follows the tables from each node to each other. Gives the longest way.
///
/// # Errors
/// The first pair without a way.
pub fn reach(wiring: &Wiring, tables: &Tables) -> Result<Longest, Unreachable> {
    let mut walks = Walks::new(wiring, tables);
    let mut longest = Longest { hops: 0, from: 0, to: 0 };
    for to in 0..wiring.nodes().len() {
        walks.walk_to(to)?;
        for &from in walks.sources() {
            let hops = walks.hops(wiring.nodes()[from].switch);
            if hops > longest.hops || hops == longest.hops && from < longest.from {
                longest = Longest { hops, from, to };
            }
        }
    }
    Ok(longest)
}

/// Follows multicast packets of a tree. Where both ends of each of its links are in the tree, one member speaks for
/// all: what it reaches once, in a tree without a ring, all others reach, too.
///
/// # Errors
/// A member that a packet does not get to, or more than once.
pub fn reach_members(wiring: &Wiring, tree: &Tree) -> Result<(), Unreachable> {
    let all = if is_mutual(wiring, tree) { 1 } else { tree.members().len() };
    tree.members()[..all].iter().try_for_each(|&source_node| flood(wiring, tree, source_node))
}

fn is_mutual(wiring: &Wiring, tree: &Tree) -> bool {
    let ports = tree.masks().flat_map(|(switch, mask)| ones(mask).map(move |port| Port { switch, port }));
    ports.into_iter().all(|port| match wiring.peer(port) {
        Peer::Switch(far) => tree.ports(far.switch).any(|port| port == far.port),
        Peer::Node(node) => tree.members().binary_search(&node).is_ok(),
        Peer::Nothing => false,
    })
}

/// Follows a packet of one member.
fn flood(wiring: &Wiring, tree: &Tree, source_node: usize) -> Result<(), Unreachable> {
    let mut copies = vec![0u32; wiring.nodes().len()];
    let mut entered = vec![false; wiring.switches()];
    let mut arriving = vec![wiring.nodes()[source_node]];
    let fault = |destination: usize, switch, why| Err(Unreachable { source_node, destination, switch, why });
    while let Some(at) = arriving.pop() {
        if std::mem::replace(&mut entered[at.switch], true) {
            return fault(source_node, at.switch, format!("multicast packets come to switch {} twice", at.switch));
        }
        for port in tree.ports(at.switch).filter(|&port| port != at.port) {
            match wiring.peer(Port { switch: at.switch, port }) {
                Peer::Switch(far) => arriving.push(far),
                Peer::Node(node) => copies[node] += 1,
                Peer::Nothing => {}
            }
        }
    }
    for (node, &copies) in copies.iter().enumerate() {
        let expected = u32::from(node != source_node && tree.members().binary_search(&node).is_ok());
        if copies != expected {
            return fault(
                node,
                wiring.nodes()[node].switch,
                format!("{copies} copies of a multicast packet, not {expected}"),
            );
        }
    }
    Ok(())
}
