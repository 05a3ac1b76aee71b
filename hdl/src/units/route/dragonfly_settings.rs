//! Settings of Dragonfly routing, as bundles: from the registers to route computation and to the choice of virtual
//! channels.
//!
//! Source: reference of Dragonfly routing.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;

/// Place of the switch, and the ways to groups, routers and nodes.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct RouteTables<D: Side> {
    /// Number of this switch in its group.
    pub router: Sig<D, { built.router_bits as usize }>,
    /// Number of this switch's group.
    pub group: Sig<D, { built.group_bits as usize }>,
    /// Way to router r of this group: {valid, port}.
    pub router_map: Vec<Sig<D, { shape.port_bits as usize + 1 }>, { built.routers() }>,
    /// Way to node n of this switch: {valid, port}.
    pub node_map: Vec<Sig<D, { shape.port_bits as usize + 1 }>, { built.node_ports }>,
    /// Way to group g: {last, valid, port}.
    #[made(many(built.groups, || way_to_group(shape, built)))]
    pub group_map: Vec<Sig<D>>,
}

/// Legal virtual channels of hops, and the rule that chooses one.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct VcSettings<D: Side> {
    /// Legal VCs of packet class q, link class l, case c: element 8 q + 4 l + c.
    pub legal: Vec<Sig<D, { shape.vcs }>, { 2 * cases(built) }>,
    /// Rule of choice: 0 next, 1 most room, 2 highest with room, 3 lowest with room.
    #[made(built.flexible_vcs.then(|| rule_of_choice(built)))]
    pub rule: Option<Sig<D>>,
}

/// Bits of the number of a rule that chooses virtual channels.
pub fn rule_bits(built: &DragonflyShape) -> usize {
    if built.random_vcs {
        3
    } else {
        2
    }
}

/// The number of the rule that chooses virtual channels.
fn rule_of_choice<D: Side>(built: &DragonflyShape) -> Sig<D> {
    let rule = sig(rule_bits(built));
    rule.doc(match built.random_vcs {
        false => "Rule of choice: 0 next, 1 most room, 2 highest with room, 3 lowest with room.",
        true => "Rule of choice: 0 next, 1 most room, 2 highest with room, 3 lowest with room, 4 random with room.",
    })
}

/// Whether packets count how long they wait.
pub fn is_patient(built: &DragonflyShape) -> bool {
    built.flexible_vcs || built.adaptive()
}

/// Cases of a hop over a link of one class, for all classes of packets.
pub fn cases(built: &DragonflyShape) -> usize {
    built.packet_classes().len() * CASES.len()
}

/// Bits of the class of a packet and the case of its hop, the class above.
pub fn case_bits(built: &DragonflyShape) -> usize {
    clog2(cases(built))
}

/// Bits of a result of route computation: link, group, escape, phase, hop.
pub fn way_result_bits(shape: &Shape, built: &DragonflyShape) -> usize {
    let link = if built.saturation { built.link_bits() as usize } else { 0 };
    way_link_low(shape, built) + link
}

/// Lowest bit of the destination's group in a result.
pub fn way_group_low(shape: &Shape, built: &DragonflyShape) -> usize {
    let phase = if built.adaptive() { PHASE_BITS } else { 0 };
    let escape = if built.valiant.is_some() { shape.port_bits as usize + 2 } else { 0 };
    hop_bits(shape, built) + phase + escape
}

/// Lowest bit of the number of the global link in a result.
pub fn way_link_low(shape: &Shape, built: &DragonflyShape) -> usize {
    way_group_low(shape, built) + if built.ectn { built.group_bits as usize } else { 0 }
}

/// Bits of an entry of the group table: {link, last, valid, port}.
pub fn group_entry_bits(shape: &Shape, built: &DragonflyShape) -> usize {
    shape.port_bits as usize + 2 + if built.saturation { built.link_bits() as usize } else { 0 }
}

/// An entry of the group table.
fn way_to_group<D: Side>(shape: &Shape, built: &DragonflyShape) -> Sig<D> {
    sig(group_entry_bits(shape, built)).doc(match built.saturation {
        false => "Way to group g: {last, valid, port}.",
        true => "Way to group g: {link, last, valid, port}.",
    })
}

/// Bits of a hop: class, case, port.
pub fn hop_bits(shape: &Shape, built: &DragonflyShape) -> usize {
    shape.port_bits as usize + case_bits(built)
}
