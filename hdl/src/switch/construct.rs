//! Pins of the switch that say what they mean by its shape, and numbers that its header lists.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;
use railyard_spec::registers::registers;

/// Whether the switch has registers.
pub(super) fn has_registers(shape: &Shape) -> bool {
    !registers(shape).is_empty()
}

/// A unit of each port, with buffers as deep as they are there, and with the VCs that are built there.
pub(super) fn at_ports<U>(shape: &Shape, unit: impl Fn(&Shape) -> U) -> Vec<U> {
    (0..shape.ports).map(|port| unit(&shape.at_port(port))).collect()
}

/// The same, with the VCs of the port that has most.
fn at_depths<U>(shape: &Shape, unit: impl Fn(&Shape) -> U) -> Vec<U> {
    (0..shape.ports).map(|port| unit(&shape.with_depth_at(port))).collect()
}

/// The input unit of each port.
pub(super) fn input_units(shape: &Shape) -> Vec<InputUnit> {
    let is_node = |port| shape.dragonfly().is_some_and(|built| built.kind(port) == PortKind::Node);
    (0..shape.ports).map(|port| input_unit(&shape.at_port(port), is_node(port))).collect()
}

/// What minimal packets use behind each output to another switch, where credit reports tell.
pub(super) fn minimal_uses(shape: &Shape) -> Vec<MinimalUse> {
    let built = shape.dragonfly().filter(|built| built.min_credits);
    let links = |built: &DragonflyShape| built.node_ports..shape.ports;
    built.map_or(vec![], |built| links(built).map(|port| minimal_use(&shape.at_port(port))).collect::<Vec<_>>())
}

/// The ranking of all packets by age: VC v of port i has number i * k + v, and ports to nodes are the first.
pub(super) fn age_ranking_of(shape: &Shape, built: &DragonflyShape) -> AgeRanking {
    let (vcs, age_bits) = (shape.vcs, built.age_bits.expect("packets have ages by which they are ranked") as usize);
    age_ranking(shape.ports * vcs, built.node_ports * vcs, age_bits, built.transit_first)
}

/// The hop selection of each port of a Dragonfly's switch.
pub(super) fn hop_selections(shape: &Shape) -> Vec<HopSelection> {
    let of = |built: &DragonflyShape| {
        (0..shape.ports).map(|port| hop_selection(shape, built, built.kind(port))).collect::<Vec<_>>()
    };
    shape.dragonfly().map_or(vec![], of)
}

/// The draws of each port that draws; ports to nodes are the first.
pub(super) fn port_draws_of(shape: &Shape) -> Vec<PortDraws> {
    let of = |built: &DragonflyShape| {
        let draws = (0..shape.ports).filter(|port| decides(built, built.kind(*port)) || built.random_vcs);
        draws.map(|port| port_draws(shape, built, built.kind(port), port)).collect::<Vec<_>>()
    };
    shape.dragonfly().map_or(vec![], of)
}

/// What is sensed of each output to a node, where ways are chosen.
pub(super) fn node_senses(shape: &Shape) -> Vec<OutputSense> {
    let built = shape.dragonfly().filter(|built| built.adaptive());
    built.map_or(vec![], |built| {
        let nodes = 0..built.node_ports;
        nodes.map(|port| output_sense(&shape.with_depth_at(port), built, false)).collect::<Vec<_>>()
    })
}

/// What is sensed of each output to another switch, where ways are chosen.
pub(super) fn link_senses(shape: &Shape) -> Vec<OutputSense> {
    let built = shape.dragonfly().filter(|built| built.adaptive());
    built.map_or(vec![], |built| {
        let links = built.node_ports..shape.ports;
        links.map(|port| output_sense(&shape.with_depth_at(port), built, true)).collect::<Vec<_>>()
    })
}

/// The comparison of each link with the limits of all links, for detours.
pub(super) fn lighter_links(shape: &Shape) -> Vec<Comparisons> {
    let built = shape.dragonfly().filter(|built| built.in_transit);
    let one = |built| comparisons(queue_bits(shape), limit_bits(shape), link_ports(built));
    built.map_or(vec![], |built| many(link_ports(built), || one(built)))
}

/// The comparison of each link with the bounds of all outputs, for vias.
pub(super) fn shorter_links(shape: &Shape) -> Vec<Comparisons> {
    let built = shape.dragonfly().filter(|built| built.valiant.is_some());
    let one = || comparisons(queue_bits(shape), bound_bits(shape), shape.ports);
    built.map_or(vec![], |built| many(link_ports(built), one))
}

/// The contention counter of each output.
pub(super) fn contention_counters(shape: &Shape) -> Vec<ContentionCounter> {
    let built = shape.dragonfly().filter(|built| built.contention);
    let one = |built: &DragonflyShape| contention_counter(shape.ports * shape.vcs, built.filter);
    built.map_or(vec![], |built| many(shape.ports, || one(built)))
}

/// What tells other routers of the group, where something is told.
pub(super) fn message_unit_of(shape: &Shape) -> Option<MessageUnit> {
    let (dragonfly, built) = shape.dragonfly().zip(shape.router_messages())?;
    Some(message_unit(shape, dragonfly, &built))
}

/// The VC choice of each output, where rules choose.
pub(super) fn vc_choices(shape: &Shape) -> Vec<VcChoice> {
    let built = shape.dragonfly().filter(|built| built.flexible_vcs);
    built.map_or(vec![], |built| at_depths(shape, |shape| vc_choice(shape, built)))
}

/// Sets and ways of the routing caches of a table-routed switch; none of either without caches.
pub(super) fn cache_size(shape: &Shape) -> Option<(usize, usize)> {
    shape.table().map(|table| table.cache.as_ref().map_or((0, 0), |cache| (cache.sets, cache.ways)))
}

/// Hops of a source route.
pub(super) fn hops(shape: &Shape) -> Option<usize> {
    match &shape.routing {
        RoutingShape::Source(source) => Some(source.hops as usize),
        _ => None,
    }
}

/// The pin that clears what is sticky.
pub(super) fn error_clear_pin(shape: &Shape) -> Flag<In> {
    flag().doc(match shape.events {
        true => "Clears all sticky error flags, and all events in the registers.",
        false => "Clears all sticky error flags.",
    })
}

/// The pin that says that the CAM's answers are wrong, if there is a CAM.
pub(super) fn error_cam_pin(shape: &Shape) -> Option<Flag<Out>> {
    shape.external_cam().then(|| {
        flag().doc(match (shape.next_vc, shape.output_selection()) {
            (_, true) => "Sticky: a CAM answer matched no request, or named a route that does not exist.",
            (true, false) => "Sticky: a CAM answer matched no request, or named a port or VC that does not exist.",
            (false, false) => "Sticky: a CAM answer matched no request, or named a port that does not exist.",
        })
    })
}

/// Pins to the CAM, if there is one.
pub(super) fn cam_request_pins(shape: &Shape) -> Option<CamRequest<Out>> {
    shape.table().filter(|table| table.external_cam).map(|table| CamRequest {
        tag: sig(table.tag_bits as usize).doc("Tag of the request, which the answer repeats: port, VC, slot."),
        ..cam_request(table)
    })
}

/// Pins from the CAM, if there is one.
pub(super) fn cam_response_pins(shape: &Shape) -> Option<CamResponse<In>> {
    let groups = shape.link_aggregation.as_ref();
    shape.table().filter(|table| table.external_cam).map(|table| CamResponse {
        valid: flag().doc("The CAM answers, and the answer is always taken."),
        vc_set: shape.next_vc.then(|| flag().doc("Packets leave on cam_response_vc, not on their own VC.")),
        group: groups.map(|groups| sig(groups.group_bits as usize).doc("Link aggregation group.")),
        ..cam_response(shape, table)
    })
}

pub(super) fn apb() -> ApbPins<In> {
    ApbPins {
        psel: flag().doc("APB: a transfer addresses the registers of the switch."),
        pready: flag().doc("APB: always 1, as no transfer waits."),
        pslverr: flag().doc("APB: the access is illegal and changes nothing."),
        ..ApbPins::plain()
    }
}
