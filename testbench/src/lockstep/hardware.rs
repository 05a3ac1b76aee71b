//! The Verilated design in this process, behind the golden model's types.

use super::{Difference, PinMap, PromptDevice};
use railyard_model::{Inputs, Outputs};
use railyard_spec::Shape;
use railyard_verilated::{Clock, Compiled, Model, ModelError, Pins, Start};

/// A running Verilated switch, for designs of one's own: what their code does, it does to this process.
#[derive(Debug)]
pub struct VerilatedSwitch {
    model: Model,
    clock: Clock,
    map: PinMap,
}

impl VerilatedSwitch {
    /// Starts an instance, with unknown values (if the build has them random) from `seed`.
    ///
    /// # Errors
    /// The model can't be loaded, or lacks a pin.
    pub fn new(compiled: &Compiled, shape: &Shape, seed: u64) -> Result<VerilatedSwitch, ModelError> {
        let model = compiled.start(&Start { seed, ..Start::default() })?;
        Ok(VerilatedSwitch { clock: model.clock("clock")?, map: PinMap::new(&model, shape)?, model })
    }

    /// Reads all output pins. What has no meaning in this cycle stays as it was in `outputs`.
    pub fn read(&self, outputs: &mut Outputs) {
        self.map.read(&self.model, outputs);
    }

    /// The packed totals are made afresh in the next comparison.
    #[cfg(test)]
    pub(super) fn repack(&mut self) {
        self.map.repack();
    }
}

impl PromptDevice for VerilatedSwitch {
    #[inline]
    fn step(&mut self, inputs: &Inputs) {
        self.map.drive(&mut self.model, inputs);
        self.model.tick(self.clock);
        if inputs.reset {
            self.map.repack();
        }
    }

    #[inline]
    fn differs(&mut self, expected: &Outputs) -> bool {
        self.map.differs(&self.model, expected)
    }

    fn differences(&mut self, expected: &Outputs) -> Vec<Difference> {
        self.map.differences(&self.model, expected)
    }

    fn stopped(&self) -> Option<String> {
        // Asking for the reason costs a call; asking whether there is one doesn't.
        if self.model.stopped() {
            self.model.stop_reason()
        } else {
            None
        }
    }
}
