//! What the switch of a given shape consists of: which pins, units and wires there are, how many and how wide.
//!
//! A unit or wire that only some switches have is an empty `Vec` in the others; what joins it ([`Switch`]) then has nothing to do.

use super::Switch;
use crate::rtl::prelude::*;
use crate::units::allocate::allocator::allocator;
use crate::units::barrier::barrier_unit::barrier_unit;
use crate::units::counters::port_counters::port_counters;
use crate::units::counters::switch_counters::switch_counters;
use crate::units::input::input_errors::input_errors;
use crate::units::input::input_unit::input_unit;
use crate::units::input::link_flit::link_flit;
use crate::units::multicast::multicast_unit::multicast_unit;
use crate::units::output::crossbar::crossbar;
use crate::units::output::output_unit::output_unit;
use crate::units::registers::apb_pins::{apb_pins, ApbPins};
use crate::units::registers::apb_registers::apb_registers;
use crate::units::route::algorithmic_route::algorithmic_route;
use crate::units::route::cam_port::cam_port;
use crate::units::route::cam_wires::{cam_request, cam_response, CamRequest, CamResponse};
use crate::units::route::output_selection::output_selection;
use crate::units::route::route_unit::{route_unit, uncached_route_unit};
use crate::units::route::source_route::source_route;
use crate::units::route::table_port::table_port;
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::registers::registers;
use railyard_spec::{Crossbar, LinkArbitration, RoutingShape, Shape};

/// The switch of the given shape.
pub fn switch(shape: &Shape) -> Switch {
    let (n, k, credit_bits) = (shape.ports, shape.vcs, shape.credit_bits as usize);
    let parallel = shape.crossbar == Crossbar::Parallel;
    let flit_wise = usize::from(shape.link_arbitration == LinkArbitration::Flit);
    let table = shape.table();
    let cache = table.and_then(|table| table.cache.as_ref());
    let asked = table.filter(|table| table.external_cam);
    let by_table = usize::from(table.is_some());
    let (by_cam, by_chip) = (usize::from(shape.external_cam()), usize::from(shape.forwarding_table().is_some()));
    let counted = usize::from(shape.counter_bits.is_some());
    let algorithmic = shape.algorithmic();
    let reduction = shape.reduction();
    let by_registers = usize::from(!registers(shape).is_empty());
    let cache_control = usize::from(shape.cache_control());
    let by_algorithm = usize::from(algorithmic.is_some());
    let by_source = 1 - by_table - by_algorithm;
    let next_vc = usize::from(shape.next_vc);
    let selecting = usize::from(shape.output_selection());
    let mixed = usize::from(shape.multicast.is_some());
    let (linked, several) = (usize::from(shape.link_aggregation.is_some()), usize::from(shape.candidates > 1));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let error_cam_doc = match (shape.next_vc, shape.output_selection()) {
        (_, true) => "sticky: a CAM answer to no request, or with no such route",
        (true, false) => "sticky: a CAM answer to no request, or with no such port or VC",
        (false, false) => "sticky: a CAM answer to no request, or with no such port",
    };
    Switch {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        error_clear: flag().doc("clears all sticky error flags"),
        rx: many(n, || link_flit(shape, "a flit arrives")),
        rx_credit_valid: many(n * k, || flag().doc("buffer space of this VC became free: send the report")),
        rx_credit: many(n * k, || sig(credit_bits).doc("credit report")),
        tx: many(n, || link_flit(shape, "a flit leaves")),
        tx_credit_valid: many(n * k, || flag().doc("a credit report of the next buffer arrives")),
        tx_credit: many(n * k, || sig(credit_bits).doc("credit report")),
        cam_request: asked
            .map(|table| CamRequest {
                tag: sig(table.tag_bits as usize).doc("tag to answer with: port, VC, slot"),
                ..cam_request(table)
            })
            .into_iter()
            .collect(),
        cam_response: asked
            .map(|table| CamResponse {
                valid: flag().doc("the CAM answers; always taken"),
                vc_set: many(next_vc, || flag().doc("packets leave on cam_response_vc, not on their own VC")),
                group: many(linked, || sig(group_bits).doc("link aggregation group")),
                ..cam_response(shape, table)
            })
            .into_iter()
            .collect(),
        lookup_hit: many(by_table * n, || flag().doc("a lookup was answered by the routing cache")),
        lookup_miss: many(by_table * n, || flag().doc("a lookup went to the CAM, or joined one that did")),
        apb: many(by_registers, || ApbPins {
            psel: flag().doc("APB: a transfer to this switch's registers"),
            pready: flag().doc("APB: always 1, no transfer waits"),
            pslverr: flag().doc("APB: the access is illegal and changes nothing"),
            ..apb_pins()
        }),
        drop_valid: many(n * k, || flag().doc("a packet without a route was dropped")),
        drop_count: many(n, || sig(DROP_COUNT_BITS as usize).doc("packets dropped since reset")),
        error: many(n, input_errors),
        error_credit: many(n, || flag().doc("sticky: a credit report for flits that were never sent")),
        error_cam: many(by_cam, || flag().doc(error_cam_doc)),
        input_unit: many(n, || input_unit(shape)),
        source_route: many(by_source * n, || source_route(shape)),
        route_unit: match (table, cache) {
            (Some(table), Some(cache)) => many(n, || route_unit(shape, table, cache)),
            _ => vec![],
        },
        uncached_route_unit: match (table, cache) {
            (Some(table), None) => many(n, || uncached_route_unit(shape, table)),
            _ => vec![],
        },
        algorithmic_route: algorithmic.map_or(vec![], |a| many(n, || algorithmic_route(shape, a))),
        cam_port: table.map(|table| cam_port(shape, table)).into_iter().collect(),
        table_port: match (table, shape.forwarding_table()) {
            (Some(routing), Some(table)) => vec![table_port(shape, routing, table)],
            _ => vec![],
        },
        output_selection: many(selecting * n, || output_selection(shape)),
        multicast_unit: many(mixed, || multicast_unit(shape)),
        barrier_unit: shape.barrier.iter().map(|built| barrier_unit(shape, built)).collect(),
        registers: many(by_registers, || apb_registers(shape)),
        allocator: many(n, || allocator(shape)),
        crossbar: crossbar(shape),
        output_unit: many(n, || output_unit(shape)),
        port_counters: shape.counter_bits.map_or(vec![], |bits| many(n, || port_counters(shape, bits as usize))),
        switch_counters: shape
            .counter_bits
            .map_or(vec![], |bits| many(by_table, || switch_counters(shape, bits as usize))),
        ready: many(k, || sig(n).doc("VC v of input i has a flit to pop")),
        ending: many(k, || sig(n).doc("VC v of input i has a tail to pop")),
        request: many(n * k, || sig(n).doc("input i asks for output o on VC v, element o * k + v")),
        leave: many(next_vc * k * k, || {
            sig(n).doc("packet at the head of VC v of input i leaves on VC u, element v * k + u")
        }),
        granted: many(k, || sig(n).doc("VC v of input i is connected")),
        granted_to: many(n, || sig(k).doc("the same, by input")),
        chosen: many(flit_wise * k, || sig(n).doc("VC v of input i may send")),
        chosen_to: many(flit_wise * n, || sig(k).doc("the same, by input")),
        offer_valid: many(by_table, || sig(n).doc("port i has a request for the CAM")),
        answer_known: many(by_cam, || sig(n).doc("port i waits for the CAM's answer")),
        sweeping: many(cache_control, || sig(n).doc("port i's cache sweeps")),
        with_room: many(counted * k, || sig(n).doc("VC v of input i asks for an output that has room")),
        with_room_to: many(counted * n, || sig(k).doc("the same, by input")),
        asking_to: many(counted * n, || sig(k).doc("VC v of input i asks for an output, by input")),
        group_sweeping: many(mixed, || sig(n).doc("port i's group table is being emptied")),
        multicast_waiting: many(mixed, || sig(n).doc("input i has a multicast packet that waits for its outputs")),
        may_connect: many(mixed, || sig(n).doc("the mixed VC of input i may be connected anew")),
        output_free: many(mixed, || sig(n).doc("output o is not busy, or its owner is finishing")),
        mixed_room: many(mixed, || sig(n).doc("output o has room on the mixed VC behind what is being sent")),
        mixed_credit: many(mixed, || sig(n).doc("the next buffer of output o has room for a packet on the mixed VC")),
        mixed_credit_two: many(mixed, || {
            sig(n).doc("the next buffer of output o has room for two packets on the mixed VC")
        }),
        mixed_spare: many(mixed, || {
            sig(n).doc("output o is not sending on the mixed VC, and two packets have room there")
        }),
        mixed_grant: many(mixed, || sig(n).doc("a unicast packet that leaves on the mixed VC gets output o")),
        passed_over: many(mixed, || sig(n).doc("a unicast packet requests output o, and none gets it")),
        leave_mixed: many(next_vc * mixed * n, || {
            sig(k).doc("packet at the head of VC v of input i leaves on the mixed VC")
        }),
        ports: param(n),
        vcs: param(k),
        gated: param(if parallel { (1 - next_vc) * n } else { 0 }),
        gated_by_plane: param(if parallel { next_vc * n } else { 0 }),
        direct_cam: param(by_table - by_chip),
        table_cam: param(by_chip * by_cam),
        default_routes: param(usize::from(shape.default_route())),
        counted_tables: param(counted * by_chip),
        counted_lookups: param(counted * by_table),
        counted_multicasts: param(counted * mixed),
        direct: param(1 - selecting),
        selecting: param(selecting),
        direct_vcs: param((1 - selecting) * next_vc * k),
        selected_vcs: param(selecting * next_vc * k),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
        mixed_selecting: param(selecting * mixed),
        link_settings: param(linked),
        message: field(0, MESSAGE_BITS.min(shape.flit_bits) as usize),
        compared: param(several * n),
        next_vcs: param(next_vc * k),
        cache_control: param(cache_control),
        reduction_settings: param(usize::from(reduction.is_some())),
        map_entries: param(algorithmic.map_or(0, |a| 1 << a.reduction.key_bits)),
        about: header(shape),
    }
}

/// What the top module's header says: its parameters.
fn header(shape: &Shape) -> About {
    let about = about("switch", "HPC switch: input units, route computation, allocators, crossbar, output units.")
        .param("ports", shape.ports)
        .param("vcs", shape.vcs)
        .param("flit_bits", shape.flit_bits as usize)
        .param("max_flits", shape.max_flits as usize)
        .param("buffer_flits", shape.buffer_flits as usize);
    let about = match &shape.barrier {
        Some(built) => about.param("barrier_groups", built.groups),
        None => about,
    };
    match &shape.routing {
        RoutingShape::Table(t) => {
            let (entries, ways) = t.cache.as_ref().map_or((0, 0), |c| (c.sets * c.ways, c.ways));
            let about = about
                .param("address_bits", t.address_bits as usize)
                .param("lookups_per_vc", t.lookups_per_vc)
                .param("cache_entries", entries)
                .param("cache_ways", ways);
            match &t.reduction {
                Some(r) => about.param("node_reduction_stages", r.stages as usize),
                None => about,
            }
        }
        RoutingShape::Algorithmic(a) => about
            .param("address_bits", a.address_bits as usize)
            .param("node_reduction_stages", a.reduction.stages as usize)
            .param("map_entries", 1 << a.reduction.key_bits),
        RoutingShape::Source(s) => about.param("hops", s.hops as usize),
    }
}
