//! Queue hold: which input VCs stay held, because the output queue to which they are connected has no place in the next
//! cycle.
//!
//! No state. `full_next` comes late.
//!
//! Source: switch reference, section 6.2.

use crate::units::prelude::*;

/// Which input VCs stay held by a full output queue.
#[block(shape: &Shape)]
pub struct QueueHold {
    /// The queue of plane v of output o has no place in the next cycle.
    pub full_next: Vec<Sig<In, vcs>, ports>,
    /// Input i is connected to output o on VC v, element o * k + v.
    pub owner: Vec<Sig<In, ports>, { ports * vcs }>,
    /// The queue of output o has no place in the next cycle, by plane.
    pub full_at: Vec<Sig<Out, ports>, vcs>,
    /// VC v of input i is connected to a queue that has no place in the next cycle.
    pub stays_held: Vec<Sig<Out, vcs>, ports>,

    /// The queue of the VC has no place in the next cycle, by VC.
    held: Vec<Sig<Local, ports>, vcs>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl QueueHold {
    fn update(&mut self) {
        for v in 0..self.vcs {
            self.held[v].next = 0.into();
            self.full_at[v].next = 0.into();
            for o in 0..self.ports {
                self.full_at[v].set(o, self.full_next[o].val().get_bit(v));
                if self.full_next[o].val().get_bit(v) {
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
