//! What a run measures: latency, load, hit rate, speed.

mod latency;
mod statistics;

pub use latency::Latencies;
pub use statistics::Statistics;
