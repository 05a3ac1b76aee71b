//! The ways from all switches to one after the other.

use super::{Hop, Tables};
use crate::wiring::Wiring;

/// A link as seen from a switch: its port, the switch at the far end.
type Link = (usize, usize);

/// No way.
const NEVER: u32 = u32::MAX;

/// The ways to one switch after the other.
pub(super) struct Ways {
    /// Switches from the top on.
    from_top: Vec<usize>,
    /// Links of each switch that go down, and that go up.
    down: Vec<Vec<Link>>,
    up: Vec<Vec<Link>>,
    /// Links from each switch to the one in question.
    hops: Vec<u32>,
    /// Ports of each switch at which a way on begins, as a mask: none of the one in question.
    pub ports: Vec<u64>,
    /// Switches from the farthest one on: each before those that it sends to.
    pub farthest_first: Vec<usize>,
}

impl Ways {
    pub fn new(wiring: &Wiring) -> Ways {
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

    /// Finds the up*/down* ways to a switch: those down from below on, then those up from the top on. A switch from
    /// which there is a way down takes it; the others go up, by a shortest way. So what came down goes on down,
    /// although a table does not know where a packet came from.
    pub fn go_up_and_down(&mut self, home: usize) {
        self.start_at(home);
        for &switch in self.from_top.iter().rev().filter(|&&switch| switch != home) {
            (self.hops[switch], self.ports[switch]) = shortest(&self.down[switch], &self.hops);
        }
        for &switch in &self.from_top {
            if self.hops[switch] == NEVER {
                (self.hops[switch], self.ports[switch]) = shortest(&self.up[switch], &self.hops);
            }
        }
        self.sort();
    }

    /// Finds the shortest ways to a switch, whatever is up or down.
    pub fn go_straight(&mut self, home: usize) {
        self.start_at(home);
        let mut reached = vec![home];
        let mut next = 0;
        while let Some(&near) = reached.get(next) {
            next += 1;
            for &(_, far) in self.down[near].iter().chain(&self.up[near]) {
                if self.hops[far] == NEVER {
                    self.hops[far] = self.hops[near] + 1;
                    reached.push(far);
                }
            }
        }
        for &switch in &reached[1..] {
            let nearer = |link: &&Link| self.hops[link.1] < self.hops[switch];
            let links = self.down[switch].iter().chain(&self.up[switch]).filter(nearer);
            self.ports[switch] = links.fold(0, |mask, (port, _)| mask | 1 << port);
        }
        self.sort();
    }

    fn start_at(&mut self, home: usize) {
        self.hops.fill(NEVER);
        self.ports.fill(0);
        self.hops[home] = 0;
    }

    fn sort(&mut self) {
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

/// Tables by such ways. `choose` sets the entries for a node, but for that of its own switch.
pub(super) fn tables(
    wiring: &Wiring,
    lead_to: fn(&mut Ways, usize),
    mut choose: impl FnMut(&Ways, usize, &mut Tables),
) -> Tables {
    let mut tables = Tables::new(wiring.switches(), wiring.nodes().len(), |_, _| None);
    let mut ways = Ways::new(wiring);
    for (home, nodes) in wiring.nodes_by_switch().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
        lead_to(&mut ways, home);
        for &node in nodes {
            tables.set(home, node, Some(Hop { port: wiring.nodes()[node].port, vc: None }));
            choose(&ways, node, &mut tables);
        }
    }
    tables
}
