//! Flit allocator: gives each plane of one output to a packet, and lets the planes share the link flit by flit.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `request` | k x N | input i asks for this output on VC v |
//! | `room`, `room_sending` | k | the next buffer of VC v has room for a packet; the same while VC v is sending |
//! | `ready`, `ending` | k x N | the buffer of VC v of input i has a flit to pop; it is a tail |
//! | `grant` | k x N | input i is connected to this output on VC v (one-hot a plane) |
//! | `owner` | k x N | the connections (one-hot a plane; zero while it is idle) |
//! | `chosen` | k x N | the connection that may pop a flit in this cycle |
//! | `with_room` | k x N | the requests that have room where they leave (with counters only) |
//! | `sent` | k | a flit of VC v is popped to this output (one-hot) |
//!
//! State: `connected`, k x N (the owners), `sending`, k (plane v is busy).
//!
//! Each cycle: the link arbiter chooses among the busy planes whose owner has a flit. A plane is *available* if it is
//! idle or its owner's tail leaves; its arbiter has meanwhile chosen the next input.
//!
//! Source: switch reference, section 6 (parallel crossbar, flit-wise).

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Allocates the planes of one output; see the head of this file.
#[block]
pub struct FlitAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub request: Vec<Sig<In>>,
    pub room: Sig<In>,
    pub room_sending: Sig<In>,
    pub ready: Vec<Sig<In>>,
    pub ending: Vec<Sig<In>>,
    pub grant: Vec<Sig<Out>>,
    pub owner: Vec<Sig<Out>>,
    pub chosen: Vec<Sig<Out>>,
    pub with_room: Vec<Sig<Out>>,
    pub sent: Sig<Out>,

    connected: Regs,
    sending: Reg,
    plane: Vec<RoundRobinArbiter>,
    link: RoundRobinArbiter,

    has_room: Sig<Local>,
    moving: Sig<Local>,
    finishing: Sig<Local>,
    available: Sig<Local>,
    wanted: Sig<Local>,
    win: Sig<Local>,

    vcs: Param,
    about: About,
}

/// Allocator of one output.
pub fn flit_allocator(shape: &Shape) -> FlitAllocator {
    let (n, k) = (shape.ports, shape.vcs);
    let doc = "Gives each plane of one output to a packet, and lets the planes share the link flit by flit.";
    FlitAllocator {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        request: many(k, || sig(n).doc("input i asks for this output on VC v")),
        room: sig(k).doc("the next buffer of VC v has room for a packet"),
        room_sending: sig(k).doc("the same, while VC v is sending"),
        ready: many(k, || sig(n).doc("VC v of input i has a flit to pop")),
        ending: many(k, || sig(n).doc("VC v of input i has a tail to pop")),
        grant: many(k, || sig(n).doc("input i is connected on VC v")),
        owner: many(k, || sig(n).doc("connection of plane v, one-hot")),
        chosen: many(k, || sig(n).doc("the connection that may pop a flit")),
        with_room: many(if shape.counter_bits.is_some() { k } else { 0 }, || {
            sig(n).doc("requests on VC v that have room where they leave")
        }),
        sent: sig(k).doc("a flit of VC v is popped to this output"),
        connected: regs(k, n, 0u8).doc("connection of plane v, one-hot"),
        sending: reg(k, 0u8).doc("plane v is busy"),
        plane: (0..k).map(|_| round_robin_arbiter(n)).collect(),
        link: round_robin_arbiter(k),
        has_room: sig(k).doc("a packet may start on VC v"),
        moving: sig(k).doc("the owner of plane v has a flit"),
        finishing: sig(k).doc("if plane v is chosen, its owner's tail leaves"),
        available: sig(k).doc("plane v can be given away"),
        wanted: sig(k).doc("a packet waits to start on VC v"),
        win: sig(k).doc("plane v is given away"),
        vcs: param(k),
        about: about("flit_allocator", doc).param("ports", n).param("vcs", k),
    }
}

#[kernel]
impl FlitAllocator {
    fn update(&mut self) {
        self.has_room.next =
            (self.sending.q.val() & self.room_sending.val()) | (!self.sending.q.val() & self.room.val());
        self.wanted.next = 0.into();
        self.moving.next = 0.into();
        self.finishing.next = 0.into();
        for v in 0..self.vcs.val() {
            self.wanted.next =
                self.wanted.val().replace_bit(v, self.request[v].val().any() & self.has_room.val().get_bit(v));
            self.moving.next =
                self.moving.val().replace_bit(v, (self.connected.q[v].val() & self.ready[v].val()).any());
            self.finishing.next =
                self.finishing.val().replace_bit(v, (self.connected.q[v].val() & self.ending[v].val()).any());
        }
        for v in 0..self.with_room.len() {
            self.with_room[v].next = 0.into();
            if self.has_room.val().get_bit(v) {
                self.with_room[v].next = self.request[v].val();
            }
        }
        self.link.request.next = self.moving.val();
        self.link.take.next = self.moving.val().any();
        self.available.next = !self.sending.q.val() | (self.finishing.val() & self.link.grant.val());
        self.win.next = self.available.val() & self.wanted.val();
        self.sending.d.next = (self.sending.q.val() & !self.available.val()) | self.win.val();

        for v in 0..self.vcs.val() {
            self.plane[v].request.next = self.request[v].val();
            self.plane[v].take.next = self.win.val().get_bit(v);
            self.grant[v].next = 0.into();
            if self.win.val().get_bit(v) {
                self.grant[v].next = self.plane[v].grant.val();
            }
            if self.available.val().get_bit(v) {
                self.connected.d[v].next = self.grant[v].val();
            }
            self.owner[v].next = self.connected.q[v].val();
            self.chosen[v].next = 0.into();
            if self.link.grant.val().get_bit(v) {
                self.chosen[v].next = self.connected.q[v].val();
            }
        }
        self.sent.next = self.link.grant.val();
    }
}
