//! Design-space exploration: a sweep over the fields of a switch description or of a network file, simulated and
//! estimated point by point.
//!
//! - [`Sweep`]: the JSON file a user writes; a bad one yields all its faults at once;
//! - [`SweepPlan`]: what follows from it: the points, those that break rules, and the [`SweepRun`]s that the rest
//!   needs;
//! - [`Store`]: the folder of a sweep. A finished run is one file, named by what it depends on, sealed and written
//!   whole: a sweep that was stopped goes on where it was, and workers on several machines share the folder;
//! - [`execute()`]: runs, side by side;
//! - [`Results`]: the finished points as CSV and JSON, the same bytes in whatever order the runs ended; [`plot`]s with
//!   the Pareto front;
//! - [`slurm`]: the same sweep as a job array.
//!
//! The hardware is not seen from here: whoever calls passes a [`Hardware`].

mod axis;
mod error;
mod execute;
mod faults;
mod field;
mod grid;
mod network;
mod network_load;
mod pareto;
mod plan;
pub mod plot;
mod results;
mod run;
mod scenario;
pub mod slurm;
mod store;
mod subject;
mod sweep;

pub use error::Error;
pub use execute::{execute, ExecuteOptions, Failed, Shard};
pub use plan::{Skipped, SweepPlan, SweepPoint};
pub use results::{Front, Results, Unfinished};
pub use run::{Hardware, Metrics, RunKind, SweepRun};
pub use store::{Kept, Store};
pub use sweep::{json_schema, Base, Estimate, Goal, Pareto, Plot, Simulate, Sweep};

/// Version of Railyard: results of another are not reused.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
