//! What a run measures: latency, load, hit rate, speed.

mod statistics;

pub use railyard_sampling::Latencies;
pub use statistics::Statistics;
