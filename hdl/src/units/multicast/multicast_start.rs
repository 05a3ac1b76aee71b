//! Multicast start: which of the granted multicast packets start in this cycle, and what is connected for them.
//!
//! A packet starts if its VC and all its outputs are free. No state.
//!
//! Why a block of its own: `free` comes late in the cycle, from the tails that leave. Synthesis shortens the longest
//! path of a block. In the multicast unit another path is the longest.
//!
//! Source: switch reference, section 6.1 (start).

use crate::units::prelude::*;

/// Which multicast packets start, and what is connected for them.
#[block(shape: &Shape)]
pub struct MulticastStart {
    /// The packet of input i has its outputs.
    pub granted: Sig<In, ports>,
    /// Outputs of the packet of input i.
    pub outputs: Vec<Sig<In, ports>, ports>,
    /// The mixed VC of input i may be connected anew.
    pub may_connect: Sig<In, ports>,
    /// Output o is not busy, or its owner is finishing.
    pub free: Sig<In, ports>,
    /// The packet of input i starts.
    pub start: Sig<Out, ports>,
    /// Output o is connected to input i.
    pub start_to: Vec<Sig<Out, ports>, ports>,
    /// Outputs that are connected.
    pub started: Sig<Out, ports>,

    /// Outputs of input i that are not free.
    blocked: Vec<Sig<Local, ports>, ports>,
    /// Inputs that start.
    starting: Sig<Local, ports>,

    ports: Param<{ shape.ports }>,
}

#[kernel]
impl MulticastStart {
    fn update(&mut self) {
        self.starting.next = 0.into();
        self.started.next = 0.into();
        for i in 0..self.ports {
            self.blocked[i].next = self.outputs[i].val() & !self.free.val();
            self.starting.set(
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
                self.start_to[o].set(i, self.starting.val().get_bit(i) & self.outputs[i].val().get_bit(o));
            }
        }
    }
}
