//! Reset styles of a whole switch: lint, equivalence of the synchronous ones, and resets between two clock edges.

mod common;

use common::resets::{self, Style, STYLES};
use common::tools::{lint, run};
use railyard_hdl::{elaborate, Design};
use railyard_spec::Config;
use std::fs;

/// A small switch with all kinds of blocks in which a reset is more than a port: barrier groups, node reduction, loops
/// over registers.
fn design((kind, active): (&str, &str)) -> Design {
    let json = format!(
        r#"{{"name": "{kind}_{active}", "ports": 2, "flit_bits": 32, "virtual_channels": {{"unicast": 1, "barrier": 1}},
             "barrier": {{"groups": 2}}, "events": true, "packet": {{"max_flits": 2}}, "buffer_flits": 4,
             "routing": {{"kind": "table", "address_bits": 8, "lookups_per_vc": 1, "cache": {{"entries": 16, "ways": 1}},
                          "node_reduction": {{"topologies": ["cube"], "chunk_bits": [4], "radix": "full"}}}},
             "reset": {{"kind": "{kind}", "active": "{active}"}}}}"#
    );
    let config = Config::from_json(&json).unwrap_or_else(|faults| panic!("{faults}"));
    elaborate(&config).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

#[test]
fn all_styles_are_lint_free() {
    for style in STYLES {
        assert_eq!(lint(&design(style)), "", "{style:?}");
    }
}

/// Each clocked block has the edge of its style, or holds registers without reset; and no comment tells of another
/// style.
#[test]
fn one_style_is_in_all_modules() {
    for (kind, active) in STYLES {
        let text = design((kind, active)).text();
        let edge = match (kind, active) {
            ("synchronous", _) => "",
            (_, "high") => " or posedge reset",
            _ => " or negedge reset_n",
        };
        let condition = if active == "low" { "if (!reset_n) begin" } else { "if (reset) begin" };
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let Some(header) = line.trim().strip_prefix("always @(posedge clock") else { continue };
            let body = lines.by_ref().find(|line| !line.trim().starts_with("integer")).expect("a clocked block");
            let expected = if body.trim() == condition { edge } else { "" };
            assert!(header.starts_with(&format!("{expected})")), "{kind}, {active}: {line}\n{body}");
        }
        for line in text.lines().filter(|line| line.contains("ynchronous reset, active")) {
            let wanted = format!("{}{} reset, active {active}", kind[..1].to_uppercase(), &kind[1..]);
            assert!(line.contains(&wanted), "{line}");
        }
    }
}

/// A module `name` with the pins of the switch, but for the reset, which is `reset` and active high.
fn wrapped(name: &str, design: &Design, style: Style) -> String {
    let top = design.top();
    let (mut ports, mut connections) = (vec![], vec![]);
    for port in &top.ports {
        let direction = format!("{:?}", port.direction).to_lowercase();
        let (outside, inside) = match port.name.as_str() {
            "reset_n" => ("reset", "~reset"),
            name => (name, name),
        };
        ports.push(format!("{direction} wire [{}:0] {outside}", port.width - 1));
        connections.push(format!(".{}({inside})", port.name));
    }
    assert!(top.ports.iter().any(|port| port.name == resets::pin(style).0));
    format!("module {name}({});\n{} dut({});\nendmodule\n", ports.join(", "), top.name, connections.join(", "))
}

#[test]
fn the_synchronous_styles_are_the_same_hardware() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for (name, active) in [("gold", "high"), ("gate", "low")] {
        let style = ("synchronous", active);
        let design = design(style);
        text += &design.text();
        text += &wrapped(name, &design, style);
    }
    fs::write(folder.path().join("both.v"), text).unwrap();
    let prepare = |name: &str| {
        format!("read_verilog -DSYNTHESIS both.v; hierarchy -top {name}; proc; flatten; memory; opt_clean; design -stash {name}; ")
    };
    let script = format!(
        "{}{}design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; \
         equiv_make gold gate both; hierarchy -top both; opt_clean; equiv_simple; equiv_induct; equiv_status -assert",
        prepare("gold"),
        prepare("gate")
    );
    let output = run("yosys", &["-Q", "-p", &script], folder.path());
    let said = String::from_utf8_lossy(&output.stdout);
    let end = said.lines().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "{end}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Equivalence successfully proven!"), "{end}");
}

/// A stray flit sets `error_framing`. A reset between two clock edges clears it at once, or at the next edge.
fn bench(design: &Design, style: Style) -> String {
    let (reset, on, off) = resets::pin(style);
    let steps = format!(
        "        {reset} = {on};
        repeat (3) @(negedge clock);
        {reset} = {off};
        rx_valid = 2'b01;
        @(negedge clock);
        rx_valid = 2'b00;
        $display(\"after a stray flit %b\", error_framing);
        #1 {reset} = {on};
        #1 $display(\"in reset %b\", error_framing);
        @(posedge clock);
        #1 $display(\"behind the edge %b\", error_framing);
        {reset} = {off};
        repeat (2) @(negedge clock);
        $display(\"after reset %b\", error_framing);
"
    );
    resets::bench(design, 2, &steps)
}

#[test]
fn an_asynchronous_reset_needs_no_clock_edge() {
    for (kind, active) in STYLES {
        let design = design((kind, active));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bench.v"), design.text() + &bench(&design, (kind, active))).unwrap();
        let compiled = run("iverilog", &["-g2005", "-s", "bench", "-o", "bench", "bench.v"], folder.path());
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let said = String::from_utf8_lossy(&run("vvp", &["bench"], folder.path()).stdout).into_owned();
        let at_once = if kind == "asynchronous" { "00" } else { "01" };
        let expected = format!("after a stray flit 01\nin reset {at_once}\nbehind the edge 00\nafter reset 00\n");
        assert!(said.starts_with(&expected), "{kind}, {active}:\n{said}");
    }
}
