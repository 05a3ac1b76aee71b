//! Shortest ways of any wiring, kept free of deadlock by *layers* (LASH; Skeie and others, 2002).
//!
//! A layer is a VC, and a packet stays on the VC on which its node sends it. The ways of all packets on one VC must
//! close no ring of channels. So the tables say for each switch and destination on which VCs the nodes of the switch
//! may send: on all in which the way closes no ring with the ways that are there already.

use super::dependencies::Dependencies;
use super::ways::{tables, Ways};
use super::{Hop, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;

/// There are too few VCs for the ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the shortest ways need {needed} virtual channels for unicast packets, each free of rings, and the switch has {vcs}")]
pub struct TooFewVcs {
    /// VCs that keep all ways free of rings.
    pub needed: usize,
    /// VCs for unicast packets.
    pub vcs: usize,
}

/// The tables, for VCs each with the channels that wait for each other there already.
///
/// # Errors
/// The ways of one VC too many would close a ring.
pub(crate) fn shortest(wiring: &Wiring, vcs: Vec<(usize, Dependencies)>) -> Result<Tables, TooFewVcs> {
    let mut tables = balanced(wiring);
    let (numbers, mut layers): (Vec<usize>, Vec<Dependencies>) = vcs.into_iter().unzip();
    let ways = ways(wiring, &tables);
    let mut first = Vec::with_capacity(ways.len());
    for way in &ways {
        let channels = way.channels(wiring, &tables);
        let fits = (0..layers.len()).find(|&layer| layers[layer].add(wiring, &channels));
        first.push(fits.unwrap_or_else(|| {
            layers.push(Dependencies::new(wiring));
            let layer = layers.len() - 1;
            assert!(layers[layer].add(wiring, &channels), "a way alone closes no ring");
            layer
        }));
    }
    let vcs = numbers.len();
    if layers.len() > vcs {
        return Err(TooFewVcs { needed: layers.len(), vcs });
    }
    let all = numbers.iter().fold(0, |mask, vc| mask | 1 << vc);
    tables.send_on_all(all);
    for (way, first) in ways.iter().zip(first) {
        let channels = way.channels(wiring, &tables);
        let fits = |layer: &usize| *layer == first || layers[*layer].add(wiring, &channels);
        let mask = (0..vcs).filter(fits).fold(0, |mask, layer| mask | 1 << numbers[layer]);
        tables.send_on(way.from, way.to, mask);
    }
    Ok(tables)
}

/// Shortest ways. Of equal ones a route takes that over whose links the fewest routes go so far, summed over the links
/// (as the SSSP routing of Hoefler and others, 2009, does with weights).
fn balanced(wiring: &Wiring) -> Tables {
    let mut nodes = vec![0; wiring.switches()];
    wiring.nodes().iter().for_each(|at| nodes[at.switch] += 1);
    let mut used = vec![0u64; wiring.switches() * wiring.ports()];
    let mut over = vec![0u64; wiring.switches()];
    let far = |switch: usize, port: usize| match wiring.peer(Port { switch, port }) {
        Peer::Switch(far) => far.switch,
        Peer::Node(_) | Peer::Nothing => unreachable!("ways go over links"),
    };
    tables(wiring, Ways::go_straight, |ways, node, tables| {
        for &switch in ways.farthest_first.iter().rev() {
            let routes = |port| used[switch * wiring.ports() + port] + over[far(switch, port)];
            let best = ones(ways.ports[switch]).map(|port| (routes(port), port)).min();
            over[switch] = best.map_or(0, |(routes, _)| routes);
            if let Some((_, port)) = best {
                tables.set(switch, node, Some(Hop { port, vc: None }));
            }
        }
        let mut routes: Vec<u64> = nodes.clone();
        for &switch in ways.farthest_first.iter().filter(|&&switch| ways.ports[switch] != 0) {
            let port = tables.hop(switch, node).expect("it was set").port;
            used[switch * wiring.ports() + port] += routes[switch];
            routes[far(switch, port)] += routes[switch];
        }
    })
}

/// The way from a switch to a node.
struct Way {
    from: usize,
    to: usize,
}

impl Way {
    /// The links between switches on it.
    fn channels(&self, wiring: &Wiring, tables: &Tables) -> Vec<Port> {
        let (mut channels, mut switch) = (Vec::new(), self.from);
        while let Some(hop) = tables.hop(switch, self.to) {
            let from = Port { switch, port: hop.port };
            let Peer::Switch(far) = wiring.peer(from) else { break };
            channels.push(from);
            switch = far.switch;
        }
        channels
    }
}

/// The ways of all packets between nodes of different switches, to one destination after the other, the longest first:
/// shorter ones are mostly their ends.
fn ways(wiring: &Wiring, tables: &Tables) -> Vec<Way> {
    let nodes = wiring.nodes_by_switch();
    let sources: Vec<usize> = (0..nodes.len()).filter(|&switch| !nodes[switch].is_empty()).collect();
    let to = |to: usize| {
        let mut ways: Vec<Way> = sources.iter().map(|&from| Way { from, to }).collect();
        ways.sort_by_cached_key(|way| std::cmp::Reverse(way.channels(wiring, tables).len()));
        ways
    };
    nodes.iter().flatten().copied().flat_map(to).collect()
}
