//! A cache that tells why it misses.

use crate::cache::{LoneCache, Organisation};
use crate::lru::Lru;
use std::collections::HashSet;

/// Lookups by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookupCounts {
    /// All.
    pub lookups: u64,
    /// Misses on the first lookup of an address.
    pub compulsory: u64,
    /// Misses that a fully associative cache of that size has, too.
    pub capacity: u64,
    /// Misses that it has not.
    pub conflict: u64,
}

impl LookupCounts {
    /// All misses.
    pub fn misses(&self) -> u64 {
        self.compulsory + self.capacity + self.conflict
    }

    /// Hits for a hundred lookups.
    pub fn hit_percent(&self) -> f64 {
        100.0 - self.percent(self.misses())
    }

    /// So many lookups for a hundred.
    pub fn percent(&self, of: u64) -> f64 {
        100.0 * of as f64 / self.lookups.max(1) as f64
    }
}

impl std::ops::AddAssign for LookupCounts {
    fn add_assign(&mut self, other: LookupCounts) {
        self.lookups += other.lookups;
        self.compulsory += other.compulsory;
        self.capacity += other.capacity;
        self.conflict += other.conflict;
    }
}

/// The cache.
#[derive(Clone, Debug)]
pub struct ExplainingCache {
    cache: LoneCache,
    seen: HashSet<u64>,
    /// Where all destinations together are no more than the entries, there are no capacity misses to be told.
    full: Option<Lru>,
    /// What became of all lookups.
    pub counts: LookupCounts,
}

impl ExplainingCache {
    /// An empty one for packets to that many different destinations.
    pub fn new(organisation: Organisation, destinations: u64) -> ExplainingCache {
        let full = (destinations > organisation.entries as u64).then(|| Lru::new(organisation.entries));
        ExplainingCache {
            cache: LoneCache::new(organisation),
            seen: HashSet::new(),
            full,
            counts: LookupCounts::default(),
        }
    }

    /// Looks an address up. Whether it hits.
    pub fn access(&mut self, address: u64) -> bool {
        let avoidable = self.full.as_mut().is_none_or(|full| full.access(address));
        let hit = self.cache.access(address);
        self.counts.lookups += 1;
        if !hit {
            match self.seen.insert(address) {
                true => self.counts.compulsory += 1,
                false if avoidable => self.counts.conflict += 1,
                false => self.counts.capacity += 1,
            }
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_told_apart() {
        // One way, 16 sets: 0 and 16 may or may not share a set, but 32 addresses in turn can't all be held.
        let mut cache = ExplainingCache::new(Organisation { entries: 16, ways: 1 }, 32);
        for address in (0..3).flat_map(|_| 0..32) {
            cache.access(address);
        }
        let counts = cache.counts;
        assert_eq!((counts.lookups, counts.compulsory, counts.capacity), (96, 32, 64));

        // Two addresses of one set in turn: a fully associative cache would hold both.
        let organisation = Organisation { entries: 16, ways: 1 };
        let rival = (1..1000).find(|&rival| {
            let mut cache = LoneCache::new(organisation);
            cache.access(0);
            cache.access(rival);
            !cache.holds(0)
        });
        let mut cache = ExplainingCache::new(organisation, 2);
        for address in [0, rival.unwrap()].repeat(5) {
            cache.access(address);
        }
        assert_eq!(cache.counts, LookupCounts { lookups: 10, compulsory: 2, capacity: 0, conflict: 8 });
    }
}
