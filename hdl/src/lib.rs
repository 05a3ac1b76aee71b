//! Railyard's hardware: the switch in rust-hdl, sized at run time, and the back-end that prints it as Verilog.

// The attributes of the hardware language name this crate by its name, in it too.
extern crate self as railyard_hdl;

pub mod blocks;
pub mod chip;
pub mod network;
pub mod parts;
pub mod rtl;
pub mod switch;
mod text_top;
pub mod units;

pub use rtl::verilog::{Design, ElaborationError};
pub use switch::{elaborate, elaborate_as, elaborate_plain};
