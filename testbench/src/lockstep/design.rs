//! The design that the Verilator binding builds of a switch.

use railyard_spec::pins::{pins, Direction};
use railyard_spec::{module_prefix, Shape};
use railyard_verilated::{TopPort, VerilogDesign};

/// The units that a switch has one of for each port or plane: the model holds their code once.
const UNITS: [&str; 8] = [
    "input_unit",
    "route_computation",
    "route_unit",
    "output_selection",
    "allocator",
    "crossbar_plane",
    "output_unit",
    "port_counters",
];

/// Ports from which on sharing pays; below, a copied unit is optimised better for its place.
const SHARED_FROM_PORTS: usize = 4;

/// A switch in Verilog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verilog {
    /// Name of the top module.
    pub top: String,
    /// Files: name and text.
    pub files: Vec<(String, String)>,
}

/// The design that the Verilator binding builds: the files and the pin list of the specification.
pub fn design(shape: &Shape, verilog: &Verilog) -> VerilogDesign {
    let mut design = VerilogDesign::new(verilog.top.clone()).with_all_ports();
    for (name, text) in &verilog.files {
        design = design.source(name.clone(), text.clone());
    }
    if shape.ports >= SHARED_FROM_PORTS {
        design = units(&verilog.top, verilog).fold(design, VerilogDesign::share);
    }
    for pin in pins(shape) {
        let width = pin.width() as usize;
        design = design.port(match pin.direction {
            Direction::Input => TopPort::input(pin.name, width),
            Direction::Output => TopPort::output(pin.name, width),
        });
    }
    design
}

/// The units of a switch that are there more than once; names begin with the design's, as that of the switch does.
fn units<'a>(switch: &'a str, verilog: &'a Verilog) -> impl Iterator<Item = String> + 'a {
    let prefix = module_prefix(switch.strip_suffix("_switch").unwrap_or_default());
    let is_there = |unit: &String| verilog.files.iter().any(|(name, _)| name.strip_suffix(".v") == Some(unit.as_str()));
    UNITS.iter().map(move |unit| format!("{prefix}{unit}")).filter(is_there)
}

#[cfg(test)]
mod tests {
    use super::{units, Verilog};

    fn found(name: &str, separator: &str) -> Vec<String> {
        let files = ["input_unit", "output_unit", "connection"].map(|module| format!("{name}{separator}{module}.v"));
        let verilog =
            Verilog { top: format!("{name}_switch"), files: files.map(|name| (name, String::new())).to_vec() };
        units(&verilog.top, &verilog).collect()
    }

    #[test]
    fn units_are_found_whatever_the_name() {
        assert_eq!(found("tiny", "_"), ["tiny_input_unit", "tiny_output_unit"]);
        assert_eq!(found("my_switch_2", "__"), ["my_switch_2__input_unit", "my_switch_2__output_unit"]);
    }
}
