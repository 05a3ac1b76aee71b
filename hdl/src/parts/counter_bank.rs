//! Counter bank: counts events of several kinds; the counts are read through a snapshot of all of them.
//!
//! State: `seen` (events of the cycle before), `total` (the counts), `held` (the snapshot).
//!
//! Each cycle: the events of the cycle before are counted, modulo 2^b, so that the logic that finds an event has a
//! cycle of its own; an event in cycle t is seen in its count in t + 2. `clear` comes late: it meets nothing but the
//! last multiplexer, and loses no event. The snapshot is read by AND and OR, each count gated by its own bit of
//! `select`.
//!
//! Source: switch reference, section 9.1.

use crate::rtl::prelude::*;

/// Counts events of several kinds; the counts are read through a snapshot.
#[block(kinds: usize, bits: usize)]
pub struct CounterBank {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An event of kind i happens in the current cycle.
    pub events: Sig<In, kinds>,
    /// The snapshot takes all counts.
    pub snapshot: Flag<In>,
    /// The counts start again from 0.
    pub clear: Flag<In>,
    /// Kind to read.
    pub select: Sig<In, kinds>,
    /// Count of the selected kind in the snapshot.
    pub value: Sig<Out, bits>,

    /// Events of the cycle before.
    seen: Reg<kinds>,
    /// Counts since reset or the last clear.
    total: Regs<kinds, bits>,
    /// Counts of the snapshot.
    held: Regs<kinds, bits>,

    /// Increment for the event of the cycle before: 1 or 0.
    step: Vec<Sig<Local, bits>, kinds>,

    kinds: Param,
    bits: Param,
}

#[kernel]
impl CounterBank {
    fn update(&mut self) {
        self.seen.d.next = self.events.val();
        assert!(!(self.select.val() & (self.select.val() - 1)).any(), "at most one counter is read");
        self.value.next = 0.into();
        for i in 0..self.kinds {
            self.step[i].next = 0.into();
            self.step[i].set(0, self.seen.q.val().get_bit(i));
            self.total.d[i].next = self.total.q[i].val() + self.step[i].val();
            if self.clear.val() {
                self.total.d[i].next = self.step[i].val();
            }
            if self.snapshot.val() {
                self.held.d[i].next = self.total.q[i].val();
            }
            if self.select.val().get_bit(i) {
                self.value.next = self.value.val() | self.held.q[i].val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 9.1 written out: no event is lost, by whatever comes together.
    #[test]
    fn counts_as_the_reference_says() {
        const KINDS: usize = 5;
        let mut bench = Bench::new(counter_bank(KINDS, 8), |b| &mut b.clock);
        let mut random = 7u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        let (mut before, mut counts, mut snapshot) = (0u64, [0u64; KINDS], [0u64; KINDS]);
        let mut wrapped = 0;
        for cycle in 0..4000u64 {
            let (events, selected) = (draw(32), draw(6));
            let reset = cycle == 0 || draw(2000) == 0;
            let (take, clear) = (draw(7) == 0, draw(900) == 0);
            bench.events.next = events.into();
            bench.select.next = (1u64 << selected & 31).into();
            bench.reset.next = reset;
            bench.snapshot.next = take;
            bench.clear.next = clear;
            bench.settle();
            if cycle > 0 {
                let expected = snapshot.get(selected as usize).copied().unwrap_or(0);
                assert_eq!(bench.value.val().to_u128(), u128::from(expected), "cycle {cycle}");
            }
            bench.cycle();
            if take {
                snapshot = counts;
            }
            for (kind, count) in counts.iter_mut().enumerate() {
                *count = (if clear { 0 } else { *count } + (before >> kind & 1)) & 255;
                wrapped += u32::from(*count == 0 && !clear && before >> kind & 1 == 1);
            }
            before = events;
            if reset {
                (before, counts, snapshot) = (0, [0; KINDS], [0; KINDS]);
            }
        }
        assert!(wrapped > 5, "{wrapped} counts came around");
    }
}
