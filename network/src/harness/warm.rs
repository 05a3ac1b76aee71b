//! Routing caches as long traffic leaves them, without the cycles that it takes.

use super::Network;
use crate::blueprint::Blueprint;
use crate::device::Device;
use crate::placement::node_address;
use crate::wiring::{Peer, Port};
use railyard_bench::random::Random;

/// Nodes up to which each pair is led through the caches before the rounds.
const MOST_PAIRED: usize = 2048;

/// Packets of a node in the first round.
const FIRST_ROUND: usize = 32;

/// The warm-up ends when a round, twice as long as the one before, misses in no smaller share of its lookups: by less
/// than this.
const STEADY: f64 = 0.001;

impl<D: Device> Network<D> {
    /// Leads packets of the pattern through the caches of all switches on their ways, until the hit rate is steady.
    pub(super) fn warm_caches(&mut self, seed: u64) {
        let mut random = Random::new(seed, u64::MAX - 1);
        if self.setting.blueprint.wiring.nodes().len() <= MOST_PAIRED {
            self.warm_by_pairs(&mut random);
        }
        let (mut packets, mut before) = (FIRST_ROUND, f64::INFINITY);
        loop {
            let missed = self.warm_up(packets, &mut random);
            if missed > before - STEADY {
                return;
            }
            (packets, before) = (2 * packets, missed);
        }
    }

    /// A packet of each pair, in the order in which long traffic sent the last of each: its age is exponential. Only
    /// the last packet of a pair matters to a cache that keeps what was used last. All packets until each pair had one
    /// would be many times as many.
    fn warm_by_pairs(&mut self, random: &mut Random) {
        let (setting, nodes) = (&self.setting, self.setting.blueprint.wiring.nodes().len());
        let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            let rate = setting.share(from).probability() * setting.destinations().share(from, to);
            if rate > 0.0 {
                pairs.push((exponential(random) / rate, from as u32, to as u32));
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, from, to) in pairs {
            self.lead(from as usize, to as usize);
        }
    }

    /// A round of so many packets of each node, the nodes in turn. Gives the share of the lookups that missed.
    fn warm_up(&mut self, packets: usize, random: &mut Random) -> f64 {
        let nodes = self.setting.blueprint.wiring.nodes().len();
        let (mut lookups, mut misses) = (0u64, 0u64);
        for from in (0..packets).flat_map(|_| 0..nodes) {
            if !random.happens(self.setting.share(from)) {
                continue;
            }
            let to = self.setting.destinations().draw(from, random);
            let (looked_up, missed) = self.lead(from, to);
            (lookups, misses) = (lookups + looked_up, misses + missed);
        }
        misses as f64 / lookups.max(1) as f64
    }

    /// Leads a packet through the caches on its way. Gives lookups and misses.
    fn lead(&mut self, from: usize, to: usize) -> (u64, u64) {
        let Network { stations, setting, .. } = self;
        let Blueprint { wiring, tables, plan, .. } = &*setting.blueprint;
        let address = node_address(plan, to);
        let (mut lookups, mut misses) = (0, 0);
        let mut at = wiring.nodes()[from];
        while let Some(hop) = tables.hop(at.switch, to) {
            let hit = stations[at.switch].warm_cache(at.port, address, hop);
            (lookups, misses) = (lookups + 1, misses + u64::from(hit == Some(false)));
            match wiring.peer(Port { switch: at.switch, port: hop.port }) {
                Peer::Switch(far) => at = far,
                Peer::Node(_) | Peer::Nothing => break,
            }
        }
        (lookups, misses)
    }
}

/// An exponential variable of mean 1, by comparisons alone (von Neumann's method): a logarithm is not the same on every
/// machine.
fn exponential(random: &mut Random) -> f64 {
    let mut whole = 0.0;
    loop {
        let first = random.bits();
        let (mut last, mut falling) = (first, 1);
        loop {
            let next = random.bits();
            if next >= last {
                break;
            }
            (last, falling) = (next, falling + 1);
        }
        if falling % 2 == 1 {
            return whole + (first >> 11) as f64 / (1u64 << 53) as f64;
        }
        whole += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance are 1, and a share of 1/e is above 1.
    #[test]
    fn exponential_by_comparisons() {
        let mut random = Random::new(5, 0);
        let drawn: Vec<f64> = (0..200_000).map(|_| exponential(&mut random)).collect();
        let mean = |figure: &dyn Fn(f64) -> f64| drawn.iter().map(|x| figure(*x)).sum::<f64>() / 200_000.0;
        let (first, second) = (mean(&|x| x), mean(&|x| x * x));
        let above = mean(&|x| f64::from(x > 1.0));
        assert!((first - 1.0).abs() < 0.01 && (second - 2.0).abs() < 0.04, "{first} {second}");
        assert!((above - (-1f64).exp()).abs() < 0.005, "{above}");
    }
}
