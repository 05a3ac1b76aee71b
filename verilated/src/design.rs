//! What is to be simulated: the Verilog files, the top module, and its ports.

/// Whether a port takes values from the test bench or gives them to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PinDirection {
    /// The test bench sets it.
    Input,
    /// The design sets it.
    Output,
}

/// A port of the top module, named as in the Verilog source (without the backslash of an escaped name).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopPort {
    /// Name in the Verilog source.
    pub name: String,
    /// Bits, at least 1. A vector of several dimensions counts all of its bits.
    pub width: usize,
    /// Seen from the design.
    pub direction: PinDirection,
}

impl TopPort {
    /// An input of the design.
    pub fn input(name: impl Into<String>, width: usize) -> TopPort {
        TopPort { name: name.into(), width, direction: PinDirection::Input }
    }

    /// An output of the design.
    pub fn output(name: impl Into<String>, width: usize) -> TopPort {
        TopPort { name: name.into(), width, direction: PinDirection::Output }
    }
}

/// A Verilog file: the name under which Verilator's messages mention it, and its text.
///
/// Files whose names end in `.v` or `.sv` are compiled; others (`.vh`, `.svh`) are there to be included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    /// File name, without a folder.
    pub name: String,
    /// Verilog.
    pub text: String,
}

impl VerilogFile {
    /// True for a file that goes on Verilator's command line.
    pub(crate) fn is_compiled(&self) -> bool {
        self.name.ends_with(".v") || self.name.ends_with(".sv")
    }

    /// A name that stays inside the build folder and that no tool takes for an option.
    pub(crate) fn has_plain_name(&self) -> bool {
        !self.name.is_empty()
            && !self.name.starts_with(['-', '.', '+'])
            && self.name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c))
    }
}

/// A complete design. `ports` may leave out ports that the test bench doesn't touch, unless `all_ports` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerilogDesign {
    /// Name of the top module.
    pub top: String,
    /// All files that the design consists of.
    pub sources: Vec<VerilogFile>,
    /// Ports of the top module.
    pub ports: Vec<TopPort>,
    /// The top module may have no port but `ports`: an input that nobody drives, or an output that nobody looks at, is
    /// an error.
    pub all_ports: bool,
    /// Modules to be compiled once for all of their instances, where Verilator would copy each instance into its
    /// parent. Worth it for large modules with many instances: five times less C++ for a 16-port switch, and a faster
    /// model.
    pub shared: Vec<String>,
    /// Modules that are Verilated on their own, each once for all of its instances and for all designs that have it. No
    /// file of `sources` has such a module. Worth it for many instances of a large module: Verilator's time and memory
    /// grow with the instances of all others. Their inner signals are in no waveform.
    pub blocks: Vec<HierarchicalBlock>,
}

/// A module that is Verilated on its own: all of its outputs are registers (or follow from registers), of one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchicalBlock {
    /// The module, the files that it is made of, and all of its ports.
    pub design: VerilogDesign,
    /// Its clock, one of the ports.
    pub clock: String,
}

impl VerilogDesign {
    /// A design without files; `top` is the name of its top module.
    pub fn new(top: impl Into<String>) -> VerilogDesign {
        VerilogDesign { top: top.into(), ..VerilogDesign::default() }
    }

    /// Adds a Verilog file.
    pub fn source(mut self, name: impl Into<String>, text: impl Into<String>) -> VerilogDesign {
        self.sources.push(VerilogFile { name: name.into(), text: text.into() });
        self
    }

    /// Compiles a module once for all of its instances.
    pub fn share(mut self, module: impl Into<String>) -> VerilogDesign {
        self.shared.push(module.into());
        self
    }

    /// Has a module Verilated on its own.
    pub fn block(mut self, block: HierarchicalBlock) -> VerilogDesign {
        self.blocks.push(block);
        self
    }

    /// Says that there are no ports but those added.
    pub fn with_all_ports(mut self) -> VerilogDesign {
        self.all_ports = true;
        self
    }

    /// Adds a port of the top module.
    pub fn port(mut self, port: TopPort) -> VerilogDesign {
        self.ports.push(port);
        self
    }
}
