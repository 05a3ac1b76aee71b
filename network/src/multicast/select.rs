//! Which of several roots a multicast packet goes by (Cao2016, 5.2).
//!
//! In a fat tree the root fixes the path, so to choose a path is to choose a root. The seed's figure 16 (pseudo-code of
//! HLSE) is not in its text, and LLP and LLP_EC are only named there, as algorithms that select precisely the least
//! loaded path by load messages. What they measure is therefore this project's reading:
//!
//! | selection | load of a candidate | choice |
//! | --- | --- | --- |
//! | HLSE | that of the root switch ("root switch load can reflect the load of entire multicast paths") | candidates above the mean are eliminated ("heavily loaded"), one of the others by chance |
//! | LLP | the sum over all switches of the tree: the load of the path | the least; the first of equals |
//! | LLP_EC | that of the most heavily loaded switch of the tree: the path's worst contention | the least; the first of equals |
//! | fixed | none | by the group's number |

use super::Tree;
use railyard_bench::random::Random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the root is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// Heavy-loaded switches are eliminated; one of the others by chance.
    #[default]
    Hlse,
    /// The path with the least load.
    Llp,
    /// The path whose most heavily loaded switch is the least loaded.
    LlpEc,
    /// Always the same root for a group.
    Fixed,
}

/// The candidates of one group, with their loads.
#[derive(Clone, Debug)]
pub struct Selector {
    selection: Selection,
    loads: Vec<f64>,
    fixed: usize,
}

impl Selector {
    /// Of so many candidates, at least one, all without load. `group` is its number.
    pub fn new(selection: Selection, candidates: usize, group: usize) -> Selector {
        Selector { selection, loads: vec![0.0; candidates], fixed: group % candidates }
    }

    /// Takes in the loads of all switches; `trees` are those of the candidates.
    pub fn update(&mut self, trees: &[Tree], loads: &[f64]) {
        let of_tree = |tree: &Tree| {
            let switches = tree.masks().map(|(switch, _)| loads[switch]);
            match self.selection {
                Selection::Hlse => loads[tree.root()],
                Selection::Llp => switches.sum(),
                Selection::LlpEc => switches.fold(0.0, f64::max),
                Selection::Fixed => 0.0,
            }
        };
        self.loads = trees.iter().map(of_tree).collect();
    }

    /// The candidate for a packet.
    pub fn select(&self, random: &mut Random) -> usize {
        match self.selection {
            Selection::Hlse => {
                let light: Vec<usize> = self.light().collect();
                light[random.below(light.len() as u64) as usize]
            }
            Selection::Llp | Selection::LlpEc => {
                let least = self.loads.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
                least.expect("there is a candidate").0
            }
            Selection::Fixed => self.fixed,
        }
    }

    /// The candidates that are not above the mean; at least one.
    fn light(&self) -> impl Iterator<Item = usize> + '_ {
        let least = self.loads.iter().copied().fold(f64::INFINITY, f64::min);
        // The mean of equal loads can be a rounding error below them.
        let mean = (self.loads.iter().sum::<f64>() / self.loads.len() as f64).max(least);
        (0..self.loads.len()).filter(move |&candidate| self.loads[candidate] <= mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{FatTree, Topology};

    /// FT(4, 3): four candidate roots, the top level is switches 16 to 19, of which the first is the least loaded at
    /// the root but has the busiest switch below.
    fn selector(selection: Selection) -> Selector {
        let wiring = Topology::FatTree(FatTree::new(4, 3)).wiring(4).unwrap();
        let roots = crate::multicast::roots(&wiring);
        assert_eq!(roots, [16, 17, 18, 19]);
        let trees: Vec<Tree> = roots.iter().map(|&root| Tree::new(&wiring, root, &[0, 15]).unwrap()).collect();
        let mut loads = vec![0.0; wiring.switches()];
        loads[16..].copy_from_slice(&[0.1, 0.5, 0.9, 0.2]);
        let below = trees[0].masks().map(|(switch, _)| switch).find(|switch| (8..16).contains(switch)).unwrap();
        loads[below] = 0.6;
        let mut selector = Selector::new(selection, 4, 6);
        selector.update(&trees, &loads);
        selector
    }

    fn selected(selection: Selection) -> Vec<usize> {
        let (selector, mut random) = (selector(selection), Random::new(1, 0));
        let mut all: Vec<usize> = (0..100).map(|_| selector.select(&mut random)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn hlse_draws_from_what_is_not_heavily_loaded() {
        // The mean is 0.425.
        assert_eq!(selected(Selection::Hlse), [0, 3]);
    }

    #[test]
    fn the_others_select_precisely() {
        assert_eq!(selected(Selection::Fixed), [2]);
        assert_eq!((selected(Selection::Llp).len(), selected(Selection::LlpEc).len()), (1, 1));
        assert_ne!(selected(Selection::LlpEc), [0]);
    }

    #[test]
    fn equal_loads_eliminate_nobody() {
        let selector = Selector { selection: Selection::Hlse, loads: vec![0.1; 10], fixed: 0 };
        assert_eq!(selector.light().count(), 10);
    }
}
