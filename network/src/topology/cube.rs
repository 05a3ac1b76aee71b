//! k-ary n-torus and k-ary n-mesh: dimension-order routing, lowest dimension first; in a torus with the dateline rule of Dally and Seitz.
//!
//! A switch is a number whose digits are its coordinates. Its ports: first its nodes, then two for each dimension, in plus and in
//! minus direction.

use super::{digits, fault, number, MAX_NODES, MAX_SWITCHES};
use crate::tables::{Hop, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_input::Fault;
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A torus or mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cube {
    /// Switches in each dimension.
    #[schemars(length(min = 1, max = 12), inner(range(min = 2, max = 256)))]
    pub radix: Vec<usize>,
    /// Nodes of a switch.
    #[schemars(range(min = 1, max = 62))]
    #[serde(default = "one")]
    pub nodes: usize,
}

fn one() -> usize {
    1
}

/// A way in one dimension.
struct Way {
    plus: bool,
    /// It leads over the wrap-around link.
    crosses: bool,
}

impl Cube {
    /// The port toward the next switch of a dimension.
    pub(crate) fn port(&self, dimension: usize, plus: bool) -> usize {
        self.nodes + 2 * dimension + usize::from(!plus)
    }

    /// Coordinates of a switch.
    pub(crate) fn place(&self, switch: usize) -> Vec<usize> {
        digits(switch, &self.radix)
    }

    /// A switch from which the way to the farthest one of a mesh is as short as from any.
    pub(super) fn middle(&self) -> usize {
        number(&self.radix.iter().map(|k| (k - 1) / 2).collect::<Vec<usize>>(), &self.radix)
    }

    pub(super) fn wiring(&self, ports: usize, torus: bool) -> Result<Wiring, Fault> {
        let needed = self.nodes + 2 * self.radix.len();
        if needed > ports {
            let rule = format!("needs {needed} ports with the links, and the switch has {ports}");
            let legal = match ports.saturating_sub(2 * self.radix.len()) {
                0 => format!("a switch with {needed} ports or more"),
                left => left.to_string(),
            };
            return Err(fault("/nodes", self.nodes, rule, legal));
        }
        let product = self.radix.iter().try_fold(1usize, |product, k| product.checked_mul(*k));
        let fits = product.filter(|count| *count <= MAX_SWITCHES && count * self.nodes <= MAX_NODES);
        let Some(switches) = fits else {
            let rule = format!("makes more than {MAX_SWITCHES} switches or {MAX_NODES} nodes");
            return Err(fault("/radix", json!(self.radix), rule, json!(vec![2; self.radix.len()]).to_string()));
        };
        let mut wiring = Wiring::new(switches, ports);
        self.wire(&mut wiring, torus).expect("each port is wired once");
        Ok(wiring)
    }

    fn wire(&self, wiring: &mut Wiring, torus: bool) -> Result<(), crate::wiring::WiringError> {
        for switch in 0..wiring.switches() {
            for port in 0..self.nodes {
                wiring.attach(Port { switch, port })?;
            }
        }
        for switch in 0..wiring.switches() {
            for (i, k) in self.radix.iter().enumerate() {
                let mut at = self.place(switch);
                if !torus && at[i] + 1 == *k {
                    continue;
                }
                at[i] = (at[i] + 1) % k;
                let far = Port { switch: number(&at, &self.radix), port: self.port(i, false) };
                wiring.link(Port { switch, port: self.port(i, true) }, far)?;
            }
        }
        Ok(())
    }

    /// Whether no link is missing.
    pub(super) fn is_whole(&self, wiring: &Wiring, torus: bool) -> bool {
        (0..wiring.switches()).all(|switch| {
            let at = self.place(switch);
            self.radix.iter().enumerate().all(|(i, k)| {
                let at_rim = !torus && at[i] + 1 == *k;
                at_rim || matches!(wiring.peer(Port { switch, port: self.port(i, true) }), Peer::Switch(_))
            })
        })
    }

    /// From one coordinate to another of dimension `i`; ties go toward plus.
    fn way(&self, i: usize, from: usize, to: usize, torus: bool) -> Way {
        let k = self.radix[i];
        let plus = if torus { (to + k - from) % k <= k / 2 } else { to > from };
        Way { plus, crosses: torus && plus != (to > from) }
    }

    /// Dimension-order tables. In a torus whose routes name VCs, each pair of unicast VCs is a class of destinations; a packet goes by
    /// the pair's second VC while it has still to cross the wrap-around link of the dimension in which it goes, else by the first.
    pub(super) fn tables(&self, wiring: &Wiring, torus: bool, shape: &Shape) -> Tables {
        let unicast = shape.multicast.map_or(shape.vcs, |mixed| mixed.vc);
        let dateline = torus && shape.next_vc && unicast >= 2;
        // A port map knows directions, no destinations.
        let classes = if shape.algorithmic().is_some() { 1 } else { (unicast / 2).max(1) };
        let places: Vec<Vec<usize>> = (0..wiring.switches()).map(|switch| self.place(switch)).collect();
        Tables::new(wiring.switches(), wiring.nodes().len(), |switch, node| {
            let (at, to) = (&places[switch], &places[wiring.nodes()[node].switch]);
            let Some(i) = (0..at.len()).find(|&i| at[i] != to[i]) else {
                return Some(Hop { port: wiring.nodes()[node].port, vc: None });
            };
            let way = self.way(i, at[i], to[i], torus);
            let vc = 2 * (node % classes) + usize::from(way.crosses);
            Some(Hop { port: self.port(i, way.plus), vc: dateline.then_some(vc) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_has_as_many_links_as_dimensions_a_switch_and_a_mesh_fewer() {
        let cube = Cube { radix: vec![4, 3, 2], nodes: 2 };
        let [torus, mesh] = [true, false].map(|torus| cube.wiring(8, torus).unwrap());
        assert_eq!((torus.switches(), torus.nodes().len()), (24, 48));
        assert_eq!((torus.links().count(), mesh.links().count()), (72, 18 + 16 + 12));
        assert!(cube.is_whole(&torus, true) && cube.is_whole(&mesh, false) && !cube.is_whole(&mesh, true));
        assert_eq!(cube.wiring(7, true).unwrap_err().path, "/nodes");
    }

    #[test]
    fn the_shorter_way_and_whether_it_crosses() {
        let cube = Cube { radix: vec![5], nodes: 1 };
        let way = |from, to| {
            let way = cube.way(0, from, to, true);
            (way.plus, way.crosses)
        };
        assert_eq!(
            [way(0, 2), way(0, 3), way(4, 1), way(3, 1)],
            [(true, false), (false, true), (true, true), (false, false)]
        );
    }
}
