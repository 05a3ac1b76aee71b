//! Contention counter of an output: how many input VCs have a packet in front whose minimal port it is.
//!
//! State: the counts of some inputs at a time, the count of all, and whether it has reached each threshold. The count
//! is made anew in each cycle, so no event can be lost. With a filter also the filtered count.
//!
//! Source: reference of Dragonfly routing, what is sensed; Fuentes2017, 4.2.

use crate::units::prelude::*;

/// How many input VCs have a packet in front whose minimal port an output is.
#[block(inputs: usize, filters: bool)]
pub struct ContentionCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input VC i counts.
    pub counted: Sig<In, inputs>,
    pub thresholds: Bare<Thresholds<In, THRESHOLD_BITS, filters>>,
    /// The count has reached the threshold.
    pub hot: Flag<Out>,
    /// The count has reached the hybrid threshold.
    pub hot_hybrid: Flag<Out>,

    /// Of three input VCs, how many counted in the cycle before.
    share: Regs<shares, 2>,
    /// Input VCs that counted two cycles before.
    count: Reg<count_bits>,
    /// Register of `hot`.
    reached: FlagReg,
    /// Register of `hot_hybrid`.
    reached_hybrid: FlagReg,
    contention_filter: Option<ContentionFilter<count_bits>, filters>,

    /// Input VC i, as a number.
    one: Vec<Sig<Local, 2>, { 3 * shares }>,
    /// Sum so far.
    sum: Sig<Local, count_bits>,

    count_bits: Number<{ clog2(inputs + 1).max(THRESHOLD_BITS) }>,
    shares: Number<{ inputs.div_ceil(3) }>,
    inputs: Param,
}

#[kernel]
impl ContentionCounter {
    fn update(&mut self) {
        for i in 0..self.one.len() {
            self.one[i].next = 0.into();
        }
        for i in 0..self.inputs {
            self.one[i].set(0, self.counted.val().get_bit(i));
        }
        self.sum.next = 0.into();
        for s in 0..self.shares {
            self.share.d[s].next = self.one[3 * s].val() + self.one[3 * s + 1].val() + self.one[3 * s + 2].val();
            self.sum.next = self.sum.val() + unsigned_cast(self.share.q[s].val());
        }
        self.count.d.next = self.sum.val();
        self.reached.d.next = self.count.q.val() >= unsigned_cast(self.thresholds.threshold.val());
        self.reached_hybrid.d.next = self.count.q.val() >= unsigned_cast(self.thresholds.hybrid.val());
        if let (Some(filter), Some(shift), Some(filtered)) =
            (&mut self.contention_filter, &self.thresholds.shift, &self.thresholds.filtered)
        {
            filter.count.next = self.count.q.val();
            filter.shift.next = shift.val();
            filter.threshold.next = self.thresholds.threshold.val();
            if filtered.val() {
                self.reached.d.next = filter.hot.val();
            }
        }
        self.hot.next = self.reached.q.val();
        self.hot_hybrid.next = self.reached_hybrid.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_the_number_of_ones_two_cycles_before() {
        let mut bench = Bench::new(contention_counter(21, false), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.thresholds.threshold.next = 6.into();
        bench.thresholds.hybrid.next = 8.into();
        let mut counts = [0u32; 3];
        for k in 0..300u32 {
            let counted = k.wrapping_mul(0x9E37_79B9) >> 11 & k.wrapping_mul(0x85EB_CA6B) >> 11;
            bench.counted.next = counted.into();
            bench.settle();
            assert_eq!((bench.hot.val(), bench.hot_hybrid.val()), (counts[0] >= 6, counts[0] >= 8), "cycle {k}");
            bench.cycle();
            counts = [counts[1], counts[2], counted.count_ones()];
        }
    }

    /// A burst of one cycle is hot at once, and not if filtered counts count.
    #[test]
    fn filtered_counts_take_the_place_of_counts() {
        for filtered in [false, true] {
            let mut bench = Bench::new(contention_counter(21, true), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.thresholds.threshold.next = 6.into();
            bench.thresholds.hybrid.next = 8.into();
            bench.thresholds.shift.as_mut().unwrap().next = 2.into();
            bench.thresholds.filtered.as_mut().unwrap().next = filtered;
            let mut hot = 0;
            for counted in [0x3f, 0, 0, 0, 0, 0u32] {
                bench.counted.next = counted.into();
                bench.cycle();
                bench.settle();
                hot += u32::from(bench.hot.val());
                assert!(!bench.hot_hybrid.val());
            }
            assert_eq!(hot, u32::from(!filtered));
        }
    }
}
