//! Modulo: the remainder of an 8-bit number, for divisors from 1 to 16 chosen at run time.
//!
//! No state. The residues of the two digits of four bits are looked up side by side; their sum is below twice the divisor, so
//! that one conditional subtraction is left: half as deep as a division bit by bit.

use crate::parts::residue_table::{residue_table, ResidueTable};
use crate::rtl::prelude::*;

/// Remainder of an 8-bit number, for divisors from 1 to 16 chosen at run time.
#[block]
pub struct Modulo {
    /// Number to divide.
    pub number: Sig<In>,
    /// Divisor; 0 stands for 16.
    pub divisor: Sig<In>,
    /// Number modulo divisor.
    pub remainder: Sig<Out>,

    low: ResidueTable,
    high: ResidueTable,

    /// Sum of the residues of both digits.
    sum: Sig<Local>,
    /// Divisor from 1 to 16.
    whole_divisor: Sig<Local>,

    low_field: Field,
    high_field: Field,
    sixteen: usize,
}

/// The block.
pub fn modulo() -> Modulo {
    Modulo {
        number: sig(8),
        divisor: sig(4),
        remainder: sig(4),
        low: residue_table(1),
        high: residue_table(16),
        sum: sig(5),
        whole_divisor: sig(5),
        low_field: field(0, 4),
        high_field: field(4, 4),
        sixteen: 16,
    }
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
            self.whole_divisor.next = self.sixteen.into();
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
        let mut block = Bench::combinational(modulo());
        for divisor in 1..=16u32 {
            for number in 0..256u32 {
                block.number.next = number.into();
                block.divisor.next = (divisor & 15).into();
                block.settle();
                assert_eq!(block.remainder.val().to_u128(), u128::from(number % divisor), "{number} mod {divisor}");
            }
        }
    }
}
