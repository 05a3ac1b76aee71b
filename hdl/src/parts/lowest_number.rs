//! Lowest number: which is the lowest set bit of a vector, and what does a second vector hold there?
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `bits` | N | vector |
//! | `marks` | N | second vector |
//! | `number` | clog2(N + 1) | 1 + position of the lowest set bit of `bits`; 0 if there is none |
//! | `mark` | 1 | bit of `marks` at that position; 0 if there is none |
//!
//! No state. The lowest bit alone (one-hot) selects, so that "none" is 0 without a case of its own.

use crate::parts::lowest_bit::{lowest_bit, LowestBit};
use crate::rtl::prelude::*;

/// Numbers the lowest set bit; see the head of this file.
#[derive(LogicBlock)]
pub struct LowestNumber {
    pub bits: Sig<In>,
    pub marks: Sig<In>,
    pub number: Sig<Out>,
    pub mark: Flag<Out>,

    search: LowestBit,

    width: Param,
    about: About,
}

/// For vectors of `width` bits.
pub fn lowest_number(width: usize) -> LowestNumber {
    LowestNumber {
        bits: sig(width).doc("vector"),
        marks: sig(width).doc("second vector"),
        number: sig(clog2(width + 1)).doc("1 + position of the lowest set bit; 0: none"),
        mark: flag().doc("bit of the second vector at this position"),
        search: lowest_bit(width),
        width: param(width),
        about: about("lowest_number", "Number of the lowest set bit of a vector, and a second vector's bit there.")
            .param("width", width),
    }
}

impl Logic for LowestNumber {
    #[hdl_gen]
    fn update(&mut self) {
        self.search.bits.next = self.bits.val();
        self.number.next = 0.into();
        for i in 0..self.width.val() {
            if self.search.lowest.val().get_bit(i) {
                self.number.next = self.number.val() | (i + 1);
            }
        }
        self.mark.next = (self.search.lowest.val() & self.marks.val()).any();
    }
}
