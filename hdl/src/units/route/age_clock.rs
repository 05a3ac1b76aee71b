//! Age clock: the cycles since reset, by which packets are born.
//!
//! Source: reference of Dragonfly routing, ages.

use crate::units::prelude::*;

/// The cycles since reset, by which packets are born.
#[block(bits: usize)]
pub struct AgeClock {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Cycles since reset.
    pub now: Sig<Out, bits>,

    /// Cycles since reset.
    passed: Reg<bits>,

    bits: Param,
}

#[kernel]
impl AgeClock {
    fn update(&mut self) {
        self.passed.d.next = self.passed.q.val() + 1;
        self.now.next = self.passed.q.val();
    }
}
