//! What lock-step needs of the thing under test.

use super::Difference;
use railyard_model::{Inputs, Outputs};

/// A switch under test: the Verilated design, or in the bench's own tests a model with a planted fault.
pub trait Device {
    /// One cycle with those inputs.
    fn step(&mut self, inputs: &Inputs);

    /// Whether some output that means something differs from what is expected in the current cycle. Called in every
    /// cycle, with the golden model's outputs of that cycle.
    fn differs(&mut self, expected: &Outputs) -> bool;

    /// All differences, for the report.
    fn differences(&mut self, expected: &Outputs) -> Vec<Difference>;

    /// Why the device stopped, if it did: an assertion failed.
    fn stopped(&self) -> Option<String> {
        None
    }
}
