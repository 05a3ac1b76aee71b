//! A place in a topology for a switch with node reduction: which destinations leave by which port.
//!
//! Keys are found here by walking through the topology in thought (distances and common ancestors), not by the comparisons that the
//! switch makes, so that the scoreboard's opinion is one of its own.

use super::DROP;
use crate::random::Random;
use railyard_spec::reduction::{address, key, Settings};
use railyard_spec::registers::address::MAP;
use railyard_spec::{ReductionShape, Shape, Topology};
use std::collections::BTreeMap;

/// Destinations tried for the pools.
const TRIED: usize = 4_096;

/// Places among which the widest is chosen.
const WIDE_DRAWS: usize = 16;

/// Dimensions, or levels, at most: more don't fit a walk in a test.
const DEEPEST: u64 = 8;

/// Where the switch stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Position {
    Torus {
        radix: Vec<u32>,
        at: Vec<u32>,
    },
    Mesh {
        radix: Vec<u32>,
        at: Vec<u32>,
    },
    /// Node addresses have as many digits as `radix`, the switch's label one less.
    FatTree {
        radix: Vec<u32>,
        level: usize,
        at: Vec<u32>,
    },
    /// Nodes at a router, routers in a group, groups.
    Dragonfly {
        radix: Vec<u32>,
        router: u32,
        group: u32,
    },
}

impl Position {
    fn radix(&self) -> &[u32] {
        match self {
            Position::Torus { radix, .. } | Position::Mesh { radix, .. } => radix,
            Position::FatTree { radix, .. } | Position::Dragonfly { radix, .. } => radix,
        }
    }

    fn draw(reduction: &ReductionShape, chunk_bits: u32, address_bits: u32, random: &mut Random) -> Position {
        let chunks = u64::from(address_bits / chunk_bits).min(DEEPEST);
        let widest = 1u64 << chunk_bits;
        let topology = reduction.topologies[random.below(reduction.topologies.len() as u64) as usize];
        let depth = match topology {
            Topology::Cube => random.within(1, chunks),
            Topology::FatTree => random.within(2, chunks.max(2)).min(chunks),
            Topology::Dragonfly => chunks.min(3),
        };
        let radix: Vec<u32> = (0..depth).map(|_| random.within(2, widest) as u32).collect();
        let mut below = |k: u32| random.below(u64::from(k)) as u32;
        let at: Vec<u32> = radix.iter().map(|&k| below(k)).collect();
        match topology {
            Topology::Cube if below(2) == 0 => Position::Torus { radix, at },
            Topology::Cube => Position::Mesh { radix, at },
            Topology::FatTree => Position::FatTree { level: below(depth as u32) as usize, at: at[1..].to_vec(), radix },
            Topology::Dragonfly => {
                let digit = |i: usize| at.get(i).copied().unwrap_or(0);
                Position::Dragonfly { router: digit(1), group: digit(2), radix }
            }
        }
    }

    fn settings(&self, chunk_bits: u32) -> Settings {
        match self {
            Position::Torus { radix, at } => Settings::torus(chunk_bits, radix, at),
            Position::Mesh { at, .. } => Settings::mesh(chunk_bits, at),
            Position::FatTree { level, at, .. } => Settings::fat_tree(chunk_bits, *level as u32, at),
            Position::Dragonfly { router, group, .. } => Settings::dragonfly(chunk_bits, *router, *group),
        }
    }

    /// The key of a destination; `digit_bits` is the widest chunk that was built.
    fn key(&self, to: &[u32], digit_bits: u32) -> u32 {
        let hop = |at: &[u32], plus: &dyn Fn(usize) -> bool| match (0..to.len()).find(|&i| at[i] != to[i]) {
            None => key::LOCAL,
            Some(i) if plus(i) => key::plus(i as u32),
            Some(i) => key::minus(i as u32),
        };
        match self {
            Position::Torus { radix, at } => hop(at, &|i| {
                let ahead = (to[i] + radix[i] - at[i]) % radix[i];
                ahead <= radix[i] - ahead
            }),
            Position::Mesh { at, .. } => hop(at, &|i| to[i] > at[i]),
            Position::FatTree { level, at, .. } => match at[*level..] == to[level + 1..] {
                true => key::down(to[*level]),
                false => key::up(to[*level], digit_bits),
            },
            Position::Dragonfly { router, group, .. } => {
                let digit = |i: usize| to.get(i).copied().unwrap_or(0);
                match (digit(2) == *group, digit(1) == *router) {
                    (false, _) => key::group(digit(2), digit_bits),
                    (true, false) => key::up(digit(1), digit_bits),
                    (true, true) => key::down(digit(0)),
                }
            }
        }
    }
}

/// A position, a port map, and addresses sorted by port.
#[derive(Clone, Debug)]
pub struct Place {
    settings: Settings,
    address_bits: u32,
    /// Output ports by key.
    map: BTreeMap<u32, u8>,
    /// Addresses by port; a port that no destination leaves by has none.
    pools: Vec<Vec<u64>>,
    /// Ports that have addresses.
    reachable: Vec<u8>,
    /// Addresses whose key isn't mapped.
    unroutable: Vec<u64>,
}

impl Place {
    /// A place picked by chance from all that the switch can be set to; none if it has no node reduction.
    pub fn draw(shape: &Shape, per_port: u64, random: &mut Random) -> Option<Place> {
        let algorithmic = shape.algorithmic()?;
        let (reduction, address_bits) = (&algorithmic.reduction, algorithmic.address_bits);
        let chunk_bits = reduction.chunk_bits[random.below(reduction.chunk_bits.len() as u64) as usize];
        let position = Position::draw(reduction, chunk_bits, address_bits, random);
        let mut places: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for _ in 0..TRIED {
            let to: Vec<u32> = position.radix().iter().map(|&k| random.below(u64::from(k)) as u32).collect();
            places.entry(position.key(&to, reduction.digit_bits)).or_default().push(address(chunk_bits, &to));
        }
        // A key without a map entry, if every port can be reached without it.
        let unmapped = (places.len() > shape.ports).then(|| random.below(places.len() as u64) as usize);
        let first = random.below(shape.ports as u64) as usize;
        let (mut map, mut pools, mut unroutable) = (BTreeMap::new(), vec![Vec::new(); shape.ports], Vec::new());
        for (index, (key, addresses)) in places.into_iter().enumerate() {
            if Some(index) == unmapped {
                unroutable = addresses;
                continue;
            }
            let port = (first + index) % shape.ports;
            map.insert(key, port as u8);
            pools[port].extend(addresses.into_iter().take(per_port.max(1) as usize));
        }
        let reachable = (0..shape.ports as u8).filter(|&port| !pools[port as usize].is_empty()).collect();
        Some(Place { settings: position.settings(chunk_bits), address_bits, map, pools, reachable, unroutable })
    }

    /// One of several places that lets the switch use as many of its ports as possible.
    pub fn draw_wide(shape: &Shape, per_port: u64, random: &mut Random) -> Option<Place> {
        let draws = (0..WIDE_DRAWS).filter_map(|_| Place::draw(shape, per_port, random));
        draws.max_by_key(|place| place.reachable.len())
    }

    /// The register writes (byte address, value) that put the switch here; `keys` are all that the port map has.
    pub fn writes(&self, keys: u32) -> Vec<(u32, u32)> {
        let entry = |key: u32| self.map.get(&key).map_or(0, |&port| 0x100 | u32::from(port));
        let map = (0..keys).map(|key| (MAP + 4 * key, entry(key)));
        map.chain(self.settings.writes(self.address_bits)).collect()
    }

    /// An address that leaves by `port`, or by another one if none does, and the port by which it leaves.
    #[inline]
    pub fn draw_address(&self, port: u8, random: &mut Random) -> (u64, u8) {
        let port = match self.pools[port as usize].is_empty() {
            true => self.reachable[port as usize % self.reachable.len()],
            false => port,
        };
        let pool = &self.pools[port as usize];
        (pool[random.below(pool.len() as u64) as usize], port)
    }

    /// An address without a route, if there are any; else one of a port.
    pub fn draw_unroutable(&self, port: u8, random: &mut Random) -> (u64, u8) {
        match self.unroutable.len() as u64 {
            0 => self.draw_address(port, random),
            count => (self.unroutable[random.below(count) as usize], DROP),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{presets, Config};

    #[test]
    fn every_draw_has_addresses_and_legal_registers() {
        let shape = Config::from_json(presets::find("torus16").unwrap().json).unwrap().shape();
        let mut random = Random::new(1, 0);
        for _ in 0..200 {
            let place = Place::draw(&shape, 4, &mut random).unwrap();
            assert!(!place.reachable.is_empty());
            for port in 0..16 {
                let (_, port) = place.draw_address(port, &mut random);
                assert!(place.map.values().any(|&mapped| mapped == port));
            }
            let mut registers = railyard_model::registers::Registers::new(&shape);
            for (paddr, pwdata) in place.writes(64) {
                let setup =
                    railyard_model::Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata };
                registers.step(&setup);
                assert!(!registers.pslverr, "{paddr:#x} {pwdata:#x} of {place:?}");
                registers.step(&railyard_model::Apb { penable: true, ..setup });
            }
        }
    }
}
