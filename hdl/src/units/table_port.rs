//! Table port: stands between CAM port and CAM, with the same wires to both sides; asks the forwarding table first.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request_valid`, `request_tag`, `request_address` | 1, tag bits, A | register T0, in the CAM port |
//! | `advance` | 1 | it takes the next request, or none |
//! | `response_*` | | an answer, of the table or of the CAM; see [`cam_port`](super::cam_port) |
//! | `cam_*` | | pins of these names (with an external CAM only) |
//! | `table_*`, `sweeping`, `known`, `unknown` | | see [`forwarding_table`](super::forwarding_table) |
//!
//! State: the forwarding table with T1 and T2; with an external CAM the request register at its pins.
//!
//! Each cycle: what the table knows is an answer, in a cycle in which the CAM has none. What it does not know is loaded into the request
//! register, if that is empty or accepted; without an external CAM it is an answer too: no route.
//!
//! Source: switch reference, section 4.7.

use crate::rtl::prelude::*;
use crate::units::forwarding_table::{forwarding_table, ForwardingTable};
use crate::units::route::route_layout;
use crate::units::table_write::{table_write_in, TableWriteIn};
use railyard_spec::{ForwardingTableShape, Shape, TableShape};

/// The forwarding table in front of the CAM; see the head of this file.
#[derive(LogicBlock)]
pub struct TablePort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request_valid: Flag<In>,
    pub request_tag: Sig<In>,
    pub request_address: Sig<In>,
    pub advance: Flag<Out>,
    pub response_valid: Flag<Out>,
    pub response_tag: Sig<Out>,
    pub response_hit: Flag<Out>,
    pub response_port: Sig<Out>,
    pub response_vc_set: Vec<Flag<Out>>,
    pub response_vc: Vec<Sig<Out>>,
    pub response_group_set: Vec<Flag<Out>>,
    pub response_group: Vec<Sig<Out>>,
    pub response_candidates: Vec<Sig<Out>>,
    pub response_candidate: Vec<Sig<Out>>,
    pub response_in_order: Vec<Flag<Out>>,
    pub cam_request_valid: Vec<Flag<Out>>,
    pub cam_request_ready: Vec<Flag<In>>,
    pub cam_request_tag: Vec<Sig<Out>>,
    pub cam_request_address: Vec<Sig<Out>>,
    pub cam_response_valid: Vec<Flag<In>>,
    pub cam_response_tag: Vec<Sig<In>>,
    pub cam_response_hit: Vec<Flag<In>>,
    pub cam_response_port: Vec<Sig<In>>,
    pub cam_response_vc_set: Vec<Flag<In>>,
    pub cam_response_vc: Vec<Sig<In>>,
    pub cam_response_group_set: Vec<Flag<In>>,
    pub cam_response_group: Vec<Sig<In>>,
    pub cam_response_candidates: Vec<Sig<In>>,
    pub cam_response_candidate: Vec<Sig<In>>,
    pub cam_response_in_order: Vec<Flag<In>>,
    pub table: TableWriteIn,
    pub sweeping: Flag<Out>,
    pub known: Vec<Flag<Out>>,
    pub unknown: Vec<Flag<Out>>,

    asking: Vec<FlagReg>,
    tag: Vec<Reg>,
    address: Vec<Reg>,

    forwarding_table: ForwardingTable,

    free: Vec<Flag<Local>>,
    found: Vec<Flag<Local>>,
    lacking: Vec<Flag<Local>>,

    alone: Param,
    route_port: Field,
    route_vc: Field,
    route_vc_set: Param,
    route_group: Field,
    route_group_set: Param,
    route_candidate: Param,
    route_candidates: Field,
    route_in_order: Param,
    port_bits: Param,
    about: About,
}

/// The table port of a switch of the given shape.
pub fn table_port(shape: &Shape, routing: &TableShape, table: &ForwardingTableShape) -> TablePort {
    let (address_bits, tag_bits) = (routing.address_bits as usize, routing.tag_bits as usize);
    let (port_bits, vc_bits) = (shape.port_bits as usize, shape.vc_bits as usize);
    let (external, counted) = (usize::from(routing.external_cam), usize::from(shape.counter_bits.is_some()));
    let (next_vc, linked) = (usize::from(shape.next_vc), usize::from(shape.link_aggregation.is_some()));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let (several, more) = (usize::from(shape.candidates > 1), shape.candidates - 1);
    let candidates_bits = shape.candidates_bits() as usize;
    let layout = route_layout(shape);
    let doc = match routing.external_cam {
        true => "Between CAM port and CAM: asks the forwarding table first, and the CAM for what it does not know.",
        false => "Behind the CAM port, in place of a CAM: asks the forwarding table.",
    };
    TablePort {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        request_valid: flag().doc("T0 holds a request"),
        request_tag: sig(tag_bits).doc("its tag"),
        request_address: sig(address_bits).doc("its address"),
        advance: flag().doc("T0 takes the next request"),
        response_valid: flag().doc("there is an answer"),
        response_tag: sig(tag_bits).doc("tag of the request it answers"),
        response_hit: flag().doc("there is a route"),
        response_port: sig(port_bits).doc("its output port"),
        response_vc_set: many(next_vc, || flag().doc("packets leave on response_vc, not on their own VC")),
        response_vc: many(next_vc, || sig(vc_bits).doc("VC on which packets leave")),
        response_group_set: many(linked, || flag().doc("packets leave by a link of a group")),
        response_group: many(linked, || sig(group_bits).doc("this one")),
        response_candidates: many(several, || sig(candidates_bits).doc("number of further candidate ports")),
        response_candidate: many(more, || sig(port_bits).doc("further candidate ports, from number 1")),
        response_in_order: many(several, || flag().doc("the address alone says which candidate")),
        cam_request_valid: many(external, || flag().doc("a lookup for the CAM; held until accepted")),
        cam_request_ready: many(external, || flag().doc("the CAM accepts it in this cycle")),
        cam_request_tag: many(external, || sig(tag_bits).doc("tag to answer with")),
        cam_request_address: many(external, || sig(address_bits).doc("destination to look up")),
        cam_response_valid: many(external, || flag().doc("the CAM answers")),
        cam_response_tag: many(external, || sig(tag_bits).doc("tag of the request it answers")),
        cam_response_hit: many(external, || flag().doc("there is a route")),
        cam_response_port: many(external, || sig(port_bits).doc("its output port")),
        cam_response_vc_set: many(external * next_vc, || flag().doc("it names a VC")),
        cam_response_vc: many(external * next_vc, || sig(vc_bits).doc("this one")),
        cam_response_group_set: many(external * linked, || flag().doc("it names a group")),
        cam_response_group: many(external * linked, || sig(group_bits).doc("this one")),
        cam_response_candidates: many(external * several, || {
            sig(candidates_bits).doc("number of further candidate ports")
        }),
        cam_response_candidate: many(external * more, || sig(port_bits).doc("these")),
        cam_response_in_order: many(external * several, || flag().doc("the address alone says which candidate")),
        table: table_write_in(shape, table),
        sweeping: flag().doc("the table is being emptied"),
        known: many(counted, || flag().doc("the table knows an address that it is asked for")),
        unknown: many(counted, || flag().doc("the table does not know one")),
        asking: many(external, || flag_reg(false).doc("request register: holds a request")),
        tag: many(external, || reg_no_reset(tag_bits).doc("request register: its tag")),
        address: many(external, || reg_no_reset(address_bits).doc("request register: its address")),
        forwarding_table: forwarding_table(shape, routing, table),
        free: many(external, || flag().doc("the request register is loaded or becomes empty")),
        found: many(external, || flag().doc("T2 holds a request whose address the table knows")),
        lacking: many(external, || flag().doc("T2 holds a request whose address it does not know")),
        alone: param(1 - external),
        route_port: field(layout.port, port_bits),
        route_vc: field(layout.vc, vc_bits),
        route_vc_set: param(layout.vc_set),
        route_group: field(layout.group, group_bits),
        route_group_set: param(layout.group_set),
        route_candidate: param(layout.candidate),
        route_candidates: field(layout.candidates, candidates_bits),
        route_in_order: param(layout.in_order),
        port_bits: param(port_bits),
        about: about("table_port", doc).param("tag_bits", tag_bits).param("address_bits", address_bits),
    }
}

impl Logic for TablePort {
    #[hdl_gen]
    fn update(&mut self) {
        // The table.
        self.forwarding_table.clock.next = self.clock.val();
        self.forwarding_table.reset.next = self.reset.val();
        self.forwarding_table.request_valid.next = self.request_valid.val();
        self.forwarding_table.request_tag.next = self.request_tag.val();
        self.forwarding_table.request_address.next = self.request_address.val();
        TableWriteIn::link(&mut self.table, &mut self.forwarding_table.table);
        self.advance.next = self.forwarding_table.advance.val();
        self.sweeping.next = self.forwarding_table.sweeping.val();
        for c in 0..self.known.len() {
            self.known[c].next = self.forwarding_table.known[c].val();
            self.unknown[c].next = self.forwarding_table.unknown[c].val();
        }

        // Its answer.
        self.response_tag.next = self.forwarding_table.result_tag.val();
        self.response_hit.next = self.forwarding_table.result_known.val();
        self.response_port.next = self.forwarding_table.result_route.val() >> self.route_port.val();
        for c in 0..self.response_vc.len() {
            self.response_vc[c].next = self.forwarding_table.result_route.val() >> self.route_vc.val();
            self.response_vc_set[c].next = self.forwarding_table.result_route.val().get_bit(self.route_vc_set.val());
        }
        for c in 0..self.response_group.len() {
            self.response_group[c].next = self.forwarding_table.result_route.val() >> self.route_group.val();
            self.response_group_set[c].next =
                self.forwarding_table.result_route.val().get_bit(self.route_group_set.val());
        }
        for j in 0..self.response_candidate.len() {
            self.response_candidate[j].next = unsigned_cast(
                self.forwarding_table.result_route.val() >> (j * self.port_bits.val() + self.route_candidate.val()),
            );
        }
        for c in 0..self.response_candidates.len() {
            self.response_candidates[c].next = self.forwarding_table.result_route.val() >> self.route_candidates.val();
            self.response_in_order[c].next =
                self.forwarding_table.result_route.val().get_bit(self.route_in_order.val());
        }
        for _alone in 0..self.alone.val() {
            self.response_valid.next = self.forwarding_table.result_valid.val();
            self.forwarding_table.leave.next = true;
        }

        // The CAM's answer goes first.
        for e in 0..self.cam_response_valid.len() {
            self.found[e].next = self.forwarding_table.result_valid.val() & self.forwarding_table.result_known.val();
            self.response_valid.next = self.cam_response_valid[e].val() | self.found[e].val();
            if self.cam_response_valid[e].val() {
                self.response_tag.next = self.cam_response_tag[e].val();
                self.response_hit.next = self.cam_response_hit[e].val();
                self.response_port.next = self.cam_response_port[e].val();
            }
        }
        for c in 0..self.cam_response_vc.len() {
            if self.cam_response_valid[c].val() {
                self.response_vc[c].next = self.cam_response_vc[c].val();
                self.response_vc_set[c].next = self.cam_response_vc_set[c].val();
            }
        }
        for c in 0..self.cam_response_group.len() {
            if self.cam_response_valid[c].val() {
                self.response_group[c].next = self.cam_response_group[c].val();
                self.response_group_set[c].next = self.cam_response_group_set[c].val();
            }
        }
        for j in 0..self.cam_response_candidate.len() {
            if self.cam_response_valid[0].val() {
                self.response_candidate[j].next = self.cam_response_candidate[j].val();
            }
        }
        for c in 0..self.cam_response_candidates.len() {
            if self.cam_response_valid[c].val() {
                self.response_candidates[c].next = self.cam_response_candidates[c].val();
                self.response_in_order[c].next = self.cam_response_in_order[c].val();
            }
        }

        // The request register: what the table does not know.
        for e in 0..self.asking.len() {
            self.lacking[e].next = self.forwarding_table.result_valid.val() & !self.forwarding_table.result_known.val();
            self.free[e].next = !self.asking[e].q.val() | self.cam_request_ready[e].val();
            self.forwarding_table.leave.next = (self.found[e].val() & !self.cam_response_valid[e].val())
                | (self.lacking[e].val() & self.free[e].val());
            self.asking[e].clock.next = self.clock.val();
            self.asking[e].reset.next = self.reset.val();
            self.tag[e].clock.next = self.clock.val();
            self.address[e].clock.next = self.clock.val();
            self.asking[e].d.next = self.asking[e].q.val();
            self.tag[e].d.next = self.tag[e].q.val();
            self.address[e].d.next = self.address[e].q.val();
            if self.free[e].val() {
                self.asking[e].d.next = self.lacking[e].val();
                self.tag[e].d.next = self.forwarding_table.result_tag.val();
                self.address[e].d.next = self.forwarding_table.result_address[e].val();
            }
            self.cam_request_valid[e].next = self.asking[e].q.val();
            self.cam_request_tag[e].next = self.tag[e].q.val();
            self.cam_request_address[e].next = self.address[e].q.val();
        }
    }
}

#[cfg(test)]
mod tests;
