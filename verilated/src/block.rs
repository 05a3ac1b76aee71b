//! Blocks: modules that are Verilated on their own, once for all of their instances.
//!
//! In a design with a block, a stub has the place of the block's module: it hands the inputs to the library at each
//! rising edge of the clock, and what that makes of them is in its outputs from then on. So Verilator sees the block
//! once, and of its instances only their ports. (Verilator's hierarchical mode does the same for any module. It also
//! has to follow outputs that depend on inputs without a register between, which takes five evaluations of each
//! instance a cycle in place of two.)
//!
//! A block must have registers between its inputs and its outputs. The library checks that in every cycle, and stops
//! the model otherwise.

use crate::{layout::storage_bytes, HierarchicalBlock, PinDirection, TopPort};
use std::fmt::Write;

impl HierarchicalBlock {
    /// The module's name.
    pub fn module(&self) -> &str {
        &self.design.top
    }

    /// The class of Verilator's model of it.
    pub(crate) fn class(&self) -> String {
        format!("Vblock_{}", self.module())
    }

    fn ports(&self, direction: PinDirection) -> impl Iterator<Item = &TopPort> + '_ {
        self.design.ports.iter().filter(move |port| port.direction == direction && port.name != self.clock)
    }

    /// The file of the stub.
    pub(crate) fn stub_file(&self) -> String {
        format!("{}_stub.sv", self.module())
    }

    /// The module that has the block's place in Verilog.
    pub(crate) fn stub(&self) -> String {
        let (module, clock) = (self.module(), &self.clock);
        let inputs = || self.ports(PinDirection::Input).map(|port| (range(port), &port.name));
        let outputs = || self.ports(PinDirection::Output).map(|port| (range(port), &port.name));

        let mut text = format!(
            "// Stands for `{module}`, which is Verilated on its own.\nmodule {module} (\n    input bit {clock}"
        );
        inputs().for_each(|(range, name)| text.push_str(&format!(",\n    input bit {range}{name}")));
        outputs().for_each(|(range, name)| text.push_str(&format!(",\n    output bit {range}{name}")));
        text.push_str("\n);\n");
        let _ = writeln!(text, "    import \"DPI-C\" function chandle {module}_create(string scope);");
        let _ = writeln!(text, "    import \"DPI-C\" function void {module}_destroy(chandle block);");
        let _ = write!(text, "    import \"DPI-C\" function void {module}_step(chandle block");
        inputs().for_each(|(range, name)| text.push_str(&format!(", input bit {range}{name}")));
        outputs().for_each(|(range, name)| text.push_str(&format!(", output bit {range}{name}")));
        text.push_str(");\n\n    chandle block;\n");
        outputs().for_each(|(range, name)| text.push_str(&format!("    bit {range}next_{name};\n")));
        let _ = writeln!(text, "    initial block = {module}_create($sformatf(\"%m\"));");
        let _ = writeln!(text, "    final {module}_destroy(block);");
        let _ = write!(text, "    always @(posedge {clock}) begin\n        {module}_step(block");
        inputs().for_each(|(_, name)| text.push_str(&format!(", {name}")));
        outputs().for_each(|(_, name)| text.push_str(&format!(", next_{name}")));
        text.push_str(");\n");
        outputs().for_each(|(_, name)| text.push_str(&format!("        {name} <= next_{name};\n")));
        text.push_str("    end\nendmodule\n");
        text
    }

    /// The C++ between the stub and Verilator's model of the block, whose ports have the given C++ names, in the order
    /// of the design's.
    pub(crate) fn library(&self, names: &[String]) -> String {
        let (mut parameters, mut inputs, mut outputs) = (String::new(), String::new(), String::new());
        let (mut same, mut keep, mut bytes, mut clock) = (String::new(), String::new(), 0, "");
        let all = || self.design.ports.iter().zip(names).enumerate();
        for (i, (port, name)) in all() {
            if port.name == self.clock {
                clock = name;
            } else if port.direction == PinDirection::Input {
                let bits = if port.width == 1 { "svBit" } else { "const svBitVecVal*" };
                let _ = write!(parameters, ", {bits} port_{i}");
                let _ = writeln!(inputs, "    set(self->model.{name}, port_{i});");
            }
        }
        for (i, (port, name)) in all().filter(|(_, (port, _))| port.direction == PinDirection::Output) {
            let bits = if port.width == 1 { "svBit*" } else { "svBitVecVal*" };
            let _ = write!(parameters, ", {bits} port_{i}");
            let _ = writeln!(outputs, "    get(self->model.{name}, port_{i});");
            let _ = writeln!(same, "        same(\"{}\", model.{name}, kept + {bytes});", port.name);
            let _ = writeln!(keep, "        keep(model.{name}, kept + {bytes});");
            bytes += storage_bytes(port.width);
        }
        LIBRARY
            .replace("CLASS", &self.class())
            .replace("MODULE", self.module())
            .replace("PARAMETERS", &parameters)
            .replace("CLOCK", clock)
            .replace("BYTES", &bytes.max(1).to_string())
            .replace("        SAME\n", &same)
            .replace("        KEEP\n", &keep)
            .replace("    INPUTS\n", &inputs)
            .replace("    OUTPUTS\n", &outputs)
    }
}

/// `[7:0] `, or nothing for one bit.
fn range(port: &TopPort) -> String {
    match port.width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

const LIBRARY: &str = r#"
#include "CLASS.h"
#include "svdpi.h"
#include <cstdint>
#include <cstring>

namespace {

// Verilator stores a port of any width as DPI does, but in as few bytes as it takes.
template <typename Storage> void set(Storage& port, const svBitVecVal* bits) { std::memcpy(&port, bits, sizeof port); }
template <typename Storage> void set(Storage& port, svBit bit) { port = bit; }
template <typename Storage> void get(const Storage& port, svBitVecVal* bits) {
    bits[0] = 0;
    std::memcpy(bits, &port, sizeof port);
}
template <typename Storage> void get(const Storage& port, svBit* bit) { *bit = port; }

struct Instance final {
    CLASS model;
    uint8_t kept[BYTES] = {};  // the outputs after the last rising edge

    explicit Instance(const char* scope) : model{scope} {
        model.eval();
        keep_outputs();
    }
    void step() {
        model.CLOCK = 0;
        model.eval();
        check_outputs();
        model.CLOCK = 1;
        model.eval();
        keep_outputs();
    }
    // Outputs must not follow inputs before the edge.
    void check_outputs() {
        SAME
    }
    void keep_outputs() {
        KEEP
    }
    template <typename Storage> void same(const char* name, const Storage& port, const uint8_t* at) {
        if (std::memcmp(&port, at, sizeof port) == 0) return;
        const std::string message = std::string{"output "} + name + " depends on an input of the same cycle";
        vl_fatal("MODULE", 0, model.name(), message.c_str());
    }
    template <typename Storage> void keep(const Storage& port, uint8_t* at) { std::memcpy(at, &port, sizeof port); }
};

}  // namespace

extern "C" {

void* MODULE_create(const char* scope) { return new Instance{scope}; }

void MODULE_destroy(void* block) {
    Instance* self = static_cast<Instance*>(block);
    self->model.final();
    delete self;
}

void MODULE_step(void* blockPARAMETERS) {
    Instance* self = static_cast<Instance*>(block);
    INPUTS
    self->step();
    OUTPUTS
}

}
"#;
