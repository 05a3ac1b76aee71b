//! Emitted switches as devices of a network: many instances of one Verilated design, wired by the network harness.
//!
//! All outputs of a switch are registers, so that wiring instances outside the simulator loses nothing: a link of any
//! latency from 1 on is what the harness carries from one instance's `tx_*` to another's `rx_*`.

use crate::lockstep::{PromptDevice as _, VerilatedSwitch};
use railyard_model::{Inputs, Outputs, Switch};
use railyard_network::Device;
use railyard_spec::Shape;
use railyard_verilated::{Compiled, ModelError};

/// A Verilated switch, whose pins the network sees, and its golden model, which gets the same inputs.
#[derive(Debug)]
pub struct Emitted {
    hardware: VerilatedSwitch,
    shape: Shape,
    outputs: Outputs,
    golden: Option<Switch>,
    /// The first difference from the golden model, or why the design stopped.
    fault: Option<String>,
    cycle: u64,
}

impl Emitted {
    /// An instance that is held against a golden model in every cycle; unknown values, if the build has them random,
    /// come from `seed`.
    ///
    /// # Errors
    /// The model can't be started.
    pub fn new(compiled: &Compiled, shape: &Shape, seed: u64) -> Result<Emitted, ModelError> {
        Ok(Emitted { golden: Some(Switch::new(shape)), ..Emitted::alone(compiled, shape, seed)? })
    }

    /// An instance without golden model: the network alone tells what is wrong with it.
    ///
    /// # Errors
    /// The model can't be started.
    pub fn alone(compiled: &Compiled, shape: &Shape, seed: u64) -> Result<Emitted, ModelError> {
        let mut hardware = VerilatedSwitch::new(compiled, shape, seed)?;
        let mut reset = Inputs::new(shape);
        reset.reset = true;
        hardware.step(&reset);
        let mut outputs = Outputs::new(shape);
        hardware.read(&mut outputs);
        Ok(Emitted { hardware, shape: shape.clone(), outputs, golden: None, fault: None, cycle: 0 })
    }

    fn compare(&mut self) {
        if let Some(reason) = self.hardware.stopped() {
            self.fault = Some(format!("stops in cycle {}: {reason}", self.cycle));
            return;
        }
        let Some(golden) = &self.golden else { return };
        if self.hardware.differs(golden.outputs()) {
            let all = self.hardware.differences(golden.outputs());
            let first = all.first().map(|d| format!("{}[{}] is {}, expected {}", d.pin, d.element, d.got, d.expected));
            let first = first.unwrap_or_else(|| "an output differs".into());
            self.fault = Some(format!("differs from the golden model in cycle {}: {first}", self.cycle));
        }
    }
}

impl Device for Emitted {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn step(&mut self, inputs: &Inputs) {
        self.hardware.step(inputs);
        self.hardware.read(&mut self.outputs);
        self.cycle += 1;
        if let Some(golden) = &mut self.golden {
            golden.step(inputs);
        }
        if self.fault.is_none() {
            self.compare();
        }
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }

    fn left_over(&self, wired: u64) -> Option<String> {
        self.golden.as_ref()?.left_over(wired)
    }
}
