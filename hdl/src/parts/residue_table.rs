//! Residue table: a digit of a number modulo a divisor chosen at run time.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `divisor` | 4 | divisor; 0 stands for 16 |
//! | `digit` | 4 | digit of the number, of the weight that the table is made for |
//! | `residue` | 4 | weight x digit modulo divisor |
//!
//! No state. Each bit is a constant of 256 bits, looked up by {divisor, digit}.

use crate::rtl::prelude::*;
use num_bigint::BigUint;

/// Looks up a residue; see the head of this file.
#[block]
pub struct ResidueTable {
    pub divisor: Sig<In>,
    pub digit: Sig<In>,
    pub residue: Sig<Out>,

    place: Sig<Local>,

    bit_0: Konst,
    bit_1: Konst,
    bit_2: Konst,
    bit_3: Konst,
    digit_field: Field,
    divisor_field: Field,
    about: About,
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
    ResidueTable {
        divisor: sig(4).doc("divisor; 0 stands for 16"),
        digit: sig(4).doc("digit"),
        residue: sig(4).doc("what the digit stands for, modulo the divisor"),
        place: sig(8).doc("place in the tables: divisor, digit"),
        bit_0: table(0),
        bit_1: table(1),
        bit_2: table(2),
        bit_3: table(3),
        digit_field: field(0, 4),
        divisor_field: field(4, 4),
        about: about("residue_table", "A digit modulo a divisor chosen at run time.").param("weight", weight),
    }
}

#[kernel]
impl ResidueTable {
    fn update(&mut self) {
        self.place.next = 0.into();
        self.place.next = self.place.val().replace_bit(self.digit_field.val(), self.digit.val());
        self.place.next = self.place.val().replace_bit(self.divisor_field.val(), self.divisor.val());
        self.residue.next = 0.into();
        self.residue.next = self.residue.val().replace_bit(0, self.bit_0.val().get_bit(self.place.val()));
        self.residue.next = self.residue.val().replace_bit(1, self.bit_1.val().get_bit(self.place.val()));
        self.residue.next = self.residue.val().replace_bit(2, self.bit_2.val().get_bit(self.place.val()));
        self.residue.next = self.residue.val().replace_bit(3, self.bit_3.val().get_bit(self.place.val()));
    }
}
