//! What the switch of a given shape consists of: which pins, units and wires there are, how many and how wide.

use super::{multicast, routing, Switch};
use crate::rtl::prelude::*;
use crate::units::allocate::allocator::allocator;
use crate::units::barrier::barrier_unit::barrier_unit;
use crate::units::counters::port_counters::port_counters;
use crate::units::counters::switch_counters::switch_counters;
use crate::units::input::input_errors::InputErrors;
use crate::units::input::input_unit::input_unit;
use crate::units::input::link_flit::link_flit;
use crate::units::multicast::multicast_unit::multicast_unit;
use crate::units::output::crossbar::crossbar;
use crate::units::output::output_unit::output_unit;
use crate::units::registers::apb_pins::{apb_pins, ApbPins};
use crate::units::registers::apb_registers::apb_registers;
use crate::units::route::cam_port::cam_port;
use crate::units::route::cam_wires::{cam_request, cam_response, CamRequest, CamResponse};
use crate::units::route::output_selection::output_selection;
use crate::units::route::route_computation::route_computation;
use crate::units::route::table_port::table_port;
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::registers::registers;
use railyard_spec::{Crossbar, LinkArbitration, RoutingShape, Shape};

/// The switch of the given shape.
pub fn switch(shape: &Shape) -> Switch {
    let (n, k, credit_bits) = (shape.ports, shape.vcs, shape.credit_bits as usize);
    let (table, algorithmic) = (shape.table(), shape.algorithmic());
    let cache = table.and_then(|table| table.cache.as_ref());
    let if_so = |built: bool, count: usize| if built { count } else { 0 };
    let by_table = if_so(table.is_some(), n);
    let by_registers = !registers(shape).is_empty();
    let flit_wise = shape.link_arbitration == LinkArbitration::Flit;
    let mixed_leave = shape.next_vc && shape.multicast.is_some();
    let counted = shape.counter_bits.is_some();
    Switch {
        error_clear: flag().doc(if shape.events {
            "Clears all sticky error flags, and all events in the registers."
        } else {
            "Clears all sticky error flags."
        }),
        rx: many(n, || link_flit(shape, "A flit arrives.")),
        rx_credit_valid: many(n * k, flag),
        rx_credit: many(n * k, || sig(credit_bits)),
        tx: many(n, || link_flit(shape, "A flit leaves.")),
        tx_credit_valid: many(n * k, flag),
        tx_credit: many(n * k, || sig(credit_bits)),
        cam_request: cam_request_pins(shape),
        cam_response: cam_response_pins(shape),
        lookup_hit: many(by_table, flag),
        lookup_miss: many(by_table, flag),
        apb: by_registers.then(apb),
        drop_valid: many(n * k, flag),
        drop_count: many(n, || sig(DROP_COUNT_BITS as usize)),
        error: many(n, InputErrors::plain),
        error_credit: many(n, flag),
        error_cam: shape.external_cam().then(|| {
            flag().doc(match (shape.next_vc, shape.output_selection()) {
                (_, true) => "Sticky: a CAM answer matched no request, or named a route that does not exist.",
                (true, false) => "Sticky: a CAM answer matched no request, or named a port or VC that does not exist.",
                (false, false) => "Sticky: a CAM answer matched no request, or named a port that does not exist.",
            })
        }),
        event_interrupt: shape.events.then(flag),
        input_unit: many(n, || input_unit(shape)),
        route_computation: many(n, || route_computation(shape)),
        cam_port: table.map(|table| cam_port(shape, table)),
        table_port: table.zip(shape.forwarding_table()).map(|(routing, table)| table_port(shape, routing, table)),
        output_selection: many(if_so(shape.output_selection(), n), || output_selection(shape)),
        multicast_unit: shape.multicast.map(|_| multicast_unit(shape)),
        barrier_unit: shape.barrier.as_ref().map(|built| barrier_unit(shape, built)),
        registers: by_registers.then(|| apb_registers(shape)),
        allocator: many(n, || allocator(shape)),
        crossbar: crossbar(shape),
        output_unit: many(n, || output_unit(shape)),
        port_counters: shape.counter_bits.map_or(vec![], |bits| many(n, || port_counters(shape, bits as usize))),
        switch_counters: table.and(shape.counter_bits).map(|bits| switch_counters(shape, bits as usize)),
        ready: many(k, || sig(n)),
        ending: many(k, || sig(n)),
        request: many(n * k, || sig(n)),
        leave: many(if_so(shape.next_vc, k * k), || sig(n)),
        granted: many(k, || sig(n)),
        granted_to: many(n, || sig(k)),
        chosen: many(if_so(flit_wise, k), || sig(n)),
        chosen_to: many(if_so(flit_wise, n), || sig(k)),
        asking: routing::asking(shape),
        with_room: many(if_so(counted, k), || sig(n)),
        with_room_to: many(if_so(counted, n), || sig(k)),
        asking_to: many(if_so(counted, n), || sig(k)),
        gathered: multicast::gathered(shape),
        leave_mixed: many(if_so(mixed_leave, n), || sig(k)),
        mixed: shape.multicast.map_or(0, |built| built.vc),
        next_vc: shape.next_vc,
        gated: shape.crossbar == Crossbar::Parallel,
        message: field(0, MESSAGE_BITS.min(shape.flit_bits) as usize),
        ports: n,
        vcs: k,
        flit_bits: shape.flit_bits as usize,
        max_flits: shape.max_flits as usize,
        buffer_flits: shape.buffer_flits as usize,
        barrier_groups: shape.barrier.as_ref().map(|built| built.groups),
        address_bits: shape.address_bits().map(|bits| bits as usize),
        lookups_per_vc: table.map(|table| table.lookups_per_vc),
        cache_entries: table.map(|_| cache.map_or(0, |c| c.sets * c.ways)),
        cache_ways: table.map(|_| cache.map_or(0, |c| c.ways)),
        node_reduction_stages: shape.reduction().map(|reduction| reduction.stages as usize),
        map_entries: algorithmic.map(|a| 1 << a.reduction.key_bits),
        hops: match &shape.routing {
            RoutingShape::Source(source) => Some(source.hops as usize),
            _ => None,
        },
        ..Switch::plain()
    }
}

/// Pins to the CAM, if there is one.
fn cam_request_pins(shape: &Shape) -> Option<CamRequest<Out>> {
    shape.table().filter(|table| table.external_cam).map(|table| CamRequest {
        tag: sig(table.tag_bits as usize).doc("Tag of the request, which the answer repeats: port, VC, slot."),
        ..cam_request(table)
    })
}

/// Pins from the CAM, if there is one.
fn cam_response_pins(shape: &Shape) -> Option<CamResponse<In>> {
    let groups = shape.link_aggregation.as_ref();
    shape.table().filter(|table| table.external_cam).map(|table| CamResponse {
        valid: flag().doc("The CAM answers, and the answer is always taken."),
        vc_set: shape.next_vc.then(|| flag().doc("Packets leave on cam_response_vc, not on their own VC.")),
        group: groups.map(|groups| sig(groups.group_bits as usize).doc("Link aggregation group.")),
        ..cam_response(shape, table)
    })
}

fn apb() -> ApbPins<In> {
    ApbPins {
        psel: flag().doc("APB: a transfer addresses the registers of the switch."),
        pready: flag().doc("APB: always 1, as no transfer waits."),
        pslverr: flag().doc("APB: the access is illegal and changes nothing."),
        ..apb_pins()
    }
}
