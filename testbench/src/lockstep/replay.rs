//! A run made again, to where something was found.

use super::{Found, Stop, Subject};
use railyard_model::{Inputs, Outputs};

/// Stands for a device of which is known what will be found. A device that is behind finds something after the bench
/// has gone on; runs are a function of their seed, so that a second one with this device brings the bench to the same
/// cycle.
pub(super) struct Replay(pub Found);

impl Replay {
    fn found(&self, is_it: bool) -> Result<(), Box<Found>> {
        match is_it {
            true => Err(Box::new(self.0.clone())),
            false => Ok(()),
        }
    }
}

impl Subject for Replay {
    fn expect(&mut self, cycle: u64, _: &Outputs) -> Result<(), Box<Found>> {
        self.found(cycle == self.0.cycle && matches!(self.0.stop, Stop::Mismatch(_)))
    }

    fn advance(&mut self, cycle: u64, _: &Inputs) -> Result<(), Box<Found>> {
        self.found(cycle == self.0.cycle && !matches!(self.0.stop, Stop::Mismatch(_)))
    }
}
