//! What stands around a switch in its network: links and nodes.

use super::setting::Setting;
use super::terminal::Terminal;
use crate::wiring::{Peer, Port, Wiring};

/// What a port of the switch is fed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Nothing.
    Nothing,
    /// A lane of the picture.
    Lane(usize),
    /// One of the station's nodes.
    Terminal(usize),
    /// A lane of the picture, from which nothing gets here any more.
    Broken(usize),
}

/// What feeds each port of a switch.
pub fn feeds(wiring: &Wiring, switch: usize, ports: usize) -> Vec<Feed> {
    let mut terminals = 0;
    let feed = |port| match wiring.peer(Port { switch, port }) {
        Peer::Nothing => Feed::Nothing,
        Peer::Switch(far) => Feed::Lane(far.switch * ports + far.port),
        Peer::Node(_) => {
            terminals += 1;
            Feed::Terminal(terminals - 1)
        }
    };
    (0..ports).map(feed).collect()
}

/// Feeds and nodes of a switch.
pub fn surroundings(wiring: &Wiring, switch: usize, setting: &Setting, seed: u64) -> (Vec<Feed>, Vec<Terminal>) {
    let nodes = (0..setting.sizes.ports).filter_map(|port| match wiring.peer(Port { switch, port }) {
        Peer::Node(node) => Some(Terminal::new(node, port, setting.latencies_of(switch)[port], setting, seed)),
        Peer::Nothing | Peer::Switch(_) => None,
    });
    (feeds(wiring, switch, setting.sizes.ports), nodes.collect())
}
