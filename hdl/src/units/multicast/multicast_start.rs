//! Multicast start: which of the granted multicast packets start in this cycle, and what is connected for them.
//!
//! A packet starts if its VC and all its outputs are free. No state. A block of its own because `free` comes late, from the tails that leave in this
//! cycle: synthesis makes short what is longest in a block, and in the multicast unit that is something else.
//!
//! Source: switch reference, section 6.1 (start).

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Which multicast packets start, and what is connected for them.
#[block]
pub struct MulticastStart {
    /// the packet of input i has its outputs
    pub granted: Sig<In>,
    /// these
    pub outputs: Vec<Sig<In>>,
    /// the mixed VC of input i may be connected anew
    pub may_connect: Sig<In>,
    /// output o is not busy, or its owner is finishing
    pub free: Sig<In>,
    /// the packet of input i starts
    pub start: Sig<Out>,
    /// output o is connected to input i
    pub start_to: Vec<Sig<Out>>,
    /// outputs that are connected
    pub started: Sig<Out>,

    /// outputs of input i that are not free
    blocked: Vec<Sig<Local>>,
    /// inputs that start
    starting: Sig<Local>,

    #[param]
    ports: usize,
}

/// Start of the multicast packets of a switch.
pub fn multicast_start(shape: &Shape) -> MulticastStart {
    let n = shape.ports;
    MulticastStart {
        granted: sig(n),
        outputs: many(n, || sig(n)),
        may_connect: sig(n),
        free: sig(n),
        start: sig(n),
        start_to: many(n, || sig(n)),
        started: sig(n),
        blocked: many(n, || sig(n)),
        starting: sig(n),
        ports: n,
    }
}

#[kernel]
impl MulticastStart {
    fn update(&mut self) {
        self.starting.next = 0.into();
        self.started.next = 0.into();
        for i in 0..self.ports {
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
        for o in 0..self.ports {
            self.start_to[o].next = 0.into();
            for i in 0..self.ports {
                self.start_to[o].next = self.start_to[o]
                    .val()
                    .replace_bit(i, self.starting.val().get_bit(i) & self.outputs[i].val().get_bit(o));
            }
        }
    }
}
