//! Crossbar column: takes one of the inputs of a crossbar plane to one of its outputs.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `beat` | inputs x word | what each input offers |
//! | `select` | inputs | the input that the output takes (one-hot, or none) |
//! | `out` | word | what the output gets; zero without a selected input |
//!
//! No state; an AND-OR.
//!
//! Source: switch reference, section 6; seed 004 section 3.3 (parallel crossbars).

use crate::rtl::prelude::*;

/// One output of a plane; see the head of this file.
#[block]
pub struct CrossbarColumn {
    pub beat: Vec<Sig<In>>,
    pub select: Sig<In>,
    pub out: Sig<Out>,

    inputs: Param,
    about: About,
}

/// The column of an output that takes from `inputs` words of `width` bits.
pub fn crossbar_column(inputs: usize, width: usize) -> CrossbarColumn {
    CrossbarColumn {
        beat: many(inputs, || sig(width).doc("what input i offers")),
        select: sig(inputs).doc("the input that the output takes, one-hot"),
        out: sig(width).doc("what the output gets"),
        inputs: param(inputs),
        about: about("crossbar_column", "Takes one of its inputs to its output, by one-hot select.")
            .param("inputs", inputs)
            .param("width", width),
    }
}

#[kernel]
impl CrossbarColumn {
    fn update(&mut self) {
        self.out.next = 0.into();
        for i in 0..self.inputs.val() {
            if self.select.val().get_bit(i) {
                self.out.next = self.out.val() | self.beat[i].val();
            }
        }
    }
}
