//! k-ary n-mesh and k-ary n-torus: one node a switch, dimension-order routing, lowest dimension first.

use super::{digits, number, InputPort, PortFlow, RoutedNetwork};
use railyard_spec::reduction::{address, ReductionSettings};

/// Input from the switch's own node; then, for each dimension, from behind and from ahead.
const NODE: u32 = 0;

/// A mesh or torus with its own number of switches in each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedCube {
    radix: Vec<u32>,
    torus: bool,
    chunk_bits: u32,
}

impl RoutedCube {
    /// A torus.
    pub fn torus(radix: &[u32]) -> RoutedCube {
        let widest = radix.iter().max().expect("a dimension");
        let fits = [2, 3, 4, 6, 8].into_iter().find(|bits| *widest <= 1 << bits);
        RoutedCube { radix: radix.into(), torus: true, chunk_bits: fits.expect("at most 256 switches in a dimension") }
    }

    /// A mesh.
    pub fn mesh(radix: &[u32]) -> RoutedCube {
        RoutedCube { torus: false, ..RoutedCube::torus(radix) }
    }

    /// The input that packets enter that go up (or down) dimension `i`.
    pub(crate) fn input(i: usize, up: bool) -> u32 {
        2 * i as u32 + if up { 1 } else { 2 }
    }

    /// The switch in the middle; in a torus one as good as any.
    fn middle(&self) -> u64 {
        let middle: Vec<u32> = self.radix.iter().map(|k| k / 2).collect();
        number(&middle, &self.radix)
    }

    /// Hops that a packet makes in dimension `i`, and whether it goes up.
    fn hops(&self, i: usize, from: u32, to: u32) -> (u32, bool) {
        let k = self.radix[i];
        let ahead = (to + k - from) % k;
        match self.torus {
            true if ahead <= k - ahead => (ahead, true),
            true => (k - ahead, false),
            false => (from.abs_diff(to), to > from),
        }
    }

    /// What a switch at `at` sees in dimension `i` of packets on the way up (or down): coordinates of destinations,
    /// each with the number of those of sources.
    fn line(&self, i: usize, at: u32, up: bool) -> Vec<(u32, u64)> {
        let k = self.radix[i];
        let reaches = |from: u32, to: u32| {
            let (hops, upwards) = self.hops(i, from, to);
            let behind = if up { (at + k - from) % k } else { (from + k - at) % k };
            let passes = if self.torus { behind <= hops } else { behind <= hops && (from < at) == up };
            upwards == up && from != at && hops > 0 && passes
        };
        let sources = |to: u32| (0..k).filter(|&from| reaches(from, to)).count() as u64;
        (0..k).map(|to| (to, sources(to))).filter(|(_, sources)| *sources > 0).collect()
    }
}

impl RoutedNetwork for RoutedCube {
    fn name(&self) -> String {
        let radix: Vec<String> = self.radix.iter().map(ToString::to_string).collect();
        format!("{} {}", if self.torus { "torus" } else { "mesh" }, radix.join("x"))
    }

    fn nodes(&self) -> u64 {
        self.radix.iter().map(|k| u64::from(*k)).product()
    }

    fn address(&self, node: u64) -> u64 {
        address(self.chunk_bits, &digits(node, &self.radix))
    }

    fn place(&self, switch: u64) -> ReductionSettings {
        let at = digits(switch, &self.radix);
        match self.torus {
            true => ReductionSettings::torus(self.chunk_bits, &self.radix, &at),
            false => ReductionSettings::mesh(self.chunk_bits, &at),
        }
    }

    fn inputs(&self) -> Vec<(String, InputPort)> {
        let at = |input| InputPort { switch: self.middle(), input };
        let up = (0..self.radix.len()).map(|i| (format!("dimension {}", i + 1), at(RoutedCube::input(i, true))));
        std::iter::once(("node".to_string(), at(NODE))).chain(up).collect()
    }

    fn route(&self, source: u64, destination: u64, inputs: &mut Vec<InputPort>) {
        inputs.clear();
        inputs.push(InputPort { switch: source, input: NODE });
        let (mut switch, mut stride) = (source, 1);
        for (i, &k) in self.radix.iter().enumerate() {
            let [from, to] = [source, destination].map(|node| (node / stride % u64::from(k)) as u32);
            let (hops, up) = self.hops(i, from, to);
            let mut at = from;
            for _ in 0..hops {
                let then = if up { (at + 1) % k } else { (at + k - 1) % k };
                switch = switch + u64::from(then) * stride - u64::from(at) * stride;
                at = then;
                inputs.push(InputPort { switch, input: RoutedCube::input(i, up) });
            }
            stride *= u64::from(k);
        }
    }

    fn flows(&self, input: InputPort) -> Vec<PortFlow> {
        if input.input == NODE {
            let others = (0..self.nodes()).filter(|node| *node != input.switch);
            return others.map(|node| PortFlow { address: self.address(node), sources: 1 }).collect();
        }
        let (i, up) = ((input.input as usize - 1) / 2, input.input % 2 == 1);
        let at = digits(input.switch, &self.radix);
        // Lower dimensions are done with: sources may be anywhere in them. Higher ones are still to come.
        let anywhere: u64 = self.radix[..i].iter().map(|k| u64::from(*k)).product();
        let above: u64 = self.radix[i + 1..].iter().map(|k| u64::from(*k)).product();
        let line = self.line(i, at[i], up);
        let to = |rest: u64| {
            let (at, line) = (&at, &line);
            line.iter().map(move |&(c, sources)| {
                let to = [&at[..i], &[c], &digits(rest, &self.radix[i + 1..])].concat();
                PortFlow { address: address(self.chunk_bits, &to), sources: sources * anywhere }
            })
        };
        (0..above).flat_map(to).collect()
    }

    /// Two in each dimension, and the node; there may be fewer at the rim of a mesh.
    fn outputs(&self, _switch: u64) -> usize {
        2 * self.radix.len() + 1
    }
}
