//! What the attributes of the hardware language generate calls of.
//!
//! Users write `#[block]`, `#[kernel]`, `#[bundle]` and `#[group]`; the code that these generate names this module by
//! its full path. A user needs [`Plain`] only.

mod bundle;
mod clocked;
mod documented;
mod known;
mod plain;
mod property;
mod sizes;
mod tree;

pub use super::bundle::Opposite;
pub use super::constant::about;
pub use bundle::Bundle;
pub use clocked::{push_defaults, wire_port, Clocked, Unclocked, WiresParts};
pub use documented::Documented;
pub use known::{visit_constants, KernelConstants, Known, NoConstants};
pub use plain::Plain;
pub use property::{begin_checks, check, property};
pub(crate) use property::{take_broken, MARK};
pub use rust_hdl_core::ast;
pub use rust_hdl_core::prelude::{Block, Clock, Logic, Probe};
pub use sizes::{Given, Sizes, Unset};
pub use tree::{assign, bound, else_if, named_range, number, push_loop, push_rounds, set, unnamed, Bound};
