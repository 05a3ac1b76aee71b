//! Event counters: the hardware blocks of the chapter "Writing a block", in a crate of their own.

mod bank;
mod counter;
mod ranking;
mod statistics;
mod totals;

pub use bank::{lane_counters, LaneCounters, FIRST_LANES};
pub use counter::{event_counter, EventCounter};
pub use ranking::{ranking, Largest, Ranking};
pub use statistics::{statistics, Statistics};
pub use totals::{totals, Totals};
