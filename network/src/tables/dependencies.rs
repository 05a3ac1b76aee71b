//! Channels of one VC that wait for each other, so that they never close a ring: ways are added one after the other, or
//! refused.
//!
//! The channels are kept in an order in which each comes before those that it waits for. Where a new dependency goes
//! against the order, the channels between its two ends are put in order anew (Pearce and Kelly, 2007); if that can't
//! be done, it would close a ring.

use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;

/// The channel dependency graph of one VC, without rings.
#[derive(Clone, Debug)]
pub(crate) struct Dependencies {
    ports: usize,
    /// By channel: the ports of the switch at its end whose channels it waits for, as a mask.
    waits_for: Vec<u64>,
    /// By channel, the same: ports that it can't wait for without a ring, whatever else is added.
    closes_ring: Vec<u64>,
    /// Place of each channel in the order.
    place: Vec<u32>,
    /// Channels that a search has passed.
    passed: Vec<bool>,
}

impl Dependencies {
    /// No channel waits.
    pub fn new(wiring: &Wiring) -> Dependencies {
        let channels = wiring.switches() * wiring.ports();
        Dependencies {
            ports: wiring.ports(),
            waits_for: vec![0; channels],
            closes_ring: vec![0; channels],
            place: (0..channels as u32).collect(),
            passed: vec![false; channels],
        }
    }

    /// Each link of a way waits for the next, if none of that closes a ring. Whether it is so.
    pub fn add(&mut self, wiring: &Wiring, way: &[Port]) -> bool {
        let mut new = Vec::new();
        for pair in way.windows(2) {
            let (near, far) = (self.number(pair[0]), pair[1]);
            if self.waits_for[near] >> far.port & 1 == 1 {
                continue;
            }
            if self.closes_ring[near] >> far.port & 1 == 1 || !self.make_room(wiring, near, self.number(far)) {
                // What this way itself has brought goes again: a ring with that is none of others.
                self.closes_ring[near] |= u64::from(new.is_empty()) << far.port;
                new.into_iter().for_each(|(near, port): (usize, usize)| self.waits_for[near] &= !(1 << port));
                return false;
            }
            self.waits_for[near] |= 1 << far.port;
            new.push((near, far.port));
        }
        true
    }

    fn number(&self, channel: Port) -> usize {
        channel.switch * self.ports + channel.port
    }

    fn port(&self, channel: usize) -> Port {
        Port { switch: channel / self.ports, port: channel % self.ports }
    }

    /// The channels that one waits for.
    fn after(&self, wiring: &Wiring, channel: usize) -> impl Iterator<Item = usize> {
        let far = match wiring.peer(self.port(channel)) {
            Peer::Switch(far) => far.switch,
            Peer::Node(_) | Peer::Nothing => 0,
        };
        let first = far * self.ports;
        ones(self.waits_for[channel]).map(move |port| first + port)
    }

    /// The channels that wait for one.
    fn before<'a>(&'a self, wiring: &'a Wiring, channel: usize) -> impl Iterator<Item = usize> + 'a {
        let Port { switch, port } = self.port(channel);
        let entering = wiring.links_of(switch).map(|(_, far)| self.number(far));
        entering.filter(move |&near| self.waits_for[near] >> port & 1 == 1)
    }

    /// Brings a channel before another one that it will wait for. False if that one waits for it already.
    fn make_room(&mut self, wiring: &Wiring, near: usize, far: usize) -> bool {
        let (first, last) = (self.place[far], self.place[near]);
        if first > last {
            return true;
        }
        let behind = self.search(far, |graph, channel, found| {
            found.extend(graph.after(wiring, channel).filter(|&next| graph.place[next] <= last));
        });
        if behind.contains(&near) {
            return false;
        }
        let ahead = self.search(near, |graph, channel, found| {
            found.extend(graph.before(wiring, channel).filter(|&next| graph.place[next] >= first));
        });
        let in_order = |mut channels: Vec<usize>| {
            channels.sort_unstable_by_key(|&channel| self.place[channel]);
            channels
        };
        let channels = [in_order(ahead), in_order(behind)].concat();
        let mut places: Vec<u32> = channels.iter().map(|&channel| self.place[channel]).collect();
        places.sort_unstable();
        channels.into_iter().zip(places).for_each(|(channel, place)| self.place[channel] = place);
        true
    }

    /// All channels that are found from one on.
    fn search(&mut self, start: usize, next: impl Fn(&Dependencies, usize, &mut Vec<usize>)) -> Vec<usize> {
        let (mut found, mut left) = (Vec::new(), vec![start]);
        while let Some(channel) = left.pop() {
            if !std::mem::replace(&mut self.passed[channel], true) {
                found.push(channel);
                next(self, channel, &mut left);
            }
        }
        found.iter().for_each(|&channel| self.passed[channel] = false);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Switches in a ring, each with its port 1 to port 2 of the next.
    fn ring(switches: usize) -> Wiring {
        let mut wiring = Wiring::new(switches, 3);
        for switch in 0..switches {
            let far = Port { switch: (switch + 1) % switches, port: 2 };
            wiring.link(Port { switch, port: 1 }, far).unwrap();
        }
        wiring
    }

    /// So many links from a switch on.
    fn way(wiring: &Wiring, from: usize, links: usize) -> Vec<Port> {
        (from..from + links).map(|switch| Port { switch: switch % wiring.switches(), port: 1 }).collect()
    }

    #[test]
    fn the_way_that_closes_a_ring_is_refused_and_leaves_nothing_behind() {
        let wiring = ring(5);
        let mut graph = Dependencies::new(&wiring);
        for from in [3, 1, 0] {
            assert!(graph.add(&wiring, &way(&wiring, from, 2)), "{from}");
        }
        let before = graph.waits_for.clone();
        // From 2 over 3 and 4 to 0: the second of its dependencies closes the ring.
        assert!(!graph.add(&wiring, &way(&wiring, 2, 4)));
        assert_eq!(graph.waits_for, before);
        assert!(graph.add(&wiring, &way(&wiring, 2, 2)));
        assert!(!graph.add(&wiring, &way(&wiring, 4, 2)));
        assert!(!graph.add(&wiring, &way(&wiring, 4, 2)), "and again, without a search");
        for channel in 0..graph.place.len() {
            assert!(graph.after(&wiring, channel).all(|next| graph.place[channel] < graph.place[next]));
        }
    }
}
