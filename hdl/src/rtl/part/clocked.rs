//! Clock and reset of parts: a block wires them to its own before its kernel runs.

use super::tree::{copy, in_kernel, push_loop, push_rounds};
use crate::rtl::memory::Ram;
use crate::rtl::register::{FlagReg, Reg, Regs};
use rust_hdl_core::ast::{VerilogBlock, VerilogStatement};
use rust_hdl_core::prelude::Clock;

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
pub trait WiresParts {
    /// Wires clock and reset of its parts.
    fn wire_parts(&mut self);
    /// The same in the syntax tree.
    fn wire_parts_hdl(&self, out: &mut VerilogBlock);
    /// Whether its reset is active; false of a block without one.
    fn in_reset(&self) -> bool;
}

/// A port of a part is the block's port of the same name.
pub fn wire_port(part: &str, port: &str, out: &mut VerilogBlock) {
    push_defaults(vec![copy(format!("{}${port}", in_kernel(part)), port)], out);
}

/// Defaults that say nothing of the order in which the Verilog shows its processes.
pub fn push_defaults(defaults: VerilogBlock, out: &mut VerilogBlock) {
    out.push(VerilogStatement::Macro(defaults));
}

macro_rules! clocked_register {
    ($($register:ty: $hold:expr;)+) => {$(
        impl Clocked for $register {
            fn wire_clock(&mut self, clock: Clock, reset: Option<bool>) {
                self.clock.next = clock;
                self.reset.next = reset.unwrap_or(false);
                self.hold();
            }
            fn wire_clock_hdl(&self, name: &str, resets: bool, out: &mut VerilogBlock) {
                let name = in_kernel(name);
                let ports = if resets { &["clock", "reset"][..] } else { &["clock"] };
                out.extend(ports.iter().map(|port| copy(format!("{name}${port}"), port)));
                let hold: fn(&Self, String, &mut VerilogBlock) = $hold;
                hold(self, name, out);
            }
        }
    )+};
}
clocked_register! {
    Reg: |_, name, out| hold(&name, "", out);
    FlagReg: |_, name, out| hold(&name, "", out);
    Regs: |registers, name, out| {
        // A whole array is copied at once; one of an array of arrays, element by element.
        let elements = registers.d.len();
        if !name.contains('[') {
            hold(&name, "", out);
        } else {
            push_loop("element", 0, elements, &|| {
                let mut block = vec![];
                hold(&name, "[element]", &mut block);
                block
            }, out);
        }
    };
}

/// A register keeps its value.
fn hold(register: &str, element: &str, out: &mut VerilogBlock) {
    out.push(copy(format!("{register}$d{element}"), &format!("{register}$q{element}")));
}

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
        let mut defaults = vec![];
        push_rounds("part", 0, self.len(), &round, &mut defaults);
        push_defaults(defaults, out);
    }
}
