//! Barrier hold: which input VCs stay held, because an output to which they are connected sends a barrier message in
//! the next cycle.
//!
//! No state. `message_next` comes late.
//!
//! Source: switch reference, section 11.

use crate::units::prelude::*;

/// Which input VCs stay held by a barrier message.
#[block(shape: &Shape)]
pub struct BarrierHold {
    /// Output o sends a barrier message in the next cycle.
    pub message_next: Sig<In, ports>,
    /// Input i is connected to output o on VC v, element o * k + v.
    pub owner: Vec<Sig<In, ports>, { ports * vcs }>,
    /// VC v of input i is connected to an output that sends a barrier message in the next cycle.
    pub stays_held: Vec<Sig<Out, vcs>, ports>,

    /// An output of the VC sends a barrier message in the next cycle, by VC.
    held: Vec<Sig<Local, ports>, vcs>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl BarrierHold {
    fn update(&mut self) {
        for v in 0..self.vcs {
            self.held[v].next = 0.into();
            for o in 0..self.ports {
                if self.message_next.val().get_bit(o) {
                    self.held[v].next = self.held[v].val() | self.owner[o * self.vcs + v].val();
                }
            }
        }
        for i in 0..self.ports {
            self.stays_held[i].next = 0.into();
            for v in 0..self.vcs {
                self.stays_held[i].set(v, self.held[v].val().get_bit(i));
            }
        }
    }
}
