//! What stands behind the route units of all ports: forwarding table and the pins of the CAM. Source: switch reference,
//! sections 4.4 and 4.7.

use super::Switch;
use crate::counters::event_counters::SwitchEvent;
use crate::pins::Inputs;
use crate::route::cam_port::{CamRequest, CamResponse};
use crate::route::forwarding_table::Leaving;

impl Switch {
    /// Answers to the ports and requests of the ports; `offers` are those that offer one in this cycle.
    #[inline]
    pub(super) fn look_up(&mut self, pins: &Inputs, offers: u64) {
        if self.route_units.is_empty() {
            return;
        }
        let response = if pins.cam_response_valid { self.cam_response(pins) } else { None };
        let free = !self.out.cam_request_valid || pins.cam_request_ready;
        if self.forwarding_table.is_some() {
            self.look_up_on_chip(response, offers, free);
            return;
        }
        self.answer(response);
        if free {
            let request = self.cam.load(offers, &mut self.route_units);
            self.show_request(request);
        }
    }

    /// The same, with a forwarding table. `free`: the request register can be loaded.
    #[inline]
    fn look_up_on_chip(&mut self, response: Option<CamResponse>, offers: u64, free: bool) {
        self.out.table_parity = false;
        let Some(table) = &mut self.forwarding_table else { return };
        let leaving = table.leave(response.is_none(), free);
        let advances = table.can_advance();
        let (found, request) = match leaving {
            Some(Leaving::Answer(answer)) => (Some(answer), None),
            Some(Leaving::Request(request)) => (None, Some(request)),
            None => (None, None),
        };
        // Before T0 asks for a slot: an answer sees the slots as they were.
        self.answer(response.or(found));
        if free {
            self.show_request(request);
        }
        let Some(table) = self.forwarding_table.as_mut().filter(|_| advances) else { return };
        let looked_up = table.advance(self.now, self.cam.load(offers, &mut self.route_units));
        self.out.table_parity = table.take_parity();
        if let (Some(counters), Some(known)) = (&mut self.event_counters, looked_up) {
            counters.switch_event(if known { SwitchEvent::TableHits } else { SwitchEvent::TableMisses });
        }
    }

    /// The answer at the pins, if there are any.
    #[inline]
    fn cam_response(&self, pins: &Inputs) -> Option<CamResponse> {
        let (grouped, several) = (self.shape.link_aggregation.is_some(), self.shape.candidates > 1);
        self.shape.external_cam().then_some(CamResponse {
            tag: pins.cam_response_tag,
            hit: pins.cam_response_hit,
            port: pins.cam_response_port,
            vc: (self.shape.next_vc && pins.cam_response_vc_set).then_some(pins.cam_response_vc),
            group: (grouped && pins.cam_response_group_set).then_some(pins.cam_response_group),
            candidates: if several { pins.cam_response_candidates } else { 0 },
            candidate: pins.cam_response_candidate,
            in_order: pins.cam_response_in_order,
        })
    }

    /// Applies the registered answer and registers that of this cycle.
    #[inline]
    fn answer(&mut self, answer: Option<CamResponse>) {
        let answered = self.cam.answer(answer, &mut self.route_units);
        if let Some(port) = answered.port {
            self.routing |= 1 << port;
        }
        if answered.error {
            self.raise_cam_fault();
        }
    }

    /// The request register is loaded, or has nothing to show.
    #[inline]
    fn show_request(&mut self, request: Option<CamRequest>) {
        self.out.cam_request_valid = request.is_some();
        if let Some(request) = request {
            self.out.cam_request_tag = request.tag;
            self.out.cam_request_address = request.address;
            self.counters[request.port].cam_requests += 1;
        }
    }
}
