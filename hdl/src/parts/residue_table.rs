//! Residue table: a digit of a number modulo a divisor chosen at run time.
//!
//! No state. Each bit is a constant of 256 bits, looked up by {divisor, digit}.

use crate::rtl::prelude::*;
use num_bigint::BigUint;

/// A digit modulo a divisor chosen at run time.
#[block]
pub struct ResidueTable {
    /// Divisor; 0 stands for 16.
    pub divisor: Sig<In, 4>,
    /// Digit.
    pub digit: Sig<In, 4>,
    /// Value of the digit at its place, modulo the divisor.
    pub residue: Sig<Out, 4>,

    /// Place in the tables: divisor, digit.
    place: Sig<Local, 8>,

    bit_0: Konst,
    bit_1: Konst,
    bit_2: Konst,
    bit_3: Konst,
    digit_field: Field<0, 4>,
    divisor_field: Field<4, 4>,

    weight: Param,
}

/// A table of digits that stand for `weight` each.
pub fn residue_table(weight: usize) -> ResidueTable {
    let residue = |place: usize| match place >> 4 {
        0 => weight * (place & 15) % 16,
        divisor => weight * (place & 15) % divisor,
    };
    let table = |bit: usize| {
        let ones = (0..256).filter(|place| residue(*place) >> bit & 1 == 1);
        konst(256, ones.fold(BigUint::default(), |sum, place| sum + (BigUint::from(1u8) << place)))
    };
    sized(ResidueTable {
        bit_0: table(0),
        bit_1: table(1),
        bit_2: table(2),
        bit_3: table(3),
        weight,
        ..ResidueTable::plain()
    })
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
    }
}
