//! Checks that run beside the scoreboard: ours, and those that a test brings.

use crate::traffic::Packet;
use dyn_clone::DynClone;
use railyard_model::{Inputs, Outputs};
use std::fmt::Debug;

/// A check of a run: it sees each cycle at the pins, and says what is wrong.
///
/// In lock-step the outputs are those of the golden model, with which the design is compared pin by pin. A check runs
/// in the process of the test, and the design runs in another, so the design cannot change what a check sees, remembers
/// or says.
///
/// A run can be made again, so that a failure is seen once more; each run has a clone of the check.
pub trait Check: DynClone + Debug + Send + Sync {
    /// What reports call the check.
    fn name(&self) -> &'static str;

    /// Looks at a cycle; one after the other comes, from the first reset on.
    ///
    /// # Errors
    /// What is wrong, without the cycle. The run ends with it, and the check sees no further cycle.
    fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), String>;

    /// The traffic is over, the switch is empty. Does not come after illegal senders: nobody can say what is left in
    /// the switch.
    ///
    /// # Errors
    /// What is missing.
    fn finish(&mut self) -> Result<(), String> {
        Ok(())
    }
}

dyn_clone::clone_trait_object!(Check);

/// A cycle at the pins of a switch.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// Its number, from 0 for the first cycle of the run. Reset and set-up count.
    pub number: u64,
    /// Input pins, as they are at the rising edge that ends the cycle.
    pub inputs: &'a Inputs,
    /// Output pins, as they are before that edge.
    pub outputs: &'a Outputs,
    /// Packets whose first flit is at the input pins.
    pub begun: &'a [Packet],
    /// Packets that leave. Empty without a scoreboard: among illegal senders, or if packets look alike.
    pub left: &'a [Departure],
}

/// A packet that leaves the switch whole, or is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The packet.
    pub packet: Packet,
    /// Mask of the output ports where its tail is; 0: it is dropped.
    pub ports: u64,
    /// Virtual channel on which it leaves, or on which it was dropped.
    pub vc: usize,
}

/// A check, and what it found.
#[derive(Clone, Debug)]
pub struct Running {
    check: Box<dyn Check>,
    fault: Option<String>,
}

impl Running {
    /// Before the first cycle.
    pub fn new(check: Box<dyn Check>) -> Running {
        Running { check, fault: None }
    }

    /// What it found.
    #[inline]
    pub fn fault(&self) -> Option<&String> {
        self.fault.as_ref()
    }

    /// Shows it a cycle, if it has found nothing yet.
    #[inline]
    pub fn cycle(&mut self, cycle: &Cycle<'_>) {
        if self.fault.is_none() {
            let found = self.check.cycle(cycle);
            self.note(cycle.number, found);
        }
    }

    /// The run is over before cycle `number`.
    pub fn finish(&mut self, number: u64) {
        if self.fault.is_none() {
            let found = self.check.finish();
            self.note(number, found);
        }
    }

    #[inline]
    fn note(&mut self, number: u64, found: Result<(), String>) {
        if let Err(text) = found {
            self.fault = Some(format!("cycle {number}: {}: {text}", self.check.name()));
        }
    }
}
