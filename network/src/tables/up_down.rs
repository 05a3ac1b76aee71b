//! up*/down* tables for any wiring: a packet goes up zero or more links, then down zero or more, and never up again.

use super::{Hop, Tables};
use crate::wiring::Wiring;

/// The tables. A switch from which there is a way down to the destination takes it; the others go up, by a shortest way. So what came
/// down goes on down, although a table does not know where a packet came from. `choice` picks among equal ways: its value for a switch
/// and a node, modulo their number.
pub(crate) fn up_down(wiring: &Wiring, choice: impl Fn(usize, usize) -> usize) -> Tables {
    let mut tables = Tables::new(wiring.switches(), wiring.nodes().len(), |_, _| None);
    let mut ways = Ways::new(wiring);
    for (home, nodes) in wiring.nodes_by_switch().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
        ways.lead_to(home);
        for &node in nodes {
            let port = |switch: usize| match ways.ports[switch] {
                _ if switch == home => Some(wiring.nodes()[node].port),
                0 => None,
                ports => Some(pick(ports, choice(switch, node))),
            };
            (0..wiring.switches()).for_each(|switch| {
                tables.set(switch, node, port(switch).map(|port| Hop { port, vc: None }));
            });
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
    /// Ports of each switch at which a shortest way on begins, as a mask.
    ports: Vec<u64>,
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
        Ways { hops: vec![NEVER; down.len()], ports: vec![0; down.len()], from_top, down, up }
    }

    /// Finds the ways to a switch: those down from below on, then those up from the top on.
    fn lead_to(&mut self, home: usize) {
        self.hops.fill(NEVER);
        self.hops[home] = 0;
        for &switch in self.from_top.iter().rev().filter(|&&switch| switch != home) {
            (self.hops[switch], self.ports[switch]) = shortest(&self.down[switch], &self.hops);
        }
        for &switch in &self.from_top {
            if self.hops[switch] == NEVER {
                (self.hops[switch], self.ports[switch]) = shortest(&self.up[switch], &self.hops);
            }
        }
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
