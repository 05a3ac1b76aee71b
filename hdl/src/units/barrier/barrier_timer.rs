//! Barrier timer: counts ticks to a limit, again and again.
//!
//! State: `ticks`, those since it started; below the largest limit always, so that one more does not overflow.
//!
//! Each cycle: what a tick would do is found from registers; `run`, which comes late, only says whether it is done.
//!
//! Source: switch reference, section 11 (timers).

use crate::units::prelude::*;

/// Counts ticks to a limit, again and again.
#[block]
pub struct BarrierTimer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A tick that counts passes.
    pub run: Flag<In>,
    /// The timer starts anew.
    pub clear: Flag<In>,
    /// Ticks after which the timer fires; 0 stops the timer.
    pub limit: Sig<In, BYTE>,
    /// The timer fires, and starts anew.
    pub fire: Flag<Out>,

    /// Ticks since the timer started.
    ticks: Reg<BYTE>,

    /// Ticks since the start, with one more.
    after: Sig<Local, BYTE>,
    /// The ticks are as many as the limit.
    ends: Flag<Local>,
    /// Ticks since the start, after one more that counts.
    stepped: Sig<Local, BYTE>,
}

/// A timer.
pub fn barrier_timer() -> BarrierTimer {
    sized(BarrierTimer { ..BarrierTimer::plain() })
}

#[kernel]
impl BarrierTimer {
    fn update(&mut self) {
        self.after.next = self.ticks.q.val() + 1;
        self.ends.next = self.limit.val().any() & (self.after.val() >= self.limit.val());
        self.stepped.next = self.ticks.q.val();
        if self.limit.val().any() {
            self.stepped.next = self.after.val();
        }
        if self.ends.val() {
            self.stepped.next = 0.into();
        }
        if self.run.val() {
            self.ticks.d.next = self.stepped.val();
        }
        if self.clear.val() {
            self.ticks.d.next = 0.into();
        }
        self.fire.next = self.run.val() & self.ends.val();
    }
}
