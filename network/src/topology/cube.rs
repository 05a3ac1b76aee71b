//! k-ary n-torus and k-ary n-mesh.
//!
//! A switch is a number whose digits are its coordinates. Its ports: first its nodes, then two for each dimension, in
//! plus and in minus direction.

use super::grid::{Dimension, Grid};
use super::{count_switches, digits, number, one};
use crate::wiring::{Peer, Port, Wiring};
use railyard_input::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        let switches = count_switches(&self.radix, self.nodes, 2 * self.radix.len(), ports)?;
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

    /// Its coordinates and ports.
    pub(super) fn grid(&self, torus: bool) -> Grid {
        let dimension = |(i, &radix): (usize, &usize)| {
            let ports = [true, false].map(|plus| self.port(i, plus));
            Dimension { radix, wraps: torus, ports }
        };
        let dimensions = self.radix.iter().enumerate().map(dimension).collect();
        Grid { dimensions, places: (0..self.radix.iter().product()).map(|switch| self.place(switch)).collect() }
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
}
