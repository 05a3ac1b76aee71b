//! Numbers that a kernel knows: parameters of the block, and constants of Rust.

use crate::rtl::constant::Number;
use rust_hdl_core::ast::VerilogExpression;
use rust_hdl_core::prelude::Probe;

/// A number or flag fixed when the block is made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number known at elaboration",
    label = "a signal is read by `.val()`; a number is a `usize` or a `bool`"
)]
pub trait Known {
    /// As a number: a flag is 0 or 1.
    fn number(&self) -> usize;
    /// As it stands in names.
    fn text(&self) -> String {
        self.number().to_string()
    }
    /// Makes it known to the kernel that is being visited, by this name.
    fn visit(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, &Number::new(self.number()));
    }
    /// As a value of the hardware; `name` is what the tree calls it.
    fn expression(&self, name: &str) -> VerilogExpression;
}

impl Known for usize {
    fn number(&self) -> usize {
        *self
    }
    fn expression(&self, name: &str) -> VerilogExpression {
        VerilogExpression::Signal(name.into())
    }
}

impl Known for bool {
    fn number(&self) -> usize {
        usize::from(*self)
    }
    fn expression(&self, _: &str) -> VerilogExpression {
        VerilogExpression::Literal((*self).into())
    }
}

/// A block whose kernel reads constants of Rust.
pub trait KernelConstants {
    /// They, by name.
    fn kernel_constants(&self) -> Vec<(&'static str, usize)>;
}

/// All other blocks; the compiler finds this trait one reference further away.
pub trait NoConstants {
    /// None.
    fn kernel_constants(&self) -> Vec<(&'static str, usize)> {
        vec![]
    }
}

impl<T> NoConstants for &T {}

/// Makes constants known to the kernel that is being visited.
pub fn visit_constants(constants: Vec<(&'static str, usize)>, probe: &mut dyn Probe) {
    for (name, value) in constants {
        value.visit(name, probe);
    }
}
