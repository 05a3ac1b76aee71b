//! A place in a topology for a switch with node reduction: which destinations leave by which port.
//!
//! Keys are found here by walking through the topology in thought (distances and common ancestors), not by the
//! comparisons that the switch makes, so that the scoreboard's opinion is one of its own.

use super::RouteKinds;
use crate::random::Random;
use railyard_spec::reduction::{address, key, ReductionSettings};
use railyard_spec::registers::{address::MAP, registers};
use railyard_spec::{ReductionShape, Route, Shape, Topology};
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
    /// With full radix, ties go toward minus from odd coordinates.
    Torus {
        radix: Vec<u32>,
        at: Vec<u32>,
        full: bool,
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
        let is_full_torus = reduction.full_radix && topology == Topology::Cube && random.below(2) == 0;
        let least = if is_full_torus { widest } else { 2 };
        let radix: Vec<u32> = (0..depth).map(|_| random.within(least, widest) as u32).collect();
        let mut below = |k: u32| random.below(u64::from(k)) as u32;
        let at: Vec<u32> = radix.iter().map(|&k| below(k)).collect();
        match topology {
            Topology::Cube if is_full_torus || !reduction.full_radix && below(2) == 0 => {
                Position::Torus { radix, at, full: is_full_torus }
            }
            Topology::Cube => Position::Mesh { radix, at },
            Topology::FatTree => Position::FatTree { level: below(depth as u32) as usize, at: at[1..].to_vec(), radix },
            Topology::Dragonfly => {
                let digit = |i: usize| at.get(i).copied().unwrap_or(0);
                Position::Dragonfly { router: digit(1), group: digit(2), radix }
            }
        }
    }

    fn settings(&self, chunk_bits: u32) -> ReductionSettings {
        match self {
            Position::Torus { radix, at, full: false } => ReductionSettings::torus(chunk_bits, radix, at),
            Position::Torus { radix, at, full: true } => {
                ReductionSettings::torus_with_split_ties(chunk_bits, radix, at)
            }
            Position::Mesh { at, .. } => ReductionSettings::mesh(chunk_bits, at),
            Position::FatTree { level, at, .. } => ReductionSettings::fat_tree(chunk_bits, *level as u32, at),
            Position::Dragonfly { router, group, .. } => ReductionSettings::dragonfly(chunk_bits, *router, *group),
        }
    }

    /// The key of a destination, but for the dateline; `digit_bits` is the widest chunk that was built.
    fn key(&self, to: &[u32], digit_bits: u32) -> u32 {
        let hop = |at: &[u32], plus: &dyn Fn(usize) -> bool| match (0..to.len()).find(|&i| at[i] != to[i]) {
            None => key::LOCAL,
            Some(i) if plus(i) => key::plus(i as u32),
            Some(i) => key::minus(i as u32),
        };
        match self {
            Position::Torus { radix, at, full } => hop(at, &|i| {
                let ahead = (to[i] + radix[i] - at[i]) % radix[i];
                let back = radix[i] - ahead;
                ahead < back || ahead == back && !(*full && at[i] % 2 == 1)
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

/// What a switch makes of an address of a node that isn't there: seen as it looks at chunks, not as one walks. Such an
/// address shares its key with those of nodes, and its route must be theirs.
fn key_of_no_node(settings: &ReductionSettings, address_bits: u32, digit_bits: u32, full_radix: bool, to: u64) -> u32 {
    let width = settings.chunk_bits;
    let chunk = |number: u64, i: u32| match i * width < address_bits {
        true => (number >> (i * width)) as u32 & ((1 << width) - 1),
        false => 0,
    };
    let chunks = address_bits.div_ceil(width);
    let (d, c) = (|i| chunk(to, i), |i| chunk(settings.coordinate, i));
    match settings.topology {
        None => 0,
        Some(Topology::Cube) => match (0..chunks).find(|&i| d(i) != c(i)) {
            None => key::LOCAL,
            Some(i) => {
                let plus = match full_radix {
                    true if settings.torus => {
                        let (ahead, half) = ((d(i) + (1 << width) - c(i)) % (1 << width), 1 << (width - 1));
                        ahead < half || ahead == half && c(i) % 2 == 0
                    }
                    true => d(i) > c(i),
                    false => (d(i) > c(i)) ^ (d(i) > chunk(settings.bound, i)) ^ (settings.wrap >> i & 1 == 1),
                };
                if plus {
                    key::plus(i)
                } else {
                    key::minus(i)
                }
            }
        },
        Some(Topology::FatTree) => match (settings.level + 1..chunks).all(|i| d(i) == c(i)) {
            true => key::down(d(settings.level)),
            false => key::up(d(settings.level), digit_bits),
        },
        Some(Topology::Dragonfly) if d(2) != c(2) => key::group(d(2), digit_bits),
        Some(Topology::Dragonfly) if d(1) != c(1) => key::up(d(1), digit_bits),
        Some(Topology::Dragonfly) => key::down(d(0)),
    }
}

/// What routes of keys are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// By chance.
    Usual,
    /// The first one of each port names nothing else, so that packets leave there on each VC.
    Plain,
    /// A key has none, even if a port can't be reached for that.
    Sparse,
}

/// A position, the routes of its keys, and addresses sorted by port.
#[derive(Clone, Debug)]
pub struct PlacedSwitch {
    position: Position,
    settings: ReductionSettings,
    /// What goes into the registers: the settings, or none at all (in front of a cache: addresses in place of keys).
    at_work: ReductionSettings,
    address_bits: u32,
    full_radix: bool,
    digit_bits: u32,
    cube_key_bits: u32,
    /// Routes by key.
    map: BTreeMap<u32, Route>,
    /// Addresses by port; a port that no destination leaves by has none.
    pools: Vec<Vec<u64>>,
    /// Ports that have addresses.
    reachable: Vec<u8>,
    /// Addresses whose key isn't mapped.
    unroutable: Vec<u64>,
}

impl PlacedSwitch {
    /// A place picked by chance from all that the switch can be set to; none if it has no node reduction.
    pub fn draw(shape: &Shape, per_port: u64, random: &mut Random) -> Option<PlacedSwitch> {
        PlacedSwitch::draw_as(shape, per_port, Style::Usual, random)
    }

    /// A place of a style.
    pub(super) fn draw_as(shape: &Shape, per_port: u64, style: Style, random: &mut Random) -> Option<PlacedSwitch> {
        let (reduction, address_bits) = (shape.reduction()?, shape.address_bits()?);
        let chunk_bits = reduction.chunk_bits[random.below(reduction.chunk_bits.len() as u64) as usize];
        let position = Position::draw(reduction, chunk_bits, address_bits, random);
        let dateline = reduction.dateline && random.below(4) > 0;
        let settings = ReductionSettings { dateline, ..position.settings(chunk_bits) };
        let bypassed = shape.table().is_some() && random.below(4) == 0;
        let mut place = PlacedSwitch {
            at_work: ReductionSettings { topology: settings.topology.filter(|_| !bypassed), ..settings },
            position,
            settings,
            address_bits,
            full_radix: reduction.full_radix,
            digit_bits: reduction.digit_bits,
            cube_key_bits: reduction.cube_key_bits,
            map: BTreeMap::new(),
            pools: vec![Vec::new(); shape.ports],
            reachable: Vec::new(),
            unroutable: Vec::new(),
        };
        let kinds = RouteKinds::new(shape);
        let mut places: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for _ in 0..TRIED {
            let radix = place.position.radix();
            let to: Vec<u32> = radix.iter().map(|&k| random.below(u64::from(k)) as u32).collect();
            let to = address(chunk_bits, &to);
            places.entry(place.key(to)).or_default().push(to);
        }
        // A key without a map entry, if every port can be reached without it.
        let may_lack = places.len() > shape.ports || style == Style::Sparse && places.len() > 1;
        let unmapped = may_lack.then(|| random.below(places.len() as u64) as usize);
        let first = random.below(shape.ports as u64) as usize;
        for (index, (key, addresses)) in places.into_iter().enumerate() {
            if Some(index) == unmapped {
                place.unroutable = addresses;
                continue;
            }
            let port = (first + index) % shape.ports;
            let drawn = kinds.route(port as u8, random.bits());
            let drawn = Route { in_pair: shape.algorithmic().is_some_and(|a| a.vc_pairs), ..drawn };
            let route = match style {
                Style::Plain if place.pools[port].is_empty() => Route { port: port as u8, ..Route::default() },
                _ => drawn,
            };
            place.map.insert(key, route);
            place.pools[port].extend(addresses.into_iter().take(per_port.max(1) as usize));
        }
        place.list_reachable();
        Some(place)
    }

    /// One of several places that lets the switch use as many of its ports as possible.
    pub(super) fn draw_wide(shape: &Shape, per_port: u64, style: Style, random: &mut Random) -> Option<PlacedSwitch> {
        let draws = (0..WIDE_DRAWS).filter_map(|_| PlacedSwitch::draw_as(shape, per_port, style, random));
        draws.max_by_key(|place| place.reachable.len())
    }

    fn key(&self, to: u64) -> u32 {
        let width = self.settings.chunk_bits;
        let radix = self.position.radix();
        let digits: Vec<u32> =
            (0..radix.len()).map(|i| (to >> (i as u32 * width)) as u32 & ((1 << width) - 1)).collect();
        let is_node = address(width, &digits) == to && digits.iter().zip(radix).all(|(digit, k)| digit < k);
        let key = match is_node {
            true => self.position.key(&digits, self.digit_bits),
            false => key_of_no_node(&self.settings, self.address_bits, self.digit_bits, self.full_radix, to),
        };
        match self.settings.dateline && self.crosses(to, key) {
            true => key::crossing(key, self.cube_key_bits),
            false => key,
        }
    }

    /// Whether the hop of that key begins (or is part of) a way over the wrap-around link: one that goes up to a
    /// smaller coordinate, or down to a larger one.
    fn crosses(&self, to: u64, key: u32) -> bool {
        if self.settings.topology != Some(Topology::Cube) || key == key::LOCAL {
            return false;
        }
        let (dimension, width) = (key / 2 - 1, self.settings.chunk_bits);
        let chunk = |number: u64| number >> (dimension * width) & ((1 << width) - 1);
        let (to, at) = (chunk(to), chunk(self.settings.coordinate));
        if key == key::plus(dimension) {
            to < at
        } else {
            to > at
        }
    }

    /// Where an address leads.
    pub fn route(&self, address: u64) -> Option<Route> {
        self.route_of_key(self.key(address))
    }

    /// Where the addresses of a key lead.
    pub fn route_of_key(&self, key: u32) -> Option<Route> {
        self.map.get(&key).copied()
    }

    /// What led by `port` now leads by `detour`; addresses stay in the pool of the port that they had.
    pub fn lead_around(&mut self, port: u8, detour: u8) {
        self.map.values_mut().for_each(|route| *route = route.around(port, detour));
    }

    /// The addresses in use, those of all ports by turns.
    pub fn used(&self) -> Vec<u64> {
        let longest = self.pools.iter().map(Vec::len).max().unwrap_or(0);
        let of_all = (0..longest).flat_map(|i| self.pools.iter().filter_map(move |pool| pool.get(i)));
        of_all.copied().collect()
    }

    /// Uses only some of the addresses.
    pub fn keep(&mut self, kept: impl Fn(u64) -> bool) {
        self.pools.iter_mut().for_each(|pool| pool.retain(|address| kept(*address)));
        self.list_reachable();
    }

    /// The same place, each route leading `ports` ports further on.
    pub fn turn(&mut self, ports: usize) {
        let count = self.pools.len();
        self.map.values_mut().for_each(|route| route.port = ((route.port as usize + ports) % count) as u8);
        self.pools.rotate_right(ports % count);
        self.list_reachable();
    }

    fn list_reachable(&mut self) {
        self.reachable = (0..self.pools.len() as u8).filter(|&port| !self.pools[port as usize].is_empty()).collect();
    }

    /// Output ports that an address leads to, and how many there are.
    pub fn reachable(&self) -> (usize, usize) {
        (self.reachable.len(), self.pools.len())
    }

    /// The register writes (byte address, value) that put the switch here.
    pub fn writes(&self, shape: &Shape) -> Vec<(u32, u32)> {
        let entry = |key: u32| self.map.get(&key).map_or(0, |route| 1 << 8 | route.word());
        let keys = registers(shape).iter().find(|register| register.address == MAP).map_or(0, |map| map.count);
        let map = (0..keys).map(|key| (MAP + 4 * key, entry(key)));
        map.chain(self.at_work.writes(self.address_bits, self.full_radix)).collect()
    }

    /// An address that leaves by `port`, or by another one if none does.
    #[inline]
    pub fn draw_address(&self, port: u8, random: &mut Random) -> u64 {
        let port = match self.pools[port as usize].is_empty() {
            true => self.reachable[port as usize % self.reachable.len()],
            false => port,
        };
        let pool = &self.pools[port as usize];
        pool[random.below(pool.len() as u64) as usize]
    }

    /// An address without a route, if there are any; else one of a port.
    pub fn draw_unroutable(&self, port: u8, random: &mut Random) -> u64 {
        match self.unroutable.len() as u64 {
            0 => self.draw_address(port, random),
            count => self.unroutable[random.below(count) as usize],
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
            let place = PlacedSwitch::draw(&shape, 4, &mut random).unwrap();
            assert!(!place.reachable.is_empty());
            for port in 0..16 {
                let address = place.draw_address(port, &mut random);
                assert_eq!(
                    place.route(address).is_some_and(|route| route.port == port),
                    place.reachable.contains(&port)
                );
            }
            let mut registers = railyard_model::registers::apb_registers::Registers::new(&shape);
            for (paddr, pwdata) in place.writes(&shape) {
                let setup =
                    railyard_model::Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata };
                registers.step(&setup);
                assert!(!registers.pslverr, "{paddr:#x} {pwdata:#x} of {place:?}");
                registers.step(&railyard_model::Apb { penable: true, ..setup });
            }
        }
    }
}
