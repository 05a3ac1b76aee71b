//! Lock-step: the Verilated design and the golden model get the same inputs, and every output is compared in every
//! cycle.

mod command;
mod design;
mod device;
mod difference;
mod hardware;
mod history;
mod isolated;
mod packed_totals;
mod pin_map;
mod replay;
mod report;
mod run;
mod verify;
mod waveform;

pub use command::command;
pub use design::{design, Verilog};
pub use device::{Found, PromptDevice, Stop, Subject};
pub use difference::{differences, Difference};
pub use hardware::VerilatedSwitch;
pub use history::history;
pub(crate) use isolated::print;
pub use isolated::Isolated;
pub use pin_map::PinMap;
pub use report::{Failure, FailureKind, Verification};
pub use run::Lockstep;
pub use verify::{Prepared, Verify, VerifyError};
pub use waveform::{Waveform, WaveformError};

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
