//! HyperX: switches with coordinates, and a link between each two that differ in one coordinate (Ahn and others, 2009).
//!
//! A switch is a number whose digits are its coordinates. Its ports: first its nodes, then for each dimension the other
//! switches of its line, in order. One dimension is a full mesh, two are a flattened butterfly.

use super::{count_switches, digits, number, one};
use crate::tables::{Hop, Tables};
use crate::wiring::{Port, Wiring};
use railyard_input::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A HyperX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HyperX {
    /// Switches in each dimension.
    #[schemars(length(min = 1, max = 12), inner(range(min = 2, max = 64)))]
    pub radix: Vec<usize>,
    /// Nodes of a switch.
    #[schemars(range(min = 1, max = 62))]
    #[serde(default = "one")]
    pub nodes: usize,
}

impl HyperX {
    /// The port of a switch at coordinate `at` of a dimension to that at coordinate `to`.
    pub fn port(&self, dimension: usize, at: usize, to: usize) -> usize {
        let before: usize = self.radix[..dimension].iter().map(|k| k - 1).sum();
        self.nodes + before + to - usize::from(to > at)
    }

    pub(super) fn wiring(&self, ports: usize) -> Result<Wiring, Fault> {
        let links: usize = self.radix.iter().map(|k| k - 1).sum();
        let switches = count_switches(&self.radix, self.nodes, links, ports)?;
        let mut wiring = Wiring::new(switches, ports);
        let nodes = (0..switches).flat_map(|switch| (0..self.nodes).map(move |port| Port { switch, port }));
        nodes.for_each(|at| wiring.attach(at).expect("each port is wired once"));
        for switch in 0..switches {
            let at = digits(switch, &self.radix);
            for (i, k) in self.radix.iter().enumerate() {
                for to in at[i] + 1..*k {
                    let mut far = at.clone();
                    far[i] = to;
                    let far = Port { switch: number(&far, &self.radix), port: self.port(i, to, at[i]) };
                    let near = Port { switch, port: self.port(i, at[i], to) };
                    wiring.link(near, far).expect("each port is wired once");
                }
            }
        }
        Ok(wiring)
    }

    /// Whether no link is missing.
    pub(crate) fn is_whole(&self, wiring: &Wiring) -> bool {
        let of_a_switch: usize = self.radix.iter().map(|k| k - 1).sum();
        wiring.links().count() * 2 == wiring.switches() * of_a_switch
    }

    /// Dimension-order tables, lowest dimension first: a channel waits for those of higher dimensions only, so one VC
    /// is free of rings.
    pub(crate) fn tables(&self, wiring: &Wiring) -> Tables {
        let places: Vec<Vec<usize>> = (0..wiring.switches()).map(|switch| digits(switch, &self.radix)).collect();
        Tables::new(wiring.switches(), wiring.nodes().len(), |switch, node| {
            let end = wiring.nodes()[node];
            let (at, to) = (&places[switch], &places[end.switch]);
            let differs = (0..at.len()).find(|&i| at[i] != to[i]);
            Some(Hop { port: differs.map_or(end.port, |i| self.port(i, at[i], to[i])), vc: None })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::Peer;

    #[test]
    fn each_two_switches_of_a_line_are_linked() {
        let hyperx = HyperX { radix: vec![4, 3, 2], nodes: 2 };
        let wiring = hyperx.wiring(8).unwrap();
        assert_eq!((wiring.switches(), wiring.nodes().len(), wiring.links().count()), (24, 48, 24 * 6 / 2));
        assert!(hyperx.is_whole(&wiring));
        let differ = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|switch| digits(switch, &hyperx.radix));
            (0..3).filter(|&i| a[i] != b[i]).collect::<Vec<_>>()
        };
        for (near, far) in wiring.links() {
            let dimensions = differ(near.switch, far.switch);
            let [at, to] = [near, far].map(|end| digits(end.switch, &hyperx.radix)[dimensions[0]]);
            assert_eq!((dimensions.len(), near.port), (1, hyperx.port(dimensions[0], at, to)));
        }
        assert!((0..24).all(|switch| (2..8).all(|port| matches!(wiring.peer(Port { switch, port }), Peer::Switch(_)))));
        assert_eq!(hyperx.wiring(7).unwrap_err().path, "/nodes");
    }
}
