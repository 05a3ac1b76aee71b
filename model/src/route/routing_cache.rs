//! Routing cache of a port: routes of recently used addresses (or keys of node reduction), set-associative.
//!
//! Source: switch reference, sections 4.5 and 13; Hirasawa2022, 4.2.

use crate::route::route_queue::{Candidates, PacketRoute};
use railyard_spec::{CacheShape, Replacement};

/// What a fill did to the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Nothing was written.
    #[default]
    Nothing,
    /// An entry was written where there was none.
    Entry,
    /// An entry was written over another one.
    Eviction,
}

/// After a reset, and what is fed back into it when a 1 is shifted out.
const RANDOM_RESET: u16 = 0xACE1;
const RANDOM_TAPS: u16 = 0xB400;

/// An entry. The stamp grows with each use; 0 marks an invalid entry, so that the first smallest stamp of a set is the
/// lowest-numbered invalid entry or, without one, the least recently used.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    tag: u64,
    /// Time of the last use `<< ROUTE_BITS` + route.
    stamp: u64,
}

/// An entry's route in its stamp: output port or group, VC, which of port and group it is, whether the VC is set.
/// Candidates are not in it but in a word of their own.
const ROUTE_BITS: u32 = 16;
const VC_LOW: u32 = 8;
const GROUP: u32 = 13;
const CANDIDATES: u32 = 14;
const VC_SET: u32 = 15;

/// A route as in a stamp; none for drop and multicast groups, which are not cached.
#[inline]
fn packed(route: PacketRoute) -> Option<u64> {
    let on = |vc: u8| (vc as u64) << VC_LOW | 1 << VC_SET;
    match route {
        PacketRoute::Port(port) => Some(port as u64),
        PacketRoute::PortVc(port, vc) => Some(port as u64 | on(vc)),
        PacketRoute::Group(group, vc) => Some(group as u64 | 1 << GROUP | vc.map_or(0, on)),
        PacketRoute::Candidates(_) => Some(1 << CANDIDATES),
        PacketRoute::Multicast(_) | PacketRoute::Dragonfly(_) | PacketRoute::Drop => None,
    }
}

/// One port's routing cache.
#[derive(Clone, Debug)]
pub struct RoutingCache {
    entries: Vec<Entry>,
    /// Of each entry, the candidates, if it names several; empty until there are some.
    candidates: Vec<u32>,
    ways: usize,
    sets: usize,
    uses: u64,
    replacement: Replacement,
    /// Of each set: pseudo-LRU, the tree's nodes in heap order, bit n for node n, 1 for the upper half; round robin,
    /// the victim.
    orders: Vec<u16>,
    /// Random replacement.
    random: u16,
    /// The first cycle after the sweep.
    swept: u64,
    /// Of each set, the ways whose word has wrong parity; empty until there is one. Such an entry is an invalid one.
    faulty: Vec<u16>,
    /// The entry that was written last.
    written: usize,
}

impl RoutingCache {
    /// An empty cache, as after a reset before cycle `now`.
    pub fn new(shape: &CacheShape, now: u64) -> Self {
        let mut cache = RoutingCache {
            entries: vec![Entry::default(); shape.sets * shape.ways],
            candidates: Vec::new(),
            ways: shape.ways,
            sets: shape.sets,
            uses: 0,
            replacement: shape.replacement,
            orders: vec![0; shape.sets],
            random: RANDOM_RESET,
            swept: 0,
            faulty: Vec::new(),
            written: 0,
        };
        cache.reset(now);
        cache
    }

    /// Reset: the cache is emptied by the sweep that starts in cycle `now`, the first one without reset.
    pub fn reset(&mut self, now: u64) {
        self.flush(now);
        self.random = RANDOM_RESET;
    }

    /// Flush: the cache is emptied by the sweep that starts in cycle `now`. Nothing hits or is filled in the cycle
    /// before that, the flush's own: lookups and fills in it are stale.
    pub fn flush(&mut self, now: u64) {
        if self.uses != 0 {
            self.entries.fill(Entry::default());
            self.uses = 0;
            self.faulty.clear();
        }
        self.swept = now + self.sets as u64 + 1;
    }

    /// Whether the cache is sweeping in cycle `now`: it neither hits nor takes an entry.
    #[inline]
    pub fn is_sweeping(&self, now: u64) -> bool {
        now < self.swept
    }

    /// Whether a word of a set has wrong parity, and is read in cycle `now`.
    #[inline]
    pub fn is_faulty(&self, now: u64, set: usize) -> bool {
        !self.is_sweeping(now) && self.faulty.get(set).is_some_and(|ways| *ways != 0)
    }

    /// The word that the last fill wrote was stored with a wrong bit.
    pub fn spoil(&mut self) {
        let (set, way) = (self.written / self.ways, self.written % self.ways);
        self.faulty.resize(self.sets, 0);
        self.faulty[set] |= 1 << way;
        self.entries[self.written] = Entry::default();
    }

    /// A lookup of `tag` in its `set` resolves: the route, if there is an entry, which becomes the most recently used.
    #[inline]
    pub fn lookup(&mut self, now: u64, set: usize, tag: u64) -> Option<PacketRoute> {
        if self.is_sweeping(now) {
            return None;
        }
        let entries = &mut self.entries[set * self.ways..(set + 1) * self.ways];
        let way = entries.iter().position(|e| e.tag == tag && e.stamp != 0)?;
        let entry = &mut entries[way];
        self.uses += 1;
        entry.stamp = self.uses << ROUTE_BITS | entry.stamp & ((1 << ROUTE_BITS) - 1);
        let route = entry.stamp;
        if self.replacement == Replacement::PseudoLru {
            self.orders[set] = point_away(self.orders[set], way, self.ways);
        }
        Some(self.route(route, set * self.ways + way))
    }

    /// The route of an entry with that stamp.
    #[inline]
    fn route(&self, stamp: u64, at: usize) -> PacketRoute {
        let bit = |at: u32| stamp >> at & 1 == 1;
        let vc = bit(VC_SET).then_some((stamp >> VC_LOW) as u8 & 15);
        if stamp & (1 << GROUP | 1 << CANDIDATES) == 0 {
            PacketRoute::new(stamp as u8, vc)
        } else if bit(GROUP) {
            PacketRoute::Group(stamp as u8, vc)
        } else {
            PacketRoute::Candidates(Candidates::from_word(self.candidates[at]))
        }
    }

    /// A fill resolves: `tag` is written into its `set`, unless the result is drop.
    #[inline]
    pub fn fill(&mut self, now: u64, set: usize, tag: u64, result: PacketRoute) -> Fill {
        let Some(route) = packed(result).filter(|_| !self.is_sweeping(now)) else { return Fill::Nothing };
        let entries = &mut self.entries[set * self.ways..(set + 1) * self.ways];
        debug_assert!(!entries.iter().any(|e| e.tag == tag && e.stamp != 0), "a tag is in a set twice");
        let oldest = (0..self.ways).min_by_key(|&way| entries[way].stamp).expect("a way");
        let evicts = entries[oldest].stamp != 0;
        let order = &mut self.orders[set];
        let way = match self.replacement {
            Replacement::PseudoLru if evicts => pointed_at(*order, self.ways),
            Replacement::RoundRobin if evicts => *order as usize,
            Replacement::Random if evicts => self.random as usize & (self.ways - 1),
            _ => oldest,
        };
        self.uses += 1;
        entries[way] = Entry { tag, stamp: self.uses << ROUTE_BITS | route };
        self.written = set * self.ways + way;
        if let Some(faulty) = self.faulty.get_mut(set) {
            *faulty &= !(1 << way);
        }
        if let PacketRoute::Candidates(candidates) = result {
            self.candidates.resize(self.sets * self.ways, 0);
            self.candidates[set * self.ways + way] = candidates.word();
        }
        match self.replacement {
            Replacement::Lru => {}
            Replacement::PseudoLru => *order = point_away(*order, way, self.ways),
            Replacement::RoundRobin => *order = ((way + 1) % self.ways) as u16,
            Replacement::Random if evicts => {
                self.random = self.random >> 1 ^ if self.random & 1 == 1 { RANDOM_TAPS } else { 0 };
            }
            Replacement::Random => {}
        }
        if evicts {
            Fill::Eviction
        } else {
            Fill::Entry
        }
    }
}

/// The tree after a use of `way`: node 1 is the root, nodes 2n and 2n + 1 are the children of n, leaf `ways + w` is way
/// w.
fn point_away(mut tree: u16, way: usize, ways: usize) -> u16 {
    let mut node = ways + way;
    while node > 1 {
        let (parent, is_upper) = (node / 2, node % 2 == 1);
        tree = tree & !(1 << parent) | (!is_upper as u16) << parent;
        node = parent;
    }
    tree
}

/// The way that the tree leads to.
fn pointed_at(tree: u16, ways: usize) -> usize {
    let mut node = 1;
    while node < ways {
        node = 2 * node + (tree >> node & 1) as usize;
    }
    node - ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Crc;

    fn cache(sets: usize, ways: usize) -> RoutingCache {
        cache_with(sets, ways, Replacement::Lru)
    }

    fn cache_with(sets: usize, ways: usize, replacement: Replacement) -> RoutingCache {
        let crc = Crc { bits: 16, polynomial: 0x1021 };
        let index_bits = sets.trailing_zeros();
        RoutingCache::new(&CacheShape { sets, index_bits, ways, replacement, crc, tag_bits: 24 }, 0)
    }

    /// Fills addresses 0 to 5 into one set of four ways, with uses of 0 and 2 before the last two; gives those that are
    /// left.
    fn left(replacement: Replacement) -> Vec<u64> {
        let mut c = cache_with(1, 4, replacement);
        (0..4).for_each(|address| assert_eq!(c.fill(10, 0, address, PacketRoute::Port(1)), Fill::Entry));
        assert_eq!((c.lookup(10, 0, 0), c.lookup(10, 0, 2)), (Some(PacketRoute::Port(1)), Some(PacketRoute::Port(1))));
        assert_eq!(c.fill(10, 0, 4, PacketRoute::Port(1)), Fill::Eviction);
        assert_eq!(
            [c.fill(10, 0, 5, PacketRoute::Port(1)), c.fill(10, 0, 6, PacketRoute::Drop)],
            [Fill::Eviction, Fill::Nothing]
        );
        c.entries.iter().map(|e| e.tag).collect()
    }

    #[test]
    fn policies_choose_their_victims() {
        assert_eq!(left(Replacement::Lru), [0, 4, 2, 5]);
        // Way 2 was used last: the root points to the lower half, and there away from 0. Then the root points up, and
        // there away from 2.
        assert_eq!(left(Replacement::PseudoLru), [0, 4, 2, 5]);
        assert_eq!(left(Replacement::RoundRobin), [4, 5, 2, 3]);
        // 0xACE1 ends in 01; shifted, with the taps, it is 0xE270 and ends in 00.
        assert_eq!(left(Replacement::Random), [5, 4, 2, 3]);
    }

    #[test]
    fn a_spoiled_entry_is_invalid_until_it_is_written() {
        let mut c = cache(2, 2);
        c.fill(10, 1, 5, PacketRoute::Port(1));
        c.fill(10, 1, 6, PacketRoute::Port(2));
        assert_eq!((c.fill(10, 1, 7, PacketRoute::Port(3)), c.is_faulty(10, 1)), (Fill::Eviction, false));
        c.spoil();
        assert_eq!([0, 1].map(|set| c.is_faulty(10, set)), [false, true]);
        assert_eq!((c.lookup(10, 1, 7), c.lookup(10, 1, 6)), (None, Some(PacketRoute::Port(2))));
        // The spoiled way first, then the one used last.
        assert_eq!((c.fill(10, 1, 7, PacketRoute::Port(4)), c.is_faulty(10, 1)), (Fill::Entry, false));
        assert_eq!((c.lookup(10, 1, 7), c.lookup(10, 1, 6)), (Some(PacketRoute::Port(4)), Some(PacketRoute::Port(2))));
        c.spoil();
        c.flush(20);
        assert_eq!((c.is_faulty(21, 1), c.is_faulty(30, 1)), (false, false));
    }

    #[test]
    fn one_way_leaves_no_choice() {
        for replacement in [Replacement::Lru, Replacement::PseudoLru, Replacement::RoundRobin, Replacement::Random] {
            let mut c = cache_with(2, 1, replacement);
            for address in 0..9 {
                c.fill(10, 1, address, PacketRoute::Port(3));
            }
            assert_eq!((c.lookup(10, 1, 8), c.lookup(10, 1, 7)), (Some(PacketRoute::Port(3)), None));
        }
    }

    #[test]
    fn sweeps_for_sets_plus_one_cycles() {
        let mut c = cache(4, 2);
        c.fill(3, 1, 7, PacketRoute::Port(3));
        assert_eq!(c.lookup(4, 1, 7), None);
        c.fill(5, 1, 7, PacketRoute::Port(3));
        assert_eq!(c.lookup(5, 1, 7), Some(PacketRoute::Port(3)));
        c.reset(100);
        assert!(c.is_sweeping(104) && !c.is_sweeping(105));
        assert_eq!(c.lookup(105, 1, 7), None);
    }

    #[test]
    fn replaces_the_least_recently_used() {
        let mut c = cache(2, 4);
        for a in 0..4 {
            c.fill(10, 1, a, PacketRoute::Port(a as u8));
        }
        assert_eq!(c.lookup(10, 1, 0), Some(PacketRoute::Port(0)));
        c.fill(10, 1, 9, PacketRoute::Port(9));
        assert_eq!(c.lookup(10, 1, 1), None);
        assert_eq!(c.lookup(10, 0, 0), None);
        for a in [0, 2, 3, 9] {
            assert_eq!(c.lookup(10, 1, a), Some(PacketRoute::Port(a as u8)));
        }
    }

    #[test]
    fn a_flush_empties_it_and_the_random_register_goes_on() {
        let mut c = cache_with(1, 2, Replacement::Random);
        for tag in 0..3 {
            c.fill(10, 0, tag, PacketRoute::PortVc(63, 7));
        }
        assert_eq!((c.lookup(10, 0, 2), c.random), (Some(PacketRoute::PortVc(63, 7)), 0xE270));
        c.flush(20);
        assert!(c.is_sweeping(21) && !c.is_sweeping(22));
        assert_eq!((c.lookup(22, 0, 2), c.random), (None, 0xE270));
        // Again while it sweeps; drop is not cached.
        c.flush(30);
        c.flush(31);
        c.fill(32, 0, 1, PacketRoute::Port(1));
        c.fill(33, 0, 2, PacketRoute::Drop);
        c.fill(33, 0, 3, PacketRoute::PortVc(1, 0));
        assert_eq!([1, 2, 3].map(|tag| c.lookup(33, 0, tag)), [None, None, Some(PacketRoute::PortVc(1, 0))]);
        c.reset(40);
        assert_eq!(c.random, RANDOM_RESET);
    }

    #[test]
    fn all_kinds_of_routes_come_back() {
        let mut c = cache(2, 8);
        let routes = [
            PacketRoute::Port(63),
            PacketRoute::PortVc(63, 7),
            PacketRoute::Group(15, None),
            PacketRoute::Group(0, Some(7)),
            PacketRoute::Candidates(Candidates::new([63, 1, 2, 62], 3, true, Some(7))),
            PacketRoute::Candidates(Candidates::new([0, 1, 0, 0], 1, false, None)),
        ];
        for _ in 0..2 {
            for (tag, &route) in routes.iter().enumerate() {
                c.fill(10, 1, tag as u64, route);
            }
            for (tag, &route) in routes.iter().enumerate() {
                assert_eq!(c.lookup(10, 1, tag as u64), Some(route));
            }
            c.reset(0);
        }
    }

    /// Address 0 must not hit an invalid entry.
    #[test]
    fn is_empty_at_first() {
        assert_eq!(cache(2, 1).lookup(50, 0, 0), None);
    }
}
