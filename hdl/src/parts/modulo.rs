//! Modulo: the remainder of an 8-bit number, for divisors chosen at run time.
//!
//! No state. The residues of the two digits of four bits are looked up side by side; their sum is below twice the
//! divisor, so that one conditional subtraction is left: half as deep as a division bit by bit.

use crate::parts::residue_table::{residue_table, ResidueTable, DIGIT_BITS};
use crate::rtl::prelude::*;

/// Remainder of an 8-bit number, for divisors from 1 to a power of two that are chosen at run time.
#[block(bits: usize)]
pub struct Modulo {
    /// Number to divide.
    pub number: Sig<In, { 2 * DIGIT_BITS }>,
    /// Divisor; 0 stands for 2 to the power of its width.
    pub divisor: Sig<In, bits>,
    /// Number modulo divisor.
    pub remainder: Sig<Out, bits>,

    #[made(residue_table(bits, 1))]
    low: ResidueTable,
    #[made(residue_table(bits, 1 << DIGIT_BITS))]
    high: ResidueTable,

    /// Sum of the residues of both digits.
    sum: Sig<Local, { bits + 1 }>,
    /// Divisor, with the largest one.
    whole_divisor: Sig<Local, { bits + 1 }>,

    low_field: Field<0, DIGIT_BITS>,
    high_field: Field<DIGIT_BITS, DIGIT_BITS>,
    largest: Number<{ 1 << bits }>,
}

#[kernel]
impl Modulo {
    fn update(&mut self) {
        self.low.divisor.next = self.divisor.val();
        self.low.digit.next = self.number.val() >> self.low_field.val();
        self.high.divisor.next = self.divisor.val();
        self.high.digit.next = self.number.val() >> self.high_field.val();
        self.sum.next = unsigned_cast(self.low.residue.val()) + unsigned_cast(self.high.residue.val());
        self.whole_divisor.next = unsigned_cast(self.divisor.val());
        if !self.divisor.val().any() {
            self.whole_divisor.next = self.largest.into();
        }
        self.remainder.next = unsigned_cast(self.sum.val());
        if self.sum.val() >= self.whole_divisor.val() {
            self.remainder.next = unsigned_cast(self.sum.val()) - self.divisor.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_remainder() {
        for bits in [4, 5, 6] {
            let mut block = Bench::combinational(modulo(bits));
            for divisor in 1..=1u32 << bits {
                for number in 0..256u32 {
                    block.number.next = number.into();
                    block.divisor.next = (divisor & ((1 << bits) - 1)).into();
                    block.settle();
                    assert_eq!(block.remainder.val().to_u128(), u128::from(number % divisor), "{number} mod {divisor}");
                }
            }
        }
    }
}
