//! Algorithmic routing: what the registers of each switch must hold, so that node reduction routes as the tables say.
//!
//! Node reduction of a cube knows one node at a switch. Others are two in a dimension of their own, behind those of the
//! network: the switch is at coordinate 1 of it, the nodes are at 0 and 2, and the ports to them are those in minus and
//! plus direction.

pub(crate) mod dragonfly;

use crate::plan::{Algorithm, Plan};
use crate::tables::Tables;
use crate::topology::{Cube, Dragonfly, FatTree, Topology};
use crate::wiring::Wiring;
use railyard_input::Fault;
use railyard_spec::reduction::{address, key, ReductionSettings};
use railyard_spec::registers::address::MAP;
use railyard_spec::{AlgorithmicShape, Topology as Family};

/// Node reduction can't route a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// No built-in function fits the topology.
    #[error("algorithmic routing needs a fat tree, torus, mesh or Dragonfly, and the function for it built in")]
    NoFunction,
    /// No chunk width fits the digits of an address.
    #[error("no built-in chunk width holds {values} values in each of {chunks} chunks of an address. In a torus with `radix` `full` it must hold exactly so many")]
    NoChunks {
        /// Values of a digit.
        values: usize,
        /// Digits.
        chunks: usize,
    },
    /// The tables are not those that the function follows.
    #[error("algorithmic routing follows the topology with all its links up, and takes no tables from elsewhere")]
    OtherTables,
    /// Dragonfly routing in another topology.
    #[error("routing of kind `dragonfly` needs a Dragonfly topology")]
    NoDragonfly,
    /// Minimal ways of a Dragonfly are missing.
    #[error("Dragonfly routing needs all links inside the groups, and one between each two groups")]
    NotWhole,
    /// Something in the network file does not fit the switch.
    #[error("{0}")]
    Fault(Fault),
}

/// The register writes of each switch; none with other kinds of routing.
pub(crate) fn placement(plan: &Plan, wiring: &Wiring, tables: &Tables) -> Result<Vec<Vec<(u32, u32)>>, PlacementError> {
    let Some(shape) = plan.shape.algorithmic() else { return Ok(vec![Vec::new(); wiring.switches()]) };
    let is_whole = plan.topology.wiring(plan.shape.ports).is_ok_and(|whole| whole == *wiring);
    let is_other = plan.tables.is_some() || plan.algorithm != Algorithm::ByTopology;
    if !is_whole || is_other && plan.topology.tables(wiring, &plan.shape) != *tables {
        return Err(PlacementError::OtherTables);
    }
    let chunk_bits = chunk_bits(plan)?;
    let switches = 0..wiring.switches();
    Ok(switches.map(|switch| writes(plan, shape, chunk_bits, tables, switch)).collect())
}

/// A node's address, as headers carry it.
pub(crate) fn node_address(plan: &Plan, node: usize) -> u64 {
    if let (Some(built), Topology::Dragonfly(fly)) = (plan.shape.dragonfly(), &plan.topology) {
        return dragonfly::node_address(fly, built, node);
    }
    let Some(_) = plan.shape.algorithmic() else { return node as u64 };
    let chunk_bits = chunk_bits(plan).expect("the plan was checked");
    let (digits, _) = digits(plan, node).expect("the plan was checked");
    address(chunk_bits, &digits)
}

/// A node's digits, and the most values that one has.
fn digits(plan: &Plan, node: usize) -> Option<(Vec<u32>, usize)> {
    let (digits, values) = match &plan.topology {
        Topology::FatTree(tree) => (crate::topology::digits(node, &tree.bases()), tree.top_ports().max(tree.ports / 2)),
        Topology::Torus(cube) | Topology::Mesh(cube) => {
            let mut digits = place_among_nodes(cube, node / cube.nodes);
            let number = node % cube.nodes;
            if let Some(digit) = (number > 0).then(|| &mut digits[cube.radix.len() + (number - 1) / 2]) {
                *digit = if number % 2 == 1 { 0 } else { 2 };
            }
            let values = if cube.nodes > 1 { 3 } else { 0 };
            (digits, values.max(*cube.radix.iter().max()?))
        }
        Topology::Dragonfly(fly) => {
            let bases = [fly.p, fly.a, fly.groups()];
            (crate::topology::digits(node, &bases), *bases.iter().max()?)
        }
        Topology::HyperX(_) | Topology::Wiring(_) | Topology::File(_) => return None,
    };
    Some((digits.into_iter().map(|digit| digit as u32).collect(), values))
}

/// The coordinates of a switch, those in the dimensions of its nodes included.
fn place_among_nodes(cube: &Cube, switch: usize) -> Vec<usize> {
    let mut place = cube.place(switch);
    place.extend(std::iter::repeat_n(1, cube.nodes / 2));
    place
}

fn family(topology: &Topology) -> Family {
    match topology {
        Topology::FatTree(_) => Family::FatTree,
        Topology::Dragonfly(_) => Family::Dragonfly,
        _ => Family::Cube,
    }
}

/// The narrowest built-in width that fits.
fn chunk_bits(plan: &Plan) -> Result<u32, PlacementError> {
    let shape = plan.shape.algorithmic().ok_or(PlacementError::NoFunction)?;
    let (digits, values) = digits(plan, 0).ok_or(PlacementError::NoFunction)?;
    if !shape.reduction.has(family(&plan.topology)) {
        return Err(PlacementError::NoFunction);
    }
    let is_whole = |bits: u32| match &plan.topology {
        Topology::Torus(cube) if shape.reduction.full_radix => cube.radix.iter().all(|&k| k == 1 << bits),
        _ => true,
    };
    let fits =
        |bits: &&u32| values <= 1 << **bits && digits.len() as u32 * **bits <= shape.address_bits && is_whole(**bits);
    let error = PlacementError::NoChunks { values, chunks: digits.len() };
    shape.reduction.chunk_bits.iter().find(fits).copied().ok_or(error)
}

fn writes(plan: &Plan, shape: &AlgorithmicShape, chunk_bits: u32, tables: &Tables, switch: usize) -> Vec<(u32, u32)> {
    let narrow = |digits: Vec<usize>| digits.into_iter().map(|digit| digit as u32).collect::<Vec<u32>>();
    let (settings, map) = match &plan.topology {
        Topology::FatTree(tree) => {
            let (level, label) = tree.place(switch);
            (
                ReductionSettings::fat_tree(chunk_bits, level as u32, &narrow(label)),
                tree_map(tree, level, shape.reduction.digit_bits),
            )
        }
        Topology::Torus(cube) => {
            // From 1 on, 2 is plus of a ring of three and of one of four, and 0 is minus.
            let around = if shape.reduction.full_radix { 1 << chunk_bits } else { 3 };
            let mut radix = narrow(cube.radix.clone());
            radix.extend(std::iter::repeat_n(around, cube.nodes / 2));
            let place = narrow(place_among_nodes(cube, switch));
            let settings = ReductionSettings::torus_with_split_ties(chunk_bits, &radix, &place);
            let dateline = shape.reduction.dateline && plan.shape.vcs >= 2;
            let mut map = cube_map(cube);
            if dateline {
                dateline_map(cube, switch, shape.reduction.cube_key_bits, plan.shape.multicast.is_some(), &mut map);
            }
            (ReductionSettings { dateline, ..settings }, map)
        }
        Topology::Mesh(cube) => {
            (ReductionSettings::mesh(chunk_bits, &narrow(place_among_nodes(cube, switch))), cube_map(cube))
        }
        Topology::Dragonfly(fly) => {
            let (group, router) = fly.place(switch);
            let settings = ReductionSettings::dragonfly(chunk_bits, router as u32, group as u32);
            (settings, dragonfly_map(fly, tables, switch, shape.reduction.digit_bits))
        }
        Topology::HyperX(_) | Topology::Wiring(_) | Topology::File(_) => unreachable!("they have no addresses"),
    };
    let mut writes = settings.writes(shape.address_bits, shape.reduction.full_radix);
    writes.extend(map.into_iter().map(|(key, route)| (MAP + 4 * key, route)));
    writes
}

/// Bit of a map entry that makes it count, and the bit that makes its VC count.
const VALID: u32 = 1 << 8;
const VC_SET: u32 = 1 << 24;

fn tree_map(tree: &FatTree, level: usize, digit_bits: u32) -> Vec<(u32, u32)> {
    let k = tree.ports as u32 / 2;
    let is_top = level + 1 == tree.levels;
    let down = (0..if is_top { tree.top_ports() as u32 } else { k }).map(|digit| (key::down(digit), VALID | digit));
    let up = (0..if is_top { 0 } else { k }).map(|digit| (key::up(digit, digit_bits), VALID | (k + digit)));
    down.chain(up).collect()
}

/// The routes to the nodes of the switch, the other switches of its group, and the other groups: each is that to a node
/// there.
fn dragonfly_map(fly: &Dragonfly, tables: &Tables, switch: usize, digit_bits: u32) -> Vec<(u32, u32)> {
    let (group, router) = fly.place(switch);
    let route = |node: usize| {
        let hop = tables.hop(switch, node).expect("minimal ways are whole");
        VALID | hop.port as u32 | hop.vc.map_or(0, |vc| VC_SET | (vc as u32) << 16)
    };
    let node = |group: usize, router: usize, number: usize| fly.switch(group, router) * fly.p + number;
    let nodes = (0..fly.p).map(|number| (key::down(number as u32), route(node(group, router, number))));
    let local = (0..fly.a).filter(|&other| other != router);
    let local = local.map(|other| (key::up(other as u32, digit_bits), route(node(group, other, 0))));
    let groups = (0..fly.groups()).filter(|&other| other != group);
    let groups = groups.map(|other| (key::group(other as u32, digit_bits), route(node(other, 0, 0))));
    nodes.chain(local).chain(groups).collect()
}

/// Ports by key.
fn cube_map(cube: &Cube) -> Vec<(u32, u32)> {
    let mut map = vec![(key::LOCAL, VALID)];
    for number in 1..cube.nodes {
        let dimension = (cube.radix.len() + (number - 1) / 2) as u32;
        let key = if number % 2 == 1 { key::minus(dimension) } else { key::plus(dimension) };
        map.push((key, VALID | number as u32));
    }
    for i in 0..cube.radix.len() {
        map.extend(directions(i).map(|(key, plus)| (key, VALID | cube.port(i, plus) as u32)));
    }
    map
}

/// The keys of plus and minus in a dimension.
fn directions(dimension: usize) -> [(u32, bool); 2] {
    [(key::plus(dimension as u32), true), (key::minus(dimension as u32), false)]
}

/// Adds the routes of ways that cross: on VC 1 up to the wrap-around link, on VC 0 over it. Other ways keep the
/// packet's VC, or take VC 0 where `named`. `key_bits` is the width of a key without the dateline's bit.
fn dateline_map(cube: &Cube, switch: usize, key_bits: u32, named: bool, map: &mut Vec<(u32, u32)>) {
    let at = cube.place(switch);
    for (i, k) in cube.radix.iter().enumerate() {
        for (key, plus) in directions(i) {
            let last = if plus { k - 1 } else { 0 };
            let route = VALID | VC_SET | cube.port(i, plus) as u32;
            map.push((key::crossing(key, key_bits), route | u32::from(at[i] != last) << 16));
            if named {
                map.push((key, route));
            }
        }
    }
}
