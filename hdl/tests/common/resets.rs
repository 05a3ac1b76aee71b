//! Benches of the four styles of reset.

use railyard_hdl::rtl::PortDirection;
use railyard_hdl::Design;
use std::fmt::Write;

/// Kind and level of a reset.
pub type Style = (&'static str, &'static str);

pub const STYLES: [Style; 4] =
    [("synchronous", "high"), ("synchronous", "low"), ("asynchronous", "high"), ("asynchronous", "low")];

/// The name of the reset, and its level while it is on and off.
pub fn pin((_, active): Style) -> (&'static str, u8, u8) {
    match active {
        "low" => ("reset_n", 0, 1),
        _ => ("reset", 1, 0),
    }
}

/// A module `bench` with a design `dut`, whose inputs are registers of the same names and zero; the clock runs. The
/// output `error_framing` has a bit for each of `ports`. `steps` are what happens.
pub fn bench(design: &Design, ports: usize, steps: &str) -> String {
    let top = design.top();
    let inputs: Vec<_> = top.ports.iter().filter(|port| port.direction == PortDirection::Input).collect();
    let mut text = String::from("`timescale 1ns / 1ns\nmodule bench;\n");
    for port in &inputs {
        let _ = writeln!(text, "    reg [{}:0] {} = 0;", port.width - 1, port.name);
    }
    let connections: Vec<String> = inputs.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let _ = write!(
        text,
        "    wire [{}:0] error_framing;
    {} dut ({}, .error_framing(error_framing));
    always #5 clock = !clock;
    initial begin
{steps}        $finish;
    end
endmodule
",
        ports - 1,
        top.name,
        connections.join(", ")
    );
    text
}
