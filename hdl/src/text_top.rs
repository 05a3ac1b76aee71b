//! What the top modules that are written as text have in common: ports made of pins, and connections of instances.

use crate::rtl::verilog::{range, ModulePort, PortDirection};
use railyard_spec::pins::{Direction, Pin};
use std::fmt::Write;

/// A pin as a port of a module.
pub(crate) fn port(pin: &Pin) -> ModulePort {
    let direction = match pin.direction {
        Direction::Input => PortDirection::Input,
        Direction::Output => PortDirection::Output,
    };
    let (name, doc) = (pin.name.into(), pin.meaning.into());
    ModulePort { name, direction, width: pin.width() as usize, elements: pin.count, doc }
}

/// The port list of a module, up to the end of its header.
pub(crate) fn ports(pins: &[Pin]) -> String {
    let mut text = String::new();
    for (i, pin) in pins.iter().enumerate() {
        let direction = if pin.direction == Direction::Input { "input " } else { "output" };
        let (range, comma) = (range(pin.width() as usize), if i + 1 == pins.len() { "" } else { "," });
        let size = match pin.count {
            1 => String::new(),
            count => format!(" ({count} x {} bit{})", pin.bits, if pin.bits == 1 { "" } else { "s" }),
        };
        let _ = writeln!(text, "    {direction} wire {range}{}{comma} // {}{size}", pin.name, pin.meaning);
    }
    text + ");\n"
}

/// Bits of an element of a vector with so many bits: `[k*8 +: 8]`, `[k]`, or nothing if there is only one bit.
pub(crate) fn slice(index: &str, bits: usize, total: usize) -> String {
    match bits {
        1 if total == 1 => String::new(),
        1 => format!("[{index}]"),
        bits => format!("[{index}*{bits} +: {bits}]"),
    }
}

/// Ports of an instance, connected to expressions.
pub(crate) fn connected(ports: &[(String, String)]) -> String {
    ports.iter().map(|(port, to)| format!("                .{port}({to})")).collect::<Vec<_>>().join(",\n")
}
