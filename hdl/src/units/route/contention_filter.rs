//! Contention filter: the count of a contention counter, smoothed over time.
//!
//! State: the filtered count, in parts of 128.
//!
//! Each cycle: one part in 2^shift of the difference to the count is added. The part is rounded up, so the filtered
//! count reaches a steady count, and stops less than one packet above a lower one.
//!
//! Source: reference of Dragonfly routing, what is sensed; Fuentes2017, 4.2.1.2.

use crate::units::prelude::*;

/// Bits of the filtered count behind the point: as many as the greatest shift.
const FRACTION_BITS: usize = 7;

/// Bits of the shift.
pub const SHIFT_BITS: usize = 3;

/// The count of a contention counter, smoothed over time.
#[block(count_bits: usize)]
pub struct ContentionFilter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Count of the contention counter.
    pub count: Sig<In, count_bits>,
    /// Of a change, one part in 2^shift counts in each cycle.
    pub shift: Sig<In, SHIFT_BITS>,
    /// Packets for a port from which on it is contended.
    pub threshold: Sig<In, THRESHOLD_BITS>,
    /// The filtered count has reached the threshold.
    pub hot: Flag<Out>,

    /// Filtered count, in parts of 128.
    filtered: Reg<filtered_bits>,

    /// Count, in parts of 128.
    target: Sig<Local, filtered_bits>,
    /// One less than 2^shift.
    round_up: Sig<Local, FRACTION_BITS>,
    /// Difference of the count and the filtered count.
    difference: Sig<Local, sum_bits>,
    /// Part of the difference that counts.
    step: Sig<Local, sum_bits>,
    /// Threshold, in parts of 128.
    limit: Sig<Local, limit_bits>,

    fraction: Number<FRACTION_BITS>,
    count_place: Field<FRACTION_BITS, count_bits>,
    threshold_place: Field<FRACTION_BITS, THRESHOLD_BITS>,
    filtered_bits: Number<{ count_bits + FRACTION_BITS }>,
    sum_bits: Number<{ filtered_bits + 1 }>,
    limit_bits: Number<{ THRESHOLD_BITS + FRACTION_BITS }>,
    count_bits: Param,
}

#[kernel]
impl ContentionFilter {
    fn update(&mut self) {
        self.target.next = 0.into();
        self.target.set(self.count_place.val(), self.count.val());
        self.limit.next = 0.into();
        self.limit.set(self.threshold_place.val(), self.threshold.val());
        self.round_up.next = 0.into();
        for b in 0..self.fraction {
            self.round_up.set(b, self.shift.val() > b);
        }
        if self.target.val() >= self.filtered.q.val() {
            self.difference.next = unsigned_cast(self.target.val() - self.filtered.q.val());
            self.step.next = (self.difference.val() + unsigned_cast(self.round_up.val())) >> self.shift.val();
            self.filtered.d.next = self.filtered.q.val() + unsigned_cast(self.step.val());
        } else {
            self.difference.next = unsigned_cast(self.filtered.q.val() - self.target.val());
            self.step.next = self.difference.val() >> self.shift.val();
            self.filtered.d.next = self.filtered.q.val() - unsigned_cast(self.step.val());
        }
        self.hot.next = self.filtered.q.val() >= unsigned_cast(self.limit.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Bench<ContentionFilter> {
        let mut bench = Bench::new(contention_filter(7), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench
    }

    /// With plain numbers: the difference has a sign, and a part of it is rounded towards plus infinity.
    #[test]
    fn a_part_of_the_difference_is_added() {
        let mut bench = bench();
        let mut filtered = 0i64;
        for k in 0..4000u32 {
            let random = k.wrapping_mul(0x9E37_79B9) >> 7;
            let (count, shift, threshold) = (random >> (k / 40 % 4) & 63, (k / 400) % 8, 3 + (random >> 12 & 15));
            bench.count.next = count.into();
            bench.shift.next = shift.into();
            bench.threshold.next = threshold.into();
            bench.settle();
            assert_eq!(bench.hot.val(), filtered >= i64::from(threshold) * 128, "cycle {k}");
            bench.cycle();
            let difference = i64::from(count) * 128 - filtered;
            filtered += (difference + (1 << shift) - 1).div_euclid(1 << shift);
        }
    }

    /// A steady count is hot exactly if it has reached the threshold, from below and from above.
    #[test]
    fn steady_counts_are_told_apart() {
        for shift in 0..8u32 {
            for (count, threshold, hot) in [(6u32, 6u32, true), (5, 6, false), (0, 1, false), (63, 63, true)] {
                for before in [0u32, 63] {
                    let mut bench = bench();
                    bench.shift.next = shift.into();
                    bench.threshold.next = threshold.into();
                    for steady in [before, count] {
                        bench.count.next = steady.into();
                        (0..2000).for_each(|_| bench.cycle());
                    }
                    bench.settle();
                    assert_eq!(bench.hot.val(), hot, "{count} of {threshold}, shift {shift}, after {before}");
                }
            }
        }
    }
}
