//! Route unit of a source-routed switch: the header names the output port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc`, `arrive_port` | 1, VC bits, port bits | a packet arrives, with this in its lowest route field |
//! | `head` | | oldest result of each VC: a [`RouteHead`] |
//! | `take` | k | it is taken (only while there is one) |
//!
//! With the mixed VC:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive_multicast`, `arrive_group` | 1, group bits | the packet that arrives is a multicast packet, of this group |
//! | `arrive_unknown` | 1 | it is a multicast packet of a group that does not exist |
//!
//! State: a route queue for each VC.
//!
//! Each cycle: the result of an arriving packet, its port or drop if there is no such port, goes into the route queue
//! of its VC; of a multicast packet its group, or drop if there is no such group.
//!
//! Source: switch reference, sections 4 and 4.1.

use crate::rtl::prelude::*;
use crate::units::route::layout::{mixed_layout, route_bits};
use crate::units::route::route_head::{route_head, RouteHead};
use crate::units::route::route_queue::{route_queue_of, RouteQueue};
use railyard_spec::Shape;

/// Route in the header; see the head of this file.
#[block]
pub struct SourceRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub arrive_port: Sig<In>,
    pub arrive_multicast: Vec<Flag<In>>,
    pub arrive_group: Vec<Sig<In>>,
    pub arrive_unknown: Vec<Flag<In>>,
    pub head: RouteHead<Out>,
    pub take: Sig<In>,

    route_queue: Vec<RouteQueue>,

    exists: Flag<Local>,
    mixed_result: Vec<Sig<Local>>,

    ports: Param,
    vcs: Param,
    mixed: Param,
    multicast_bit: Param,
    about: About,
}

/// The route unit of a port of a source-routed switch of the given shape.
pub fn source_route(shape: &Shape) -> SourceRoute {
    let (vcs, vc_bits, port_bits) = (shape.vcs, shape.vc_bits as usize, shape.port_bits as usize);
    let depth = shape.buffer_flits as usize;
    let layout = mixed_layout(shape, route_bits(shape));
    let (mixed, group_bits) = (usize::from(layout.is_some()), layout.as_ref().map_or(1, |m| m.group_bits));
    let doc = "Route unit of a source-routed switch: the lowest route field of a packet's header is its output \
               port; a port that does not exist means drop.";
    SourceRoute {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_port: sig(port_bits).doc("its lowest route field"),
        arrive_multicast: many(mixed, || flag().doc("it is a multicast packet")),
        arrive_group: many(mixed, || sig(group_bits).doc("of this group")),
        arrive_unknown: many(mixed, || flag().doc("it is a multicast packet of a group that does not exist")),
        head: route_head(shape),
        take: sig(vcs).doc("it is taken"),
        route_queue: (0..vcs).map(|v| route_queue_of(shape, v)).collect(),
        exists: flag().doc("there is such a port"),
        mixed_result: layout.iter().map(|m| sig(m.bits).doc("what the mixed VC's queue gets")).collect(),
        ports: param(shape.ports),
        vcs: param(vcs),
        mixed: param(layout.as_ref().map_or(0, |m| m.vc)),
        multicast_bit: param(layout.as_ref().map_or(0, |m| m.multicast)),
        about: about("source_route", doc).param("ports", shape.ports).param("vcs", vcs).param("buffer_flits", depth),
    }
}

#[kernel]
impl SourceRoute {
    fn update(&mut self) {
        self.exists.next = false;
        for p in 0..self.ports.val() {
            if self.arrive_port.val() == p {
                self.exists.next = true;
            }
        }

        for v in 0..self.vcs.val() {
            self.route_queue[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v);
            self.route_queue[v].push_drop.next = !self.exists.val();
            self.route_queue[v].push_port.next = unsigned_cast(self.arrive_port.val());
            self.route_queue[v].take.next = self.take.val().get_bit(v);
        }

        self.head.drop.next = 0.into();
        for v in 0..self.vcs.val() {
            self.head.drop.next = self.head.drop.val().replace_bit(v, self.route_queue[v].head_drop.val());
            self.head.request[v].next = self.route_queue[v].head_request.val();
        }

        // Multicast packets: a group in place of a port.
        for c in 0..self.mixed_result.len() {
            self.mixed_result[c].next = unsigned_cast(self.arrive_port.val());
            if self.arrive_multicast[c].val() {
                self.mixed_result[c].next = unsigned_cast(self.arrive_group[c].val());
                self.mixed_result[c].next = self.mixed_result[c].val().replace_bit(self.multicast_bit.val(), true);
            }
            self.route_queue[self.mixed.val()].push_port.next = self.mixed_result[c].val();
            self.route_queue[self.mixed.val()].push_drop.next =
                !self.arrive_multicast[c].val() & (!self.exists.val() | self.arrive_unknown[c].val());
            self.head.multicast[c].next = self.route_queue[self.mixed.val()].head_multicast[c].val();
            self.head.group[c].next = self.route_queue[self.mixed.val()].head_group[c].val();
        }
    }
}
