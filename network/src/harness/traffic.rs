//! What nodes send.

use crate::wiring::{Peer, Port, Wiring};
use railyard_sampling::random::{Chance, Random};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Share of the packets that go to the hot region, and to near nodes.
const TO_HOT_REGION: f64 = 0.25;
const TO_NEAR: f64 = 0.75;

/// Where packets go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// To any other node.
    #[default]
    Uniform,
    /// A quarter of the packets to the first eighth of the nodes, the others to any other node.
    HotRegion,
    /// Three quarters of the packets to nodes of the same switch or, if there is none, of the switches next to it.
    Local,
    /// From each node to one other, which no other node sends to, drawn from the seed.
    Permutation,
    /// All are multicast packets, to the sets that a node is in. Nodes in none send nothing.
    Multicast,
}

impl Pattern {
    /// All names, as in JSON.
    pub const NAMES: [&'static str; 5] = ["uniform", "hot_region", "local", "permutation", "multicast"];

    /// The pattern of that name.
    pub fn named(name: &str) -> Option<Pattern> {
        serde_json::from_value(name.into()).ok()
    }
}

/// The traffic of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Traffic {
    /// Where packets go.
    pub pattern: Pattern,
    /// Offered load in flits for each node and cycle.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub load: f64,
    /// Length of packets in flits. Left out: the longest that the switch takes.
    #[schemars(range(min = 1, max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// Share of the packets that are multicast packets, of nodes in a set (pattern `multicast`: all).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub multicast: f64,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic { pattern: Pattern::Uniform, load: 0.5, length: None, multicast: 0.0 }
    }
}

impl Traffic {
    /// Share of the packets that are multicast packets, by whichever field.
    pub fn multicast_share(&self) -> f64 {
        if self.pattern == Pattern::Multicast {
            1.0
        } else {
            self.multicast
        }
    }
}

/// Draws destinations.
#[derive(Clone, Debug)]
pub struct Destinations {
    pattern: Pattern,
    nodes: usize,
    share: Chance,
    /// Pattern `local`: the near nodes of each node.
    near: Vec<Vec<usize>>,
    /// Pattern `permutation`: the node that each sends to.
    image: Vec<usize>,
}

impl Destinations {
    /// For a network.
    pub fn new(pattern: Pattern, wiring: &Wiring, seed: u64) -> Destinations {
        let nodes = wiring.nodes().len();
        let share = match pattern {
            Pattern::HotRegion => Chance::new(TO_HOT_REGION),
            Pattern::Local => Chance::new(TO_NEAR),
            _ => Chance::NEVER,
        };
        let near = if pattern == Pattern::Local { near(wiring) } else { Vec::new() };
        let image = if pattern == Pattern::Permutation { one_cycle(nodes, seed) } else { Vec::new() };
        Destinations { pattern, nodes, share, near, image }
    }

    /// The destination of a packet: never its source.
    pub fn draw(&self, source: usize, random: &mut Random) -> usize {
        let any = |random: &mut Random| {
            let other = random.below(self.nodes as u64 - 1) as usize;
            other + usize::from(other >= source)
        };
        match self.pattern {
            Pattern::Permutation => self.image[source],
            Pattern::HotRegion if random.happens(self.share) => {
                let hot = random.below(self.hot_nodes() as u64) as usize;
                if hot == source {
                    any(random)
                } else {
                    hot
                }
            }
            Pattern::Local if !self.near[source].is_empty() && random.happens(self.share) => {
                self.near[source][random.below(self.near[source].len() as u64) as usize]
            }
            _ => any(random),
        }
    }

    /// The chance that a unicast packet of a source goes to a node.
    pub fn share(&self, source: usize, to: usize) -> f64 {
        if to == source {
            return 0.0;
        }
        let any = 1.0 / (self.nodes as f64 - 1.0);
        match self.pattern {
            Pattern::Permutation => f64::from(self.image[source] == to),
            Pattern::HotRegion => {
                let each = TO_HOT_REGION / self.hot_nodes() as f64;
                let is_hot = |node: usize| f64::from(node < self.hot_nodes());
                // What a hot node would send to itself goes to any other.
                each * is_hot(to) + (1.0 - TO_HOT_REGION + each * is_hot(source)) * any
            }
            Pattern::Local if !self.near[source].is_empty() => {
                let near = &self.near[source];
                TO_NEAR / near.len() as f64 * f64::from(near.contains(&to)) + (1.0 - TO_NEAR) * any
            }
            Pattern::Uniform | Pattern::Local | Pattern::Multicast => any,
        }
    }

    fn hot_nodes(&self) -> usize {
        self.nodes.div_ceil(8)
    }
}

/// For each node the other nodes of its switch or, if it is alone there, those of the switches next to it.
fn near(wiring: &Wiring) -> Vec<Vec<usize>> {
    let of_switch = |switch: usize| {
        (0..wiring.ports()).filter_map(move |port| match wiring.peer(Port { switch, port }) {
            Peer::Node(node) => Some(node),
            Peer::Switch(_) | Peer::Nothing => None,
        })
    };
    let near = |(node, at): (usize, &Port)| {
        let own: Vec<usize> = of_switch(at.switch).filter(|&other| other != node).collect();
        match own.is_empty() {
            true => wiring.links_of(at.switch).flat_map(|(_, far)| of_switch(far.switch)).collect(),
            false => own,
        }
    };
    wiring.nodes().iter().enumerate().map(near).collect()
}

/// A permutation without fixed points: one cycle through all (Sattolo's algorithm).
fn one_cycle(nodes: usize, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed, u64::MAX);
    let mut image: Vec<usize> = (0..nodes).collect();
    for last in (1..nodes).rev() {
        image.swap(last, random.below(last as u64) as usize);
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Cube, FatTree, Topology};

    #[test]
    fn nobody_sends_to_himself_and_shares_are_kept() {
        let wiring = Topology::FatTree(FatTree { ports: 8, levels: 2 }).wiring(8).unwrap();
        for name in Pattern::NAMES {
            let pattern = Pattern::named(name).unwrap();
            let (destinations, mut random) = (Destinations::new(pattern, &wiring, 3), Random::new(1, 0));
            let drawn: Vec<(usize, usize)> =
                (0..32_000).map(|i| (i % 32, destinations.draw(i % 32, &mut random))).collect();
            assert!(drawn.iter().all(|(source, to)| source != to), "{name}");
            for source in 0..32 {
                let all: f64 = (0..32).map(|to| destinations.share(source, to)).sum();
                assert!((all - 1.0).abs() < 1e-9, "{name}: {all}");
            }
            let share = |holds: &dyn Fn(usize, usize) -> bool| {
                drawn.iter().filter(|(source, to)| holds(*source, *to)).count() as f64 / 32_000.0
            };
            match pattern {
                Pattern::HotRegion => {
                    let told = (0..32).flat_map(|from| (0..4).map(move |to| (from, to)));
                    let told = told.map(|(from, to)| destinations.share(from, to)).sum::<f64>() / 32.0;
                    assert!((share(&|_, to| to < 4) - told).abs() < 0.01, "{told}");
                }
                Pattern::Local => assert!((share(&|from, to| from / 4 == to / 4) - 0.774).abs() < 0.02),
                Pattern::Permutation => {
                    let mut images: Vec<usize> = drawn[..32].iter().map(|(_, to)| *to).collect();
                    images.sort_unstable();
                    assert!(images.into_iter().eq(0..32));
                }
                Pattern::Uniform | Pattern::Multicast => assert!((share(&|_, to| to == 5) - 1.0 / 32.0).abs() < 0.01),
            }
        }
    }

    #[test]
    fn near_nodes_of_a_lonely_node_are_next_door() {
        let wiring = Topology::Torus(Cube { radix: vec![4, 4], nodes: 1 }).wiring(5).unwrap();
        let mut near = near(&wiring).swap_remove(0);
        near.sort_unstable();
        assert_eq!(near, [1, 3, 4, 12]);
    }
}
