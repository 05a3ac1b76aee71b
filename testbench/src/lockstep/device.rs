//! What lock-step needs of the thing under test.

use super::Difference;
use railyard_model::{Inputs, Outputs};

/// Why a run ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Outputs differ.
    Mismatch(Vec<Difference>),
    /// The scoreboard or the credit account found something, though both devices agree.
    Packets(Vec<String>),
    /// A check beside the scoreboard found something, though both devices agree.
    Check(Vec<String>),
    /// The design stopped itself.
    Stopped(String),
    /// The design ended the process that it runs in.
    Ended(String),
    /// The design does not come to the end of a cycle.
    Stalled(String),
    /// The traffic didn't end.
    Undrained(String),
}

/// Something that ends a run, and the cycle in which it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The cycle, counted from the start of the run.
    pub cycle: u64,
    /// What was found.
    pub stop: Stop,
}

impl Found {
    /// Cycles that had begun when it showed: outputs are compared before a cycle begins, the rest shows after it.
    pub fn begun(&self) -> u64 {
        match self.stop {
            Stop::Mismatch(_) => self.cycle,
            _ => self.cycle + 1,
        }
    }
}

/// A switch under test, which may be behind: what it says of a cycle may come some cycles later.
pub trait Subject {
    /// What the outputs must be before the next cycle, which has the number `cycle`.
    ///
    /// # Errors
    /// They differ, or something was found in an earlier cycle.
    fn expect(&mut self, cycle: u64, outputs: &Outputs) -> Result<(), Box<Found>>;

    /// The cycle with the number `cycle`, with those inputs.
    ///
    /// # Errors
    /// Something was found in that cycle or an earlier one.
    fn advance(&mut self, cycle: u64, inputs: &Inputs) -> Result<(), Box<Found>>;

    /// The run is over: nothing is behind any more.
    ///
    /// # Errors
    /// Something was found in a cycle.
    fn finish(&mut self) -> Result<(), Box<Found>> {
        Ok(())
    }
}

/// A switch under test that answers at once: in this process, or in the bench's own tests a model with a planted fault.
pub trait PromptDevice {
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

impl<D: PromptDevice> Subject for D {
    #[inline]
    fn expect(&mut self, cycle: u64, outputs: &Outputs) -> Result<(), Box<Found>> {
        match self.differs(outputs) {
            true => Err(Box::new(Found { cycle, stop: Stop::Mismatch(self.differences(outputs)) })),
            false => Ok(()),
        }
    }

    #[inline]
    fn advance(&mut self, cycle: u64, inputs: &Inputs) -> Result<(), Box<Found>> {
        self.step(inputs);
        match self.stopped() {
            Some(reason) => Err(Box::new(Found { cycle, stop: Stop::Stopped(reason) })),
            None => Ok(()),
        }
    }
}
