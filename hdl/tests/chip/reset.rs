//! The reset synchronizer in all styles of reset, and networks in other styles.

use crate::common::resets::{self, Style, STYLES};
use crate::common::tools::{lint, run};
use crate::Chip;
use railyard_hdl::network;
use railyard_spec::network::Lanes;
use railyard_spec::Config;

/// A switch of that style, in JSON without the last brace.
fn switch((kind, active): Style) -> String {
    format!(
        r#"{{"name": "{kind}_{active}", "ports": 3, "flit_bits": 16, "virtual_channels": {{"unicast": 1}},
            "packet": {{"max_flits": 2}}, "routing": {{"kind": "source", "hops": 1}},
            "reset": {{"kind": "{kind}", "active": "{active}"}}"#
    )
}

/// A stray flit sets `error_framing`. The pin of the reset changes between two clock edges.
fn bench(chip: &Chip, style: Style) -> String {
    let (reset, on, off) = resets::pin(style);
    let steps = format!(
        "        {reset} = {on};
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
"
    );
    resets::bench(&chip.design, 3, &steps)
}

/// Its reset begins with the pin, however short, and ends behind two edges: the third edge takes a flit.
#[test]
fn a_synchronized_reset_begins_at_once_and_ends_at_an_edge() {
    for style in STYLES {
        let chip = Chip::new(&format!(r#"{}, "chip": {{"reset_synchronizer": true}}}}"#, switch(style)));
        assert_eq!(lint(&chip.design), "", "{style:?}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bench.v"), chip.design.text() + &bench(&chip, style)).unwrap();
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
