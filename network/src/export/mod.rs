//! Networks for other tools.

mod dot;
mod simgrid;

pub use dot::dot;
pub use simgrid::{simgrid, Platform};
