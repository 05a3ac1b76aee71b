//! Modulo: the remainder of an 8-bit number, for divisors from 1 to 16 chosen at run time.
//!
//! No state. The residues of the two digits of four bits are looked up side by side; their sum is below twice the
//! divisor, so that one conditional subtraction is left: half as deep as a division bit by bit.

use crate::parts::residue_table::{residue_table, ResidueTable};
use crate::rtl::prelude::*;

/// Remainder of an 8-bit number, for divisors from 1 to 16 chosen at run time.
#[block]
pub struct Modulo {
    /// Number to divide.
    pub number: Sig<In, 8>,
    /// Divisor; 0 stands for 16.
    pub divisor: Sig<In, 4>,
    /// Number modulo divisor.
    pub remainder: Sig<Out, 4>,

    low: ResidueTable,
    high: ResidueTable,

    /// Sum of the residues of both digits.
    sum: Sig<Local, 5>,
    /// Divisor from 1 to 16.
    whole_divisor: Sig<Local, 5>,

    low_field: Field<0, 4>,
    high_field: Field<4, 4>,
    sixteen: usize,
}

/// The block.
pub fn modulo() -> Modulo {
    sized(Modulo { low: residue_table(1), high: residue_table(16), sixteen: 16, ..Modulo::plain() })
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
