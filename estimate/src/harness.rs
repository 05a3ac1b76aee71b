//! A wrapper for place and route on an FPGA: a switch has more pins than a package, and what counts is the clock
//! between its registers.
//!
//! A shift register drives all inputs, another one takes all outputs in. Both add flip-flops, which aren't in the
//! counts.

use serde_json::Value;
use std::fmt::Write;

/// Verilog of module `harness` around `top`, whose ports are read from the netlist that Yosys wrote as JSON. None if
/// the netlist doesn't have the module.
pub(crate) fn harness(netlist: &Value, top: &str) -> Option<String> {
    let ports = netlist["modules"][top]["ports"].as_object()?;
    let vectors = |direction: &str| -> Vec<(&str, usize)> {
        let is_meant = |port: &&(&String, &Value)| port.1["direction"] == direction && port.0.as_str() != "clock";
        let width = |port: &Value| port["bits"].as_array().map_or(0, Vec::len);
        ports
            .iter()
            .collect::<Vec<_>>()
            .iter()
            .filter(is_meant)
            .map(|(name, port)| (name.as_str(), width(port)))
            .collect()
    };
    let (inputs, outputs) = (vectors("input"), vectors("output"));
    let sum = |list: &[(&str, usize)]| list.iter().map(|(_, width)| width).sum::<usize>().max(1);
    let (driven, seen) = (sum(&inputs), sum(&outputs));
    let mut text = format!(
        "module harness (input wire clock, input wire serial_in, output reg serial_out);\n\
         reg [{driven}:0] drive;\nwire [{seen}:0] seen;\nreg [{seen}:0] kept;\nassign seen[{seen}] = 1'b0;\n\
         always @(posedge clock) begin\n  drive <= {{drive, serial_in}};\n  kept <= seen ^ {{kept, drive[{driven}]}};\n  \
         serial_out <= kept[{seen}];\nend\n{top} design_under_test (.clock(clock)"
    );
    for (vector, list) in [("drive", &inputs), ("seen", &outputs)] {
        let mut low = 0;
        for (name, width) in list {
            write!(text, ",\n  .{name}({vector}[{low} +: {width}])").expect("writing to a string");
            low += width;
        }
    }
    text += ");\nendmodule\n";
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn every_port_but_the_clock_hangs_on_a_shift_register() {
        let port = |direction: &str, bits: usize| json!({"direction": direction, "bits": vec![2; bits]});
        let ports =
            json!({"clock": port("input", 1), "a": port("input", 3), "b": port("input", 2), "y": port("output", 4)});
        let text = super::harness(&json!({"modules": {"top": {"ports": ports}}}), "top").unwrap();
        for part in ["reg [5:0] drive", "reg [4:0] kept", ".a(drive[0 +: 3])", ".b(drive[3 +: 2])", ".y(seen[0 +: 4])"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(super::harness(&json!({}), "top"), None);
    }
}
