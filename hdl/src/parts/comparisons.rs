//! Comparisons: whether a number is at most as large as each of some limits, a cycle later.
//!
//! State: the answers.

use crate::rtl::prelude::*;

/// Whether a number is at most as large as each of some limits, a cycle later.
#[block(bits: usize, limit_bits: usize, limits: usize)]
pub struct Comparisons {
    pub clock: ClockIn,
    /// Number; no wider than the limits.
    pub number: Sig<In, bits>,
    /// Limit l.
    pub limit: Vec<Sig<In, limit_bits>, limits>,
    /// In the cycle before, the number was at most limit l: bit l.
    pub at_most: Sig<Out, limits>,

    /// Register of `at_most`.
    answers: Reg<limits, NoReset>,

    /// Value of `at_most` after the current cycle.
    after: Sig<Local, limits>,

    bits: Param,
    limit_bits: Param,
    limits: Param,
}

#[kernel]
impl Comparisons {
    fn update(&mut self) {
        self.after.next = 0.into();
        for l in 0..self.limits {
            self.after.set(l, unsigned_cast(self.number.val()) <= self.limit[l].val());
        }
        self.answers.d.next = self.after.val();
        self.at_most.next = self.answers.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_a_cycle_later() {
        let mut bench = Bench::new(comparisons(3, 4, 3), |b| &mut b.clock);
        let limits = [0usize, 5, 9];
        (0..3).for_each(|l| bench.limit[l].next = limits[l].into());
        for number in 0..8usize {
            bench.number.next = number.into();
            bench.cycle();
            let expected = (0..3).fold(0usize, |mask, l| mask | usize::from(number <= limits[l]) << l);
            assert_eq!(bench.at_most.val(), expected, "{number}");
        }
    }
}
