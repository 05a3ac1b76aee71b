//! Contention counter of an output: how many input VCs have a packet in front whose minimal port it is.
//!
//! State: the count, and whether it has reached each threshold. The count is made anew in each cycle, so no event can
//! be lost.
//!
//! Source: reference of Dragonfly routing, what is sensed; Fuentes2017, 4.2.

use crate::units::prelude::*;

/// How many input VCs have a packet in front whose minimal port an output is.
#[block(inputs: usize)]
pub struct ContentionCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Input VC i counts.
    pub counted: Sig<In, inputs>,
    pub thresholds: Bare<Thresholds<In, THRESHOLD_BITS>>,
    /// The count of the cycle before has reached the threshold.
    pub hot: Flag<Out>,
    /// The count of the cycle before has reached the hybrid threshold.
    pub hot_hybrid: Flag<Out>,

    /// Input VCs that count.
    count: Reg<count_bits>,
    /// Register of `hot`.
    reached: FlagReg,
    /// Register of `hot_hybrid`.
    reached_hybrid: FlagReg,

    /// Sum so far.
    sum: Sig<Local, count_bits>,

    count_bits: Number<{ clog2(inputs + 1).max(THRESHOLD_BITS) }>,
    inputs: Param,
}

#[kernel]
impl ContentionCounter {
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..self.inputs {
            if self.counted.val().get_bit(i) {
                self.sum.next = self.sum.val() + 1;
            }
        }
        self.count.d.next = self.sum.val();
        self.reached.d.next = self.count.q.val() >= unsigned_cast(self.thresholds.threshold.val());
        self.reached_hybrid.d.next = self.count.q.val() >= unsigned_cast(self.thresholds.hybrid.val());
        self.hot.next = self.reached.q.val();
        self.hot_hybrid.next = self.reached_hybrid.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_the_number_of_ones_a_cycle_before() {
        let mut bench = Bench::new(contention_counter(21), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.thresholds.threshold.next = 6.into();
        bench.thresholds.hybrid.next = 8.into();
        let mut counts = [0u32; 2];
        for k in 0..300u32 {
            let counted = k.wrapping_mul(0x9E37_79B9) >> 11 & k.wrapping_mul(0x85EB_CA6B) >> 11;
            bench.counted.next = counted.into();
            bench.settle();
            assert_eq!((bench.hot.val(), bench.hot_hybrid.val()), (counts[0] >= 6, counts[0] >= 8), "cycle {k}");
            bench.cycle();
            counts = [counts[1], counted.count_ones()];
        }
    }
}
