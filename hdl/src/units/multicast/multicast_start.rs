//! Multicast start: which of the granted multicast packets start in this cycle, and what is connected for them.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `granted`, `outputs` | N, N x N | the packet of input i has these outputs |
//! | `may_connect` | N | the mixed VC of input i is not active or is finishing |
//! | `free` | N | output o is not busy, or its owner is finishing |
//! | `start`, `start_to` | N, N x N | the packet of input i starts; output o is connected to input i (one-hot, or none) |
//! | `started` | N | output o is connected |
//!
//! A packet starts if its VC and all its outputs are free. No state. A block of its own because `free` comes late, from the tails that leave in this
//! cycle: synthesis makes short what is longest in a block, and in the multicast unit that is something else.
//!
//! Source: switch reference, section 6.1 (start).

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Starts granted multicast packets; see the head of this file.
#[block]
pub struct MulticastStart {
    pub granted: Sig<In>,
    pub outputs: Vec<Sig<In>>,
    pub may_connect: Sig<In>,
    pub free: Sig<In>,
    pub start: Sig<Out>,
    pub start_to: Vec<Sig<Out>>,
    pub started: Sig<Out>,

    blocked: Vec<Sig<Local>>,
    starting: Sig<Local>,

    ports: Param,
    about: About,
}

/// Start of the multicast packets of a switch.
pub fn multicast_start(shape: &Shape) -> MulticastStart {
    let n = shape.ports;
    MulticastStart {
        granted: sig(n).doc("the packet of input i has its outputs"),
        outputs: many(n, || sig(n).doc("these")),
        may_connect: sig(n).doc("the mixed VC of input i may be connected anew"),
        free: sig(n).doc("output o is not busy, or its owner is finishing"),
        start: sig(n).doc("the packet of input i starts"),
        start_to: many(n, || sig(n).doc("output o is connected to input i")),
        started: sig(n).doc("outputs that are connected"),
        blocked: many(n, || sig(n).doc("outputs of input i that are not free")),
        starting: sig(n).doc("inputs that start"),
        ports: param(n),
        about: about("multicast_start", "Which multicast packets start, and what is connected for them.")
            .param("ports", n),
    }
}

#[kernel]
impl MulticastStart {
    fn update(&mut self) {
        self.starting.next = 0.into();
        self.started.next = 0.into();
        for i in 0..self.ports.val() {
            self.blocked[i].next = self.outputs[i].val() & !self.free.val();
            self.starting.next = self.starting.val().replace_bit(
                i,
                self.granted.val().get_bit(i) & self.may_connect.val().get_bit(i) & !self.blocked[i].val().any(),
            );
            if self.starting.val().get_bit(i) {
                self.started.next = self.started.val() | self.outputs[i].val();
            }
        }
        self.start.next = self.starting.val();
        for o in 0..self.ports.val() {
            self.start_to[o].next = 0.into();
            for i in 0..self.ports.val() {
                self.start_to[o].next = self.start_to[o]
                    .val()
                    .replace_bit(i, self.starting.val().get_bit(i) & self.outputs[i].val().get_bit(o));
            }
        }
    }
}
