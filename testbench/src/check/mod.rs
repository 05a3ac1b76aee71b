//! Checks that need no model: the scoreboard of packets, the account of barriers.

mod barrier_board;
mod scoreboard;

pub use barrier_board::BarrierBoard;
pub use scoreboard::{PacketFault, PacketFaultKind, Scoreboard};

#[cfg(test)]
mod tests;
