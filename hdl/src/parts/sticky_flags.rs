//! Sticky flags: each remembers that its event has happened, until it is cleared.
//!
//! Source: switch reference, section 8.

use crate::rtl::prelude::*;

/// Remembers events until they are cleared; an event in the cycle of the clear is remembered.
#[block(events: usize)]
pub struct StickyFlags {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Event i happens in the current cycle.
    pub raise: Sig<In, events>,
    /// Clear all flags.
    pub clear: Flag<In>,
    /// Event i has happened.
    pub flags: Sig<Out, events>,

    /// Event i has happened.
    seen: Reg<events>,

    events: Param,
}

#[kernel]
impl StickyFlags {
    fn update(&mut self) {
        self.seen.d.next = self.seen.q.val() | self.raise.val();
        if self.clear.val() {
            self.seen.d.next = self.raise.val();
        }
        self.flags.next = self.seen.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_beats_a_clear() {
        let mut bench = Bench::new(sticky_flags(2), |b| &mut b.clock);
        bench.raise.next = 1.into();
        bench.cycle();
        assert_eq!(bench.flags.val(), 1);
        bench.raise.next = 2.into();
        bench.clear.next = true;
        bench.cycle();
        assert_eq!(bench.flags.val(), 2);
        bench.raise.next = 0.into();
        bench.cycle();
        assert_eq!(bench.flags.val(), 0);
    }
}
