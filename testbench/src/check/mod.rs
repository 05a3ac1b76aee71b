//! Checks that need no model: the scoreboard.

mod scoreboard;

pub use scoreboard::{PacketFault, PacketFaultKind, Scoreboard};

#[cfg(test)]
mod tests;
