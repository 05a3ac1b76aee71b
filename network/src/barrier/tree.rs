//! Barrier trees (Cao2016, 4.2; switch reference, section 11).
//!
//! The root of a group is a switch from which the way to the farthest member is as short as from any: in a fat tree the
//! lowest switch that is above all members. No switch queues barrier messages, so that the ways need not follow the
//! routing tables.

use crate::wiring::{Peer, Port, Wiring};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a switch is told of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreePlace {
    /// Ports with a member, or a switch of the tree, below them: bit p is port p.
    pub leaves: u64,
    /// The port toward the root; none at the root.
    pub parent: Option<usize>,
}

/// The tree of a barrier group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierTree {
    members: Vec<usize>,
    root: usize,
    /// By switch.
    places: BTreeMap<usize, TreePlace>,
}

/// There is no such tree, or it is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BarrierTreeError {
    /// There is no node of that number.
    #[error("node {0} does not exist")]
    NoNode(usize),
    /// Not enough members.
    #[error("a group needs at least two members")]
    Alone,
    /// No switch has a way to all members.
    #[error("there is no way from node {from} to node {to}")]
    NoWay {
        /// A member.
        from: usize,
        /// Another one.
        to: usize,
    },
    /// A member is at no leaf of the tree.
    #[error("node {0} is at no leaf of the tree")]
    Missed(usize),
    /// A leaf of the tree has no member and no switch of the tree below it.
    #[error("below {0} there is no member of the group")]
    Barren(Port),
    /// A switch's port to its parent does not lead back to where the tree comes from.
    #[error("switch {0} does not have its parent where the tree comes from")]
    WrongParent(usize),
    /// A switch has its parent among its leaves.
    #[error("{0} is both the port to the parent and a leaf")]
    ParentIsLeaf(Port),
    /// There are two ways to a switch.
    #[error("there are two ways from the root to switch {0}")]
    Loop(usize),
    /// A switch that is told of the group is not below the root.
    #[error("there is no way from the root to switch {0}")]
    Stray(usize),
}

impl BarrierTree {
    /// The tree of a group, by shortest ways from its root. Of equally good roots groups of different `number` take
    /// different ones.
    ///
    /// # Errors
    /// A member that does not exist or can't be reached; fewer than two members.
    pub fn new(wiring: &Wiring, number: usize, members: &[usize]) -> Result<BarrierTree, BarrierTreeError> {
        let mut members = members.to_vec();
        members.sort_unstable();
        members.dedup();
        if members.len() < 2 {
            return Err(BarrierTreeError::Alone);
        }
        if let Some(&node) = members.iter().find(|&&node| node >= wiring.nodes().len()) {
            return Err(BarrierTreeError::NoNode(node));
        }
        let root = root(wiring, number, &members)?;
        let parents = parents(wiring, root);
        let mut places: BTreeMap<usize, TreePlace> = BTreeMap::new();
        for &node in &members {
            let mut at = wiring.nodes()[node];
            places.entry(at.switch).or_default().leaves |= 1 << at.port;
            while let Some((parent, port)) = parents[at.switch] {
                places.entry(at.switch).or_default().parent = Some(port);
                places.entry(parent.switch).or_default().leaves |= 1 << parent.port;
                at = parent;
            }
        }
        Ok(BarrierTree { members, root, places })
    }

    /// A tree of that root with these places, whether it is one or not.
    pub(super) fn of(members: Vec<usize>, root: usize, places: BTreeMap<usize, TreePlace>) -> BarrierTree {
        BarrierTree { members, root, places }
    }

    /// The nodes that it joins, in order.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// The switch that completes its barriers.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The place of a switch; none outside the tree.
    pub fn place(&self, switch: usize) -> Option<TreePlace> {
        self.places.get(&switch).copied()
    }

    /// Its switches.
    pub fn switches(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.keys().copied()
    }

    /// Follows the settings of all switches from the root on: each member must be at one leaf, each switch have one way
    /// to it, and none be left over.
    ///
    /// # Errors
    /// What is wrong first.
    pub fn check(&self, wiring: &Wiring) -> Result<(), BarrierTreeError> {
        let mut missed: BTreeSet<usize> = self.members.iter().copied().collect();
        let mut left: BTreeMap<usize, TreePlace> = self.places.clone();
        let mut queue = VecDeque::from([(self.root, None)]);
        while let Some((switch, upward)) = queue.pop_front() {
            let TreePlace { leaves, parent } = left.remove(&switch).ok_or(BarrierTreeError::Loop(switch))?;
            if parent != upward {
                return Err(BarrierTreeError::WrongParent(switch));
            }
            if let Some(port) = parent.filter(|port| leaves >> port & 1 == 1) {
                return Err(BarrierTreeError::ParentIsLeaf(Port { switch, port }));
            }
            for at in railyard_model::bits::ones(leaves).map(|port| Port { switch, port }) {
                match wiring.peer(at) {
                    Peer::Node(node) if missed.remove(&node) => {}
                    Peer::Switch(far) if self.places.contains_key(&far.switch) => {
                        queue.push_back((far.switch, Some(far.port)));
                    }
                    Peer::Node(_) | Peer::Switch(_) | Peer::Nothing => return Err(BarrierTreeError::Barren(at)),
                }
            }
        }
        match (missed.first(), left.first_key_value()) {
            (Some(&node), _) => Err(BarrierTreeError::Missed(node)),
            (None, Some((&switch, _))) => Err(BarrierTreeError::Stray(switch)),
            (None, None) => Ok(()),
        }
    }
}

/// The switch whose farthest member is nearest; of several, one of those from which the ways are shortest in sum.
fn root(wiring: &Wiring, number: usize, members: &[usize]) -> Result<usize, BarrierTreeError> {
    let mut homes: BTreeMap<usize, usize> = BTreeMap::new();
    members.iter().for_each(|&node| *homes.entry(wiring.nodes()[node].switch).or_default() += 1);
    // Of each switch the way to the farthest member, and the sum of all; none from which a member can't be reached.
    let mut ways = vec![Some((0, 0)); wiring.switches()];
    for (&home, &nodes) in &homes {
        for (way, hops) in ways.iter_mut().zip(distances(wiring, home)) {
            *way = way.zip(hops).map(|((farthest, sum), hops)| (hops.max(farthest), sum + nodes * hops));
        }
    }
    let Some(best) = ways.iter().flatten().min() else {
        let (from, hops) = (members[0], distances(wiring, wiring.nodes()[members[0]].switch));
        let to = members.iter().copied().find(|&node| hops[wiring.nodes()[node].switch].is_none());
        return Err(BarrierTreeError::NoWay { from, to: to.expect("all ways would be ways to all") });
    };
    let equal: Vec<usize> = (0..ways.len()).filter(|&switch| ways[switch].as_ref() == Some(best)).collect();
    Ok(equal[number % equal.len()])
}

/// Links from a switch to each other.
fn distances(wiring: &Wiring, from: usize) -> Vec<Option<usize>> {
    let mut hops = vec![None; wiring.switches()];
    hops[from] = Some(0);
    for (switch, _, far) in outward(wiring, from) {
        hops[far.switch] = hops[switch].map(|hops| hops + 1);
    }
    hops
}

/// For each switch but the root, the way to it: the parent's port and its own. Shortest ways, by lowest ports first.
fn parents(wiring: &Wiring, root: usize) -> Vec<Option<(Port, usize)>> {
    let mut parents = vec![None; wiring.switches()];
    for (switch, port, far) in outward(wiring, root) {
        parents[far.switch] = Some((Port { switch, port }, far.port));
    }
    parents
}

/// The first links over which switches are reached from one, nearest first: switch, its port, the far port.
fn outward(wiring: &Wiring, from: usize) -> Vec<(usize, usize, Port)> {
    let mut reached = vec![false; wiring.switches()];
    reached[from] = true;
    let (mut queue, mut links) = (VecDeque::from([from]), Vec::new());
    while let Some(switch) = queue.pop_front() {
        for (port, far) in wiring.links_of(switch) {
            if !std::mem::replace(&mut reached[far.switch], true) {
                links.push((switch, port, far));
                queue.push_back(far.switch);
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Cube, FatTree, Topology};

    fn fat_tree(ports: usize, levels: usize) -> Wiring {
        Topology::FatTree(FatTree::new(ports, levels)).wiring(ports).unwrap()
    }

    fn tree(wiring: &Wiring, number: usize, members: &[usize]) -> BarrierTree {
        let tree = BarrierTree::new(wiring, number, members).unwrap();
        tree.check(wiring).unwrap();
        tree
    }

    #[test]
    fn a_fat_tree_is_rooted_at_the_lowest_switch_above_all_members() {
        let wiring = fat_tree(4, 3);
        let all: Vec<usize> = (0..16).collect();
        let roots: Vec<usize> = (0..5).map(|number| tree(&wiring, number, &all).root()).collect();
        assert_eq!(roots, [16, 17, 18, 19, 16], "all of the top level in turn");
        assert_eq!(tree(&wiring, 0, &all).switches().count(), 8 + 4 + 1);
        // Nodes 4 and 5 are on switch 2, node 6 next door.
        assert_eq!(tree(&wiring, 9, &[4, 5]).switches().collect::<Vec<_>>(), [2]);
        assert_eq!(wiring.rank(tree(&wiring, 0, &[4, 6]).root()), 1);
        assert_eq!(wiring.rank(tree(&wiring, 0, &[4, 15]).root()), 0);
    }

    #[test]
    fn a_torus_is_rooted_in_the_middle() {
        let wiring = Topology::Torus(Cube { radix: vec![5, 5], nodes: 1 }).wiring(5).unwrap();
        let tree = tree(&wiring, 0, &[0, 2, 10, 12]);
        assert_eq!(tree.root(), 6);
    }

    #[test]
    fn groups_that_have_no_tree() {
        let error = |wiring: &Wiring, members: &[usize]| BarrierTree::new(wiring, 0, members).unwrap_err();
        let mut wiring = Topology::Mesh(Cube { radix: vec![2], nodes: 2 }).wiring(5).unwrap();
        assert_eq!(error(&wiring, &[1, 1]), BarrierTreeError::Alone);
        assert_eq!(error(&wiring, &[1, 4]), BarrierTreeError::NoNode(4));
        wiring.cut(Port { switch: 0, port: 2 }).unwrap();
        assert_eq!(error(&wiring, &[1, 3]), BarrierTreeError::NoWay { from: 1, to: 3 });
    }

    #[test]
    fn a_wrong_setting_of_any_switch_is_found() {
        let wiring = fat_tree(4, 3);
        let sound = tree(&wiring, 0, &(0..16).collect::<Vec<_>>());
        let fault = |tree: &BarrierTree, wiring: &Wiring, switch: usize, change: &dyn Fn(&mut TreePlace)| {
            let mut tree = tree.clone();
            change(tree.places.get_mut(&switch).unwrap());
            tree.check(wiring).unwrap_err()
        };
        let wrong = |switch, change: &dyn Fn(&mut TreePlace)| fault(&sound, &wiring, switch, change);
        let port = |switch, port| Port { switch, port };
        assert_eq!(wrong(0, &|place| place.leaves = 1), BarrierTreeError::Missed(1));
        assert_eq!(wrong(0, &|place| place.leaves |= 4), BarrierTreeError::ParentIsLeaf(port(0, 2)));
        assert_eq!(wrong(0, &|place| place.parent = Some(3)), BarrierTreeError::WrongParent(0));
        assert_eq!(wrong(16, &|place| place.parent = Some(0)), BarrierTreeError::WrongParent(16));
        assert_eq!(wrong(8, &|place| place.leaves |= 8), BarrierTreeError::Barren(port(8, 3)));
        let mut more = sound.clone();
        more.places.insert(17, TreePlace { leaves: 1, parent: Some(1) });
        assert_eq!(more.check(&wiring).unwrap_err(), BarrierTreeError::Stray(17));
        let ring = Topology::Torus(Cube { radix: vec![3], nodes: 1 }).wiring(3).unwrap();
        let around = tree(&ring, 0, &[0, 1, 2]);
        assert_eq!(fault(&around, &ring, 1, &|place| place.leaves |= 2), BarrierTreeError::Loop(2));
    }
}
