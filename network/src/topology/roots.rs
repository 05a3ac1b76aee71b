//! Roots of up*/down* routing, of a wiring that does not name them.
//!
//! They are found as OpenSM's up/down engine does it: by how far the nodes are. A switch from which nearly all nodes
//! are equally far is a root; a leaf of a very wide tree sees that, too, so that only the nearest of these are taken.
//! Not all are needed above all nodes, but one must be: then every switch has a way up to it and a way down from it. A
//! wiring without such roots has one, in its middle.

use crate::wiring::Wiring;
use std::collections::VecDeque;

/// Share of the nodes that are equally far from a root: more than this.
const NEARLY_ALL: f64 = 0.9;
/// Share of the nodes that may be at another distance: not more than this.
const FEW: f64 = 0.05;

/// Ranks the switches by their distance from the roots.
pub(super) fn rank(wiring: &mut Wiring) {
    let mut nodes = vec![0; wiring.switches()];
    wiring.nodes().iter().for_each(|at| nodes[at.switch] += 1);
    let views: Vec<View> = (0..wiring.switches()).map(|switch| View::of(wiring, switch, &nodes)).collect();
    let nearest = views.iter().filter_map(|view| view.above).min();
    let roots: Vec<usize> =
        (0..views.len()).filter(|&switch| nearest.is_some() && views[switch].above == nearest).collect();
    wiring.rank_from(&roots);
    if !roots.iter().any(|&root| is_above_all(wiring, root)) {
        let middle = (0..views.len()).min_by_key(|&switch| (views[switch].farthest, views[switch].sum));
        wiring.rank_from(&[middle.expect("there is a switch")]);
    }
}

/// What a switch sees of the nodes.
struct View {
    /// Links to nearly all nodes, if these are equally far.
    above: Option<usize>,
    /// Links to the farthest.
    farthest: usize,
    /// Links to all, in sum.
    sum: usize,
}

impl View {
    /// From a switch; `nodes` are those of each switch.
    fn of(wiring: &Wiring, switch: usize, nodes: &[usize]) -> View {
        let mut at_distance = Vec::new();
        let mut hops = vec![usize::MAX; nodes.len()];
        hops[switch] = 0;
        let mut queue = VecDeque::from([switch]);
        while let Some(near) = queue.pop_front() {
            at_distance.resize(hops[near] + 1, 0);
            at_distance[hops[near]] += nodes[near];
            for (_, far) in wiring.links_of(near) {
                if hops[far.switch] == usize::MAX {
                    hops[far.switch] = hops[near] + 1;
                    queue.push_back(far.switch);
                }
            }
        }
        let all = wiring.nodes().len();
        let share = |nodes: usize| nodes as f64 / all as f64;
        let mut many = (0..at_distance.len()).filter(|&hops| share(at_distance[hops]) > FEW);
        let above = many.next().filter(|&hops| share(at_distance[hops]) > NEARLY_ALL && many.next().is_none());
        if at_distance.iter().sum::<usize>() < all {
            return View { above: None, farthest: usize::MAX, sum: usize::MAX };
        }
        let farthest = at_distance.iter().rposition(|&nodes| nodes > 0).unwrap_or(0);
        View { above, farthest, sum: at_distance.iter().enumerate().map(|(hops, nodes)| hops * nodes).sum() }
    }
}

/// Whether there is a way down from a switch to all nodes.
fn is_above_all(wiring: &Wiring, root: usize) -> bool {
    let mut is_below = vec![false; wiring.switches()];
    is_below[root] = true;
    let mut left = vec![root];
    while let Some(switch) = left.pop() {
        for (_, far) in wiring.links_of(switch).filter(|(_, far)| !wiring.goes_up(switch, far.switch)) {
            if !std::mem::replace(&mut is_below[far.switch], true) {
                left.push(far.switch);
            }
        }
    }
    wiring.nodes().iter().all(|at| is_below[at.switch])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multicast::roots;
    use crate::topology::{Cube, FatTree, Topology};
    use crate::wiring::Port;

    fn link(wiring: &mut Wiring, a: (usize, usize), b: (usize, usize)) {
        wiring.link(a.into(), b.into()).unwrap();
    }

    /// Leaves of two nodes and spines, linked all to all; `number` says which switch is leaf or spine i.
    fn leaf_spine(
        leaves: usize,
        spines: usize,
        leaf: impl Fn(usize) -> usize,
        spine: impl Fn(usize) -> usize,
    ) -> Wiring {
        let mut wiring = Wiring::new(leaves + spines, leaves.max(spines + 2));
        for i in 0..leaves {
            (0..2).for_each(|port| wiring.attach(Port { switch: leaf(i), port }).unwrap());
            (0..spines).for_each(|j| link(&mut wiring, (leaf(i), 2 + j), (spine(j), i)));
        }
        rank(&mut wiring);
        wiring
    }

    #[test]
    fn spines_are_roots_wherever_they_stand_in_the_file() {
        assert_eq!(roots(&leaf_spine(8, 4, |i| i, |j| 8 + j)), [8, 9, 10, 11]);
        assert_eq!(roots(&leaf_spine(8, 4, |i| 4 + i, |j| j)), [0, 1, 2, 3]);
        // A leaf of forty sees nearly all nodes two links away.
        assert_eq!(roots(&leaf_spine(40, 2, |i| i, |j| 40 + j)), [40, 41]);
        let tree = FatTree::new(4, 3);
        let mut wiring = Topology::FatTree(tree).wiring(4).unwrap();
        let top = roots(&wiring);
        rank(&mut wiring);
        assert_eq!(roots(&wiring), top, "the top level of a fat tree");
    }

    #[test]
    fn a_wiring_without_levels_has_its_root_in_the_middle() {
        let mut mesh = Topology::Mesh(Cube { radix: vec![5, 3], nodes: 1 }).wiring(5).unwrap();
        rank(&mut mesh);
        assert_eq!(roots(&mesh), [7]);
        let mut alone = Wiring::new(1, 2);
        (0..2).for_each(|port| alone.attach(Port { switch: 0, port }).unwrap());
        rank(&mut alone);
        assert_eq!(roots(&alone), [0]);
    }

    /// Two spines, each without a link to one of forty leaves: each sees nearly all nodes at one distance, none has
    /// ways down to all.
    #[test]
    fn roots_of_which_none_is_above_all_give_way_to_one() {
        let mut wiring = Wiring::new(42, 42);
        for leaf in 0..40 {
            wiring.attach(Port { switch: leaf, port: 0 }).unwrap();
            let spines = [leaf < 39, leaf >= 1];
            (0..2).filter(|&s| spines[s]).for_each(|s| link(&mut wiring, (leaf, 1 + s), (40 + s, leaf)));
        }
        rank(&mut wiring);
        assert_eq!(roots(&wiring).len(), 1);
        assert!(is_above_all(&wiring, roots(&wiring)[0]));
    }
}
