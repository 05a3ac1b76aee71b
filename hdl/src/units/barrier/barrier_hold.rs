//! Barrier hold: which input VCs stay held, because an output to which they are connected sends a barrier message in the next cycle.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `message_next` | N | output o sends a barrier message in the next cycle |
//! | `owner` | N x k x N | input i is connected to output o on VC v, element o * k + v |
//! | `stays_held` | N x k | VC v of input i is connected to such an output |
//!
//! No state. `message_next` comes late.
//!
//! Source: switch reference, section 11.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Which input VCs stay held; see the head of this file.
#[block]
pub struct BarrierHold {
    pub message_next: Sig<In>,
    pub owner: Vec<Sig<In>>,
    pub stays_held: Vec<Sig<Out>>,

    held: Vec<Sig<Local>>,

    ports: Param,
    vcs: Param,
    about: About,
}

/// The input VCs of a switch that stay held.
pub fn barrier_hold(shape: &Shape) -> BarrierHold {
    let (n, k) = (shape.ports, shape.vcs);
    BarrierHold {
        message_next: sig(n).doc("output o sends a barrier message in the next cycle"),
        owner: many(n * k, || sig(n).doc("input i is connected to output o on VC v, element o * k + v")),
        stays_held: many(n, || sig(k).doc("VC v of input i is connected to such an output")),
        held: many(k, || sig(n).doc("the same, by VC")),
        ports: param(n),
        vcs: param(k),
        about: about("barrier_hold", "Which input VCs stay held by a barrier message.")
            .param("ports", n)
            .param("vcs", k),
    }
}

#[kernel]
impl BarrierHold {
    fn update(&mut self) {
        for v in 0..self.vcs.val() {
            self.held[v].next = 0.into();
            for o in 0..self.ports.val() {
                if self.message_next.val().get_bit(o) {
                    self.held[v].next = self.held[v].val() | self.owner[o * self.vcs.val() + v].val();
                }
            }
        }
        for i in 0..self.ports.val() {
            self.stays_held[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.stays_held[i].next = self.stays_held[i].val().replace_bit(v, self.held[v].val().get_bit(i));
            }
        }
    }
}
