//! Counter: adds `step` in every cycle, modulo 2^width.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `step` | 1 | count one in this cycle |
//! | `count` | width | steps since reset, those of this cycle not yet included |
//!
//! Source: the running totals of the switch reference, section 7.

use crate::rtl::prelude::*;

/// Counts steps; see the head of this file.
#[block]
pub struct Counter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub step: Flag<In>,
    pub count: Sig<Out>,

    total: Reg,

    about: About,
}

/// A counter of `width` bits.
pub fn counter(width: usize) -> Counter {
    Counter {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        step: flag().doc("count one in this cycle"),
        count: sig(width).doc("steps since reset"),
        total: reg(width, 0u8).doc("steps since reset"),
        about: about("counter", "Counts the cycles with step, modulo its width.").param("width", width),
    }
}

#[kernel]
impl Counter {
    fn update(&mut self) {
        if self.step.val() {
            self.total.d.next = self.total.q.val() + 1;
        }
        self.count.next = self.total.q.val();
    }
}
