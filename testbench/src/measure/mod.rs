//! What a run measures: latency, load, hit rate, speed; and whether it is steady.

mod statistics;
mod totals;
mod window;

pub use railyard_bench::Latencies;
pub use statistics::PinStatistics;
pub use totals::IntervalTotals;
pub use window::{Doubt, Window, BATCHES};
