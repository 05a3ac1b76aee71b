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
//! Each cycle: what a tick would do is found from registers; `run`, which comes late, only says whether it is done.
//!
//! Source: switch reference, section 11 (timers).

use super::barrier_message::BYTE;
use crate::rtl::prelude::*;

/// Counts ticks; see the head of this file.
#[block]
pub struct BarrierTimer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub run: Flag<In>,
    pub clear: Flag<In>,
    pub limit: Sig<In>,
    pub fire: Flag<Out>,

    ticks: Reg,

    after: Sig<Local>,
    ends: Flag<Local>,
    stepped: Sig<Local>,

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
        after: sig(BYTE).doc("ticks with one more"),
        ends: flag().doc("they are as many as the limit"),
        stepped: sig(BYTE).doc("ticks after one more that counts"),
        about: about("barrier_timer", "Counts ticks to a limit, again and again."),
    }
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
