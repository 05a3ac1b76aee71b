//! Instantiation template: a wire for each pin, and the instance.

use super::Package;
use crate::GENERATOR;
use railyard_spec::pins::{Meaningful, Pin};

/// The template, to be copied or included into a module.
pub fn text(package: &Package) -> String {
    let Package { name, top, pins, .. } = package;
    let wires: String = pins.iter().map(wire).collect();
    let width = pins.iter().map(|pin| pin.name.len()).max().unwrap_or(0);
    let connections: Vec<String> = pins.iter().map(|pin| format!("    .{:width$} ({0})", pin.name)).collect();
    format!(
        "// {top}: a wire for each pin, and an instance, to be copied or included into a module.\n\
         // An element of a vector belongs to a port, or to a port and VC; element 0 is lowest. Written by {GENERATOR}.\n\
         {wires}\n\
         {top} {name}_0 (\n{}\n);\n",
        connections.join(",\n")
    )
}

/// A pin's wire, with what it means.
fn wire(pin: &Pin) -> String {
    let range = if pin.width() == 1 { String::new() } else { format!("[{}:0] ", pin.width() - 1) };
    let direction = format!("{:?}", pin.direction).to_lowercase();
    let elements = if pin.count == 1 { String::new() } else { format!(", {} x {} bits", pin.count, pin.bits) };
    let while_valid = match pin.meaningful {
        Meaningful::Always => String::new(),
        Meaningful::While(other) => format!("; counts while {other} is 1"),
    };
    format!("wire {range}{}; // {direction}{elements}: {}{while_valid}\n", pin.name, pin.meaning)
}
