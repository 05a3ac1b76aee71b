//! Topologies: how the switches of a network are wired, and where its nodes are.

mod cube;
mod dragonfly;
mod fat_tree;
mod grid;
mod hyperx;
mod links;
mod roots;

pub use cube::Cube;
pub(crate) use dragonfly::Exits;
pub use dragonfly::{Arrangement, ClassLatency, Dragonfly, DragonflyPort, GlobalEnd};
pub use fat_tree::FatTree;
pub(crate) use grid::Grid;
pub use grid::NoGrid;
pub use hyperx::HyperX;
pub use links::{Links, SwitchLink};

use crate::tables::{up_down_in_turn, Tables};
use crate::wiring::Wiring;
use railyard_input::{Fault, Faults};
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How a network is wired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Topology {
    /// FT(m, n): fat tree of m-port switches in n levels, with 2 (m / 2)^n nodes (m-port n-tree; Cao2016).
    FatTree(FatTree),
    /// k-ary n-torus, with its own k in each dimension.
    Torus(Cube),
    /// k-ary n-mesh, with its own k in each dimension.
    Mesh(Cube),
    /// Dragonfly: groups of switches that are all linked to each other, and links between the groups.
    Dragonfly(Dragonfly),
    /// HyperX: a link between each two switches that differ in one coordinate.
    #[serde(rename = "hyperx")]
    HyperX(HyperX),
    /// Any wiring, link by link.
    Wiring(Links),
    /// Any wiring, from a JSON file with the fields of `wiring`.
    File(WiringFile),
}

/// Where a wiring is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WiringFile {
    /// The file, from the folder of the network's file.
    pub path: String,
}

/// Most switches of a network.
pub const MAX_SWITCHES: usize = 65_536;

/// Most nodes of a network.
pub const MAX_NODES: usize = 65_536;

/// Most routes, one for each switch and node: their tables take two bytes each.
pub const MAX_ROUTES: usize = 3_000_000_000;

impl Topology {
    /// The wiring, of switches with `ports` ports.
    ///
    /// # Errors
    /// The switch has too few ports, or the numbers don't make a network. Paths are from the topology on: `/levels`.
    ///
    /// # Panics
    /// Of a [`Topology::File`], which has to be read first.
    pub fn wiring(&self, ports: usize) -> Result<Wiring, Faults> {
        let mut wiring = match self {
            Topology::FatTree(tree) => tree.wiring(ports)?,
            Topology::Torus(cube) => cube.wiring(ports, true)?,
            Topology::Mesh(cube) => cube.wiring(ports, false)?,
            Topology::Dragonfly(fly) => fly.wiring(ports)?,
            Topology::HyperX(hyperx) => hyperx.wiring(ports)?,
            Topology::Wiring(links) => links.wiring(ports)?,
            Topology::File(_) => panic!("the wiring file has not been read"),
        };
        self.rank(&mut wiring);
        Ok(wiring)
    }

    /// Ranks the switches for up*/down* routing and for trees, by the links that there are: in a fat tree by level,
    /// elsewhere by the distance from the roots. These are one switch in the middle of a torus or mesh, and those that
    /// a wiring names or that are found.
    pub(crate) fn rank(&self, wiring: &mut Wiring) {
        match self {
            Topology::FatTree(tree) => wiring.set_ranks(|switch| tree.levels - 1 - tree.level(switch)),
            Topology::Torus(_) => wiring.rank_from(&[0]),
            Topology::Mesh(cube) => wiring.rank_from(&[cube.middle()]),
            Topology::Wiring(Links { roots: Some(roots), .. }) => wiring.rank_from(roots),
            Topology::Dragonfly(_) | Topology::HyperX(_) | Topology::Wiring(_) | Topology::File(_) => {
                roots::rank(wiring)
            }
        }
    }

    /// Whether computed tables are up*/down* tables by distance from roots.
    pub(crate) fn is_up_down(&self, wiring: &Wiring) -> bool {
        match self {
            Topology::FatTree(_) => false,
            Topology::Torus(cube) => !cube.is_whole(wiring, true),
            Topology::Mesh(cube) => !cube.is_whole(wiring, false),
            Topology::Dragonfly(fly) => !fly.is_whole(wiring),
            Topology::HyperX(hyperx) => !hyperx.is_whole(wiring),
            Topology::Wiring(_) | Topology::File(_) => true,
        }
    }

    /// Its coordinates, with all links in place, in a switch with so many ports.
    ///
    /// # Errors
    /// It is neither mesh nor torus.
    pub(crate) fn grid(&self, ports: usize) -> Result<Grid, NoGrid> {
        match self {
            Topology::Torus(cube) => Ok(cube.grid(true)),
            Topology::Mesh(cube) => Ok(cube.grid(false)),
            Topology::FatTree(_) => Err(NoGrid::new("a fat tree has levels")),
            Topology::Dragonfly(_) => Err(NoGrid::new("a Dragonfly has groups")),
            Topology::HyperX(_) => Err(NoGrid::new("a HyperX has more than two neighbours in a dimension")),
            Topology::Wiring(_) | Topology::File(_) => Grid::of(&self.wiring(ports).expect("it was checked")),
        }
    }

    /// Computed tables for its wiring. With all links in place: fat tree up*/down*, the way up chosen by the
    /// destination's digits; torus, mesh and HyperX dimension order, in a torus with the dateline rule if routes name
    /// VCs; Dragonfly minimal. With links missing, and of other wirings:
    /// up*/down* (Schroeder and others, Autonet, 1991).
    pub fn tables(&self, wiring: &Wiring, shape: &Shape) -> Tables {
        match self {
            Topology::FatTree(tree) => tree.tables(wiring),
            _ if self.is_up_down(wiring) => up_down_in_turn(wiring),
            Topology::Torus(cube) => cube.grid(true).tables(wiring, shape),
            Topology::Mesh(cube) => cube.grid(false).tables(wiring, shape),
            Topology::Dragonfly(fly) => fly.tables(wiring, shape),
            Topology::HyperX(hyperx) => hyperx.tables(wiring),
            Topology::Wiring(_) | Topology::File(_) => unreachable!("their tables are up*/down* tables"),
        }
    }
}

/// What does not fit the switch, or the rest of the topology.
fn fault(path: impl Into<String>, value: impl ToString, rule: impl Into<String>, legal: impl Into<String>) -> Fault {
    Fault { path: path.into(), value: value.to_string(), rule: rule.into(), legal: legal.into() }
}

fn one() -> usize {
    1
}

/// The switches of a network whose coordinates are below `radix`, each with `nodes` nodes and `links` links.
fn count_switches(radix: &[usize], nodes: usize, links: usize, ports: usize) -> Result<usize, Fault> {
    let needed = nodes + links;
    if needed > ports {
        let rule = format!("needs {needed} ports with the links, and the switch has {ports}");
        let legal = match ports.saturating_sub(links) {
            0 => format!("a switch with {needed} ports or more"),
            left => left.to_string(),
        };
        return Err(fault("/nodes", nodes, rule, legal));
    }
    let product = radix.iter().try_fold(1usize, |product, k| product.checked_mul(*k));
    product
        .filter(|count| is_within_limits(*count, count.saturating_mul(nodes)))
        .ok_or_else(|| fault("/radix", json!(radix), too_large(), json!(vec![2; radix.len()]).to_string()))
}

/// Whether a network is small enough.
fn is_within_limits(switches: usize, nodes: usize) -> bool {
    switches <= MAX_SWITCHES && nodes <= MAX_NODES && switches * nodes <= MAX_ROUTES
}

/// The rule that larger ones break.
fn too_large() -> String {
    format!("makes more than {MAX_SWITCHES} switches, {MAX_NODES} nodes or {MAX_ROUTES} routes (switches times nodes)")
}

/// The digits of a number, lowest first, to a base each.
pub(crate) fn digits(mut number: usize, bases: &[usize]) -> Vec<usize> {
    let digit = |base: &usize| {
        let digit = number % base;
        number /= base;
        digit
    };
    bases.iter().map(digit).collect()
}

/// The number that has these digits.
fn number(digits: &[usize], bases: &[usize]) -> usize {
    digits.iter().zip(bases).rev().fold(0, |number, (digit, base)| number * base + digit)
}
