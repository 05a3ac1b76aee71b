//! Residue table: a digit of a number modulo a divisor chosen at run time.
//!
//! No state. Each bit is a constant, looked up by {divisor, digit}.

use crate::rtl::prelude::*;
use num_bigint::BigUint;

/// Bits of a digit.
pub const DIGIT_BITS: usize = 4;

/// A digit modulo a divisor of 4 to 6 bits, chosen at run time.
#[block(bits: usize, weight: usize)]
pub struct ResidueTable {
    /// Divisor; 0 stands for 2 to the power of its width.
    pub divisor: Sig<In, bits>,
    /// Digit.
    pub digit: Sig<In, DIGIT_BITS>,
    /// Value of the digit at its place, modulo the divisor.
    pub residue: Sig<Out, bits>,

    /// Place in the tables: divisor, digit.
    place: Sig<Local, { bits + DIGIT_BITS }>,

    #[made(table(bits, weight, 0))]
    bit_0: Konst,
    #[made(table(bits, weight, 1))]
    bit_1: Konst,
    #[made(table(bits, weight, 2))]
    bit_2: Konst,
    #[made(table(bits, weight, 3))]
    bit_3: Konst,
    #[made(table(bits, weight, 4))]
    bit_4: Konst,
    #[made(table(bits, weight, 5))]
    bit_5: Konst,
    digit_field: Field<0, DIGIT_BITS>,
    divisor_field: Field<DIGIT_BITS, bits>,

    five: Number<bool, { bits > 4 }>,
    six: Number<bool, { bits > 5 }>,
    weight: Param<weight>,
}

/// A bit of the residues, for each place. Each digit stands for `weight`.
fn table(bits: usize, weight: usize, bit: usize) -> Konst {
    let residue = |place: usize| match place >> DIGIT_BITS {
        0 => weight * (place & 15) % (1 << bits),
        divisor => weight * (place & 15) % divisor,
    };
    let places = 1 << (bits + DIGIT_BITS);
    let ones = (0..places).filter(|place| residue(*place) >> bit & 1 == 1);
    konst(places, ones.fold(BigUint::default(), |sum, place| sum + (BigUint::from(1u8) << place)))
}

#[kernel]
impl ResidueTable {
    fn update(&mut self) {
        self.place.next = 0.into();
        self.place.set(self.digit_field.val(), self.digit.val());
        self.place.set(self.divisor_field.val(), self.divisor.val());
        self.residue.next = 0.into();
        self.residue.set(0, self.bit_0.val().get_bit(self.place.val()));
        self.residue.set(1, self.bit_1.val().get_bit(self.place.val()));
        self.residue.set(2, self.bit_2.val().get_bit(self.place.val()));
        self.residue.set(3, self.bit_3.val().get_bit(self.place.val()));
        if self.five {
            self.residue.set(4, self.bit_4.val().get_bit(self.place.val()));
        }
        if self.six {
            self.residue.set(5, self.bit_5.val().get_bit(self.place.val()));
        }
    }
}
