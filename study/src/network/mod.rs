//! Networks: which input ports a packet passes, and what a port sees of uniform traffic.

mod cube;
mod dragonfly;
mod fat_tree;

pub use cube::RoutedCube;
pub use dragonfly::DragonflyFlows;
pub use fat_tree::RoutedTree;

use railyard_spec::reduction::ReductionSettings;
use rand::distr::weighted::WeightedIndex;
use rand::distr::Distribution;

/// An input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputPort {
    /// The switch.
    pub switch: u64,
    /// Its input.
    pub input: u32,
}

/// Packets to a destination that a port sees when every node sends one to every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortFlow {
    /// The destination's address.
    pub address: u64,
    /// Sources whose packets to it pass the port.
    pub sources: u64,
}

/// A network with its routing.
pub trait RoutedNetwork {
    /// What it is, in a word.
    fn name(&self) -> String;

    /// Nodes, numbered from 0.
    fn nodes(&self) -> u64;

    /// A node's address.
    fn address(&self, node: u64) -> u64;

    /// What software writes into a switch's registers.
    fn place(&self, switch: u64) -> ReductionSettings;

    /// The inputs of the switches worth looking at, each with a name; others see the same by symmetry, or less.
    fn inputs(&self) -> Vec<(String, InputPort)>;

    /// The inputs at which a packet is routed on its way, in order.
    fn route(&self, source: u64, destination: u64, inputs: &mut Vec<InputPort>);

    /// Uniform traffic at an input: every destination that it sees.
    fn flows(&self, input: InputPort) -> Vec<PortFlow>;

    /// Outputs of a switch: by the seed, the entries that it needs with node reduction.
    fn outputs(&self, switch: u64) -> usize;
}

/// Draws destinations as often as packets to them come.
pub struct PortTraffic {
    flows: Vec<PortFlow>,
    index: WeightedIndex<u64>,
}

impl PortTraffic {
    /// Of flows, of which there is at least one.
    pub fn new(flows: Vec<PortFlow>) -> PortTraffic {
        let index = WeightedIndex::new(flows.iter().map(|flow| flow.sources)).expect("there is a packet");
        PortTraffic { flows, index }
    }

    /// All destinations.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.flows.iter().map(|flow| flow.address)
    }

    /// The address of a packet.
    pub(crate) fn draw(&self, random: &mut crate::Random) -> u64 {
        self.flows[self.index.sample(random)].address
    }
}

/// The digits of a number, lowest first, to a base each.
fn digits(mut number: u64, bases: &[u32]) -> Vec<u32> {
    let digit = |base: &u32| {
        let digit = number % u64::from(*base);
        number /= u64::from(*base);
        digit as u32
    };
    bases.iter().map(digit).collect()
}

/// The number that has these digits.
fn number(digits: &[u32], bases: &[u32]) -> u64 {
    digits.iter().zip(bases).rev().fold(0, |number, (digit, base)| number * u64::from(*base) + u64::from(*digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reduction;
    use std::collections::BTreeMap;

    /// Routes every pair and counts what passes each input: that is what `flows` says; and what one key stands for
    /// leaves by one output, that is, arrives at one next input.
    fn agrees(network: &dyn RoutedNetwork) {
        let mut seen: BTreeMap<InputPort, BTreeMap<u64, u64>> = BTreeMap::new();
        let mut next: BTreeMap<(u64, u64), Option<InputPort>> = BTreeMap::new();
        let mut route = Vec::new();
        for source in 0..network.nodes() {
            for destination in (0..network.nodes()).filter(|&destination| destination != source) {
                let address = network.address(destination);
                network.route(source, destination, &mut route);
                for (at, input) in route.iter().enumerate() {
                    *seen.entry(*input).or_default().entry(address).or_default() += 1;
                    let key = Reduction::at(&network.place(input.switch)).key(address);
                    let then = route.get(at + 1).copied();
                    assert_eq!(*next.entry((input.switch, key)).or_insert(then), then, "{input:?} to {address:#x}");
                }
            }
        }
        for (name, input) in network.inputs() {
            let mut flows = network.flows(input);
            flows.sort();
            let counted = seen.get(&input).into_iter().flatten();
            let counted: Vec<PortFlow> = counted.map(|(&address, &sources)| PortFlow { address, sources }).collect();
            assert_eq!(flows, counted, "{} {name} {input:?}", network.name());
        }
    }

    #[test]
    fn what_a_port_sees_is_what_is_routed_to_it() {
        agrees(&RoutedCube::torus(&[5, 4, 3]));
        agrees(&RoutedCube::torus(&[7, 5]));
        agrees(&RoutedCube::mesh(&[4, 3, 3]));
        agrees(&RoutedTree::new(3, 3));
        agrees(&RoutedTree::new(4, 2));
        agrees(&DragonflyFlows::new(2, 4, 2, 9));
        agrees(&DragonflyFlows::new(2, 4, 2, 7));
    }

    #[test]
    fn digits_and_number_are_inverse() {
        assert_eq!(digits(23, &[3, 4, 5]), [2, 3, 1]);
        assert_eq!(number(&[2, 3, 1], &[3, 4, 5]), 23);
    }
}
