//! A port in the long run: every destination has been seen, so that there are no compulsory misses left.

use crate::network::PortTraffic;
use crate::{LoneCache, Organisation, Random};

/// Packets before and in the measurement, for each entry of the cache.
const WARM_UP: usize = 4;
const MEASURED: usize = 8;

/// Hits for a hundred lookups of traffic, `key` being what the cache is asked for in place of an address.
pub(crate) fn hit_percent(traffic: &PortTraffic, key: impl Fn(u64) -> u64, random: &mut Random) -> f64 {
    let organisation = Organisation::default();
    let mut cache = LoneCache::new(organisation);
    for address in traffic.addresses() {
        cache.access(key(address));
    }
    let mut hits = |packets: usize| (0..packets).filter(|_| cache.access(key(traffic.draw(random)))).count();
    hits(WARM_UP * organisation.entries);
    let packets = MEASURED * organisation.entries;
    100.0 * hits(packets) as f64 / packets as f64
}
