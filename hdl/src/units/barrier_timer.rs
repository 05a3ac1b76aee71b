//! Barrier timer: counts ticks to a limit, again and again.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `run` | 1 | a tick that counts |
//! | `clear` | 1 | the timer starts anew (never together with `run`) |
//! | `limit` | 8 | ticks after which it fires; 0: it stands still |
//! | `fire` | 1 | it does, and starts anew |
//!
//! State: `ticks`, those since it started; below the largest limit always, so that one more does not overflow.
//!
//! Source: switch reference, section 11 (timers).

use super::barrier_message::BYTE;
use crate::rtl::prelude::*;

/// Counts ticks; see the head of this file.
#[derive(LogicBlock)]
pub struct BarrierTimer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub run: Flag<In>,
    pub clear: Flag<In>,
    pub limit: Sig<In>,
    pub fire: Flag<Out>,

    ticks: Reg,

    counts: Flag<Local>,
    after: Sig<Local>,
    ends: Flag<Local>,

    about: About,
}

/// A timer.
pub fn barrier_timer() -> BarrierTimer {
    BarrierTimer {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        run: flag().doc("a tick that counts"),
        clear: flag().doc("the timer starts anew"),
        limit: sig(BYTE).doc("ticks after which it fires; 0: it stands still"),
        fire: flag().doc("it fires, and starts anew"),
        ticks: reg(BYTE, 0u8).doc("ticks since it started"),
        counts: flag().doc("a tick is counted"),
        after: sig(BYTE).doc("ticks with this one"),
        ends: flag().doc("they are as many as the limit"),
        about: about("barrier_timer", "Counts ticks to a limit, again and again."),
    }
}

impl Logic for BarrierTimer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ticks);
        self.counts.next = self.run.val() & self.limit.val().any();
        self.after.next = self.ticks.q.val() + 1;
        self.ends.next = self.after.val() >= self.limit.val();
        self.fire.next = self.counts.val() & self.ends.val();
        if self.counts.val() {
            self.ticks.d.next = self.after.val();
        }
        if self.clear.val() | (self.counts.val() & self.ends.val()) {
            self.ticks.d.next = 0.into();
        }
    }
}
