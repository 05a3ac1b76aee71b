//! Connection: what one VC of an input port is connected to, and what it asks the allocators for.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_valid`, `head_drop`, `head_port` | 1, 1, `port_bits` | the result at the head of the VC's route queue |
//! | `ready`, `ending` | 1 | the VC's buffer has a flit to pop; it would be a tail |
//! | `chosen` | 1 | the link arbiter of its output lets the VC send (flit-wise only) |
//! | `granted` | 1 | an allocator connects the VC in this cycle |
//! | `request` | N | the VC asks for this output (one-hot) |
//! | `take` | 1 | the head of the route queue is taken |
//! | `pop` | 1 | a flit leaves the buffer |
//! | `tail_dropped` | 1 | it is a tail and thrown away |
//!
//! State: `active` (the VC is connected), `dropping` (to nothing: its flits are thrown away).
//!
//! Each cycle: an active VC pops a flit, if there is one (and it is chosen). With the tail it is *finishing*: its next
//! packet may be connected already. A VC that is not active, or is finishing, and has a route is *eligible*: it takes a
//! drop at once, and requests an output otherwise. Whether the output has room is the allocator's to know.
//!
//! Source: switch reference, section 6.

use crate::rtl::prelude::*;
use railyard_spec::{LinkArbitration, Shape};

/// Connection of one input VC; see the head of this file.
#[derive(LogicBlock)]
pub struct Connection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head_valid: Flag<In>,
    pub head_drop: Flag<In>,
    pub head_port: Sig<In>,
    pub ready: Flag<In>,
    pub ending: Flag<In>,
    pub chosen: Vec<Flag<In>>,
    pub granted: Flag<In>,
    pub request: Sig<Out>,
    pub take: Flag<Out>,
    pub pop: Flag<Out>,
    pub tail_dropped: Flag<Out>,

    active: FlagReg,
    dropping: FlagReg,

    moving: Flag<Local>,
    finishing: Flag<Local>,
    eligible: Flag<Local>,
    wants: Flag<Local>,
    take_drop: Flag<Local>,

    ports: Param,
    about: About,
}

/// Connection of one input VC.
pub fn connection(shape: &Shape) -> Connection {
    let n = shape.ports;
    let flit_wise = usize::from(shape.link_arbitration == LinkArbitration::Flit);
    let doc = "What one VC of an input port is connected to, and what it asks the allocators for.";
    Connection {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        head_valid: flag().doc("there is a route at the head of the route queue"),
        head_drop: flag().doc("it is drop"),
        head_port: sig(shape.port_bits as usize).doc("it is this output port"),
        ready: flag().doc("the buffer has a flit to pop"),
        ending: flag().doc("the buffer has a tail to pop"),
        chosen: many(flit_wise, || flag().doc("the link arbiter lets the VC send")),
        granted: flag().doc("an allocator connects the VC"),
        request: sig(n).doc("the VC asks for this output"),
        take: flag().doc("the head of the route queue is taken"),
        pop: flag().doc("a flit leaves the buffer"),
        tail_dropped: flag().doc("it is a tail and thrown away"),
        active: flag_reg(false).doc("the VC is connected"),
        dropping: flag_reg(false).doc("to nothing: its flits are thrown away"),
        moving: flag().doc("its connection lets the VC pop"),
        finishing: flag().doc("the tail leaves"),
        eligible: flag().doc("the VC may be connected anew"),
        wants: flag().doc("it wants an output"),
        take_drop: flag().doc("it is connected to nothing"),
        ports: param(n),
        about: about("connection", doc).param("ports", n).param("flit_wise", flit_wise),
    }
}

impl Logic for Connection {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, dropping);

        self.moving.next = self.active.q.val();
        for c in 0..self.chosen.len() {
            self.moving.next = self.active.q.val() & (self.chosen[c].val() | self.dropping.q.val());
        }
        self.pop.next = self.moving.val() & self.ready.val();
        self.finishing.next = self.moving.val() & self.ending.val();
        self.tail_dropped.next = self.finishing.val() & self.dropping.q.val();

        self.eligible.next = self.head_valid.val() & (!self.active.q.val() | self.finishing.val());
        self.take_drop.next = self.eligible.val() & self.head_drop.val();
        self.wants.next = self.eligible.val() & !self.head_drop.val();
        self.request.next = 0.into();
        for o in 0..self.ports.val() {
            self.request.next = self.request.val().replace_bit(o, self.wants.val() & (self.head_port.val() == o));
        }

        self.take.next = self.take_drop.val() | self.granted.val();
        self.active.d.next = self.take_drop.val() | self.granted.val() | (self.active.q.val() & !self.finishing.val());
        self.dropping.d.next = self.take_drop.val() | (self.dropping.q.val() & !self.finishing.val());
    }
}
