//! Routing cache of a port: output ports of recently used addresses, set-associative, least recently used replaced.
//!
//! Source: switch reference, section 4.5; seed 000 section 4.2.

use railyard_spec::CacheShape;

/// An entry. The stamp grows with each use; 0 marks an invalid entry, so that the first smallest stamp of a set is the
/// lowest-numbered invalid entry or, without one, the least recently used.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    address: u64,
    /// Time of the last use `* 256` + output port.
    stamp: u64,
}

/// One port's routing cache.
#[derive(Clone, Debug)]
pub struct RoutingCache {
    entries: Vec<Entry>,
    ways: usize,
    sets: usize,
    uses: u64,
    /// The first cycle after the sweep.
    swept: u64,
}

impl RoutingCache {
    /// An empty cache, as after a reset before cycle `now`.
    pub fn new(shape: &CacheShape, now: u64) -> Self {
        let mut cache = RoutingCache {
            entries: vec![Entry::default(); shape.sets * shape.ways],
            ways: shape.ways,
            sets: shape.sets,
            uses: 0,
            swept: 0,
        };
        cache.reset(now);
        cache
    }

    /// Reset: the cache is emptied by the sweep that starts in cycle `now`, the first one without reset.
    pub fn reset(&mut self, now: u64) {
        if self.uses != 0 {
            self.entries.fill(Entry::default());
            self.uses = 0;
        }
        self.swept = now + self.sets as u64 + 1;
    }

    /// Whether the cache is sweeping in cycle `now`: it neither hits nor takes an entry.
    #[inline]
    pub fn is_sweeping(&self, now: u64) -> bool {
        now < self.swept
    }

    /// A lookup of `address` in its `set` resolves: the port, if there is an entry, which becomes the most recently
    /// used.
    #[inline]
    pub fn lookup(&mut self, now: u64, set: usize, address: u64) -> Option<u8> {
        if self.is_sweeping(now) {
            return None;
        }
        let entries = &mut self.entries[set * self.ways..(set + 1) * self.ways];
        let entry = entries.iter_mut().find(|e| e.address == address && e.stamp != 0)?;
        let port = entry.stamp as u8;
        self.uses += 1;
        entry.stamp = self.uses << 8 | port as u64;
        Some(port)
    }

    /// A fill resolves: `address` is written into its `set`.
    #[inline]
    pub fn fill(&mut self, now: u64, set: usize, address: u64, port: u8) {
        if self.is_sweeping(now) {
            return;
        }
        let entries = &mut self.entries[set * self.ways..(set + 1) * self.ways];
        debug_assert!(!entries.iter().any(|e| e.address == address && e.stamp != 0), "an address is in a set twice");
        let victim = entries.iter_mut().min_by_key(|e| e.stamp).expect("a way");
        self.uses += 1;
        *victim = Entry { address, stamp: self.uses << 8 | port as u64 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Crc;

    fn cache(sets: usize, ways: usize) -> RoutingCache {
        let shape =
            CacheShape { sets, index_bits: sets.trailing_zeros(), ways, crc: Crc { bits: 16, polynomial: 0x1021 } };
        RoutingCache::new(&shape, 0)
    }

    #[test]
    fn sweeps_for_sets_plus_one_cycles() {
        let mut c = cache(4, 2);
        c.fill(3, 1, 7, 3);
        assert_eq!(c.lookup(4, 1, 7), None);
        c.fill(5, 1, 7, 3);
        assert_eq!(c.lookup(5, 1, 7), Some(3));
        c.reset(100);
        assert!(c.is_sweeping(104) && !c.is_sweeping(105));
        assert_eq!(c.lookup(105, 1, 7), None);
    }

    #[test]
    fn replaces_the_least_recently_used() {
        let mut c = cache(2, 4);
        for a in 0..4 {
            c.fill(10, 1, a, a as u8);
        }
        assert_eq!(c.lookup(10, 1, 0), Some(0));
        c.fill(10, 1, 9, 9);
        assert_eq!(c.lookup(10, 1, 1), None);
        assert_eq!(c.lookup(10, 0, 0), None);
        for a in [0, 2, 3, 9] {
            assert_eq!(c.lookup(10, 1, a), Some(a as u8));
        }
    }

    /// Address 0 must not hit an invalid entry.
    #[test]
    fn is_empty_at_first() {
        assert_eq!(cache(2, 1).lookup(50, 0, 0), None);
    }
}
