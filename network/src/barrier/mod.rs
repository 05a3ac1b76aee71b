//! Barriers: the trees of switches in which arrivals are gathered and completions spread, and messages that are packets
//! among others.

mod entry;
pub mod packets;
mod tree;

pub use entry::{BarrierTreeEntry, PlaceEntry};
pub use packets::PacketBarrierSwitch;
pub use tree::{BarrierTree, BarrierTreeError, TreePlace};
