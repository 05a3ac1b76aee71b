//! Multicast trees.
//!
//! A tree is a set of ports of each of its switches. The same entry serves packets of all members: a switch sends a
//! packet by all ports of the tree but the one by which it came (`loopback` 0), so that it floods the tree.

use crate::tables::{members, TablesError, TreeEntry};
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;
use std::collections::{BTreeMap, VecDeque};

/// A tree of switches that joins some nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    members: Vec<usize>,
    root: usize,
    /// For each switch of the tree, bit p is port p.
    masks: BTreeMap<usize, u64>,
}

/// There is no such tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// There is no node of that number.
    #[error("node {0} does not exist")]
    NoNode(usize),
    /// Not enough members.
    #[error("a group needs at least two members")]
    Alone,
    /// No way down from the root to the node.
    #[error("there is no way down from root switch {root} to node {node}")]
    NoWay {
        /// The root.
        root: usize,
        /// The member.
        node: usize,
    },
}

impl Tree {
    /// The tree of ways down from `root` to the members: in a fat tree there is only one to each. If the upper end of
    /// the tree serves no purpose (all members are below one of its children) it is left out.
    ///
    /// # Errors
    /// A member that is not below the root, or does not exist; fewer than two members.
    pub fn new(wiring: &Wiring, root: usize, members: &[usize]) -> Result<Tree, TreeError> {
        let mut members = members.to_vec();
        members.sort_unstable();
        members.dedup();
        if members.len() < 2 {
            return Err(TreeError::Alone);
        }
        let parents = parents(wiring, root);
        let mut masks: BTreeMap<usize, u64> = BTreeMap::new();
        for &node in &members {
            let mut at = *wiring.nodes().get(node).ok_or(TreeError::NoNode(node))?;
            *masks.entry(at.switch).or_default() |= 1 << at.port;
            while at.switch != root {
                let (parent, port) = parents[at.switch].ok_or(TreeError::NoWay { root, node })?;
                *masks.entry(at.switch).or_default() |= 1 << port;
                *masks.entry(parent.switch).or_default() |= 1 << parent.port;
                at = parent;
            }
        }
        let mut tree = Tree { members, root, masks };
        tree.trim(wiring);
        Ok(tree)
    }

    /// Moves the root down as long as only one port of it is in the tree.
    fn trim(&mut self, wiring: &Wiring) {
        while self.masks[&self.root].count_ones() == 1 {
            let port = self.masks[&self.root].trailing_zeros() as usize;
            let Peer::Switch(child) = wiring.peer(Port { switch: self.root, port }) else { return };
            self.masks.remove(&self.root);
            *self.masks.get_mut(&child.switch).expect("the tree goes on there") &= !(1 << child.port);
            self.root = child.switch;
        }
    }

    /// The nodes that it joins, in order.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// Its highest switch.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Its switches, with their ports as masks.
    pub fn masks(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.masks.iter().map(|(switch, mask)| (*switch, *mask))
    }

    /// Its ports at a switch, as a mask.
    pub fn mask(&self, switch: usize) -> u64 {
        self.masks.get(&switch).copied().unwrap_or(0)
    }

    /// Its ports at a switch.
    pub fn ports(&self, switch: usize) -> impl Iterator<Item = usize> {
        ones(self.mask(switch))
    }

    pub(crate) fn to_entry(&self) -> TreeEntry {
        let ports = self.masks().map(|(switch, mask)| (switch, ones(mask).collect())).collect();
        TreeEntry { members: self.members.clone(), root: self.root, ports }
    }

    /// A tree of a file. What it joins is checked elsewhere.
    ///
    /// # Errors
    /// A node, switch or port does not exist, is not wired, or stands there twice; paths are those of the entry.
    pub(crate) fn from_entry(entry: &TreeEntry, wiring: &Wiring) -> Result<Tree, TablesError> {
        let members = members(&entry.members, wiring)?;
        let mut masks: BTreeMap<usize, u64> = BTreeMap::new();
        for (number, (switch, ports)) in entry.ports.iter().enumerate() {
            let mut mask = 0;
            for (place, &port) in ports.iter().enumerate() {
                let error = |rule: &str, legal: &str| {
                    Err(TablesError::new(format!("/ports/{number}/1/{place}"), port, rule, legal))
                };
                let at = Port { switch: *switch, port };
                if !wiring.exists(at) || wiring.peer(at) == Peer::Nothing {
                    return error(&format!("is no wired port of switch {switch}"), "a port with a node or a link");
                }
                if mask >> port & 1 == 1 {
                    return error("is there twice", "leave it out");
                }
                mask |= 1 << port;
            }
            if masks.insert(*switch, mask).is_some() {
                let path = format!("/ports/{number}/0");
                return Err(TablesError::new(path, switch, "is there twice", "all ports of a switch in one list"));
            }
        }
        if !masks.contains_key(&entry.root) {
            let legal = masks.first_key_value().map_or("a switch of the tree".into(), |(switch, _)| switch.to_string());
            return Err(TablesError::new("/root", entry.root, "is the root, but no switch of the tree", legal));
        }
        Ok(Tree { members, root: entry.root, masks })
    }
}

/// For each switch below `root`, the way up to it: the parent's port and its own. Shortest ways, by lowest ports first.
fn parents(wiring: &Wiring, root: usize) -> Vec<Option<(Port, usize)>> {
    let mut parents = vec![None; wiring.switches()];
    let mut queue = VecDeque::from([root]);
    while let Some(switch) = queue.pop_front() {
        for (port, far) in wiring.links_of(switch).filter(|(_, far)| !wiring.goes_up(switch, far.switch)) {
            if parents[far.switch].is_none() {
                parents[far.switch] = Some((Port { switch, port }, far.port));
                queue.push_back(far.switch);
            }
        }
    }
    parents
}

/// The switches that can be root for all groups: those of the top level (rank 0).
pub fn roots(wiring: &Wiring) -> Vec<usize> {
    (0..wiring.switches()).filter(|&switch| wiring.rank(switch) == 0).collect()
}
