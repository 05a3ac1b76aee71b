//! Routing caches as long traffic leaves them, without the cycles that it takes.

use super::Network;
use crate::blueprint::Blueprint;
use crate::device::Device;
use crate::placement::node_address;
use crate::wiring::{Peer, Port};
use railyard_bench::random::Random;

/// Packets of a node in the first round.
const FIRST_ROUND: usize = 32;

/// The warm-up ends when a round, twice as long as the one before, misses in no smaller share of its lookups: by less
/// than this.
const STEADY: f64 = 0.001;

impl<D: Device> Network<D> {
    /// Leads packets of the pattern through the caches of all switches on their ways, the nodes in turn, until the hit
    /// rate is steady.
    pub(super) fn warm_caches(&mut self, seed: u64) {
        let mut random = Random::new(seed, u64::MAX - 1);
        let (mut packets, mut before) = (FIRST_ROUND, f64::INFINITY);
        loop {
            let missed = self.warm_up(packets, &mut random);
            if missed > before - STEADY {
                return;
            }
            (packets, before) = (2 * packets, missed);
        }
    }

    /// A round of so many packets of each node. Gives the share of the lookups that missed.
    fn warm_up(&mut self, packets: usize, random: &mut Random) -> f64 {
        let Network { stations, setting, .. } = self;
        let Blueprint { wiring, tables, plan, .. } = &*setting.blueprint;
        let (mut lookups, mut misses) = (0u64, 0u64);
        for from in (0..packets).flat_map(|_| 0..wiring.nodes().len()) {
            if !random.happens(setting.share(from)) {
                continue;
            }
            let to = setting.destinations().draw(from, random);
            let address = node_address(plan, to);
            let mut at = wiring.nodes()[from];
            while let Some(hop) = tables.hop(at.switch, to) {
                let hit = stations[at.switch].warm_cache(at.port, address, hop);
                (lookups, misses) = (lookups + 1, misses + u64::from(hit == Some(false)));
                match wiring.peer(Port { switch: at.switch, port: hop.port }) {
                    Peer::Switch(far) => at = far,
                    Peer::Node(_) | Peer::Nothing => break,
                }
            }
        }
        misses as f64 / lookups.max(1) as f64
    }
}
