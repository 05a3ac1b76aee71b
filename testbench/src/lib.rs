//! Test bench: drives the Verilated design (a model of `railyard-verilated`) and holds it against the golden model.
//!
//! - [`random`], [`traffic`], [`stimulus`]: every input in every cycle, from a seed; a [`stimulus::Scenario`] says
//!   what;
//! - [`check`], [`measure`]: scoreboard, latency, load, hit rate, from the pins alone;
//! - [`limits`]: which limits of the switch a run has reached;
//! - [`bench`](mod@bench): these three around one switch;
//! - [`packet_log`]: the packets of a run one by one;
//! - [`simulate`]: the golden model in a bench, for numbers;
//! - [`lockstep`]: the Verilated design and the golden model in one bench, compared in every cycle;
//! - [`emitted`]: emitted switches as devices of a network;
//! - [`network`]: a whole network in Verilog, held against the network of golden models;
//! - [`benchmark`]: how fast all this is;
//! - [`ideal`]: the throughput that a switch without arbitration losses would have.

pub mod bench;
pub mod benchmark;
pub mod check;
pub mod emitted;
pub mod ideal;
pub mod limits;
pub mod lockstep;
pub mod measure;
pub mod network;
pub mod packet_log;
pub mod simulate;
pub mod stimulus;

pub use railyard_bench::{random, traffic};
