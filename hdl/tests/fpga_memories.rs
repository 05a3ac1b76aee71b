//! Memories on FPGAs: each flow of Yosys maps them to its RAM cells, with no logic beside them.

mod common;

use common::tools::run;
use railyard_hdl::parts::register_file::register_file;
use railyard_hdl::rtl::prelude::*;
use std::collections::BTreeMap;

/// Cells that are neither logic nor state: pads, clock buffers, constants.
const NEUTRAL: [&str; 5] = ["BUFG", "IBUF", "OBUF", "GND", "VCC"];

/// The cells to which a flow maps a block, without the neutral ones.
fn cells(flow: &str, block: &dyn Block) -> BTreeMap<String, usize> {
    let design = emit(block, "memory").unwrap_or_else(|errors| panic!("{errors:#?}"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("memory.v"), design.text()).unwrap();
    let script = format!("read_verilog memory.v; synth_{flow} -top memory; stat");
    let output = run("yosys", &["-Q", "-p", &script], folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "synth_{flow}:\n{text}{}", String::from_utf8_lossy(&output.stderr));
    let (_, last) = text.rsplit_once("Number of cells:").expect("a count of cells");
    let lines = last.lines().skip(1).map(str::split_whitespace);
    lines
        .map_while(|mut words| Some((words.next()?.to_string(), words.next()?.parse().ok()?)))
        .filter(|(cell, _)| !NEUTRAL.contains(&cell.as_str()))
        .collect()
}

fn expect(flow: &str, block: &dyn Block, wanted: &[(&str, usize)]) {
    let wanted = wanted.iter().map(|(cell, count)| (cell.to_string(), *count)).collect();
    assert_eq!(cells(flow, block), wanted, "synth_{flow}");
}

#[test]
fn ecp5() {
    expect("ecp5", &ram(512, 20), &[("DP16KD", 1)]);
    expect("ecp5", &register_file(16, 66), &[("TRELLIS_DPR16X4", 17)]);
}

/// iCE40s have no distributed RAM.
#[test]
fn ice40() {
    expect("ice40", &ram(512, 20), &[("SB_RAM40_4K", 3)]);
}

#[test]
fn gowin() {
    expect("gowin", &ram(512, 20), &[("SDPX9", 1)]);
    expect("gowin", &register_file(16, 66), &[("RAM16SDP4", 17)]);
}

#[test]
fn xilinx() {
    expect("xilinx", &ram(512, 20), &[("RAMB18E1", 1)]);
    expect("xilinx", &register_file(16, 66), &[("RAM32M", 11)]);
}
