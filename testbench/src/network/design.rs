//! The network as the Verilator binding builds it.

use crate::lockstep::{self, Verilog};
use railyard_spec::network::{network_pins, Lanes};
use railyard_spec::pins::Direction;
use railyard_spec::Shape;
use railyard_verilated::{HierarchicalBlock, TopPort, VerilogDesign};

/// The design: the files, and the pin list of the specification. The switch, in the file of its name, is a block: it is
/// Verilated once for all of them. Links and top are what Verilator sees beside it.
pub fn design(shape: &Shape, switch: &str, lanes: &Lanes, verilog: &Verilog) -> VerilogDesign {
    let network = verilog.top.strip_suffix("network").unwrap_or(&verilog.top);
    let links = lanes.lengths().into_iter().map(|latency| lanes.link_module(network, latency));
    let of_network: Vec<String> = links.chain([verilog.top.clone()]).map(|module| format!("{module}.v")).collect();
    let of_switch = verilog.files.iter().filter(|(name, _)| !of_network.contains(name));
    let switch = Verilog { top: switch.to_owned(), files: of_switch.cloned().collect() };

    let mut design = VerilogDesign::new(verilog.top.clone()).with_all_ports();
    for (name, text) in verilog.files.iter().filter(|(name, _)| *name != format!("{}.v", switch.top)) {
        design = design.source(name.clone(), text.clone());
    }
    for pin in network_pins(shape, lanes) {
        let width = pin.width() as usize;
        design = design.port(match pin.direction {
            Direction::Input => TopPort::input(pin.name, width),
            Direction::Output => TopPort::output(pin.name, width),
        });
    }
    design.block(HierarchicalBlock { design: lockstep::design(shape, &switch), clock: "clock".into() })
}
