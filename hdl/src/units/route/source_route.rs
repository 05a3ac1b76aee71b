//! Route unit of a source-routed switch: the header names the output port.
//!
//! State: a route queue for each VC.
//!
//! Each cycle: the result of an arriving packet, its port or drop if there is no such port, goes into the route queue
//! of its VC; of a multicast packet its group, or drop if there is no such group.
//!
//! Source: switch reference, sections 4 and 4.1.

use crate::units::prelude::*;

/// Route unit of a source-routed switch: the lowest route field of a packet's header is its output port; a port that
/// does not exist means drop.
#[block(shape: &Shape)]
pub struct SourceRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<RoutePorts<In, shape>>,

    #[made((0..shape.vcs).map(|v| route_queue_of(shape, v)).collect())]
    route_queue: Vec<RouteQueue>,

    /// The port exists.
    exists: Flag<Local>,
    /// Result for the queue of the mixed VC.
    #[made(mixed_layout(shape, route_bits(shape)).as_ref().map(|m| sig(m.bits)))]
    mixed_result: Option<Sig<Local>>,

    mixed: Number<{ mixed_layout(shape, route_bits(shape)).as_ref().map_or(0, |m| m.vc) }>,
    multicast_bit: Number<{ mixed_layout(shape, route_bits(shape)).as_ref().map_or(0, |m| m.multicast) }>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl SourceRoute {
    fn update(&mut self) {
        if let Some(port) = &self.io.arrival.arrive_port {
            self.exists.next = false;
            for p in 0..self.ports {
                if port.val() == p {
                    self.exists.next = true;
                }
            }
            for v in 0..self.vcs {
                self.route_queue[v].push.next = self.io.arrival.arrive.val() & (self.io.arrival.arrive_vc.val() == v);
                self.route_queue[v].push_drop.next = !self.exists.val();
                self.route_queue[v].push_port.next = unsigned_cast(port.val());
                self.route_queue[v].take.next = self.io.take.val().get_bit(v);
            }
        }
        self.io.head.drop.next = 0.into();
        for v in 0..self.vcs {
            self.io.head.drop.set(v, self.route_queue[v].head_drop.val());
            self.io.head.request[v].next = self.route_queue[v].head_request.val();
        }
        self.queue_groups();
    }

    /// The result of a multicast packet is a group in place of a port.
    fn queue_groups(&mut self) {
        if let (Some(result), Some(port), Some(multicast), Some(group), Some(unknown)) = (
            &mut self.mixed_result,
            &self.io.arrival.arrive_port,
            &self.io.arrival.arrive_multicast,
            &self.io.arrival.arrive_group,
            &self.io.arrival.arrive_unknown,
        ) {
            let queue = &mut self.route_queue[self.mixed];
            result.next = unsigned_cast(port.val());
            if multicast.val() {
                result.next = unsigned_cast(group.val());
                result.set(self.multicast_bit, true);
            }
            queue.push_port.next = result.val();
            queue.push_drop.next = !multicast.val() & (!self.exists.val() | unknown.val());
            self.io.head.multicast.link(&mut queue.head_multicast);
            self.io.head.group.link(&mut queue.head_group);
        }
    }
}
