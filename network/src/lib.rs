//! Networks of Railyard switches.
//!
//! - [`topology`]: fat trees, tori, meshes and arbitrary wirings, as a [`wiring::Wiring`];
//! - [`tables`]: routing tables, computed from the topology or read from a file;
//! - [`check`]: reachability, and rings in the channel dependency graph;
//! - [`multicast`]: trees, and the selection of their roots by load (HLSE and its alternatives).

#![warn(missing_docs)]

pub mod check;
pub mod multicast;
pub mod tables;
pub mod topology;
pub mod wiring;
