//! What every test bench needs, around one switch or a network of them: all that stands at a switch's pins.
//!
//! - [`random`]: random streams that are the same on every machine;
//! - [`traffic`]: what sources send: where to, how long, how often, with which bits;
//! - [`endpoint`]: senders and their credit, sinks, the CAM, a requester at the APB port;
//! - [`barrier_node`]: a node's side of the barrier protocol;
//! - [`Latencies`]: histograms of latencies;
//! - [`Fairness`]: how evenly something is shared.
//!
//! What a bench checks is its own: the lock-step bench and the network harness have a scoreboard each.

pub mod barrier_node;
pub mod endpoint;
mod fairness;
mod latencies;
mod pins;
pub mod random;
pub mod traffic;
pub mod upsets;

pub use fairness::Fairness;
pub use latencies::Latencies;
pub use pins::packets_leave;
