//! Crossbar column: takes one of the inputs of a crossbar plane to one of its outputs.
//!
//! No state; an AND-OR.
//!
//! Source: switch reference, section 6; Cao2016, 3.3 (parallel crossbars).

use crate::rtl::prelude::*;

/// Takes one of its inputs to its output, by one-hot select.
#[block]
pub struct CrossbarColumn {
    /// Word of input i.
    pub beat: Vec<Sig<In>>,
    /// Input that the output takes, one-hot.
    pub select: Sig<In>,
    /// Word for the output.
    pub out: Sig<Out>,

    inputs: Param,
    width: Param,
}

/// The column of an output that takes from `inputs` words of `width` bits.
pub fn crossbar_column(inputs: usize, width: usize) -> CrossbarColumn {
    CrossbarColumn { beat: many(inputs, || sig(width)), select: sig(inputs), out: sig(width), inputs, width }
}

#[kernel]
impl CrossbarColumn {
    fn update(&mut self) {
        self.out.next = 0.into();
        for i in 0..self.inputs {
            if self.select.val().get_bit(i) {
                self.out.next = self.out.val() | self.beat[i].val();
            }
        }
    }
}
