//! A whole network in Verilog as one Verilated model, held in lock-step against the same network of golden models.
//!
//! The network harness runs the golden models, their nodes, CAMs and register accesses, and decides what goes wrong on
//! which link. The model gets the same from outside: what the nodes send, what CAMs answer, what is written and read,
//! and the faults of each link. What comes out of it is compared in every cycle: what arrives at each node (or at a
//! port without a link), and all outputs of each switch that are no link's.

mod design;
mod difference;
mod edge_pins;
mod hardware;
mod link_pins;
mod switch_pins;
mod verify;

pub use hardware::NetworkHardware;
pub use verify::{NetworkVerify, NetworkVerifyError};
