//! up*/down* tables for any wiring: a packet goes up zero or more links, then down zero or more, and never up again.

use super::{Hop, Tables};
use crate::wiring::Wiring;

/// The tables. A switch from which there is a way down to the destination takes it; the others go up, by a shortest way. So what came
/// down goes on down, although a table does not know where a packet came from. `choice` picks among equal ways: its value for a switch
/// and a node, modulo their number.
pub(crate) fn up_down(wiring: &Wiring, choice: impl Fn(usize, usize) -> usize) -> Tables {
    let mut from_top: Vec<usize> = (0..wiring.switches()).collect();
    from_top.sort_by_key(|&switch| (wiring.rank(switch), switch));
    let mut tables = Tables::new(wiring.switches(), wiring.nodes().len(), |_, _| None);
    for (node, home) in wiring.nodes().iter().enumerate() {
        let mut to_home = Distances::down_to(wiring, home.switch, &from_top);
        tables.set(home.switch, node, Some(Hop { port: home.port, vc: None }));
        for &switch in from_top.iter().filter(|&&switch| switch != home.switch) {
            let port = to_home.best(wiring, switch, choice(switch, node));
            tables.set(switch, node, port.map(|port| Hop { port, vc: None }));
        }
    }
    tables
}

/// Hops from each switch to one of them.
struct Distances {
    hops: Vec<Option<usize>>,
    /// Switches with a way down.
    down: Vec<bool>,
}

impl Distances {
    /// Of the switches with a way down, nearest to the nodes first.
    fn down_to(wiring: &Wiring, home: usize, from_top: &[usize]) -> Distances {
        let mut hops = vec![None; wiring.switches()];
        hops[home] = Some(0);
        for &switch in from_top.iter().rev().filter(|&&switch| switch != home) {
            let below = wiring.links_of(switch).filter(|(_, far)| !wiring.goes_up(switch, far.switch));
            hops[switch] = below.filter_map(|(_, far)| Some(hops[far.switch]? + 1)).min();
        }
        let down = hops.iter().map(Option::is_some).collect();
        Distances { hops, down }
    }

    /// The port of a shortest way on, and the distance of a switch that goes up is known from then on. To be asked from the top on.
    fn best(&mut self, wiring: &Wiring, switch: usize, choice: usize) -> Option<usize> {
        let goes_down = self.down[switch];
        let ways = wiring.links_of(switch).filter(|(_, far)| match goes_down {
            true => !wiring.goes_up(switch, far.switch) && self.down[far.switch],
            false => wiring.goes_up(switch, far.switch),
        });
        let ways: Vec<(usize, usize)> = ways.filter_map(|(port, far)| Some((port, self.hops[far.switch]?))).collect();
        let least = ways.iter().map(|(_, hops)| *hops).min()?;
        let best: Vec<usize> = ways.iter().filter(|(_, hops)| *hops == least).map(|(port, _)| *port).collect();
        self.hops[switch] = Some(least + 1);
        Some(best[choice % best.len()])
    }
}
