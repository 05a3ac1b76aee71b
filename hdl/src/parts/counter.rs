//! Counter: adds `step` in every cycle, modulo 2^width.
//!
//! Source: the running totals of the switch reference, section 7.

use crate::rtl::prelude::*;

/// Counts the cycles with step, modulo its width.
#[block(width: usize)]
pub struct Counter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Count one in the current cycle.
    pub step: Flag<In>,
    /// Count from 0 again, whatever is counted in the current cycle.
    pub clear: Option<Flag<In>>,
    /// Steps since reset.
    pub count: Sig<Out, width>,

    /// Steps since reset.
    total: Reg<width>,

    width: Param,
}

/// A counter of `width` bits that can be cleared.
pub fn clearable_counter(width: usize) -> Counter {
    Counter { clear: Some(flag()), ..counter(width) }
}

#[kernel]
impl Counter {
    fn update(&mut self) {
        if self.step.val() {
            self.total.d.next = self.total.q.val() + 1;
        }
        if let Some(clear) = &self.clear {
            if clear.val() {
                self.total.d.next = 0.into();
            }
        }
        self.count.next = self.total.q.val();
    }
}
