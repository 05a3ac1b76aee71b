//! Pins of memories: two inputs that go from the top through every module that has a memory in it.
//!
//! No block has them: they are added to the block tree before it is printed.

use super::collect::{Node, SignalInfo};
use crate::rtl::bundle::UNNAMED;
use rust_hdl_core::ast::{Verilog, VerilogExpression, VerilogStatement};
use rust_hdl_core::prelude::AtomKind;

/// Goes to the macro of each memory as it is.
pub const TEST: &str = "memory_test";
/// The memory sleeps.
pub const SLEEP: &str = "memory_sleep";

/// Gives all memories under `node` the pins, and each block on the way to them. Whether there is one.
pub fn lead(node: &mut Node, test_bits: usize) -> bool {
    let is_memory = node.about.memory.is_some_and(|memory| memory.registered);
    let inside: Vec<String> = node
        .children
        .iter_mut()
        .filter_map(|child| lead(child, test_bits).then(|| in_kernels(&child.instance)))
        .collect();
    if !is_memory && inside.is_empty() {
        return false;
    }
    let input = |path: &str, width, doc: &str| {
        let kind = AtomKind::InputParameter;
        SignalInfo { path: path.into(), kind, width, doc: doc.into() }
    };
    node.signals.push(input(TEST, test_bits, "To macros of memories."));
    node.signals.push(input(SLEEP, 1, "Memories keep their words, and neither write nor read."));
    if let Verilog::Combinatorial(kernel) = &mut node.kernel {
        let signal = |name: String| VerilogExpression::Signal(name);
        let wires = inside.iter().flat_map(|instance| [TEST, SLEEP].map(|pin| (format!("{instance}${pin}"), pin)));
        let wiring = wires.map(|(to, pin)| VerilogStatement::Assignment(signal(to + "$next"), signal(pin.into())));
        kernel.insert(0, VerilogStatement::Macro(wiring.collect()));
    }
    true
}

/// An instance as kernels call it: `way$3` is `way[3]`.
fn in_kernels(instance: &str) -> String {
    let part = |part: &str| match part.trim_end_matches(UNNAMED).parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!("${}", part.trim_end_matches(UNNAMED)),
    };
    instance.split('$').map(part).collect::<String>().trim_start_matches('$').into()
}
