//! Crossbar plane: joins each of its inputs with each of its outputs.
//!
//! No state; a column for each output.
//!
//! Source: switch reference, section 6; Cao2016, 3.3 (parallel crossbars).

use crate::units::prelude::*;

/// Joins each of its inputs with each of its outputs, by one-hot select.
#[block(inputs: usize, outputs: usize, width: usize)]
pub struct CrossbarPlane {
    /// Word of input i.
    pub beat: Vec<Sig<In, width>, inputs>,
    /// Input that output o takes, one-hot.
    pub select: Vec<Sig<In, inputs>, outputs>,
    /// Word for output o.
    pub out: Vec<Sig<Out, width>, outputs>,

    column: Vec<CrossbarColumn<inputs, width>, outputs>,

    inputs: Param,
    outputs: Param,
    width: Param,
}

#[kernel]
impl CrossbarPlane {
    fn update(&mut self) {
        for o in 0..self.outputs {
            for i in 0..self.inputs {
                self.column[o].beat[i].next = self.beat[i].val();
            }
            self.column[o].select.next = self.select[o].val();
            self.out[o].next = self.column[o].out.val();
        }
    }
}
