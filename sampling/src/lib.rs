//! What test bench and network harness draw from and measure with: random streams that are the same on every machine, and
//! histograms of latencies.

mod latencies;
pub mod random;

pub use latencies::Latencies;
