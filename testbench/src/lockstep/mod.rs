//! Lock-step: the Verilated design and the golden model get the same inputs, and every output is compared in every cycle.

mod command;
mod device;
mod difference;
mod hardware;
mod history;
mod report;
mod run;
mod verify;
mod waveform;

pub use device::Device;
pub use difference::{differences, Difference};
pub use hardware::{design, Hardware, Verilog};
pub use history::history;
pub use report::{Failure, FailureKind, Verification};
pub use run::{Lockstep, Stop};
pub use verify::{Prepared, Verify, VerifyError};
pub use waveform::{Waveform, WaveformError};

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
