//! Table port: stands between CAM port and CAM, with the same wires to both sides; asks the forwarding table first.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request_valid`, `request_tag`, `request_address` | 1, tag bits, A | register T0, in the CAM port |
//! | `advance` | 1 | it takes the next request, or none |
//! | `response` | | an answer, of the table or of the CAM: a [`CamResponse`] |
//! | `cam_request`, `cam_response` | | the pins (with an external CAM only) |
//! | `table_*`, `sweeping`, `known`, `unknown` | | see [`forwarding_table`](super::forwarding_table) |
//!
//! State: the forwarding table with T1 and T2; with an external CAM the request register at its pins.
//!
//! Each cycle: what the table knows is an answer, in a cycle in which the CAM has none. What it does not know is loaded into the request
//! register, if that is empty or accepted; without an external CAM it is an answer too: no route.
//!
//! Source: switch reference, section 4.7.

use crate::rtl::prelude::*;
use crate::units::route::cam_wires::{cam_request, cam_response, CamRequest, CamResponse};
use crate::units::route::forwarding_table::{forwarding_table, ForwardingTable};
use crate::units::route::layout::route_layout;
use crate::units::route::table_write::{table_write, TableWrite};
use railyard_spec::{ForwardingTableShape, Shape, TableShape};

/// The forwarding table in front of the CAM; see the head of this file.
#[block]
pub struct TablePort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request_valid: Flag<In>,
    pub request_tag: Sig<In>,
    pub request_address: Sig<In>,
    pub advance: Flag<Out>,
    pub response: CamResponse<Out>,
    pub cam_request: Vec<CamRequest<Out>>,
    pub cam_response: Vec<CamResponse<In>>,
    pub table: TableWrite<In>,
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
    let more = shape.candidates - 1;
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
        response: CamResponse { valid: flag().doc("there is an answer"), ..cam_response(shape, routing) },
        cam_request: many(external, || cam_request(routing)),
        cam_response: many(external, || CamResponse {
            vc_set: many(next_vc, || flag().doc("it names a VC")),
            vc: many(next_vc, || sig(vc_bits).doc("this one")),
            group_set: many(linked, || flag().doc("it names a group")),
            candidate: many(more, || sig(port_bits).doc("these")),
            ..cam_response(shape, routing)
        }),
        table: table_write(shape, table),
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

#[kernel]
impl TablePort {
    fn update(&mut self) {
        // The table.
        self.forwarding_table.request_valid.next = self.request_valid.val();
        self.forwarding_table.request_tag.next = self.request_tag.val();
        self.forwarding_table.request_address.next = self.request_address.val();
        self.table.link(&mut self.forwarding_table.table);
        self.advance.next = self.forwarding_table.advance.val();
        self.sweeping.next = self.forwarding_table.sweeping.val();
        for c in 0..self.known.len() {
            self.known[c].next = self.forwarding_table.known[c].val();
            self.unknown[c].next = self.forwarding_table.unknown[c].val();
        }

        // Its answer.
        self.response.tag.next = self.forwarding_table.result_tag.val();
        self.response.hit.next = self.forwarding_table.result_known.val();
        self.response.port.next = self.forwarding_table.result_route.val() >> self.route_port.val();
        for c in 0..self.response.vc.len() {
            self.response.vc[c].next = self.forwarding_table.result_route.val() >> self.route_vc.val();
            self.response.vc_set[c].next = self.forwarding_table.result_route.val().get_bit(self.route_vc_set.val());
        }
        for c in 0..self.response.group.len() {
            self.response.group[c].next = self.forwarding_table.result_route.val() >> self.route_group.val();
            self.response.group_set[c].next =
                self.forwarding_table.result_route.val().get_bit(self.route_group_set.val());
        }
        for j in 0..self.response.candidate.len() {
            self.response.candidate[j].next = unsigned_cast(
                self.forwarding_table.result_route.val() >> (j * self.port_bits.val() + self.route_candidate.val()),
            );
        }
        for c in 0..self.response.candidates.len() {
            self.response.candidates[c].next = self.forwarding_table.result_route.val() >> self.route_candidates.val();
            self.response.in_order[c].next =
                self.forwarding_table.result_route.val().get_bit(self.route_in_order.val());
        }
        for _alone in 0..self.alone.val() {
            self.response.valid.next = self.forwarding_table.result_valid.val();
            self.forwarding_table.leave.next = true;
        }

        // The CAM's answer goes first.
        for e in 0..self.cam_response.len() {
            self.found[e].next = self.forwarding_table.result_valid.val() & self.forwarding_table.result_known.val();
            self.response.valid.next = self.cam_response[e].valid.val() | self.found[e].val();
            if self.cam_response[e].valid.val() {
                self.response.tag.next = self.cam_response[e].tag.val();
                self.response.hit.next = self.cam_response[e].hit.val();
                self.response.port.next = self.cam_response[e].port.val();
            }
            for c in 0..self.response.vc.len() {
                if self.cam_response[e].valid.val() {
                    self.response.vc[c].next = self.cam_response[e].vc[c].val();
                    self.response.vc_set[c].next = self.cam_response[e].vc_set[c].val();
                }
            }
            for c in 0..self.response.group.len() {
                if self.cam_response[e].valid.val() {
                    self.response.group[c].next = self.cam_response[e].group[c].val();
                    self.response.group_set[c].next = self.cam_response[e].group_set[c].val();
                }
            }
            for j in 0..self.response.candidate.len() {
                if self.cam_response[e].valid.val() {
                    self.response.candidate[j].next = self.cam_response[e].candidate[j].val();
                }
            }
            for c in 0..self.response.candidates.len() {
                if self.cam_response[e].valid.val() {
                    self.response.candidates[c].next = self.cam_response[e].candidates[c].val();
                    self.response.in_order[c].next = self.cam_response[e].in_order[c].val();
                }
            }
        }

        // The request register: what the table does not know.
        for e in 0..self.asking.len() {
            self.lacking[e].next = self.forwarding_table.result_valid.val() & !self.forwarding_table.result_known.val();
            self.free[e].next = !self.asking[e].q.val() | self.cam_request[e].ready.val();
            self.forwarding_table.leave.next = (self.found[e].val() & !self.cam_response[e].valid.val())
                | (self.lacking[e].val() & self.free[e].val());
            self.asking[e].d.next = self.asking[e].q.val();
            self.tag[e].d.next = self.tag[e].q.val();
            self.address[e].d.next = self.address[e].q.val();
            if self.free[e].val() {
                self.asking[e].d.next = self.lacking[e].val();
                self.tag[e].d.next = self.forwarding_table.result_tag.val();
                self.address[e].d.next = self.forwarding_table.result_address[e].val();
            }
            self.cam_request[e].valid.next = self.asking[e].q.val();
            self.cam_request[e].tag.next = self.tag[e].q.val();
            self.cam_request[e].address.next = self.address[e].q.val();
        }
    }
}

#[cfg(test)]
mod tests;
