//! Traffic patterns: where the packets of a source go. Sources and destinations are the ports of a switch, or the nodes
//! of a network.

use super::Weighted;
use crate::random::{Chance, Random};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A traffic pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Pattern {
    /// All destinations alike. A port sends to itself, too; a node does not.
    #[default]
    Uniform,
    /// A share of the packets goes to one port, the rest is uniform.
    HotSpot {
        /// The busy port (of a network: node), modulo their number.
        #[schemars(range(max = 63))]
        port: usize,
        /// Share of the packets of all sources.
        #[schemars(range(min = 0.0, max = 1.0))]
        share: f64,
    },
    /// A quarter of the packets to the first eighth of the nodes, the others to any other node.
    HotRegion,
    /// Three quarters of the packets to nodes of the same switch or, if there is none, of the switches next to it.
    Local,
    /// Ports as a matrix, as square as their number allows: row and column swap.
    Transpose,
    /// The port number's bits in reverse; a port whose image doesn't exist sends to itself.
    BitReverse,
    /// Perfect shuffle: twice the port number, the high half one more.
    Shuffle,
    /// Nearly half of the ports further on.
    Tornado,
    /// The next port.
    Neighbour,
    /// The port number counted from the other end.
    Complement,
    /// A permutation picked by the seed.
    Permutation,
    /// Dragonfly: all packets of a group to nodes of the group that is `offset` groups further on.
    Adversarial {
        /// Groups from that of the source to that of the destination, modulo their number.
        #[schemars(range(min = 1, max = 4095))]
        offset: usize,
    },
    /// Dragonfly: packets of a group to nodes of the groups that follow it, all alike.
    AdversarialConsecutive {
        /// Groups that get packets. Left out: as many as a switch has global links.
        #[schemars(range(min = 1, max = 4095))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        targets: Option<usize>,
    },
    /// All are multicast packets, to the sets that a node is in. Nodes in none send nothing.
    Multicast,
}

impl Pattern {
    /// Names of the patterns of a switch's ports, as in JSON. Drawn scenarios count by their order.
    pub const OF_SWITCHES: &'static [&'static str] = &[
        "uniform",
        "hot_spot",
        "transpose",
        "bit_reverse",
        "shuffle",
        "tornado",
        "neighbour",
        "complement",
        "permutation",
    ];

    /// Names of the patterns of a network's nodes, as in JSON.
    pub const OF_NETWORKS: &'static [&'static str] = &[
        "uniform",
        "hot_spot",
        "hot_region",
        "local",
        "transpose",
        "bit_reverse",
        "shuffle",
        "tornado",
        "neighbour",
        "complement",
        "permutation",
        "adversarial",
        "adversarial_consecutive",
        "multicast",
    ];

    /// The pattern of that name; a hot spot is port 0 with a tenth of the traffic, and adversarial traffic goes to the
    /// next group.
    pub fn named(name: &str) -> Option<Pattern> {
        match name {
            "hot_spot" => Some(Pattern::HotSpot { port: 0, share: 0.1 }),
            "adversarial" => Some(Pattern::Adversarial { offset: 1 }),
            "adversarial_consecutive" => Some(Pattern::AdversarialConsecutive { targets: None }),
            _ => serde_json::from_value(name.into()).ok(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Pattern::Uniform => "uniform",
            Pattern::HotSpot { .. } => "hot_spot",
            Pattern::HotRegion => "hot_region",
            Pattern::Local => "local",
            Pattern::Transpose => "transpose",
            Pattern::BitReverse => "bit_reverse",
            Pattern::Shuffle => "shuffle",
            Pattern::Tornado => "tornado",
            Pattern::Neighbour => "neighbour",
            Pattern::Complement => "complement",
            Pattern::Permutation => "permutation",
            Pattern::Adversarial { .. } => "adversarial",
            Pattern::AdversarialConsecutive { .. } => "adversarial_consecutive",
            Pattern::Multicast => "multicast",
        }
    }

    /// Leaves those of a switch in the JSON Schema of a field.
    pub fn keep_those_of_switches(schema: &mut schemars::Schema) {
        keep(schema, Pattern::OF_SWITCHES);
    }
}

/// Leaves the alternatives with these names in a JSON Schema.
fn keep(schema: &mut schemars::Schema, names: &[&str]) {
    let Some(alternatives) = schema.get_mut("oneOf").and_then(|list| list.as_array_mut()) else { return };
    alternatives.retain(|alternative| {
        let name = alternative["const"].as_str();
        let field = || alternative["properties"].as_object()?.keys().next().map(String::as_str);
        name.or_else(field).is_some_and(|name| names.contains(&name))
    });
}

/// What is around the nodes of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The nodes near to each, for [`Pattern::Local`].
    pub near: Vec<Vec<usize>>,
    /// Groups of consecutive nodes, if there are any.
    pub groups: Option<NodeGroups>,
}

/// Groups of consecutive nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeGroups {
    /// Nodes of a group.
    pub nodes: usize,
    /// Links of a switch to other groups.
    pub links: usize,
}

impl NodeGroups {
    /// The groups that a pattern sends to, if it sends to groups: the first by its distance, and how many.
    pub fn following(&self, pattern: Pattern) -> Option<(usize, usize)> {
        match pattern {
            Pattern::Adversarial { offset } => Some((offset, 1)),
            Pattern::AdversarialConsecutive { targets } => Some((1, targets.unwrap_or(self.links))),
            _ => None,
        }
    }
}

/// A pattern for a number of sources, ready to draw from.
#[derive(Clone, Debug)]
pub struct Destinations {
    ends: u64,
    /// A source sends to itself, too.
    own: bool,
    choice: Choice,
}

/// What is chosen before the rest of the packets goes to any destination.
#[derive(Clone, Debug)]
enum Choice {
    Any,
    /// One destination has a share of all packets.
    Spot(usize, Chance),
    /// The first ones have.
    Region(u64, Chance),
    /// Those near to each source have.
    Near(Vec<Vec<usize>>, Chance),
    /// The only destination of each source.
    Image(Vec<u32>),
    /// Nodes of the groups that follow that of the source: the first by its distance, and how many.
    Following {
        groups: NodeGroups,
        first: usize,
        count: usize,
    },
    /// Those of each source, by weight.
    Weighted(Vec<Weighted>),
}

impl Destinations {
    /// For the ports of a switch; the seed matters to [`Pattern::Permutation`] alone.
    pub fn of_ports(pattern: Pattern, ports: usize, seed: u64) -> Destinations {
        let choice = match pattern {
            Pattern::Permutation => Choice::Image(permutation(ports, true, &mut Random::new(seed, 0x9e12))),
            _ => Choice::new(pattern, ports),
        };
        Destinations { ends: ports as u64, own: true, choice }
    }

    /// For the nodes of a network, of which there are at least two. A packet that a pattern leads back to its source
    /// goes to any other node.
    ///
    /// # Panics
    /// If the pattern sends to groups, and there are none.
    pub fn of_nodes(pattern: Pattern, nodes: usize, around: Surroundings, seed: u64) -> Destinations {
        let choice = match pattern {
            Pattern::Permutation => Choice::Image(permutation(nodes, false, &mut Random::new(seed, u64::MAX))),
            Pattern::Local => Choice::Near(around.near, Chance::new(0.75)),
            Pattern::Adversarial { .. } | Pattern::AdversarialConsecutive { .. } => {
                let groups = around.groups.expect("the pattern was checked");
                let (first, count) = groups.following(pattern).expect("it sends to groups");
                Choice::Following { groups, first, count }
            }
            _ => Choice::new(pattern, nodes),
        };
        Destinations { ends: nodes as u64, own: false, choice }
    }

    /// For the nodes of a network, with weights for the destinations of each. One without any sends to all others.
    pub fn weighted(all: Vec<Weighted>) -> Destinations {
        Destinations { ends: all.len() as u64, own: false, choice: Choice::Weighted(all) }
    }

    /// The destination of the next packet of `source`.
    #[inline]
    pub fn draw(&self, source: usize, random: &mut Random) -> usize {
        let chosen = match &self.choice {
            Choice::Image(images) => Some(images[source] as usize),
            Choice::Spot(spot, share) if random.happens(*share) => Some(*spot),
            Choice::Region(count, share) if random.happens(*share) => Some(random.below(*count) as usize),
            Choice::Near(near, share) if !near[source].is_empty() && random.happens(*share) => {
                Some(near[source][random.below(near[source].len() as u64) as usize])
            }
            Choice::Following { groups, first, count } => {
                let start = (source / groups.nodes + first) * groups.nodes;
                Some((start + random.below((count * groups.nodes) as u64) as usize) % self.ends as usize)
            }
            Choice::Weighted(all) => all[source].draw(random),
            _ => None,
        };
        match chosen {
            Some(destination) if self.own || destination != source => destination,
            _ if self.own => random.below(self.ends) as usize,
            _ => {
                let other = random.below(self.ends - 1) as usize;
                other + usize::from(other >= source)
            }
        }
    }
}

impl Destinations {
    /// The chance that a packet of `source` goes to `to`.
    pub fn share(&self, source: usize, to: usize) -> f64 {
        if to == source && !self.own {
            return 0.0;
        }
        // What is not chosen, or leads back to its source, goes to any.
        let back = if self.own { 0.0 } else { self.choice.share_of(source, source, self.ends as usize) };
        let rest = 1.0 - self.choice.share(source) + back;
        self.choice.share_of(source, to, self.ends as usize) + rest / (self.ends - u64::from(!self.own)) as f64
    }
}

impl Choice {
    /// Share of a source's packets whose destination is chosen.
    fn share(&self, source: usize) -> f64 {
        match self {
            Choice::Any => 0.0,
            Choice::Image(_) | Choice::Following { .. } => 1.0,
            Choice::Near(near, _) if near[source].is_empty() => 0.0,
            Choice::Weighted(all) => f64::from(all[source].sum() > 0.0),
            Choice::Spot(_, share) | Choice::Region(_, share) | Choice::Near(_, share) => share.probability(),
        }
    }

    /// The part of it with that destination.
    fn share_of(&self, source: usize, to: usize, ends: usize) -> f64 {
        let (is_one, of) = match self {
            Choice::Any => (false, 1),
            Choice::Image(images) => (images[source] as usize == to, 1),
            Choice::Weighted(all) if all[source].sum() > 0.0 => return all[source].share(to),
            Choice::Weighted(_) => (false, 1),
            Choice::Spot(spot, _) => (*spot == to, 1),
            Choice::Region(count, _) => ((to as u64) < *count, *count as usize),
            Choice::Near(near, _) => (near[source].contains(&to), near[source].len().max(1)),
            Choice::Following { groups, first, count } => {
                let all = ends / groups.nodes;
                let distance = (to / groups.nodes + all - source / groups.nodes) % all;
                ((distance + all - first % all) % all < *count, count * groups.nodes)
            }
        };
        f64::from(is_one) * self.share(source) / of as f64
    }

    /// Of a pattern that neither seed nor surroundings matter to.
    fn new(pattern: Pattern, ends: usize) -> Choice {
        let map =
            |image: &dyn Fn(usize) -> usize| Choice::Image((0..ends).map(|source| image(source) as u32).collect());
        let bits = ends.next_power_of_two().trailing_zeros();
        match pattern {
            Pattern::Uniform
            | Pattern::Local
            | Pattern::Multicast
            | Pattern::Permutation
            | Pattern::Adversarial { .. }
            | Pattern::AdversarialConsecutive { .. } => Choice::Any,
            Pattern::HotSpot { port, share } => Choice::Spot(port % ends, Chance::new(share)),
            Pattern::HotRegion => Choice::Region(ends.div_ceil(8) as u64, Chance::new(0.25)),
            Pattern::Transpose => {
                let rows = (1..=ends).take_while(|r| r * r <= ends).filter(|r| ends % r == 0).last().unwrap_or(1);
                let columns = ends / rows;
                map(&|source| source % columns * rows + source / columns)
            }
            Pattern::BitReverse => map(&|source| {
                let image = (0..bits).fold(0, |image, bit| image | (source >> bit & 1) << (bits - 1 - bit));
                if image < ends {
                    image
                } else {
                    source
                }
            }),
            Pattern::Shuffle if ends % 2 == 0 => map(&|source| {
                if source < ends / 2 {
                    2 * source
                } else {
                    2 * source + 1 - ends
                }
            }),
            Pattern::Shuffle => map(&|source| 2 * source % ends),
            Pattern::Tornado => map(&|source| (source + ends.div_ceil(2) - 1) % ends),
            Pattern::Neighbour => map(&|source| (source + 1) % ends),
            Pattern::Complement => map(&|source| ends - 1 - source),
        }
    }
}

/// A permutation; without `own` one cycle through all (Sattolo's algorithm), so that it has no fixed point.
fn permutation(ends: usize, own: bool, random: &mut Random) -> Vec<u32> {
    let mut images: Vec<u32> = (0..ends as u32).collect();
    (1..ends).rev().for_each(|last| images.swap(last, random.below(last as u64 + u64::from(own)) as usize));
    images
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(pattern: Pattern, ports: usize) -> Vec<usize> {
        let mut random = Random::new(1, 0);
        let destinations = Destinations::of_ports(pattern, ports, 1);
        (0..ports).map(|source| destinations.draw(source, &mut random)).collect()
    }

    #[test]
    fn are_what_their_names_say() {
        assert_eq!(images(Pattern::Transpose, 16), [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
        assert_eq!(images(Pattern::Transpose, 6), [0, 2, 4, 1, 3, 5]);
        assert_eq!(images(Pattern::BitReverse, 8), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(images(Pattern::Shuffle, 8), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(images(Pattern::Tornado, 8), [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(images(Pattern::Neighbour, 4), [1, 2, 3, 0]);
        assert_eq!(images(Pattern::Complement, 4), [3, 2, 1, 0]);
    }

    #[test]
    fn fixed_ones_are_permutations_for_any_number_of_ports() {
        for ports in 2..=64 {
            for name in &Pattern::OF_SWITCHES[2..] {
                let mut all = images(Pattern::named(name).unwrap(), ports);
                all.sort_unstable();
                assert!(all.iter().enumerate().all(|(i, &p)| i == p), "{name}, {ports} ports");
            }
        }
    }

    #[test]
    fn random_ones_have_their_shares() {
        let count = |pattern, port| {
            let (destinations, mut random) = (Destinations::of_ports(pattern, 16, 1), Random::new(2, 0));
            (0..64_000).filter(|i| destinations.draw(i % 16, &mut random) == port).count()
        };
        assert!((3_700..4_300).contains(&count(Pattern::Uniform, 5)));
        let hot = Pattern::HotSpot { port: 5, share: 0.25 };
        assert!((18_000..20_000).contains(&count(hot, 5)), "{}", count(hot, 5));
        assert!((2_700..3_300).contains(&count(hot, 6)));
    }

    #[test]
    fn names_lead_back() {
        for name in Pattern::OF_NETWORKS.iter().chain(Pattern::OF_SWITCHES) {
            assert_eq!(Pattern::named(name).unwrap().name(), *name);
        }
    }

    /// Six groups of four nodes, two links of a switch to other groups.
    #[test]
    fn adversarial_traffic_goes_to_the_groups_that_follow() {
        let groups = Some(NodeGroups { nodes: 4, links: 2 });
        let of = |pattern| Destinations::of_nodes(pattern, 24, Surroundings { groups, ..Surroundings::default() }, 1);
        for (pattern, distances) in [
            (Pattern::Adversarial { offset: 1 }, &[1][..]),
            (Pattern::Adversarial { offset: 4 }, &[4]),
            (Pattern::AdversarialConsecutive { targets: None }, &[1, 2]),
            (Pattern::AdversarialConsecutive { targets: Some(5) }, &[1, 2, 3, 4, 5]),
        ] {
            let (destinations, mut random) = (of(pattern), Random::new(1, 0));
            let mut drawn = [[0; 24]; 24];
            (0..48_000).for_each(|i| drawn[i % 24][destinations.draw(i % 24, &mut random)] += 1);
            for (source, to) in (0..24).flat_map(|source| (0..24).map(move |to| (source, to))) {
                let is_target = distances.contains(&((to / 4 + 6 - source / 4) % 6));
                let share = if is_target { 1.0 / (4 * distances.len()) as f64 } else { 0.0 };
                assert!((destinations.share(source, to) - share).abs() < 1e-12, "{pattern:?} {source} {to}");
                let expected = 2_000.0 * share;
                assert!((f64::from(drawn[source][to]) - expected).abs() <= 5.0 * expected.sqrt(), "{pattern:?}");
            }
        }
    }

    /// The destinations are part of what a seed means: a change here changes every recorded run.
    #[test]
    fn permutations_of_a_seed_are_fixed() {
        let mut random = Random::new(1, 0);
        let nodes = Destinations::of_nodes(Pattern::Permutation, 6, Surroundings::default(), 3);
        assert_eq!(images(Pattern::Permutation, 6), PORTS_OF_SEED_1);
        let drawn: Vec<usize> = (0..6).map(|source| nodes.draw(source, &mut random)).collect();
        assert_eq!(drawn, NODES_OF_SEED_3);
    }
    const PORTS_OF_SEED_1: [usize; 6] = [1, 4, 2, 3, 0, 5];
    const NODES_OF_SEED_3: [usize; 6] = [5, 3, 0, 4, 2, 1];

    #[test]
    fn a_schema_of_switches_has_their_names_only() {
        let mut schema = schemars::schema_for!(Pattern);
        Pattern::keep_those_of_switches(&mut schema);
        let list = schema.get("oneOf").unwrap().as_array().unwrap();
        assert_eq!(list.len(), Pattern::OF_SWITCHES.len(), "{list:?}");
    }
}
