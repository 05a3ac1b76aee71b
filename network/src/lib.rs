//! Networks of Railyard switches.
//!
//! - [`topology`]: fat trees, tori, meshes and arbitrary wirings, as a [`wiring::Wiring`];
//! - [`tables`]: routing tables, computed from the topology or read from a file;
//! - [`check`]: reachability, and rings in the channel dependency graph;
//! - [`adaptive`]: settings of Dragonfly routing;
//! - [`multicast`]: trees, and the selection of their roots by load (HLSE and its alternatives);
//! - [`barrier`]: trees in which barriers are gathered;
//! - [`blueprint`]: all this for one network, checked;
//! - [`run`]: what a run is asked to do;
//! - [`description`]: the network file;
//! - [`import`] and [`export`]: files of other tools;
//! - [`Outlook`] and [`notes`]: what routes can carry at best, what a reader should know of a run;
//! - [`harness`]: a network of [`Device`]s at work: the golden model, or a simulated design.

pub mod adaptive;
mod algorithm;
pub mod barrier;
pub mod blueprint;
pub mod check;
pub mod description;
mod device;
mod execute;
pub mod export;
mod full_link;
pub mod harness;
pub mod import;
pub mod multicast;
pub mod notes;
mod outlook;
mod placement;
mod plan;
pub mod run;
pub mod tables;
pub mod topology;
pub mod wiring;

pub use algorithm::AlgorithmError;
pub use device::Device;
pub use execute::{execute, execute_logged, execute_observed, execute_until_steady, Execution, Extent};
pub use full_link::FullLink;
pub use outlook::{Layers, LinkRoutes, Outlook, Roots};
pub use placement::PlacementError;
