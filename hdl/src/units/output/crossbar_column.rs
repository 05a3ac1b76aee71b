//! Crossbar column: takes one of the inputs of a crossbar plane to one of its outputs.
//!
//! No state; an AND-OR.
//!
//! Source: switch reference, section 6; Cao2016, 3.3 (parallel crossbars).

use crate::units::prelude::*;

/// Takes one of its inputs to its output, by one-hot select.
#[block(inputs: usize, width: usize)]
pub struct CrossbarColumn {
    /// Word of input i.
    pub beat: Vec<Sig<In, width>, inputs>,
    /// Input that the output takes, one-hot.
    pub select: Sig<In, inputs>,
    /// Word for the output.
    pub out: Sig<Out, width>,

    inputs: Param,
    width: Param,
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
