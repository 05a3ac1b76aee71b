//! The routing cache of an input port, as the golden model has it, with its hash; every miss is filled at once.

use railyard_model::parts::crc_hash::AddressHash;
use railyard_model::route::route_queue::PacketRoute;
use railyard_model::route::routing_cache::RoutingCache;
use railyard_spec::{CacheShape, Config, RoutingShape};

/// Bits of an address.
pub(crate) const ADDRESS_BITS: u32 = 24;

/// How big a cache is and how it is cut; hash and replacement are the switch's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Organisation {
    /// Entries.
    pub entries: usize,
    /// Ways of a set.
    pub ways: usize,
}

impl Default for Organisation {
    /// The switch's own.
    fn default() -> Organisation {
        let shape = default_cache();
        Organisation { entries: shape.sets * shape.ways, ways: shape.ways }
    }
}

/// A cache.
#[derive(Clone, Debug)]
pub struct LoneCache {
    hash: AddressHash,
    cache: RoutingCache,
    /// The first cycle after the sweep.
    now: u64,
}

impl LoneCache {
    /// An empty one.
    pub fn new(organisation: Organisation) -> LoneCache {
        let sets = organisation.entries / organisation.ways;
        let shape = CacheShape { sets, ways: organisation.ways, index_bits: sets.trailing_zeros(), ..default_cache() };
        let hash = AddressHash::new(&shape, ADDRESS_BITS);
        LoneCache { hash, cache: RoutingCache::new(&shape, 0), now: sets as u64 + 1 }
    }

    /// Looks an address up, and fills it in if it is not there. Whether it was.
    pub fn access(&mut self, address: u64) -> bool {
        let set = self.hash.set(address);
        let hit = self.cache.lookup(self.now, set, address).is_some();
        if !hit {
            self.cache.fill(self.now, set, address, PacketRoute::Port(0));
        }
        hit
    }

    /// Whether an address is in it.
    pub fn holds(&mut self, address: u64) -> bool {
        self.cache.lookup(self.now, self.hash.set(address), address).is_some()
    }
}

/// The cache of the default switch.
fn default_cache() -> CacheShape {
    match Config::named("study").check().expect("a legal switch").shape().routing {
        RoutingShape::Table(table) => table.cache.expect("the default switch has a cache"),
        _ => unreachable!("the default switch has a table"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_seeds() {
        assert_eq!(Organisation::default(), Organisation { entries: 2048, ways: 4 });
    }

    #[test]
    fn what_was_looked_up_is_held() {
        let mut cache = LoneCache::new(Organisation { entries: 16, ways: 2 });
        assert!(!cache.access(5) && cache.access(5) && cache.holds(5) && !cache.holds(6));
    }
}
