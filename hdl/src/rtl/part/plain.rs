//! What a constructor need not say.

use crate::rtl::constant::{about, field, konst, About, Field, Konst, UNSET};
use crate::rtl::memory::Ram;
use crate::rtl::register::{flag_reg, regs_no_reset, FlagReg, Reg, Regs};
use crate::rtl::signal::{clock, flag, ClockIn, Wire};
use crate::rtl::value::Value;
use rust_hdl_core::prelude::Direction;

/// What a constructor need not say: flags, clocks, one-bit registers that reset to 0, what is not there.
///
/// A vector or number has to be set all the same: one that is not is an error when the block is simulated or printed.
pub trait Plain {
    /// The part.
    fn plain() -> Self;
}

macro_rules! plain {
    ($([$($generics:tt)*] $type:ty: $value:expr;)+) => {$(
        impl<$($generics)*> Plain for $type {
            fn plain() -> Self {
                $value
            }
        }
    )+};
}
plain! {
    [D: Direction] Wire<D, bool>: flag();
    [D: Direction] Wire<D, Value>: Wire::unsized_yet();
    [] ClockIn: clock();
    [] FlagReg: flag_reg(false);
    [] Reg: Reg::unsized_yet();
    [] Regs: regs_no_reset(0, 1);
    [] Ram: Ram::unsized_yet();
    [T] Option<T>: None;
    [T] Vec<T>: vec![];
    [] usize: UNSET;
    [] bool: false;
    [] Konst: konst(1, 0u8);
    [] Field: field(0, 1);
    [] About: about("", "");
}
