//! The reset synchronizer in all styles of reset, and networks in other styles.

use crate::common::tools::{lint, run};
use crate::Chip;
use railyard_hdl::network;
use railyard_spec::network::Lanes;
use railyard_spec::Config;
use std::fmt::Write;

const STYLES: [(&str, &str); 4] =
    [("synchronous", "high"), ("synchronous", "low"), ("asynchronous", "high"), ("asynchronous", "low")];

/// A switch of that style, in JSON without the last brace.
fn switch((kind, active): (&str, &str)) -> String {
    format!(
        r#"{{"name": "{kind}_{active}", "ports": 3, "flit_bits": 16, "virtual_channels": {{"unicast": 1}},
            "packet": {{"max_flits": 2}}, "routing": {{"kind": "source", "hops": 1}},
            "reset": {{"kind": "{kind}", "active": "{active}"}}"#
    )
}

/// A stray flit sets `error_framing`. The pin of the reset changes between two clock edges.
fn bench(chip: &Chip, active: &str) -> String {
    let (on, off) = if active == "low" { (0, 1) } else { (1, 0) };
    let reset = if active == "low" { "reset_n" } else { "reset" };
    let top = chip.design.top();
    let inputs: Vec<_> = top.ports.iter().filter(|port| format!("{:?}", port.direction) == "Input").collect();
    let mut text = String::from("`timescale 1ns / 1ns\nmodule bench;\n");
    for port in &inputs {
        let _ = writeln!(text, "    reg [{}:0] {} = 0;", port.width - 1, port.name);
    }
    let connections: Vec<String> = inputs.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let _ = write!(
        text,
        "    wire [2:0] error_framing;
    {} dut ({}, .error_framing(error_framing));
    always #5 clock = !clock;
    initial begin
        {reset} = {on};
        repeat (3) @(negedge clock);
        #4 {reset} = {off};
        @(posedge clock) #1 rx_valid = 3'b001;
        @(posedge clock) #1 $display(\"two edges behind the release %b\", error_framing);
        @(posedge clock) #1 $display(\"three edges %b\", error_framing);
        rx_valid = 3'b000;
        #1 {reset} = {on};
        #1 {reset} = {off};
        #1 $display(\"behind a short pulse %b\", error_framing);
        @(posedge clock) #1 $display(\"one edge %b\", error_framing);
        $finish;
    end
endmodule
",
        top.name,
        connections.join(", ")
    );
    text
}

/// Its reset begins with the pin, however short, and ends behind two edges: the third edge takes a flit.
#[test]
fn a_synchronized_reset_begins_at_once_and_ends_at_an_edge() {
    for style in STYLES {
        let chip = Chip::new(&format!(r#"{}, "chip": {{"reset_synchronizer": true}}}}"#, switch(style)));
        assert_eq!(lint(&chip.design), "", "{style:?}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bench.v"), chip.design.text() + &bench(&chip, style.1)).unwrap();
        let compiled = run("iverilog", &["-g2005", "-s", "bench", "-o", "bench", "bench.v"], folder.path());
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let said = String::from_utf8_lossy(&run("vvp", &["-n", "bench"], folder.path()).stdout).into_owned();
        let at_once = if style.0 == "asynchronous" { "000" } else { "001" };
        let expected = format!(
            "two edges behind the release 000\nthree edges 001\nbehind a short pulse {at_once}\none edge 000\n"
        );
        assert!(said.starts_with(&expected), "{style:?}:\n{said}");
    }
}

/// Two switches with a link between them, and links that have two latencies.
#[test]
fn networks_of_all_styles_are_lint_free() {
    for style in STYLES {
        let config = Config::from_json(&format!("{}}}", switch(style))).unwrap_or_else(|faults| panic!("{faults}"));
        let latencies = vec![1, 1, 1, 2, 1, 1, 1, 2];
        let lanes = Lanes { switches: 2, ports: 3, nodes: 2, origins: vec![6, 4, 5, 7, 1, 2, 0, 3], latencies };
        let design = network::elaborate(&config, "n", &lanes).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(lint(&design), "", "{style:?}");
    }
}
