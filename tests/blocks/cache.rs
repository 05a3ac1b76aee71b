//! The cache: crc_hash against the model's `AddressHash`, routing_cache against its `RoutingCache`. The model keeps
//! addresses whole; that index and tag of crc_hash tell any two apart is checked here. The model finds the least
//! recently used way by time stamps inside its cache; lru alone is held against a list in order of use (section 4.5),
//! and so are the parts of the other policies against the reference's line about them, written out.

use crate::support::{number, one_hot, Random};
use railyard_hdl::parts::crc_hash::crc_hash;
use railyard_hdl::parts::lru::lru;
use railyard_hdl::parts::pseudo_lru::pseudo_lru;
use railyard_hdl::parts::random_way::random_way;
use railyard_hdl::parts::round_robin_way::round_robin_way;
use railyard_hdl::rtl::Bench;
use railyard_hdl::units::route::routing_cache::routing_cache;
use railyard_model::parts::crc_hash::AddressHash;
use railyard_model::route::route_queue::PacketRoute;
use railyard_model::route::routing_cache::RoutingCache;
use railyard_spec::{CacheShape, Crc, Replacement};
use std::collections::{HashMap, HashSet, VecDeque};

const CCITT: Crc = Crc { bits: 16, polynomial: 0x1021 };

fn cache_shape(sets: usize, ways: usize, replacement: Replacement, crc: Crc) -> CacheShape {
    CacheShape { sets, index_bits: sets.trailing_zeros(), ways, replacement, crc, tag_bits: 64 }
}

#[test]
fn hashes() {
    let crcs =
        [CCITT, Crc { bits: 9, polynomial: 0x119 }, Crc { bits: 64, polynomial: 0x1b }, Crc { bits: 4, polynomial: 8 }];
    for crc in crcs {
        for (address_bits, index_bits) in [(8, 0), (8, 4), (13, 3), (24, 9), (48, 1), (64, 14), (8, 11)] {
            if index_bits > crc.bits {
                continue;
            }
            let mut random = Random::new(address_bits.into(), 19);
            let mut bench = Bench::combinational(crc_hash(address_bits as usize, index_bits as usize, crc));
            let model = AddressHash::new(&cache_shape(1 << index_bits, 1, Replacement::Lru, crc), address_bits);
            let mut seen = HashMap::new();
            for _ in 0..300 {
                let address = random.bits() >> (64 - address_bits);
                bench.address.next = address.into();
                bench.settle();
                let (index, tag) = (number(bench.index.val()), number(bench.tag.val()));
                assert_eq!(index as usize, model.set(address), "{crc:?}, {address_bits} bits, address {address:x}");
                let other = *seen.entry((index, tag)).or_insert(address);
                assert_eq!(other, address, "{crc:?}, {address_bits} bits: two addresses with the same index and tag");
            }
        }
    }
}

#[test]
fn least_recently_used() {
    for (sets, ways) in [(1usize, 2usize), (2, 4), (8, 8), (4, 16)] {
        let mut random = Random::new(ways as u64, 20);
        let mut bench = started!(lru(sets, ways));
        // Ways of each set in order of use; a victim means something once all were used.
        let mut order: Vec<VecDeque<usize>> = vec![VecDeque::new(); sets];
        let (mut reading, mut checked) = (0, 0);
        for cycle in 0..sets * ways * 40 {
            let set = reading;
            reading = random.below(sets as u64) as usize;
            bench.reads.next = true;
            bench.read_index.next = reading.into();
            bench.use_index.next = set.into();
            bench.settle();
            if order[set].len() == ways {
                assert_eq!(
                    bench.victim.val(),
                    one_hot(ways, order[set].front().copied()),
                    "{sets} x {ways}, cycle {cycle}"
                );
                checked += 1;
            }
            let used = (random.below(4) > 0).then(|| random.below(ways as u64) as usize);
            bench.used.next = one_hot(ways, used);
            if let Some(way) = used {
                order[set].retain(|&w| w != way);
                order[set].push_back(way);
            }
            bench.cycle();
        }
        assert!(checked > 20, "{checked} victims");
    }
}

/// The pointers of a set's tree: for the half-open range of ways under a node, whether the upper half is next.
#[derive(Clone, Default)]
struct Pointers(HashMap<(usize, usize), bool>);

impl Pointers {
    fn use_way(&mut self, way: usize, ways: usize) {
        let (mut low, mut high) = (0, ways);
        while high - low > 1 {
            let middle = (low + high) / 2;
            self.0.insert((low, high), way < middle);
            (low, high) = if way < middle { (low, middle) } else { (middle, high) };
        }
    }

    fn victim(&self, ways: usize) -> usize {
        let (mut low, mut high) = (0, ways);
        while high - low > 1 {
            let middle = (low + high) / 2;
            (low, high) = if self.0[&(low, high)] { (middle, high) } else { (low, middle) };
        }
        low
    }
}

#[test]
fn trees_of_pointers() {
    for (sets, ways) in [(1usize, 2usize), (2, 4), (8, 8), (4, 16)] {
        let mut random = Random::new(ways as u64, 22);
        let mut bench = started!(pseudo_lru(sets, ways));
        // A victim means something once all ways were used.
        let mut trees = vec![(Pointers::default(), HashSet::new()); sets];
        let (mut reading, mut checked) = (0, 0);
        for cycle in 0..sets * ways * 40 {
            let set = reading;
            reading = random.below(sets as u64) as usize;
            bench.reads.next = true;
            bench.read_index.next = reading.into();
            bench.use_index.next = set.into();
            bench.settle();
            let (tree, seen) = &mut trees[set];
            if seen.len() == ways {
                let victim = one_hot(ways, Some(tree.victim(ways)));
                assert_eq!(bench.victim.val(), victim, "{sets} x {ways}, cycle {cycle}");
                checked += 1;
            }
            let used = (random.below(4) > 0).then(|| random.below(ways as u64) as usize);
            bench.used.next = one_hot(ways, used);
            if let Some(way) = used {
                tree.use_way(way, ways);
                seen.insert(way);
            }
            bench.cycle();
        }
        assert!(checked > 20, "{checked} victims");
    }
}

#[test]
fn turns() {
    for (sets, ways) in [(1usize, 2usize), (2, 4), (8, 8), (4, 16)] {
        let mut random = Random::new(ways as u64, 23);
        let mut bench = started!(round_robin_way(sets, ways));
        let mut filled_last = vec![None; sets];
        let (mut reading, mut checked) = (0, 0);
        for cycle in 0..sets * ways * 40 {
            let set = reading;
            reading = random.below(sets as u64) as usize;
            bench.reads.next = true;
            bench.read_index.next = reading.into();
            bench.use_index.next = set.into();
            bench.settle();
            if let Some(last) = filled_last[set] {
                let victim = one_hot(ways, Some((last + 1) % ways));
                assert_eq!(bench.victim.val(), victim, "{sets} x {ways}, cycle {cycle}");
                checked += 1;
            }
            // Mostly in turn, as in a full set; but any way may be filled, as in one that fills up anew.
            let filled = match (random.below(4), filled_last[set]) {
                (0, _) => None,
                (1, Some(last)) => Some((last + 1) % ways),
                _ => Some(random.below(ways as u64) as usize),
            };
            bench.filled.next = one_hot(ways, filled);
            filled_last[set] = filled.or(filled_last[set]);
            bench.cycle();
        }
        assert!(checked > 20, "{checked} victims");
    }
}

#[test]
fn random_ways() {
    for ways in [2usize, 4, 8, 16] {
        let mut random = Random::new(ways as u64, 24);
        let mut bench = started!(random_way(ways));
        let mut x = 0xace1u16;
        for cycle in 0..2000 {
            bench.settle();
            assert_eq!(bench.victim.val(), one_hot(ways, Some(x as usize % ways)), "{ways} ways, cycle {cycle}");
            let (evicted, reset) = (random.below(3) > 0, random.below(200) == 0);
            bench.evicted.next = evicted;
            bench.reset.next = reset;
            x = match (reset, evicted, x & 1) {
                (true, ..) => 0xace1,
                (false, false, _) => x,
                (false, true, 0) => x >> 1,
                (false, true, _) => x >> 1 ^ 0xb400,
            };
            bench.cycle();
        }
    }
}

/// Lookups and fills in an order in which a route unit could issue them: a fill is of an address that missed and has
/// not been filled since, and nothing is issued behind it.
struct Operations {
    addresses: u64,
    missed: Vec<u64>,
    /// Fills that have not resolved.
    filling: Vec<u64>,
    behind_fill: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CacheOperation {
    Lookup(u64),
    Fill(u64, u8),
}

impl Operations {
    fn new(addresses: u64) -> Self {
        Operations { addresses, missed: vec![], filling: vec![], behind_fill: false }
    }

    /// What is issued in this cycle.
    fn issue(&mut self, random: &mut Random, ports: u64) -> Option<CacheOperation> {
        if std::mem::take(&mut self.behind_fill) || random.below(6) == 0 {
            return None;
        }
        if !self.missed.is_empty() && random.below(3) == 0 {
            let address = self.missed.swap_remove(random.below(self.missed.len() as u64) as usize);
            self.filling.push(address);
            self.behind_fill = true;
            return Some(CacheOperation::Fill(address, random.below(ports) as u8));
        }
        // Some addresses often, others seldom.
        let address = random.below(self.addresses) * random.below(self.addresses) / self.addresses;
        Some(CacheOperation::Lookup(address.wrapping_mul(0x9e37_79b9)))
    }

    fn miss(&mut self, address: u64) {
        if !self.missed.contains(&address) && !self.filling.contains(&address) {
            self.missed.push(address);
        }
    }

    fn filled(&mut self, address: u64) {
        self.filling.retain(|&a| a != address);
    }
}

fn agree(replacement: Replacement) {
    for (sets, ways) in [(1, 1), (1, 16), (4, 2), (8, 1), (16, 4), (2, 8)] {
        let mut random = Random::new((sets * ways) as u64, 21);
        let (address_bits, port_bits) = (48, 5);
        let shape = cache_shape(sets, ways, replacement, CCITT);
        let hash = AddressHash::new(&shape, address_bits);
        let mut bench = started!(routing_cache(&shape, address_bits as usize, port_bits, None, false, false));
        let mut model = RoutingCache::new(&shape, 0);
        let mut operations = Operations::new(2 * (sets * ways) as u64 + 1);
        let (mut reading, mut hits, mut misses) = (None, 0, 0);
        for now in 0..1500 {
            let context = format!("{replacement:?} {sets} x {ways}, cycle {now}");
            // One operation compares while the next one reads.
            let comparing = std::mem::replace(&mut reading, operations.issue(&mut random, 1 << port_bits));
            let set_of = |operation: Option<CacheOperation>, random: &mut Random| match operation {
                Some(CacheOperation::Lookup(address) | CacheOperation::Fill(address, _)) => hash.set(address),
                None => random.below(sets as u64) as usize,
            };
            bench.reads.next = reading.is_some();
            bench.read_index.next = set_of(reading, &mut random).into();
            bench.index.next = set_of(comparing, &mut random).into();
            bench.lookup.next = matches!(comparing, Some(CacheOperation::Lookup(_)));
            bench.fill.next = matches!(comparing, Some(CacheOperation::Fill(..)));
            bench.reset.next = random.below(600) == 0;
            let expected = match comparing {
                Some(CacheOperation::Lookup(address)) => {
                    bench.tag.next = address.into();
                    let route = model.lookup(now, hash.set(address), address);
                    let port =
                        route.map(|route| if let PacketRoute::Port(port) = route { port } else { unreachable!() });
                    if port.is_none() {
                        operations.miss(address);
                    }
                    (hits, misses) = (hits + u32::from(port.is_some()), misses + u32::from(port.is_none()));
                    port
                }
                Some(CacheOperation::Fill(address, port)) => {
                    bench.tag.next = address.into();
                    bench.fill_port.next = u32::from(port).into();
                    model.fill(now, hash.set(address), address, PacketRoute::Port(port));
                    operations.filled(address);
                    None
                }
                None => None,
            };
            bench.settle();
            assert_eq!(bench.hit.val(), expected.is_some(), "{context}: {comparing:?}");
            if let Some(port) = expected {
                assert_eq!(number(bench.hit_port.val()), u64::from(port), "{context}: {comparing:?}");
            }
            if bench.reset.next {
                model.reset(now + 1);
                operations = Operations::new(2 * (sets * ways) as u64 + 1);
                reading = None;
            }
            bench.cycle();
        }
        assert!(hits > 100 && misses > 100, "{hits} hits, {misses} misses: {replacement:?} {sets} x {ways}");
    }
}

#[test]
fn routing_caches() {
    agree(Replacement::Lru);
}

#[test]
fn routing_caches_with_pseudo_lru() {
    agree(Replacement::PseudoLru);
}

#[test]
fn routing_caches_with_round_robin() {
    agree(Replacement::RoundRobin);
}

#[test]
fn routing_caches_with_random_replacement() {
    agree(Replacement::Random);
}
