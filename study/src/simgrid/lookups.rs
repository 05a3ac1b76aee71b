//! What the routing caches of a network make of the messages of a replay.

use super::{Delay, ReplaySummary, ReplayedMessage};
use crate::{LoneCache, Organisation};
use railyard_network::blueprint::Blueprint;
use railyard_network::wiring::{Peer, Port};
use std::collections::HashMap;

/// The input ports of a network, each with a cache of the golden model.
pub struct CachedPorts<'a> {
    /// The network.
    pub blueprint: &'a Blueprint,
    /// The cache of a port.
    pub cache: Organisation,
    /// Seconds from one switch to the next, on a hit.
    pub hop: f64,
}

/// The caches of the ports that messages have come to.
pub type PortCaches = HashMap<Port, LoneCache>;

/// Misses of the messages of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Lookups of all messages: one at each switch on the way.
    pub lookups: u64,
    /// Misses of each message that misses: from, to, its number among those between the two.
    pub of_messages: Vec<((u32, u32, u64), u32)>,
}

impl Misses {
    /// All misses.
    pub fn count(&self) -> u64 {
        self.of_messages.iter().map(|(_, misses)| u64::from(*misses)).sum()
    }

    /// Messages that are late by so many seconds for each of their misses.
    pub fn delays(&self, penalty: f64) -> Vec<Delay> {
        let delay =
            |&((from, to, number), misses): &((u32, u32, u64), u32)| (from, to, number, penalty * f64::from(misses));
        self.of_messages.iter().map(delay).collect()
    }
}

impl CachedPorts<'_> {
    /// Looks all messages up in caches, each at the switches on its way, in the order in which they come to the ports.
    pub fn misses(&self, caches: &mut PortCaches, replay: &ReplaySummary) -> Misses {
        let mut arrivals = self.arrivals(&replay.messages);
        arrivals.sort_by(|a, b| a.time.total_cmp(&b.time));
        let mut missed = vec![0u32; replay.messages.len()];
        for arrival in &arrivals {
            let cache = caches.entry(arrival.port).or_insert_with(|| LoneCache::new(self.cache));
            let message = &replay.messages[arrival.message as usize];
            missed[arrival.message as usize] += u32::from(!cache.access(message.to.into()));
        }
        let mut numbers: HashMap<(u32, u32), u64> = HashMap::new();
        let numbered = replay.messages.iter().zip(missed).map(|(message, misses)| {
            let number = numbers.entry((message.from, message.to)).or_default();
            *number += 1;
            ((message.from, message.to, *number - 1), misses)
        });
        let mut of_messages: Vec<_> = numbered.filter(|(_, misses)| *misses > 0).collect();
        of_messages.sort_unstable();
        Misses { lookups: arrivals.len() as u64, of_messages }
    }

    fn arrivals(&self, messages: &[ReplayedMessage]) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        for (number, message) in messages.iter().enumerate() {
            let mut time = message.start;
            self.way(*message, |port| {
                arrivals.push(Arrival { time, port, message: number as u32 });
                time += self.hop;
            });
        }
        arrivals
    }

    /// The input ports on the way of a message.
    fn way(&self, message: ReplayedMessage, mut enter: impl FnMut(Port)) {
        let Blueprint { wiring, tables, .. } = self.blueprint;
        let mut at = wiring.nodes()[message.from as usize];
        loop {
            enter(at);
            let hop = tables.hop(at.switch, message.to as usize).expect("each node reaches each other one");
            let Peer::Switch(far) = wiring.peer(Port { switch: at.switch, port: hop.port }) else { break };
            at = far;
        }
    }
}

/// A message comes to an input port.
struct Arrival {
    time: f64,
    port: Port,
    message: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::applications::systems::torus;

    /// Nodes 0 and 1 of a ring of four send to node 2 over the same port of switch 2. What was looked up once hits.
    #[test]
    fn first_messages_miss_at_each_port() {
        let blueprint = torus(&[4]);
        let lookups = CachedPorts { blueprint: &blueprint, cache: Organisation::default(), hop: 1.0 };
        let message = |start, from| ReplayedMessage { start, from, to: 2 };
        let replay = |messages| ReplaySummary { seconds: 10.0, messages };
        let mut caches = PortCaches::new();
        let misses = lookups.misses(&mut caches, &replay(vec![message(0.0, 1), message(5.0, 1)]));
        assert_eq!((misses.lookups, &misses.of_messages), (4, &vec![((1, 2, 0), 2)]));
        assert_eq!(misses.delays(2.0), [(1, 2, 0, 4.0)]);
        // Node 0 goes by switch 1 or 3, by the tie of its coordinate; only its way by switch 1 ends at a port that
        // knows.
        let misses = lookups.misses(&mut caches, &replay(vec![message(0.0, 0), message(9.0, 0), message(9.0, 1)]));
        assert_eq!((misses.lookups, misses.of_messages.len(), misses.of_messages[0].0), (8, 1, (0, 2, 0)));
        assert!([2, 3].contains(&misses.count()));
    }

    /// 40 destinations in turn are too many for 16 entries, however often they come.
    #[test]
    fn a_cache_that_is_too_small_misses_again() {
        let blueprint = torus(&[8, 8]);
        let messages = (0..40).map(|i| ReplayedMessage { start: f64::from(i), from: 0, to: i + 1 }).collect();
        let replay = ReplaySummary { seconds: 40.0, messages };
        let second = |entries| {
            let cache = Organisation { entries, ..Organisation::default() };
            let lookups = CachedPorts { blueprint: &blueprint, cache, hop: 0.001 };
            let mut caches = PortCaches::new();
            let [first, second] = [0; 2].map(|_| lookups.misses(&mut caches, &replay).count());
            (first == lookups.misses(&mut PortCaches::new(), &replay).lookups, second)
        };
        let (all_miss, again) = second(2048);
        assert!(all_miss && again == 0, "{again}");
        assert!(second(16).1 > 20);
    }
}
