//! Checks that need no model: the scoreboard of packets, the account of barriers, and what stands beside them.

mod barrier_board;
mod checks;
mod error_flags;
mod scoreboard;

pub use barrier_board::BarrierBoard;
pub(crate) use checks::Running;
pub use checks::{Check, Cycle, Departure};
pub use error_flags::ErrorFlags;
pub use scoreboard::{PacketFault, PacketFaultKind, Scoreboard};

#[cfg(test)]
mod tests;
