//! Dragonfly routing: place, tables and settings of each switch.

use crate::adaptive::Words;
use crate::plan::Plan;
use crate::tables::Tables;
use crate::topology::{Dragonfly, Exits, Topology};
use crate::wiring::{Peer, Port, Wiring};
use railyard_input::Fault;
use railyard_spec::registers::address::{GROUP_MAP, LINK_DELAY, NODE_MAP, ROUTER_MAP};
use railyard_spec::{DragonflyShape, Shape};

use super::PlacementError;

/// An entry of a table leads somewhere.
const VALID: u32 = 1 << 8;

/// An entry's port is the global link, or leads to the switch that has it.
const LAST: u32 = 1 << 9;

/// Lowest bit of the number of a global link, which an entry has for routers that tell which links are saturated.
const LINK_LOW: u32 = 16;

/// The topology, if the switch fits it.
pub fn topology<'a>(plan: &'a Plan, built: &DragonflyShape) -> Result<&'a Dragonfly, PlacementError> {
    let Topology::Dragonfly(fly) = &plan.topology else { return Err(PlacementError::NoDragonfly) };
    let sizes = [
        ("/topology/p", fly.p, built.node_ports, "port_classes.node.ports"),
        ("/topology/a", fly.a, built.routers(), "port_classes.local.ports + 1"),
        ("/topology/h", fly.h, built.global_ports, "port_classes.global.ports"),
    ];
    if let Some((path, value, legal, field)) = sizes.into_iter().find(|(_, value, legal, _)| value != legal) {
        let rule = format!("must be {legal}, the switch's `{field}`");
        return Err(fault(path, value, rule, legal));
    }
    if fly.groups() > built.groups {
        let rule = format!("must be at most {}, the switch's `routing.groups`", built.groups);
        return Err(fault("/topology/groups", fly.groups(), rule, built.groups));
    }
    Ok(fly)
}

fn fault(path: &str, value: usize, rule: String, legal: usize) -> PlacementError {
    PlacementError::Fault(Fault { path: path.into(), value: value.to_string(), rule, legal: legal.to_string() })
}

/// The register writes of each switch.
///
/// # Errors
/// The switch does not fit the topology or the settings, or the tables are other than the minimal ones.
pub fn placement(
    plan: &Plan,
    built: &DragonflyShape,
    wiring: &Wiring,
    tables: &Tables,
) -> Result<Vec<Vec<(u32, u32)>>, PlacementError> {
    let fly = topology(plan, built)?;
    if !fly.is_whole(wiring) {
        return Err(PlacementError::NotWhole);
    }
    if plan.topology.tables(wiring, &plan.shape) != *tables {
        return Err(PlacementError::OtherTables);
    }
    let words = plan.adaptive.words(&plan.shape).map_err(PlacementError::Fault)?;
    let exits = Exits::new(fly, wiring);
    let switches = 0..wiring.switches();
    Ok(switches.map(|switch| writes(fly, built, wiring, &exits, words.clone(), switch)).collect())
}

fn writes(
    fly: &Dragonfly,
    built: &DragonflyShape,
    wiring: &Wiring,
    exits: &Exits,
    mut words: Words,
    switch: usize,
) -> Vec<(u32, u32)> {
    let (group, router) = fly.place(switch);
    let mut set = |register, field, value: usize| {
        // What is not built needs no value.
        if let Err(Some(legal)) = words.set(register, field, value as u32) {
            unreachable!("{register}.{field}: {value}, legal: {legal}");
        }
    };
    set("coordinate", "group", group);
    set("coordinate", "router", router);
    set("network_size", "groups", fly.groups());
    set("network_size", "routers", fly.a);
    set("seed", "value", seed(switch) as usize);
    let linked = linked_ports(wiring, switch);
    set("detour_ports_low", "ports", (linked & u64::from(u32::MAX)) as usize);
    set("detour_ports_high", "ports", (linked >> 32) as usize);
    let settings: Vec<(u32, u32)> = words.writes().collect();
    settings.into_iter().chain(maps(fly, built, exits, group, router)).collect()
}

/// What tells a switch by how much packets age on the links of its ports, of which the latencies are given; nothing
/// where packets have no ages. A flit is at the pins a cycle after it was popped.
pub fn link_delays<'a>(shape: &Shape, latencies: &'a [u64]) -> impl Iterator<Item = (u32, u32)> + use<'a> {
    let has_ages = shape.dragonfly().is_some_and(|built| built.age_bits.is_some());
    let delays = latencies.iter().filter(move |_| has_ages).map(|latency| *latency as u32 + 1);
    (0..).map(|port| LINK_DELAY + 4 * port).zip(delays)
}

/// The longest link whose delay the registers can hold, in cycles.
pub const LONGEST_LINK: u64 = 254;

/// Ports with a link to another switch, as a mask.
fn linked_ports(wiring: &Wiring, switch: usize) -> u64 {
    let is_linked = |port: &usize| matches!(wiring.peer(Port { switch, port: *port }), Peer::Switch(_));
    (0..wiring.ports()).filter(is_linked).fold(0, |mask, port| mask | 1 << port)
}

/// The tables.
fn maps(fly: &Dragonfly, built: &DragonflyShape, exits: &Exits, group: usize, router: usize) -> Vec<(u32, u32)> {
    let entry = |table: u32, number: usize, word: u32| (table + 4 * number as u32, word);
    let routers = (0..fly.a).filter(|&other| other != router);
    let routers = routers.map(|other| entry(ROUTER_MAP, other, VALID | fly.local_port(router, other) as u32));
    let nodes = (0..fly.p).map(|node| entry(NODE_MAP, node, VALID | node as u32));
    let groups = (0..fly.groups()).filter(|&other| other != group).filter_map(|other| {
        let (owner, port) = exits.of_switch(group, router, other)?;
        let link = if built.saturation { (port - fly.global_port(0)) << LINK_LOW } else { 0 };
        let port = if owner == router { port } else { fly.local_port(router, owner) };
        Some(entry(GROUP_MAP, other, VALID | LAST | link as u32 | port as u32))
    });
    routers.chain(nodes).chain(groups).collect()
}

/// Another seed for each switch, and never 0 (mixing function of MurmurHash3, Appleby).
fn seed(switch: usize) -> u32 {
    let mut hash = switch as u32 + 1;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

/// A node's digits, as headers carry them.
pub fn node_address(fly: &Dragonfly, built: &DragonflyShape, node: usize) -> u64 {
    let (group, router) = fly.place(node / fly.p);
    built.header().destination(group, router, node % fly.p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn seeds_are_others_and_never_0() {
        let seeds: HashSet<u32> = (0..65_536).map(seed).collect();
        assert!(seeds.len() == 65_536 && !seeds.contains(&0));
    }
}
