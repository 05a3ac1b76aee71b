//! Assertions of the link protocol in SystemVerilog, bound to both sides of a design.

use super::Package;
use crate::GENERATOR;
use railyard_spec::FlowControl;

/// The module that checks one side; its name is replaced.
const CHECKER: &str = include_str!("link_checker.sv");

/// The checker, and a `bind` for the links into the design and one for those out of it; `None` if all ports of the
/// design are streams.
pub fn text(package: &Package) -> Option<String> {
    let Package { name, top, pins, shape, .. } = package;
    let module = format!("{name}_link_checker");
    let pin = |name: &str| pins.iter().find(|pin| pin.name == name);
    let (valid, credit_valid, credit) = (pin("rx_valid")?, pin("rx_credit_valid")?, pin("rx_credit")?);
    let ports = valid.count;
    let reset = if shape.reset.is_low() { "!reset_n" } else { "reset" };
    let bind = |side: &str| {
        let parameters = [
            ("PORTS", ports),
            ("VCS", credit_valid.count / ports),
            ("VC_BITS", shape.vc_bits as usize),
            ("DEPTH", shape.buffer_flits as usize),
            ("MAX_FLITS", shape.max_flits as usize),
            ("CREDIT_BITS", credit.bits as usize),
            ("ABSOLUTE", usize::from(shape.flow_control == FlowControl::Absolute)),
            ("MESSAGES", usize::from(shape.control_vc().is_some())),
        ];
        let parameters = parameters.map(|(name, value)| format!("    .{name}({value})")).join(",\n");
        let pins = ["valid", "vc", "head", "tail", "credit_valid", "credit"];
        let pins = pins.map(|pin| format!("    .{pin}({side}_{pin})")).join(",\n");
        format!(
            "bind {top} {module} #(\n{parameters}\n) {side}_checker (\n    .clock(clock),\n    .reset({reset}),\n{pins}\n);\n"
        )
    };
    let head = format!(
        "// Assertions of the link protocol of {top}: compile this file beside the design.\n\
         // A failure of `rx_checker` is one of the senders, a failure of `tx_checker` one of the design, but for credit\n\
         // reports: those of the receivers are in `tx_checker`. Written by {GENERATOR}.\n\
         // The file has the name of the design, and not that of its module.\n\
         // verilator lint_off DECLFILENAME\n"
    );
    Some([head, CHECKER.replace("link_checker", &module), bind("rx"), bind("tx")].join("\n"))
}
