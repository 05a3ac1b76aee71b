//! Connection: what one VC of an input port is connected to, and what it asks the allocators for.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_drop`, `head_request` | 1, N | the result at the head of the VC's route queue: drop, or an output port (one-hot) |
//! | `ready`, `ending` | 1 | the VC's buffer has a flit to pop; it is a tail |
//! | `ending_next` | 1 | it will be one in the next cycle (packet-wise only) |
//! | `chosen` | 1 | the link arbiter of its output lets the VC send (flit-wise only) |
//! | `message_next` | N | output o sends a barrier message in the next cycle (with the barrier VC only, as the next three) |
//! | `stays_held` | 1 | so does an output to which the VC is connected |
//! | `outputs` | N | the outputs for which a multicast packet of the VC waits; zero if there is none (of the mixed VC only) |
//! | `held` | 1 | an output of the VC sends a barrier message in this cycle: `ready` and `ending` are 0 |
//! | `granted` | 1 | an allocator connects the VC in this cycle |
//! | `start` | 1 | so does the multicast unit (of the mixed VC only) |
//! | `request` | N | the VC asks for this output (one-hot) |
//! | `take_now`, `follows` | 1, 1 | the fan-out takes the head of the route queue in any case; if the multicast unit connects the VC (of the mixed VC only) |
//! | `take` | 1 | the head of the route queue is taken |
//! | `may_connect` | 1 | the VC is not active or is finishing (of the mixed VC only) |
//! | `pop` | 1 | a flit leaves the buffer |
//! | `tail_dropped` | 1 | it is a tail and thrown away |
//!
//! State: `active` (the VC is connected), `dropping` (to nothing: its flits are thrown away); packet-wise also `may_start`, found out a
//! cycle ahead: whoever is connected pops in each cycle in which there is a flit, so a tail that will be there will leave, unless it is held.
//! With the barrier VC also `is_held`, found out a cycle ahead too: from the outputs of the packet that is connected, or of the one that was.
//!
//! Each cycle: an active VC pops a flit, if there is one (and it is chosen). With the tail it is *finishing*: its next
//! packet may be connected already. A VC that is not active, or is finishing, and has a route is *eligible*: it takes a
//! drop at once, and requests an output otherwise. Whether the output has room is the allocator's to know.
//!
//! Source: switch reference, section 6.

use crate::rtl::prelude::*;
use railyard_spec::{LinkArbitration, Shape};

/// Connection of one input VC; see the head of this file.
#[block]
pub struct Connection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head_drop: Flag<In>,
    pub head_request: Sig<In>,
    pub ready: Flag<In>,
    pub ending: Flag<In>,
    pub ending_next: Vec<Flag<In>>,
    pub chosen: Vec<Flag<In>>,
    pub message_next: Vec<Sig<In>>,
    pub stays_held: Vec<Flag<In>>,
    pub outputs: Vec<Sig<In>>,
    pub held: Vec<Flag<Out>>,
    pub granted: Flag<In>,
    pub start: Vec<Flag<In>>,
    pub take_now: Vec<Flag<In>>,
    pub follows: Vec<Flag<In>>,
    pub request: Sig<Out>,
    pub take: Flag<Out>,
    pub may_connect: Vec<Flag<Out>>,
    pub pop: Flag<Out>,
    pub tail_dropped: Flag<Out>,

    active: FlagReg,
    dropping: FlagReg,
    may_start: Vec<FlagReg>,
    is_held: Vec<FlagReg>,

    moving: Flag<Local>,
    finishing: Flag<Local>,
    free: Flag<Local>,
    active_after: Flag<Local>,
    take_drop: Flag<Local>,
    starting: Vec<Sig<Local>>,
    held_after: Vec<Flag<Local>>,

    ports: Param,
    about: About,
}

/// Connection of VC `vc` of an input.
pub fn connection(shape: &Shape, vc: usize) -> Connection {
    let n = shape.ports;
    let flit_wise = usize::from(shape.link_arbitration == LinkArbitration::Flit);
    let barrier = usize::from(shape.barrier.is_some());
    let mixed = usize::from(shape.multicast.is_some_and(|built| built.vc == vc));
    let doc = "What one VC of an input port is connected to, and what it asks the allocators for.";
    Connection {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        head_drop: flag().doc("at the head of the route queue is drop"),
        head_request: sig(n).doc("or this output port, one-hot"),
        ready: flag().doc("the buffer has a flit to pop"),
        ending: flag().doc("the buffer has a tail to pop"),
        ending_next: many(1 - flit_wise, || flag().doc("so it is in the next cycle")),
        chosen: many(flit_wise, || flag().doc("the link arbiter lets the VC send")),
        message_next: many(barrier, || sig(n).doc("output o sends a barrier message in the next cycle")),
        stays_held: many(barrier, || flag().doc("so does an output to which the VC is connected")),
        outputs: many(barrier * mixed, || sig(n).doc("outputs for which a multicast packet waits")),
        held: many(barrier, || flag().doc("an output of the VC sends a barrier message")),
        granted: flag().doc("an allocator connects the VC"),
        start: many(mixed, || flag().doc("the multicast unit connects the VC")),
        take_now: many(mixed, || flag().doc("the fan-out takes the head of the route queue")),
        follows: many(mixed, || flag().doc("it does if the multicast unit connects the VC")),
        request: sig(n).doc("the VC asks for this output"),
        take: flag().doc("the head of the route queue is taken"),
        may_connect: many(mixed, || flag().doc("the VC may be connected anew")),
        pop: flag().doc("a flit leaves the buffer"),
        tail_dropped: flag().doc("it is a tail and thrown away"),
        active: flag_reg(false).doc("the VC is connected"),
        dropping: flag_reg(false).doc("to nothing: its flits are thrown away"),
        may_start: many(1 - flit_wise, || flag_reg(true).doc("the VC may be connected anew")),
        is_held: many(barrier, || flag_reg(false).doc("an output of the VC sends a barrier message")),
        moving: flag().doc("its connection lets the VC pop"),
        finishing: flag().doc("the tail leaves"),
        free: flag().doc("the VC may be connected anew"),
        active_after: flag().doc("the VC is connected after this cycle"),
        take_drop: flag().doc("it is connected to nothing"),
        starting: many(barrier, || sig(n).doc("outputs of the VC's next packet")),
        held_after: many(barrier, || flag().doc("the VC is held in the next cycle")),
        ports: param(n),
        about: about("connection", doc).param("ports", n).param("flit_wise", flit_wise),
    }
}

#[kernel]
impl Connection {
    fn update(&mut self) {
        self.moving.next = self.active.q.val();
        for c in 0..self.chosen.len() {
            self.moving.next = self.active.q.val() & (self.chosen[c].val() | self.dropping.q.val());
        }
        self.pop.next = self.moving.val() & self.ready.val();
        self.finishing.next = self.moving.val() & self.ending.val();
        self.tail_dropped.next = self.finishing.val() & self.dropping.q.val();

        self.free.next = !self.active.q.val() | self.finishing.val();
        for m in 0..self.may_start.len() {
            self.free.next = self.may_start[m].q.val();
            self.may_start[m].d.next = !self.active_after.val() | self.ending_next[m].val();
            for h in 0..self.held_after.len() {
                self.may_start[m].d.next =
                    !self.active_after.val() | (self.ending_next[m].val() & !self.held_after[h].val());
            }
        }
        for c in 0..self.may_connect.len() {
            self.may_connect[c].next = self.free.val();
        }
        self.take_drop.next = self.free.val() & self.head_drop.val();
        self.request.next = 0.into();
        for o in 0..self.ports.val() {
            self.request.next = self.request.val().replace_bit(o, self.free.val() & self.head_request.val().get_bit(o));
        }

        self.take.next = self.take_drop.val() | self.granted.val();
        self.active_after.next =
            self.take_drop.val() | self.granted.val() | (self.active.q.val() & !self.finishing.val());
        for m in 0..self.start.len() {
            self.take.next =
                self.take_now[m].val() | self.granted.val() | (self.start[m].val() & self.follows[m].val());
            self.active_after.next = self.active_after.val() | self.start[m].val();
        }
        self.active.d.next = self.active_after.val();
        self.dropping.d.next = self.take_drop.val() | (self.dropping.q.val() & !self.finishing.val());

        // Held: by the outputs of the packet that is connected in this cycle, or else of the one that was; nothing holds what is dropped.
        for h in 0..self.is_held.len() {
            self.starting[h].next = self.head_request.val();
            for m in 0..self.outputs.len() {
                self.starting[h].next = self.head_request.val() | self.outputs[m].val();
            }
            self.held_after[h].next = self.stays_held[h].val() & !self.take_drop.val();
            if self.granted.val() {
                self.held_after[h].next = (self.starting[h].val() & self.message_next[h].val()).any();
            }
            for m in 0..self.start.len() {
                if self.start[m].val() {
                    self.held_after[h].next = (self.starting[h].val() & self.message_next[h].val()).any();
                }
            }
            self.is_held[h].d.next = self.held_after[h].val();
            self.held[h].next = self.is_held[h].q.val();
        }
    }
}
