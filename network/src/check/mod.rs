//! What tables must keep to before a network runs on them: every packet arrives, and no packets can wait for each other
//! in a ring.

mod adaptive;
mod deadlock;
mod limit;
mod load;
mod reach;
mod unreachable;
mod walks;

pub use adaptive::{adaptive_deadlock, AdaptiveFault, AdaptiveRouting, Choices, Proven, SourceChoice, WaitingPlace};
pub use deadlock::{deadlock, Channel, Deadlock, Rules};
pub use limit::{limit, Bottleneck};
pub use load::RouteLoads;
pub use reach::{reach, reach_members, Longest};
pub use unreachable::Unreachable;
pub(crate) use walks::Walks;
