//! Traffic patterns: which output port a packet of a source goes to.

use crate::random::{Chance, Random};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A traffic pattern. All but the first two send each source's packets to one destination; they are permutations for
/// any number of ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// All ports alike, the source's own included.
    #[default]
    Uniform,
    /// A share of the packets goes to one port, the rest is uniform.
    HotSpot {
        /// The busy port, modulo the number of ports.
        #[schemars(range(max = 63))]
        port: usize,
        /// Share of the packets of all sources.
        #[schemars(range(min = 0.0, max = 1.0))]
        share: f64,
    },
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
}

impl Pattern {
    /// Names accepted by [`Pattern::named`].
    pub const NAMES: &'static [&'static str] = &[
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

    /// The pattern of that name; a hot spot is port 0 with a tenth of the traffic.
    pub fn named(name: &str) -> Option<Pattern> {
        Some(match name {
            "uniform" => Pattern::Uniform,
            "hot_spot" => Pattern::HotSpot { port: 0, share: 0.1 },
            "transpose" => Pattern::Transpose,
            "bit_reverse" => Pattern::BitReverse,
            "shuffle" => Pattern::Shuffle,
            "tornado" => Pattern::Tornado,
            "neighbour" => Pattern::Neighbour,
            "complement" => Pattern::Complement,
            "permutation" => Pattern::Permutation,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        let index = match self {
            Pattern::Uniform => 0,
            Pattern::HotSpot { .. } => 1,
            Pattern::Transpose => 2,
            Pattern::BitReverse => 3,
            Pattern::Shuffle => 4,
            Pattern::Tornado => 5,
            Pattern::Neighbour => 6,
            Pattern::Complement => 7,
            Pattern::Permutation => 8,
        };
        Pattern::NAMES[index]
    }
}

/// A pattern for a number of ports, ready to draw from.
#[derive(Clone, Debug)]
pub struct Destinations {
    ports: u64,
    hot: Option<(u8, Chance)>,
    /// Destination of each source; empty if they are drawn.
    fixed: Vec<u8>,
}

impl Destinations {
    /// Prepares a pattern; the seed matters to [`Pattern::Permutation`] alone.
    pub fn new(pattern: Pattern, ports: usize, seed: u64) -> Destinations {
        let map = |image: &dyn Fn(usize) -> usize| (0..ports).map(|source| image(source) as u8).collect();
        let bits = ports.next_power_of_two().trailing_zeros();
        let fixed: Vec<u8> = match pattern {
            Pattern::Uniform | Pattern::HotSpot { .. } => Vec::new(),
            Pattern::Transpose => {
                let rows = (1..=ports).take_while(|r| r * r <= ports).filter(|r| ports % r == 0).last().unwrap_or(1);
                let columns = ports / rows;
                map(&|source| source % columns * rows + source / columns)
            }
            Pattern::BitReverse => map(&|source| {
                let image = (0..bits).fold(0, |image, bit| image | (source >> bit & 1) << (bits - 1 - bit));
                if image < ports {
                    image
                } else {
                    source
                }
            }),
            Pattern::Shuffle if ports % 2 == 0 => map(&|source| {
                if source < ports / 2 {
                    2 * source
                } else {
                    2 * source + 1 - ports
                }
            }),
            Pattern::Shuffle => map(&|source| 2 * source % ports),
            Pattern::Tornado => map(&|source| (source + ports.div_ceil(2) - 1) % ports),
            Pattern::Neighbour => map(&|source| (source + 1) % ports),
            Pattern::Complement => map(&|source| ports - 1 - source),
            Pattern::Permutation => {
                let mut random = Random::new(seed, 0x9e12);
                let mut images: Vec<u8> = (0..ports).map(|port| port as u8).collect();
                (1..ports).rev().for_each(|last| images.swap(last, random.below(last as u64 + 1) as usize));
                images
            }
        };
        let hot = match pattern {
            Pattern::HotSpot { port, share } => Some(((port % ports) as u8, Chance::new(share))),
            _ => None,
        };
        Destinations { ports: ports as u64, hot, fixed }
    }

    /// The destination of the next packet of `source`.
    #[inline]
    pub fn draw(&self, source: usize, random: &mut Random) -> u8 {
        if let Some(&destination) = self.fixed.get(source) {
            return destination;
        }
        match self.hot {
            Some((port, share)) if random.happens(share) => port,
            _ => random.below(self.ports) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(pattern: Pattern, ports: usize) -> Vec<u8> {
        let mut random = Random::new(1, 0);
        let destinations = Destinations::new(pattern, ports, 1);
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
            for name in &Pattern::NAMES[2..] {
                let mut all = images(Pattern::named(name).unwrap(), ports);
                all.sort_unstable();
                assert!(all.iter().enumerate().all(|(i, &p)| i == p as usize), "{name}, {ports} ports");
            }
        }
    }

    #[test]
    fn random_ones_have_their_shares() {
        let count = |pattern, port| {
            let (destinations, mut random) = (Destinations::new(pattern, 16, 1), Random::new(2, 0));
            (0..64_000).filter(|i| destinations.draw(i % 16, &mut random) == port).count()
        };
        assert!((3_700..4_300).contains(&count(Pattern::Uniform, 5)));
        let hot = Pattern::HotSpot { port: 5, share: 0.25 };
        assert!((18_000..20_000).contains(&count(hot, 5)), "{}", count(hot, 5));
        assert!((2_700..3_300).contains(&count(hot, 6)));
    }

    #[test]
    fn names_lead_back() {
        for name in Pattern::NAMES {
            assert_eq!(Pattern::named(name).unwrap().name(), *name);
        }
    }
}
