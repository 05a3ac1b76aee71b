//! Sticky flags: each remembers that its event has happened, until it is cleared.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `raise` | n | event i happens in this cycle |
//! | `clear` | 1 | forget all; an event in the same cycle is remembered nevertheless |
//! | `flags` | n | event i has happened |
//!
//! Source: switch reference, section 8.

use crate::rtl::prelude::*;

/// Remembers events; see the head of this file.
#[block]
pub struct StickyFlags {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub raise: Sig<In>,
    pub clear: Flag<In>,
    pub flags: Sig<Out>,

    seen: Reg,

    about: About,
}

/// Flags for `events` events.
pub fn sticky_flags(events: usize) -> StickyFlags {
    let doc = "Remembers events until they are cleared; an event in the cycle of the clear is remembered.";
    StickyFlags {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        raise: sig(events).doc("event i happens in this cycle"),
        clear: flag().doc("forget all"),
        flags: sig(events).doc("event i has happened"),
        seen: reg(events, 0u8).doc("event i has happened"),
        about: about("sticky_flags", doc).param("events", events),
    }
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
