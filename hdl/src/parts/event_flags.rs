//! Event flags: each remembers that its event has happened, until it is cleared by itself or together with all others.
//!
//! Source: switch reference, section 9.2.

use crate::rtl::prelude::*;

/// Remembers events until they are cleared, one by one or all; an event in the cycle of the clear is remembered.
#[block(events: usize)]
pub struct EventFlags {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Event i happens in the current cycle.
    pub raise: Sig<In, events>,
    /// Flag i is cleared.
    pub clear: Sig<In, events>,
    /// All flags are cleared.
    pub clear_all: Flag<In>,
    /// Event i has happened.
    pub flags: Sig<Out, events>,

    /// Event i has happened.
    seen: Reg<events>,

    events: Param,
}

#[kernel]
impl EventFlags {
    fn update(&mut self) {
        self.seen.d.next = self.raise.val() | (self.seen.q.val() & !self.clear.val());
        if self.clear_all.val() {
            self.seen.d.next = self.raise.val();
        }
        self.flags.next = self.seen.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All states, events and clears of two flags.
    #[test]
    fn an_event_beats_a_clear_and_flags_are_cleared_alone() {
        for n in 0..128u32 {
            let (seen, raise, clear, all) = (n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 == 1);
            let mut bench = Bench::new(event_flags(2), |b| &mut b.clock);
            bench.raise.next = seen.into();
            bench.cycle();
            assert_eq!(bench.flags.val().to_u128(), u128::from(seen));
            (bench.raise.next, bench.clear.next, bench.clear_all.next) = (raise.into(), clear.into(), all);
            bench.cycle();
            let kept = if all { 0 } else { seen & !clear };
            assert_eq!(bench.flags.val().to_u128(), u128::from(kept | raise), "{n:#b}");
        }
    }
}
