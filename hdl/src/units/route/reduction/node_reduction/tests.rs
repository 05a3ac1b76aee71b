//! The keys against section 4.6 said once more in plain Rust, and the routes that they make against breadth-first
//! search.

use super::*;
use railyard_spec::reduction::{key, ReductionSettings as Settings};
use railyard_spec::{NodeReduction as Description, Radix};
use std::collections::{HashMap, VecDeque};

const ALL: [Topology; 3] = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];

fn shape(
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    stages: u32,
    next_vc: bool,
    radix: Radix,
) -> ReductionShape {
    let node_reduction =
        Description { topologies: topologies.to_vec(), chunk_bits: chunk_bits.to_vec(), stages, radix };
    ReductionShape::new(&node_reduction, address_bits, next_vc)
}

/// A unit under simulation.
struct Unit {
    bench: Bench<NodeReduction>,
    address_bits: u32,
    shape: ReductionShape,
    ranks: usize,
}

impl Unit {
    fn new(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32], ranks: usize) -> Unit {
        Unit::build(address_bits, topologies, chunk_bits, ranks, false, Radix::Any)
    }

    fn with_dateline(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32], ranks: usize) -> Unit {
        Unit::build(address_bits, topologies, chunk_bits, ranks, true, Radix::Any)
    }

    fn with_full_radix(address_bits: u32, topologies: &[Topology], chunk_bits: &[u32], ranks: usize) -> Unit {
        Unit::build(address_bits, topologies, chunk_bits, ranks, true, Radix::Full)
    }

    fn build(
        address_bits: u32,
        topologies: &[Topology],
        chunk_bits: &[u32],
        ranks: usize,
        next_vc: bool,
        radix: Radix,
    ) -> Unit {
        let shape = shape(address_bits, topologies, chunk_bits, ranks as u32, next_vc, radix);
        let block = node_reduction(address_bits as usize, &shape, ranks);
        Unit { bench: Bench::new(block, |b| &mut b.clock), address_bits, shape, ranks }
    }

    fn compare_with(&mut self, settings: &Settings) {
        let mask = u64::MAX >> (64 - self.address_bits);
        self.bench.settings.coordinate.next = (settings.coordinate & mask).into();
        for bound in self.bench.settings.bound.iter_mut() {
            bound.next = (settings.bound & mask).into();
        }
    }

    fn choose(&mut self, settings: &Settings) {
        let place = |t: Topology| self.shape.topologies.iter().position(|own| *own == t).unwrap();
        self.bench.settings.topology_select.next = settings.topology.map_or(0, |t| 1u32 << place(t)).into();
        let width = self.shape.chunk_bits.iter().position(|w| *w == settings.chunk_bits).unwrap();
        let chunks = self.shape.max_chunks;
        for select in self.bench.settings.chunk_select.iter_mut() {
            select.next = (1u32 << width).into();
        }
        for wrap in self.bench.settings.wrap.iter_mut() {
            wrap.next = settings.wrap.into();
        }
        for torus in self.bench.settings.torus.iter_mut() {
            torus.next = settings.torus;
        }
        for dateline in self.bench.settings.dateline.iter_mut() {
            dateline.next = settings.dateline;
        }
        for select in self.bench.settings.level_select.iter_mut() {
            select.next = (1u64 << settings.level).into();
        }
        for above in self.bench.settings.above_level.iter_mut() {
            above.next = (((1u64 << chunks) - 1) & !((2u64 << settings.level) - 1)).into();
        }
    }

    fn answer(&self) -> Option<u32> {
        self.bench.routed.val().then(|| self.bench.key.val().to_u128() as u32)
    }

    /// The key of a destination.
    fn key(&mut self, settings: &Settings, destination: u64) -> Option<u32> {
        self.compare_with(settings);
        self.choose(settings);
        self.bench.destination.next = destination.into();
        self.bench.settle();
        (0..self.ranks).for_each(|_| self.bench.cycle());
        self.answer()
    }
}

/// Section 4.6 of the switch reference.
fn expected(settings: &Settings, address_bits: u32, shape: &ReductionShape, destination: u64) -> Option<u32> {
    let (w, digit_bits) = (settings.chunk_bits, shape.digit_bits);
    let mask = u64::MAX >> (64 - address_bits);
    let chunk = |x: u64, j: u32| if j * w >= 64 { 0 } else { ((x & mask) >> (j * w) & ((1 << w) - 1)) as u32 };
    let chunks = address_bits.div_ceil(w);
    let (d, c, b) = (|j| chunk(destination, j), |j| chunk(settings.coordinate, j), |j| chunk(settings.bound, j));
    Some(match settings.topology? {
        Topology::Cube => match (0..chunks).find(|&i| d(i) != c(i)) {
            None => 0,
            Some(i) => {
                let positions = 1 << w;
                let plus = match (shape.full_radix, settings.torus) {
                    (false, _) => (d(i) > c(i)) ^ (d(i) > b(i)) ^ (settings.wrap >> i & 1 == 1),
                    (true, false) => d(i) > c(i),
                    (true, true) => match (d(i) + positions - c(i)) % positions {
                        steps if steps == positions / 2 => c(i) % 2 == 0,
                        steps => steps < positions / 2,
                    },
                };
                let crosses = settings.dateline
                    && match shape.full_radix {
                        false => (d(i) > b(i)) ^ (settings.wrap >> i & 1 == 1),
                        true => settings.torus && plus != (d(i) > c(i)),
                    };
                2 * (i + 1) + u32::from(!plus) + (u32::from(crosses) << shape.cube_key_bits)
            }
        },
        Topology::FatTree => {
            let up = (settings.level + 1..chunks).any(|j| d(j) != c(j));
            u32::from(up) << digit_bits | d(settings.level)
        }
        Topology::Dragonfly => match (d(2) != c(2), d(1) != c(1)) {
            (true, _) => 2 << digit_bits | d(2),
            (_, true) => 1 << digit_bits | d(1),
            _ => d(0),
        },
    })
}

/// Numbers without order.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n
    }
    /// A word that differs from `near` in few bits, or not at all.
    fn near(&mut self, near: u64, bits: u32) -> u64 {
        (0..self.below(4)).fold(near, |word, _| word ^ 1 << self.below(bits))
    }
    fn settings(&mut self, shape: &ReductionShape, address_bits: u32) -> Settings {
        let chunk_bits = shape.chunk_bits[self.below(shape.chunk_bits.len() as u32) as usize];
        let topology = shape.topologies.get(self.below(shape.topologies.len() as u32 * 8 + 1) as usize / 8).copied();
        let mask = u64::MAX >> (64 - address_bits);
        let coordinate = self.next() & mask;
        let bound = if self.below(2) == 0 { self.near(coordinate, address_bits) } else { self.next() & mask };
        let wrap = self.next() as u32 & (u64::MAX >> (64 - shape.max_chunks)) as u32;
        Settings {
            topology,
            chunk_bits,
            level: self.below(address_bits.div_ceil(chunk_bits)),
            coordinate,
            bound,
            wrap,
            dateline: shape.dateline && self.below(2) == 1,
            torus: shape.full_radix && self.below(2) == 1,
        }
    }
}

#[test]
fn every_chunk_of_every_width_is_compared_exactly() {
    // One chunk at a time, all values of destination, coordinate and bound in it; the last chunk of 8 bits may be
    // partial.
    for (width, most) in [(2, 4), (3, 8), (4, 16)] {
        let mut unit = Unit::with_dateline(8, &[Topology::Cube], &[width], 0);
        let shape = unit.shape.clone();
        for (i, wrap, dateline) in [(0, 0, false), (1, 2, true), (1, 0, true)] {
            for n in 0..most * most * most {
                let [d, c, b] = [n % most, n / most % most, n / most / most].map(|x| (x << (i * width)) as u64);
                let settings = Settings {
                    topology: Some(Topology::Cube),
                    chunk_bits: width,
                    level: 0,
                    coordinate: c,
                    bound: b,
                    wrap,
                    dateline,
                    torus: false,
                };
                assert_eq!(unit.key(&settings, d), expected(&settings, 8, &shape, d), "{settings:?} {d:x}");
            }
        }
    }
}

#[test]
fn with_full_radix_every_chunk_of_every_width_is_compared_exactly() {
    for ranks in [0, 2] {
        for width in [2, 3, 4] {
            let mut unit = Unit::with_full_radix(2 * width, &[Topology::Cube], &[width], ranks);
            let (shape, most) = (unit.shape.clone(), 1 << width);
            for (i, torus, dateline) in [(0, false, true), (0, true, true), (1, true, true), (1, true, false)] {
                for n in 0..most * most {
                    let [d, c] = [n % most, n / most].map(|x| x << (i * width));
                    let settings = Settings { dateline, torus, ..Settings::mesh(width, &[0, 0]) };
                    let settings = Settings { coordinate: c, ..settings };
                    assert_eq!(unit.key(&settings, d), expected(&settings, 2 * width, &shape, d), "{settings:?} {d:x}");
                }
            }
        }
    }
}

/// Keys of 300 destinations near and far.
fn keys_are_right(unit: &mut Unit, random: &mut Random) {
    let (shape, address_bits, ranks) = (unit.shape.clone(), unit.address_bits, unit.ranks);
    for _ in 0..300 {
        let settings = random.settings(&shape, address_bits);
        let destination = if random.below(4) == 0 {
            random.next() & u64::MAX >> (64 - address_bits)
        } else {
            random.near(settings.coordinate, address_bits)
        };
        let expected = expected(&settings, address_bits, &shape, destination);
        assert_eq!(unit.key(&settings, destination), expected, "{ranks} ranks {settings:?} {destination:x}");
    }
}

/// Ranks, and whether the dateline is built in.
const STAGES: [(usize, bool); 7] = [(0, false), (0, true), (1, false), (2, true), (2, false), (3, true), (3, false)];

#[test]
fn keys_are_those_of_the_reference() {
    let mut random = Random(1);
    let units: &[(u32, &[Topology], &[u32])] = &[
        (8, &[Topology::Cube], &[4]),
        (8, &[Topology::FatTree], &[3]),
        (9, &[Topology::Dragonfly], &[2]),
        (24, &[Topology::Cube], &[2, 3, 4, 6, 8]),
        (24, &ALL, &[2, 3, 4]),
        (25, &ALL, &[3, 8]),
        (23, &[Topology::Dragonfly, Topology::FatTree], &[4, 6]),
        (64, &ALL, &[2, 3, 4, 6, 8]),
        (64, &[Topology::Dragonfly], &[6]),
    ];
    for (address_bits, topologies, chunk_bits) in units {
        for (ranks, dateline) in STAGES {
            let mut unit = Unit::build(*address_bits, topologies, chunk_bits, ranks, dateline, Radix::Any);
            keys_are_right(&mut unit, &mut random);
        }
    }
}

#[test]
fn keys_with_full_radix_are_those_of_the_reference() {
    let mut random = Random(3);
    let units: &[(u32, &[Topology], &[u32])] = &[
        (24, &[Topology::Cube], &[4]),
        (24, &[Topology::Cube], &[2, 3, 4, 6, 8]),
        (24, &ALL, &[2, 3, 4]),
        (64, &[Topology::Dragonfly, Topology::Cube], &[4, 8]),
    ];
    for (address_bits, topologies, chunk_bits) in units {
        for (ranks, dateline) in STAGES {
            let mut unit = Unit::build(*address_bits, topologies, chunk_bits, ranks, dateline, Radix::Full);
            assert!(unit.bench.settings.bound.is_none() && unit.bench.settings.wrap.is_none());
            keys_are_right(&mut unit, &mut random);
        }
    }
}

#[test]
fn each_setting_acts_in_its_stage() {
    // A destination a cycle, settings that change all the time.
    let mut random = Random(2);
    for (ranks, radix) in (1..=3).flat_map(|ranks| [(ranks, Radix::Any), (ranks, Radix::Full)]) {
        let mut unit = Unit::build(24, &ALL, &[2, 3, 4], ranks, true, radix);
        let shape = unit.shape.clone();
        let mut past: VecDeque<(Settings, u64)> = VecDeque::new();
        for _ in 0..400 {
            let settings = random.settings(&shape, 24);
            let destination = random.near(settings.coordinate, 24);
            unit.compare_with(&settings);
            unit.choose(&settings);
            unit.bench.destination.next = destination.into();
            past.push_back((settings, destination));
            unit.bench.cycle();
            if past.len() == ranks {
                let (compared, destination) = past.pop_front().unwrap();
                let at_work = Settings { coordinate: compared.coordinate, bound: compared.bound, ..settings };
                assert_eq!(unit.answer(), expected(&at_work, 24, &shape, destination), "{ranks} ranks {at_work:?}");
            }
        }
    }
}

// ---- routes

/// Distances to `to` over links given by `neighbours`.
fn distances<S: Copy + Eq + std::hash::Hash>(to: S, neighbours: impl Fn(S) -> Vec<S>) -> HashMap<S, u32> {
    let mut found = HashMap::from([(to, 0)]);
    let mut queue = VecDeque::from([to]);
    while let Some(at) = queue.pop_front() {
        for next in neighbours(at) {
            if !found.contains_key(&next) {
                found.insert(next, found[&at] + 1);
                queue.push_back(next);
            }
        }
    }
    found
}

/// All tuples below the radices.
fn places(radix: &[u32]) -> Vec<[u32; 4]> {
    let count: u32 = radix.iter().product();
    let place = |mut n: u32| {
        let mut at = [0; 4];
        for (digit, k) in at.iter_mut().zip(radix) {
            *digit = n % k;
            n /= k;
        }
        at
    };
    (0..count).map(place).collect()
}

fn walk_cube(unit: &mut Unit, width: u32, radix: &[u32], torus: bool) {
    let n = radix.len();
    let step = |mut at: [u32; 4], i: usize, plus: bool| -> Option<[u32; 4]> {
        let k = radix[i];
        at[i] = match (plus, at[i]) {
            (true, x) if x + 1 < k => x + 1,
            (true, _) if torus => 0,
            (false, x) if x > 0 => x - 1,
            (false, _) if torus => k - 1,
            _ => return None,
        };
        Some(at)
    };
    let all = places(radix);
    for to in &all {
        let neighbours = |at: [u32; 4]| (0..2 * n).filter_map(|m| step(at, m / 2, m % 2 == 0)).collect::<Vec<_>>();
        let distance = distances(*to, neighbours);
        let destination = railyard_spec::reduction::address(width, &to[..n]);
        for from in &all {
            let settings = match torus {
                true => Settings::torus(width, radix, &from[..n]),
                false => Settings::mesh(width, &from[..n]),
            };
            let settings = Settings { dateline: unit.shape.dateline, ..settings };
            let got = unit.key(&settings, destination).unwrap();
            // Dimension order: the lowest dimension that still has a way to go, its shortest way, plus in a tie, or
            // with full radix minus from odd coordinates. As each hop of each pair is looked at here, whole walks are
            // right as well.
            let nearer = |i, plus| step(*from, i, plus).is_some_and(|next| distance[&next] + 1 == distance[from]);
            let plus = |i: usize| match (nearer(i, true), nearer(i, false)) {
                (true, true) => Some(!(unit.shape.full_radix && from[i] % 2 == 1)),
                (false, false) => None,
                (plus, _) => Some(plus),
            };
            let key = |i, plus| if plus { key::plus(i as u32) } else { key::minus(i as u32) };
            let hop = (0..n).find_map(|i| plus(i).map(|plus| key(i, plus)));
            // Plus leads over the wrap-around link to a lower coordinate, minus to a higher one.
            let crosses = |i: usize| if plus(i) == Some(true) { to[i] < from[i] } else { to[i] > from[i] };
            let dimension = (0..n).find(|i| to[*i] != from[*i]);
            let expected = match dimension.is_some_and(crosses) && settings.dateline {
                true => hop.map(|hop| key::crossing(hop, unit.shape.cube_key_bits)),
                false => hop,
            };
            assert_eq!(got, expected.unwrap_or(key::LOCAL), "{radix:?} torus {torus}: {from:?} to {to:?}");
        }
    }
}

#[test]
fn cubes_are_routed_in_dimension_order_by_shortest_ways() {
    let mut four = Unit::new(12, &[Topology::Cube], &[4], 0);
    for radix in [&[4, 4][..], &[5, 3], &[2, 7, 3], &[16], &[13], &[6, 5]] {
        walk_cube(&mut four, 4, radix, false);
        walk_cube(&mut four, 4, radix, true);
    }
    let mut full = Unit::with_full_radix(24, &ALL, &[2, 3, 4], 0);
    for (width, radix) in [(2, &[4, 4, 4][..]), (3, &[8, 8]), (4, &[16])] {
        walk_cube(&mut full, width, radix, true);
        walk_cube(&mut full, width, radix, false);
    }
    walk_cube(&mut full, 4, &[10, 7], false);
    let mut several = Unit::with_dateline(24, &ALL, &[2, 3, 4], 0);
    for (width, radix) in [(2, &[4, 3, 2, 4][..]), (3, &[8, 5]), (4, &[10, 9]), (3, &[6, 2, 3])] {
        walk_cube(&mut several, width, radix, true);
        walk_cube(&mut several, width, radix, false);
    }
}

/// Where a packet is in a fat tree: a node, or a switch of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Tree {
    Node([u32; 4]),
    Switch(u32, [u32; 4]),
}

fn walk_fat_tree(unit: &mut Unit, width: u32, k: u32, levels: u32) {
    // A switch's label has a digit less than an address; digit i joins levels i and i + 1.
    let digit_bits = unit.shape.digit_bits;
    let set = |mut digits: [u32; 4], i: u32, value: u32| {
        digits[i as usize] = value;
        digits
    };
    let up = |at: Tree, port: u32| match at {
        Tree::Node(d) => Some(Tree::Switch(0, [d[1], d[2], d[3], 0])),
        Tree::Switch(level, label) => (level + 1 < levels).then(|| Tree::Switch(level + 1, set(label, level, port))),
    };
    let down = |level: u32, label: [u32; 4], port: u32| match level {
        0 => Tree::Node([port, label[0], label[1], label[2]]),
        _ => Tree::Switch(level - 1, set(label, level - 1, port)),
    };
    let nodes = places(&vec![k; levels as usize]);
    let neighbours = |at: Tree| -> Vec<Tree> {
        let below = |at| match at {
            Tree::Switch(level, label) => (0..k).map(|p| down(level, label, p)).collect(),
            Tree::Node(_) => vec![],
        };
        (0..k).filter_map(|p| up(at, p)).chain(below(at)).collect()
    };
    for to in &nodes {
        let destination = railyard_spec::reduction::address(width, &to[..levels as usize]);
        let distance = distances(Tree::Node(*to), neighbours);
        for from in &nodes {
            let (mut at, mut descending) = (up(Tree::Node(*from), 0).unwrap(), false);
            while let Tree::Switch(level, label) = at {
                let settings = Settings::fat_tree(width, level, &label[..levels as usize - 1]);
                let got = unit.key(&settings, destination).unwrap();
                let digit = got & ((1 << digit_bits) - 1);
                assert!(digit < k);
                let next = match got == key::up(digit, digit_bits) {
                    true => up(at, digit).expect("the top level has no way up"),
                    false => down(level, label, digit),
                };
                let goes_up = got == key::up(digit, digit_bits);
                assert!(!(descending && goes_up), "{from:?} to {to:?}: up after down at {at:?}");
                assert_eq!(distance[&next] + 1, distance[&at], "{from:?} to {to:?}: {at:?} to {next:?}");
                descending = !goes_up;
                at = next;
            }
            assert_eq!(at, Tree::Node(*to));
        }
    }
}

#[test]
fn fat_trees_are_routed_up_and_then_down_by_shortest_ways() {
    let mut one = Unit::new(8, &[Topology::FatTree], &[2], 0);
    for (k, levels) in [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4)] {
        walk_fat_tree(&mut one, 2, k, levels);
    }
    let mut several = Unit::new(24, &ALL, &[2, 3, 4], 0);
    for (width, k, levels) in [(2, 4, 2), (3, 5, 2), (4, 3, 3), (4, 9, 2)] {
        walk_fat_tree(&mut several, width, k, levels);
    }
}

fn walk_dragonfly(unit: &mut Unit, width: u32, nodes: u32, routers: u32, groups: u32) {
    // One link between each two groups; it ends at router (distance - 1) modulo the routers of a group.
    let digit_bits = unit.shape.digit_bits;
    let gate = |from: u32, to: u32| ((to + groups - from) % groups - 1) % routers;
    let across = |(router, group): (u32, u32)| -> Vec<(u32, u32)> {
        let others = (0..groups).filter(|to| *to != group && gate(group, *to) == router);
        others.map(|to| (gate(to, group), to)).collect()
    };
    let local = |(router, group): (u32, u32)| (0..routers).filter(move |r| *r != router).map(move |r| (r, group));
    for (to_router, to_group) in (0..routers).flat_map(|r| (0..groups).map(move |g| (r, g))) {
        // Minimal ways cross between groups at most once: distances with and without a crossing left.
        let neighbours = |(at, crossed): ((u32, u32), bool)| -> Vec<((u32, u32), bool)> {
            let stay = local(at).map(|next| (next, crossed));
            stay.chain(across(at).into_iter().filter(|_| !crossed).map(|next| (next, true))).collect()
        };
        let distance = distances(((to_router, to_group), false), neighbours);
        let left = |at: (u32, u32)| if at.1 == to_group { distance[&(at, false)] } else { distance[&(at, true)] };
        for from in (0..routers).flat_map(|r| (0..groups).map(move |g| (r, g))) {
            let node = (from.0 + to_group) % nodes;
            let destination = railyard_spec::reduction::address(width, &[node, to_router, to_group]);
            let (mut at, mut hops) = (from, 0);
            loop {
                let settings = Settings::dragonfly(width, at.0, at.1);
                let got = unit.key(&settings, destination).unwrap();
                let digit = got & ((1 << digit_bits) - 1);
                let next = if got == key::group(digit, digit_bits) {
                    let gate_router = gate(at.1, digit);
                    if gate_router == at.0 {
                        (gate(digit, at.1), digit)
                    } else {
                        (gate_router, at.1)
                    }
                } else if got == key::up(digit, digit_bits) {
                    (digit, at.1)
                } else {
                    assert_eq!((got, at), (node, (to_router, to_group)));
                    break;
                };
                assert_eq!(left(next) + 1, left(at), "{from:?} to {to_router} of {to_group}: {at:?} to {next:?}");
                (at, hops) = (next, hops + 1);
            }
            assert!(hops <= 3);
        }
    }
}

#[test]
fn dragonflies_are_routed_minimally() {
    let mut one = Unit::new(12, &[Topology::Dragonfly], &[4], 0);
    for (nodes, routers, groups) in [(2, 4, 9), (1, 3, 4), (3, 5, 6)] {
        walk_dragonfly(&mut one, 4, nodes, routers, groups);
    }
    let mut several = Unit::new(24, &ALL, &[2, 3, 4], 0);
    walk_dragonfly(&mut several, 3, 2, 4, 8);
    walk_dragonfly(&mut several, 2, 4, 2, 3);
}
