//! Clock and reset of parts: a block wires them to its own before its kernel runs.

use super::tree::{copy, in_kernel, push_rounds};
use crate::rtl::memory::Ram;
use crate::rtl::register::{FlagReg, Reg, Regs};
use rust_hdl::core::ast::VerilogBlock;
use rust_hdl::core::prelude::Clock;

/// A part that has a clock.
pub trait Clocked {
    /// Wires it in simulation; `reset` is that of the block, if it has one.
    fn wire_clock(&mut self, clock: Clock, reset: Option<bool>);
    /// The same in the syntax tree; `name` is that of the part.
    fn wire_clock_hdl(&self, name: &str, resets: bool, out: &mut VerilogBlock);
}

/// All other parts: the compiler finds this trait one reference further away, so it is taken where there is no
/// [`Clocked`].
pub trait Unclocked {
    /// Does nothing.
    fn wire_clock(&mut self, _: Clock, _: Option<bool>) {}
    /// Does nothing.
    fn wire_clock_hdl(&self, _: &str, _: bool, _: &mut VerilogBlock) {}
}

impl<T> Unclocked for &mut T {}
impl<T> Unclocked for &T {}

/// A block, which wires its parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no block",
    label = "a kernel belongs to a struct with `#[block]`"
)]
pub trait Wiring {
    /// Wires clock and reset of its parts.
    fn wire_parts(&mut self);
    /// The same in the syntax tree.
    fn wire_parts_hdl(&self, out: &mut VerilogBlock);
}

/// A port of a part is the block's port of the same name.
pub fn wire_port(part: &str, port: &str, out: &mut VerilogBlock) {
    out.push(copy(format!("{}${port}", in_kernel(part)), port));
}

macro_rules! clocked_register {
    ($($register:ty),+) => {$(
        impl Clocked for $register {
            fn wire_clock(&mut self, clock: Clock, reset: Option<bool>) {
                self.clock.next = clock;
                self.reset.next = reset.unwrap_or(false);
                self.hold();
            }
            fn wire_clock_hdl(&self, name: &str, resets: bool, out: &mut VerilogBlock) {
                wire_port(name, "clock", out);
                if resets {
                    wire_port(name, "reset", out);
                }
                let name = in_kernel(name);
                out.push(copy(format!("{name}$d"), &format!("{name}$q")));
            }
        }
    )+};
}
clocked_register!(Reg, FlagReg, Regs);

impl Clocked for Ram {
    fn wire_clock(&mut self, clock: Clock, _: Option<bool>) {
        self.clock.next = clock;
    }
    fn wire_clock_hdl(&self, name: &str, _: bool, out: &mut VerilogBlock) {
        wire_port(name, "clock", out);
    }
}

impl<T: Clocked> Clocked for Vec<T> {
    fn wire_clock(&mut self, clock: Clock, reset: Option<bool>) {
        self.iter_mut().for_each(|part| part.wire_clock(clock, reset));
    }
    fn wire_clock_hdl(&self, name: &str, resets: bool, out: &mut VerilogBlock) {
        let round = |i: usize, index: &str| {
            let mut block = vec![];
            self[i].wire_clock_hdl(&format!("{name}[{index}]"), resets, &mut block);
            block
        };
        push_rounds("part", 0, self.len(), &round, out);
    }
}
