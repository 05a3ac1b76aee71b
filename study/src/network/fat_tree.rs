//! k-ary n-tree: n levels of switches with k ports down and k up, up*/down* routing, the way up chosen by the
//! destination.

use super::{digits, number, InputPort, PortFlow, RoutedNetwork};
use railyard_spec::reduction::{address, ReductionSettings};

/// A fat tree of `k^n` nodes. Switches are numbered level by level; inputs are the children, then the parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedTree {
    k: u32,
    levels: usize,
    chunk_bits: u32,
    /// `k`, for each digit of a node.
    bases: Vec<u32>,
}

impl RoutedTree {
    /// A tree of that arity with that many levels of switches.
    pub fn new(k: u32, levels: usize) -> RoutedTree {
        let fits = [2, 3, 4, 6, 8].into_iter().find(|bits| k <= 1 << bits);
        RoutedTree { k, levels, chunk_bits: fits.expect("at most 256 children"), bases: vec![k; levels] }
    }

    /// Switches of a level.
    fn width(&self) -> u64 {
        u64::from(self.k).pow(self.levels as u32 - 1)
    }

    /// Level and label of a switch.
    fn label(&self, switch: u64) -> (usize, Vec<u32>) {
        ((switch / self.width()) as usize, digits(switch % self.width(), &self.bases[1..]))
    }

    fn switch(&self, level: usize, label: &[u32]) -> u64 {
        level as u64 * self.width() + number(label, &self.bases[1..])
    }
}

impl RoutedNetwork for RoutedTree {
    fn name(&self) -> String {
        format!("{}-ary {}-tree", self.k, self.levels)
    }

    fn nodes(&self) -> u64 {
        u64::from(self.k).pow(self.levels as u32)
    }

    fn address(&self, node: u64) -> u64 {
        address(self.chunk_bits, &digits(node, &self.bases))
    }

    fn place(&self, switch: u64) -> ReductionSettings {
        let (level, label) = self.label(switch);
        ReductionSettings::fat_tree(self.chunk_bits, level as u32, &label)
    }

    fn inputs(&self) -> Vec<(String, InputPort)> {
        let at = |level: usize, input| InputPort { switch: level as u64 * self.width(), input };
        let level = |level: usize| {
            let from_below = if level == 0 { "node".into() } else { format!("level {level} from below") };
            let from_above =
                (level + 1 < self.levels).then(|| (format!("level {level} from above"), at(level, self.k)));
            std::iter::once((from_below, at(level, 0))).chain(from_above)
        };
        (0..self.levels).flat_map(level).collect()
    }

    fn route(&self, source: u64, destination: u64, inputs: &mut Vec<InputPort>) {
        inputs.clear();
        let (from, to) = (digits(source, &self.bases), digits(destination, &self.bases));
        let (mut level, mut label) = (0, from[1..].to_vec());
        let mut input = from[0];
        inputs.push(InputPort { switch: self.switch(0, &label), input });
        while label[level..] != to[level + 1..] {
            // The next level's switches number their children by the digit in which these differ.
            input = label[level];
            label[level] = to[level];
            level += 1;
            inputs.push(InputPort { switch: self.switch(level, &label), input });
        }
        while level > 0 {
            level -= 1;
            input = self.k + label[level];
            label[level] = to[level + 1];
            inputs.push(InputPort { switch: self.switch(level, &label), input });
        }
    }

    fn flows(&self, input: InputPort) -> Vec<PortFlow> {
        let (level, label) = self.label(input.switch);
        let below = u64::from(self.k).pow(level as u32);
        if input.input >= self.k {
            // The way up to this port's parent was chosen by the destination's own digit: there is only one.
            let to = [&label[..level], &[input.input - self.k], &label[level..]].concat();
            return vec![PortFlow {
                address: address(self.chunk_bits, &to),
                sources: self.nodes() - below * u64::from(self.k),
            }];
        }
        let child = [&[input.input], &label[level..]].concat();
        let rest = &self.bases[level..];
        let to = (0..self.nodes() / below).map(|number| digits(number, rest)).filter(|to| *to != child);
        let flow = |to: Vec<u32>| PortFlow {
            address: address(self.chunk_bits, &[&label[..level], &to].concat()),
            sources: below,
        };
        to.map(flow).collect()
    }

    fn outputs(&self, switch: u64) -> usize {
        let is_top = self.label(switch).0 + 1 == self.levels;
        if is_top {
            self.k as usize
        } else {
            2 * self.k as usize
        }
    }
}
