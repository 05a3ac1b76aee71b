//! What tables must keep to before a network runs on them: every packet arrives, and no packets can wait for each other in a ring.

mod deadlock;
mod load;
mod reach;
mod unreachable;
mod walks;

pub use deadlock::{deadlock, Channel, Deadlock, Rules};
pub use load::RouteLoads;
pub use reach::{reach, reach_members, Longest};
pub use unreachable::Unreachable;
