//! The Verilated design in a process of its own, behind the golden model's types.
//!
//! The stimulus depends on the golden model alone. So bench and golden model run ahead, and the design follows at its
//! own pace, on another processor if there is one. What is expected stays here; the design's process never sees it.

use super::{Found, PinMap, Stop, Subject};
use railyard_input::printable_lines;
use railyard_model::{Inputs, Outputs};
use railyard_spec::Shape;
use railyard_verilated::{Compiled, Ending, ModelError, Process, Recording, Session, Start};
use std::io::Write;

/// A Verilated switch that can do nothing to this process.
#[derive(Debug)]
pub struct Isolated {
    /// None once it has ended.
    process: Option<Process>,
    map: PinMap,
    /// What belongs to the cycles under way.
    cycles: Vec<Cycle>,
    /// Cycles whose outputs were received.
    received: u64,
    /// Cycles after which it is known what is expected.
    expected: u64,
}

/// A cycle under way.
#[derive(Clone, Debug)]
struct Cycle {
    /// What is expected after it.
    outputs: Outputs,
    is_reset: bool,
}

impl Isolated {
    /// Starts an instance, with unknown values (if the build has them random) from `seed`. `recording` is what becomes
    /// a waveform; the model must have been built for it.
    ///
    /// # Errors
    /// The process can't be started, or the model lacks a pin.
    pub fn new(
        compiled: &Compiled,
        shape: &Shape,
        seed: u64,
        recording: Option<Recording>,
    ) -> Result<Isolated, ModelError> {
        let start = Start { seed, ..Start::default() };
        let process =
            compiled.process("clock", Session { start, settled: false, recording, print: Box::new(print) })?;
        let map = PinMap::new(process.pins(), shape)?;
        let cycle = Cycle { outputs: Outputs::new(shape), is_reset: false };
        let cycles = vec![cycle; process.capacity() as usize];
        Ok(Isolated { process: Some(process), map, cycles, received: 0, expected: 0 })
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("nothing is asked of a device after its end")
    }

    fn place(&self, cycle: u64) -> usize {
        cycle as usize % self.cycles.len()
    }

    /// Receives the outputs of all cycles under way, and compares them.
    ///
    /// # Errors
    /// Something was found in one of them.
    pub fn catch_up(&mut self) -> Result<(), Box<Found>> {
        (0..self.process().under_way()).try_for_each(|_| self.receive())
    }

    /// A cycle with those inputs, whatever comes of it.
    pub(super) fn show(&mut self, inputs: &Inputs) {
        let Some(process) = &mut self.process else { return };
        if process.under_way() == process.capacity() && !pass_over(process, process.capacity().div_ceil(2)) {
            self.process = None;
            return;
        }
        self.map.drive(process.pins_mut(), inputs);
        process.send();
    }

    /// Whether all cycles were shown, and the waveform is complete.
    pub(super) fn shown(self) -> bool {
        self.process.is_some_and(|mut process| {
            let rest = process.under_way();
            pass_over(&mut process, rest) && matches!(process.finish(), Ok(()) | Err(Ending::Stopped(_)))
        })
    }

    /// Receives the outputs of the oldest cycle under way, and compares them.
    fn receive(&mut self) -> Result<(), Box<Found>> {
        let cycle = self.received;
        self.process().receive().map_err(|ending| found(cycle, ending))?;
        self.received += 1;
        if cycle >= self.expected {
            return Ok(());
        }
        let place = self.place(cycle);
        let Cycle { outputs, is_reset } = &self.cycles[place];
        if *is_reset {
            self.map.repack();
        }
        let pins = self.process.as_ref().expect("received from it").pins();
        match self.map.differs(pins, outputs) {
            true => {
                let differences = self.map.differences(pins, outputs);
                Err(Box::new(Found { cycle: cycle + 1, stop: Stop::Mismatch(differences) }))
            }
            false => Ok(()),
        }
    }
}

impl Subject for Isolated {
    #[inline]
    fn expect(&mut self, cycle: u64, outputs: &Outputs) -> Result<(), Box<Found>> {
        let place = self.place(cycle - 1);
        self.cycles[place].outputs.copy_from(outputs);
        self.expected = cycle;
        Ok(())
    }

    #[inline]
    fn advance(&mut self, cycle: u64, inputs: &Inputs) -> Result<(), Box<Found>> {
        let process = self.process();
        let capacity = process.capacity();
        if process.under_way() == capacity {
            // Half of them at once, so that neither process waits for the other in every cycle.
            let some = capacity.div_ceil(2);
            process.wait(some);
            (0..some).try_for_each(|_| self.receive())?;
        }
        let place = self.place(cycle);
        self.cycles[place].is_reset = inputs.reset;
        let process = self.process.as_mut().expect("nothing is asked of a device after its end");
        self.map.drive(process.pins_mut(), inputs);
        process.send();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Box<Found>> {
        self.catch_up()?;
        let last = self.received.saturating_sub(1);
        self.process.take().map_or(Ok(()), |mut process| process.finish()).map_err(|ending| found(last, ending))
    }
}

/// Receives the outputs of some cycles, for nobody. False if the process has ended in one.
fn pass_over(process: &mut Process, cycles: u64) -> bool {
    process.wait(cycles);
    (0..cycles).all(|_| matches!(process.receive(), Ok(()) | Err(Ending::Stopped(_))))
}

fn found(cycle: u64, ending: Ending) -> Box<Found> {
    let stop = match ending {
        Ending::Stopped(reason) => Stop::Stopped(reason),
        Ending::Stalled(_) => Stop::Stalled(ending.to_string()),
        other => Stop::Ended(other.to_string()),
    };
    Box::new(Found { cycle, stop })
}

/// What a design prints goes to standard error; standard output is for the answer.
pub(crate) fn print(text: &str) {
    // Nobody can be told where standard error is closed.
    let _ = std::io::stderr().write_all(printable_lines(text).as_bytes());
}
