//! The network as the Verilator binding builds it.

use crate::lockstep::{units, Verilog};
use crate::verilated::{Design, Port};
use railyard_spec::network::{network_pins, Lanes};
use railyard_spec::pins::Direction;
use railyard_spec::Shape;

/// What keeps Verilator from making instances unlike each other: tables in place of logic, numbered through all of the model. With it
/// a fat tree of 20 switches takes a quarter of the C++.
pub const ARGUMENTS: [&str; 1] = ["-fno-table"];

/// The design: the files, and the pin list of the specification. The code of the switch is there once for all of them.
pub fn design(shape: &Shape, lanes: &Lanes, verilog: &Verilog) -> Design {
    let mut design = Design::new(verilog.top.clone()).with_all_ports();
    for (name, text) in &verilog.files {
        design = design.source(name.clone(), text.clone());
    }
    let modules = verilog.files.iter().filter_map(|(name, _)| name.strip_suffix(".v"));
    for module in modules.filter(|module| module.ends_with("_switch") || module.ends_with("_link")) {
        design = units(module, verilog).fold(design.share(module), Design::share);
    }
    for pin in network_pins(shape, lanes) {
        let width = pin.width() as usize;
        design = design.port(match pin.direction {
            Direction::Input => Port::input(pin.name, width),
            Direction::Output => Port::output(pin.name, width),
        });
    }
    design
}
