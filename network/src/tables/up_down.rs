//! up*/down* tables for any wiring: a packet goes up zero or more links, then down zero or more, and never up again.

use super::ways::{tables, Ways};
use super::{Hop, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;

/// The tables of a tree, in which the choice among equal ways follows from the destination: `choice` is for a switch
/// and a node, and counts modulo the number of ways.
pub(crate) fn up_down(wiring: &Wiring, choice: impl Fn(usize, usize) -> usize) -> Tables {
    tables(wiring, Ways::go_up_and_down, |ways, node, tables| {
        for (switch, &ports) in ways.ports.iter().enumerate().filter(|(_, ports)| **ports != 0) {
            tables.set(switch, node, Some(Hop { port: pick(ports, choice(switch, node)), vc: None }));
        }
    })
}

/// The tables of any wiring, in which equal ways are used in turn: by the port over which the fewest routes go so far.
/// A route is that of packets of a node to another one, and counts where it goes, so that the turns of a switch do not
/// depend on those of the switches below.
pub(crate) fn up_down_in_turn(wiring: &Wiring) -> Tables {
    let mut nodes = vec![0; wiring.switches()];
    wiring.nodes().iter().for_each(|at| nodes[at.switch] += 1);
    let mut used = vec![0u64; wiring.switches() * wiring.ports()];
    tables(wiring, Ways::go_up_and_down, |ways, node, tables| {
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

/// Bit number `choice`, modulo their number, of the bits that are set.
fn pick(mut ports: u64, choice: usize) -> usize {
    for _ in 0..choice % ports.count_ones() as usize {
        ports &= ports - 1;
    }
    ports.trailing_zeros() as usize
}
