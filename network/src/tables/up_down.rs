//! up*/down* tables for any wiring: a packet goes up zero or more links, then down zero or more, and never up again.

use super::{Hop, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;

/// The tables of a tree, in which the choice among equal ways follows from the destination: `choice` is for a switch and a node, and
/// counts modulo the number of ways.
pub(crate) fn up_down(wiring: &Wiring, choice: impl Fn(usize, usize) -> usize) -> Tables {
    tables(wiring, |ways, node, tables| {
        for (switch, &ports) in ways.ports.iter().enumerate().filter(|(_, ports)| **ports != 0) {
            tables.set(switch, node, Some(Hop { port: pick(ports, choice(switch, node)), vc: None }));
        }
    })
}

/// The tables of any wiring, in which equal ways are used in turn: by the port over which the fewest routes go so far. A route is that of
/// packets of a node to another one, and counts where it goes, so that the turns of a switch do not depend on those of the switches below.
pub(crate) fn up_down_in_turn(wiring: &Wiring) -> Tables {
    let mut nodes = vec![0; wiring.switches()];
    wiring.nodes().iter().for_each(|at| nodes[at.switch] += 1);
    let mut used = vec![0u64; wiring.switches() * wiring.ports()];
    tables(wiring, |ways, node, tables| {
        let mut routes: Vec<u64> = nodes.clone();
        for &switch in &ways.farthest_first {
            let Some(port) = ones(ways.ports[switch]).min_by_key(|port| used[switch * wiring.ports() + port]) else {
                continue;
            };
            tables.set(switch, node, Some(Hop { port, vc: None }));
            used[switch * wiring.ports() + port] += routes[switch];
            if let Peer::Switch(far) = wiring.peer(Port { switch, port }) {
                routes[far.switch] += routes[switch];
            }
        }
    })
}

/// The tables. A switch from which there is a way down to the destination takes it; the others go up, by a shortest way. So what came
/// down goes on down, although a table does not know where a packet came from. `choose` sets the entries for a node, but for that of its
/// own switch, given the ways there.
fn tables(wiring: &Wiring, mut choose: impl FnMut(&Ways, usize, &mut Tables)) -> Tables {
    let mut tables = Tables::new(wiring.switches(), wiring.nodes().len(), |_, _| None);
    let mut ways = Ways::new(wiring);
    for (home, nodes) in wiring.nodes_by_switch().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
        ways.lead_to(home);
        for &node in nodes {
            tables.set(home, node, Some(Hop { port: wiring.nodes()[node].port, vc: None }));
            choose(&ways, node, &mut tables);
        }
    }
    tables
}

/// Bit number `choice`, modulo their number, of the bits that are set.
fn pick(mut ports: u64, choice: usize) -> usize {
    for _ in 0..choice % ports.count_ones() as usize {
        ports &= ports - 1;
    }
    ports.trailing_zeros() as usize
}

/// A link as seen from a switch: its port, the switch at the far end.
type Link = (usize, usize);

/// No way.
const NEVER: u32 = u32::MAX;

/// The ways to one switch after the other.
struct Ways {
    /// Switches from the top on.
    from_top: Vec<usize>,
    /// Links of each switch that go down, and that go up.
    down: Vec<Vec<Link>>,
    up: Vec<Vec<Link>>,
    /// Links from each switch to the one in question.
    hops: Vec<u32>,
    /// Ports of each switch at which a shortest way on begins, as a mask: none of the one in question.
    ports: Vec<u64>,
    /// Switches from the farthest one on: each before those that it sends to.
    farthest_first: Vec<usize>,
}

impl Ways {
    fn new(wiring: &Wiring) -> Ways {
        let switches = 0..wiring.switches();
        let links = |up: bool| -> Vec<Vec<Link>> {
            let of = |switch| wiring.links_of(switch).map(|(port, far)| (port, far.switch));
            let of = |switch| of(switch).filter(|(_, far)| wiring.goes_up(switch, *far) == up).collect();
            switches.clone().map(of).collect()
        };
        let (down, up) = (links(false), links(true));
        let mut from_top: Vec<usize> = switches.collect();
        from_top.sort_by_key(|&switch| (wiring.rank(switch), switch));
        Ways {
            hops: vec![NEVER; down.len()],
            ports: vec![0; down.len()],
            farthest_first: from_top.clone(),
            from_top,
            down,
            up,
        }
    }

    /// Finds the ways to a switch: those down from below on, then those up from the top on.
    fn lead_to(&mut self, home: usize) {
        self.hops.fill(NEVER);
        (self.hops[home], self.ports[home]) = (0, 0);
        for &switch in self.from_top.iter().rev().filter(|&&switch| switch != home) {
            (self.hops[switch], self.ports[switch]) = shortest(&self.down[switch], &self.hops);
        }
        for &switch in &self.from_top {
            if self.hops[switch] == NEVER {
                (self.hops[switch], self.ports[switch]) = shortest(&self.up[switch], &self.hops);
            }
        }
        let hops = &self.hops;
        self.farthest_first.sort_unstable_by_key(|&switch| (std::cmp::Reverse(hops[switch]), switch));
    }
}

/// The length of the shortest ways over some links, given those from their ends on, and the ports at which they begin.
fn shortest(links: &[Link], hops: &[u32]) -> (u32, u64) {
    let mut found = (NEVER, 0);
    for &(port, far) in links.iter().filter(|(_, far)| hops[*far] != NEVER) {
        let way = hops[far] + 1;
        if way < found.0 {
            found = (way, 0);
        }
        if way == found.0 {
            found.1 |= 1 << port;
        }
    }
    found
}
