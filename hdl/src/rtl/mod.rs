//! Registers, wires and memories whose sizes are chosen at run time, and the Verilog back-end.
//!
//! The chapter "Writing a block" of the book describes the language in which blocks are written: `#[block]` on a
//! struct, `#[kernel]` on its functions. A kernel is ordinary Rust and runs as such in the simulator; [`emit`]
//! prints Verilog of the same meaning.

pub mod bench;
pub mod bundle;
pub mod constant;
pub mod expression;
pub mod memory;
pub mod names;
pub mod part;
pub mod register;
pub mod signal;
pub mod value;
pub mod verilog;

pub use bench::Bench;
pub use bundle::{Opposite, Side};
pub use constant::{about, field, konst, About, Field, Konst};
pub use memory::{ram, Ram};
pub use register::{flag_reg, flag_reg_no_reset, reg, reg_no_reset, regs, regs_no_reset, FlagReg, Reg, Regs};
pub use signal::{clock, flag, many, sig, ClockIn, Flag, Sig};
pub use value::{bit_cast_to, unsigned_cast, Value};
pub use verilog::{emit, emit_styled, Design, ElaborationError, Module, ModulePort, PortDirection, ResetStyle, Style};

/// A number of a block that is listed in the header of its module and tells modules of one kind apart. `Param<bool>` is
/// a flag, `Param<Option<usize>>` a number that may be missing.
pub type Param<T = usize> = T;

/// A number of a block that is not listed, where its value stands in its type: `levels: Number<{ clog2(width) }>`.
pub type Number<T = usize> = T;

/// A bundle whose wires go by their own names in Verilog, without that of the field.
pub type Bare<T> = T;

/// The block with the parts whose sizes stand in the types of its fields: what a constructor ends with.
pub fn sized<B: part::Sizes>(block: B) -> B {
    block.sized()
}

/// Everything a block's file needs.
pub mod prelude {
    pub use super::part::{Bundle as _, Plain as _};
    pub use super::*;
    pub use railyard_hdl_macros::{block, bundle, group, kernel};
    pub use rust_hdl_core::prelude::{ast, block, clog2, logic, probe, Block, In, Local, Logic, Out, Verilog};
}
