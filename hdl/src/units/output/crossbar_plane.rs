//! Crossbar plane: joins each of its inputs with each of its outputs.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `beat` | inputs x word | what each input offers |
//! | `select` | outputs x inputs | for each output, the input that it takes (one-hot, or none) |
//! | `out` | outputs x word | what each output gets; zero without a selected input |
//!
//! No state; a column for each output.
//!
//! Source: switch reference, section 6; seed 004 section 3.3 (parallel crossbars).

use crate::rtl::prelude::*;
use crate::units::output::crossbar_column::{crossbar_column, CrossbarColumn};

/// One plane; see the head of this file.
#[block]
pub struct CrossbarPlane {
    pub beat: Vec<Sig<In>>,
    pub select: Vec<Sig<In>>,
    pub out: Vec<Sig<Out>>,

    column: Vec<CrossbarColumn>,

    inputs: Param,
    outputs: Param,
    about: About,
}

/// A plane of `inputs` x `outputs` for words of `width` bits.
pub fn crossbar_plane(inputs: usize, outputs: usize, width: usize) -> CrossbarPlane {
    CrossbarPlane {
        beat: many(inputs, || sig(width).doc("what input i offers")),
        select: many(outputs, || sig(inputs).doc("the input that output o takes, one-hot")),
        out: many(outputs, || sig(width).doc("what output o gets")),
        column: many(outputs, || crossbar_column(inputs, width)),
        inputs: param(inputs),
        outputs: param(outputs),
        about: about("crossbar_plane", "Joins each of its inputs with each of its outputs, by one-hot select.")
            .param("inputs", inputs)
            .param("outputs", outputs)
            .param("width", width),
    }
}

#[kernel]
impl CrossbarPlane {
    fn update(&mut self) {
        for o in 0..self.outputs.val() {
            for i in 0..self.inputs.val() {
                self.column[o].beat[i].next = self.beat[i].val();
            }
            self.column[o].select.next = self.select[o].val();
            self.out[o].next = self.column[o].out.val();
        }
    }
}
