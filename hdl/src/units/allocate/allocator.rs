//! Allocator: gives one output to the packets that ask for it, in the way that the configuration says.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request` | k x N | input i asks for this output on VC v |
//! | `leave` | k x k x N | the packet at the head of VC v of input i leaves on VC u, element v * k + u (with `next_vc` only) |
//! | `room`, `room_sending` | k | the next buffer of VC v has room for a packet; the same while VC v is sending |
//! | `ready`, `ending` | k x N | the buffer of VC v of input i has a flit to pop; it is a tail |
//! | `grant` | k x N | input i is connected to this output on VC v |
//! | `owner` | k x N | the connections, one-hot registers: they select in the crossbar |
//! | `chosen` | k x N | the connection that may pop a flit in this cycle (flit-wise only) |
//! | `with_room` | k x N | the requests that have room where they leave (with counters only) |
//! | `sent` | k | a flit that leaves on VC v is popped to this output (one-hot) |
//! | `plane_sent` | k | the same, by the VC on which it came (packet-wise with `next_vc` only) |
//! | `multicast_turn` | 1 | it is the turn of multicast packets: none other may start on the mixed VC (with the mixed VC only, as all below) |
//! | `saved` | 1 | room is saved here: none other may start on the mixed VC, unless `mixed_spare` |
//! | `reserved` | 1 | the output is reserved for a multicast packet |
//! | `start` | N | a multicast packet of input i is connected to this output, among others (one-hot, or none) |
//! | `room_two` | 1 | the next buffer of the mixed VC has room for two packets |
//! | `free` | 1 | the output is not busy, or its owner is finishing |
//! | `mixed_room` | 1 | a multicast packet has room behind what is being sent |
//! | `mixed_spare` | 1 | the output is not sending on the mixed VC, and two packets have room there |
//! | `mixed_grant` | 1 | a unicast packet that leaves on the mixed VC is connected |
//! | `passed_over` | 1 | a unicast packet requests the output, and none is connected |
//!
//! Holds one of [`packet_allocator`](super::packet_allocator) (parallel crossbar, packet-wise),
//! [`flit_allocator`](super::flit_allocator) (parallel, flit-wise), [`single_allocator`](super::single_allocator).
//!
//! Source: switch reference, section 6.

use crate::rtl::prelude::*;
use crate::units::allocate::flit_allocator::{flit_allocator, FlitAllocator};
use crate::units::allocate::packet_allocator::{packet_allocator, PacketAllocator};
use crate::units::allocate::single_allocator::{single_allocator, SingleAllocator};
use railyard_spec::Shape;
use railyard_spec::{Crossbar, LinkArbitration};

/// Allocates one output; see the head of this file.
#[block]
pub struct Allocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request: Vec<Sig<In>>,
    pub leave: Vec<Sig<In>>,
    pub room: Sig<In>,
    pub room_sending: Sig<In>,
    pub ready: Vec<Sig<In>>,
    pub ending: Vec<Sig<In>>,
    pub grant: Vec<Sig<Out>>,
    pub owner: Vec<Sig<Out>>,
    pub chosen: Vec<Sig<Out>>,
    pub with_room: Vec<Sig<Out>>,
    pub sent: Sig<Out>,
    pub plane_sent: Vec<Sig<Out>>,
    pub multicast_turn: Vec<Flag<In>>,
    pub saved: Vec<Flag<In>>,
    pub reserved: Vec<Flag<In>>,
    pub start: Vec<Sig<In>>,
    pub room_two: Vec<Flag<In>>,
    pub free: Vec<Flag<Out>>,
    pub mixed_room: Vec<Flag<Out>>,
    pub mixed_spare: Vec<Flag<Out>>,
    pub mixed_grant: Vec<Flag<Out>>,
    pub passed_over: Vec<Flag<Out>>,

    packet_wise: Vec<PacketAllocator>,
    flit_wise: Vec<FlitAllocator>,
    single: Vec<SingleAllocator>,

    vcs: Param,
    about: About,
}

/// Allocator of one output.
pub fn allocator(shape: &Shape) -> Allocator {
    let (n, k) = (shape.ports, shape.vcs);
    let flit = shape.link_arbitration == LinkArbitration::Flit;
    let single = shape.crossbar == Crossbar::Single;
    let only = |wanted: bool| usize::from(wanted);
    let mixed = only(shape.multicast.is_some());
    let about = about("allocator", "Gives one output to the packets that ask for it.")
        .param("ports", n)
        .param("vcs", k)
        .param("single", only(single))
        .param("flit_wise", only(flit));
    Allocator {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        request: many(k, || sig(n).doc("input i asks for this output on VC v")),
        leave: many(only(shape.next_vc) * k * k, || {
            sig(n).doc("packet of VC v of input i leaves on VC u, element v * k + u")
        }),
        room: sig(k).doc("the next buffer of VC v has room for a packet"),
        room_sending: sig(k).doc("the same, while VC v is sending"),
        ready: many(k, || sig(n).doc("VC v of input i has a flit to pop")),
        ending: many(k, || sig(n).doc("VC v of input i has a tail to pop")),
        grant: many(k, || sig(n).doc("input i is connected on VC v")),
        owner: many(k, || sig(n).doc("connections, one-hot")),
        chosen: many(only(flit) * k, || sig(n).doc("the connection that may pop a flit")),
        with_room: many(if shape.counter_bits.is_some() { k } else { 0 }, || {
            sig(n).doc("requests on VC v that have room where they leave")
        }),
        sent: sig(k).doc("a flit of VC v is popped to this output"),
        plane_sent: many(only(shape.next_vc && !flit && !single), || {
            sig(k).doc("the same, by the VC on which it came")
        }),
        multicast_turn: many(mixed, || flag().doc("only a multicast packet may start on the mixed VC")),
        saved: many(mixed, || flag().doc("room on the mixed VC is saved for a multicast packet")),
        reserved: many(mixed, || flag().doc("the output is reserved for a multicast packet")),
        start: many(mixed, || sig(n).doc("a multicast packet of input i is connected")),
        room_two: many(mixed, || flag().doc("the next buffer of the mixed VC has room for two packets")),
        free: many(mixed, || flag().doc("the output is not busy, or its owner is finishing")),
        mixed_room: many(mixed, || flag().doc("a multicast packet has room behind what is being sent")),
        mixed_spare: many(mixed, || {
            flag().doc("the output is not sending on the mixed VC, and two packets have room there")
        }),
        mixed_grant: many(mixed, || flag().doc("a unicast packet that leaves on the mixed VC is connected")),
        passed_over: many(mixed, || flag().doc("a unicast packet requests the output, and none is connected")),
        packet_wise: many(only(!flit && !single), || packet_allocator(shape)),
        flit_wise: many(only(flit), || flit_allocator(shape)),
        single: many(only(single), || single_allocator(shape)),
        vcs: param(k),
        about: if shape.next_vc { about.param("next_vc", 1) } else { about },
    }
}

#[kernel]
impl Allocator {
    fn update(&mut self) {
        for a in 0..self.packet_wise.len() {
            self.packet_wise[a].room.next = self.room.val();
            self.packet_wise[a].room_sending.next = self.room_sending.val();
            for v in 0..self.vcs.val() {
                self.packet_wise[a].request[v].next = self.request[v].val();
                self.packet_wise[a].ready[v].next = self.ready[v].val();
                self.packet_wise[a].ending[v].next = self.ending[v].val();
                self.grant[v].next = self.packet_wise[a].grant[v].val();
                self.owner[v].next = self.packet_wise[a].owner[v].val();
            }
            self.sent.next = self.packet_wise[a].sent.val();
            for v in 0..self.with_room.len() {
                self.with_room[v].next = self.packet_wise[a].with_room[v].val();
            }
            for w in 0..self.leave.len() {
                self.packet_wise[a].leave[w].next = self.leave[w].val();
            }
            for m in 0..self.reserved.len() {
                self.packet_wise[a].multicast_turn[m].next = self.multicast_turn[m].val();
                self.packet_wise[a].saved[m].next = self.saved[m].val();
                self.packet_wise[a].reserved[m].next = self.reserved[m].val();
                self.packet_wise[a].start[m].next = self.start[m].val();
                self.packet_wise[a].room_two[m].next = self.room_two[m].val();
                self.free[m].next = self.packet_wise[a].free[m].val();
                self.mixed_room[m].next = self.packet_wise[a].mixed_room[m].val();
                self.mixed_spare[m].next = self.packet_wise[a].mixed_spare[m].val();
                self.mixed_grant[m].next = self.packet_wise[a].mixed_grant[m].val();
                self.passed_over[m].next = self.packet_wise[a].passed_over[m].val();
            }
            for c in 0..self.plane_sent.len() {
                self.plane_sent[c].next = self.packet_wise[a].plane_sent[c].val();
            }
        }
        for a in 0..self.flit_wise.len() {
            self.flit_wise[a].room.next = self.room.val();
            self.flit_wise[a].room_sending.next = self.room_sending.val();
            for v in 0..self.vcs.val() {
                self.flit_wise[a].request[v].next = self.request[v].val();
                self.flit_wise[a].ready[v].next = self.ready[v].val();
                self.flit_wise[a].ending[v].next = self.ending[v].val();
                self.grant[v].next = self.flit_wise[a].grant[v].val();
                self.owner[v].next = self.flit_wise[a].owner[v].val();
                self.chosen[v].next = self.flit_wise[a].chosen[v].val();
            }
            self.sent.next = self.flit_wise[a].sent.val();
            for v in 0..self.with_room.len() {
                self.with_room[v].next = self.flit_wise[a].with_room[v].val();
            }
        }
        for a in 0..self.single.len() {
            self.single[a].room.next = self.room.val();
            self.single[a].room_sending.next = self.room_sending.val();
            for v in 0..self.vcs.val() {
                self.single[a].request[v].next = self.request[v].val();
                self.single[a].ready[v].next = self.ready[v].val();
                self.single[a].ending[v].next = self.ending[v].val();
                self.grant[v].next = self.single[a].grant[v].val();
                self.owner[v].next = self.single[a].owner[v].val();
            }
            self.sent.next = self.single[a].sent.val();
            for v in 0..self.with_room.len() {
                self.with_room[v].next = self.single[a].with_room[v].val();
            }
            for w in 0..self.leave.len() {
                self.single[a].leave[w].next = self.leave[w].val();
            }
            for m in 0..self.reserved.len() {
                self.single[a].multicast_turn[m].next = self.multicast_turn[m].val();
                self.single[a].saved[m].next = self.saved[m].val();
                self.single[a].reserved[m].next = self.reserved[m].val();
                self.single[a].start[m].next = self.start[m].val();
                self.single[a].room_two[m].next = self.room_two[m].val();
                self.free[m].next = self.single[a].free[m].val();
                self.mixed_room[m].next = self.single[a].mixed_room[m].val();
                self.mixed_spare[m].next = self.single[a].mixed_spare[m].val();
                self.mixed_grant[m].next = self.single[a].mixed_grant[m].val();
                self.passed_over[m].next = self.single[a].passed_over[m].val();
            }
        }
    }
}

#[cfg(test)]
mod tests;
