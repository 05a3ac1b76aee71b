//! Runs Verilog under Verilator and Icarus, several designs in one bench, and lints it.

use num_bigint::BigUint;
use railyard_hdl::rtl::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

/// A design and what its inputs (in port order, clock left out) are in each cycle.
pub struct Trial {
    pub design: Design,
    pub stimuli: Vec<Vec<BigUint>>,
}

#[derive(Clone, Copy, Debug)]
pub enum Simulator {
    Verilator,
    Icarus,
}

/// The inputs of a design other than its clock.
pub fn inputs(design: &Design) -> impl Iterator<Item = &ModulePort> {
    design.top().ports.iter().filter(|p| p.direction == PortDirection::Input && p.name != "clock")
}

fn outputs(design: &Design) -> impl Iterator<Item = &ModulePort> {
    design.top().ports.iter().filter(|p| p.direction == PortDirection::Output)
}

/// Runs a tool; a missing tool fails with the package that has it.
pub fn run(program: &str, args: &[&str], dir: &Path) -> Output {
    let output = Command::new(program).args(args).current_dir(dir).output();
    output.unwrap_or_else(|error| {
        panic!("cannot run `{program}` ({error}): apt-get install verilator iverilog yosys g++ make")
    })
}

fn run_well(program: &str, args: &[&str], dir: &Path) -> String {
    let output = run(program, args, dir);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {args:?}\n{text}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The outputs of every trial in every cycle: settled, before the rising edge.
pub fn simulate(simulator: Simulator, trials: &[Trial]) -> Vec<Vec<Vec<BigUint>>> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let cycles = trials[0].stimuli.len();
    let mut text = String::from("`timescale 1ns / 1ns\n");
    let mut modules = std::collections::BTreeMap::new();
    for trial in trials {
        for module in &trial.design.modules {
            let known = modules.insert(module.name.clone(), module.text.clone());
            assert!(known.is_none_or(|text| text == module.text), "two modules named {}", module.name);
        }
    }
    modules.values().for_each(|module| text.push_str(module));
    text.push_str("module bench;\n    reg clock;\n    integer n;\n");
    let (mut set, mut show) = (String::new(), String::new());
    for (t, trial) in trials.iter().enumerate() {
        let width: usize = inputs(&trial.design).map(|p| p.width).sum::<usize>().max(1);
        let _ = writeln!(
            text,
            "    reg [{0}:0] stimuli_{t} [0:{1}];\n    reg [{0}:0] stimulus_{t};",
            width - 1,
            cycles - 1
        );
        let mut lsb = 0;
        let mut connections = vec![];
        for port in &trial.design.top().ports {
            if port.name == "clock" {
                connections.push(".clock(clock)".to_string());
            } else if port.direction == PortDirection::Input {
                connections.push(format!(".{}(stimulus_{t}[{lsb} +: {}])", port.name, port.width));
                lsb += port.width;
            } else {
                let _ = writeln!(text, "    wire [{}:0] out_{t}_{};", port.width - 1, port.name);
                connections.push(format!(".{0}(out_{t}_{0})", port.name));
                let _ = writeln!(show, "            $display(\"%h\", out_{t}_{});", port.name);
            }
        }
        let _ = writeln!(text, "    {} dut_{t} ({});", trial.design.top().name, connections.join(", "));
        let _ = writeln!(text, "    initial $readmemh(\"stimuli_{t}.hex\", stimuli_{t});");
        let _ = writeln!(set, "            stimulus_{t} = stimuli_{t}[n];");
        let mut hex = String::new();
        for stimulus in &trial.stimuli {
            let (mut all, mut lsb) = (BigUint::default(), 0);
            for (port, value) in inputs(&trial.design).zip(stimulus) {
                all |= value << lsb;
                lsb += port.width;
            }
            let _ = writeln!(hex, "{all:x}");
        }
        std::fs::write(dir.path().join(format!("stimuli_{t}.hex")), hex).expect("a file");
    }
    let _ = write!(
        text,
        "    initial begin\n        clock = 1'b0;\n        #1;\n        for (n = 0; n < {cycles}; n = n + 1) begin\n{set}            \
         #1;\n{show}            clock = 1'b1;\n            #1;\n            clock = 1'b0;\n            #1;\n        end\n        \
         $finish;\n    end\nendmodule\n"
    );
    std::fs::write(dir.path().join("bench.v"), text).expect("a file");
    let printed = match simulator {
        Simulator::Icarus => {
            run_well("iverilog", &["-g2005", "-o", "bench.vvp", "bench.v"], dir.path());
            run_well("vvp", &["-n", "bench.vvp"], dir.path())
        }
        Simulator::Verilator => {
            let args =
                ["--binary", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-STMTDLY", "-CFLAGS", "-O0", "-j", "2"];
            let args: Vec<&str> = args.into_iter().chain(["--top-module", "bench", "bench.v"]).collect();
            run_well("verilator", &args, dir.path());
            run_well("obj_dir/Vbench", &[], dir.path())
        }
    };
    let mut lines = printed.lines().filter(|line| !line.contains("$finish"));
    let mut results: Vec<Vec<Vec<BigUint>>> = trials.iter().map(|_| vec![]).collect();
    for cycle in 0..cycles {
        for (t, trial) in trials.iter().enumerate() {
            let values = outputs(&trial.design).map(|port| {
                let line = lines.next().unwrap_or_else(|| panic!("{simulator:?} stopped in cycle {cycle}"));
                // An undefined bit compares unequal to everything that fits the port.
                BigUint::parse_bytes(line.trim().as_bytes(), 16).unwrap_or_else(|| BigUint::from(1u8) << port.width)
            });
            results[t].push(values.collect());
        }
    }
    results
}

/// What the tools say about a design that they should accept without a word.
pub fn lint(design: &Design) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut files = vec![];
    for module in &design.modules {
        let name = format!("{}.v", module.name);
        std::fs::write(dir.path().join(&name), &module.text).expect("a file");
        files.push(name);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let top = design.top().name.as_str();
    let all = |first: &[&'static str]| -> Vec<String> { first.iter().chain(&files).map(|s| s.to_string()).collect() };
    let mut said = String::new();
    let mut listen = |program: &str, args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = run(program, &args, dir.path());
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() || !text.trim().is_empty() {
            let _ = writeln!(said, "{program}: {text}");
        }
    };
    let mut verilator = all(&["--lint-only", "-Wall", "--language", "1364-2005"]);
    verilator.extend(["--top-module".into(), top.into()]);
    listen("verilator", verilator);
    listen("iverilog", all(&["-g2005", "-Wall", "-t", "null"]));
    let script = format!(
        "read_verilog {}; hierarchy -check -top {top}; proc; check -assert; select -assert-none t:$dlatch; opt_clean",
        files.join(" ")
    );
    listen("yosys", vec!["-q".into(), "-p".into(), script]);
    said
}
