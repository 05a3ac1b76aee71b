//! Route unit of a source-routed switch: the header names the output port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc`, `arrive_port` | 1, VC bits, port bits | a packet arrives, with this in its lowest route field |
//! | `head_drop`, `head_request` | k, k x N | oldest result of each VC: drop, or an output port (one-hot) |
//! | `take` | k | it is taken (only while there is one) |
//!
//! State: a route queue for each VC.
//!
//! Each cycle: the result of an arriving packet, its port or drop if there is no such port, goes into the route queue
//! of its VC.
//!
//! Source: switch reference, section 4.1.

use crate::rtl::prelude::*;
use crate::units::route_queue::{route_queue_of, RouteQueue};
use railyard_spec::Shape;

/// Route in the header; see the head of this file.
#[derive(LogicBlock)]
pub struct SourceRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub arrive_port: Sig<In>,
    pub head_drop: Sig<Out>,
    pub head_request: Vec<Sig<Out>>,
    pub take: Sig<In>,

    route_queue: Vec<RouteQueue>,

    exists: Flag<Local>,

    ports: Param,
    vcs: Param,
    about: About,
}

/// The route unit of a port of a source-routed switch of the given shape.
pub fn source_route(shape: &Shape) -> SourceRoute {
    let (vcs, vc_bits, port_bits) = (shape.vcs, shape.vc_bits as usize, shape.port_bits as usize);
    let depth = shape.buffer_flits as usize;
    let doc = "Route unit of a source-routed switch: the lowest route field of a packet's header is its output \
               port; a port that does not exist means drop.";
    SourceRoute {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_port: sig(port_bits).doc("its lowest route field"),
        head_drop: sig(vcs).doc("the VC's oldest packet has a result: drop"),
        head_request: many(vcs, || sig(shape.ports).doc("or this output port")),
        take: sig(vcs).doc("it is taken"),
        route_queue: many(vcs, || route_queue_of(shape)),
        exists: flag().doc("there is such a port"),
        ports: param(shape.ports),
        vcs: param(vcs),
        about: about("source_route", doc).param("ports", shape.ports).param("vcs", vcs).param("buffer_flits", depth),
    }
}

impl Logic for SourceRoute {
    #[hdl_gen]
    fn update(&mut self) {
        self.exists.next = false;
        for p in 0..self.ports.val() {
            if self.arrive_port.val() == p {
                self.exists.next = true;
            }
        }

        for v in 0..self.vcs.val() {
            self.route_queue[v].clock.next = self.clock.val();
            self.route_queue[v].reset.next = self.reset.val();
            self.route_queue[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v);
            self.route_queue[v].push_drop.next = !self.exists.val();
            self.route_queue[v].push_port.next = self.arrive_port.val();
            self.route_queue[v].take.next = self.take.val().get_bit(v);
        }

        self.head_drop.next = 0.into();
        for v in 0..self.vcs.val() {
            self.head_drop.next = self.head_drop.val().replace_bit(v, self.route_queue[v].head_drop.val());
            self.head_request[v].next = self.route_queue[v].head_request.val();
        }
    }
}
