//! Packets through streams, with cocotbext-axi on the other side of them, under Icarus Verilog; for long, under
//! Verilator 5, which takes a sixth of the time.

use crate::{Chip, CUT_THROUGH, LONG_HEADER, MULTICAST, STORING};
use railyard_spec::chip::chip_pins;
use railyard_spec::pins::{Direction, Pin};
use railyard_spec::registers::registers;
use railyard_spec::RegisterPort;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const CYCLES: u64 = 2_000;

/// A simulator, and the Python that has cocotb for it.
struct Runner {
    simulator: &'static str,
    python: PathBuf,
}

impl Runner {
    fn icarus() -> Option<Runner> {
        Runner::installed("icarus", "exports", "tools", "export-tools.txt")
    }

    fn verilator() -> Option<Runner> {
        Runner::installed("verilator", "cocotb", "cocotb", "cocotb-tools.txt")
    }

    /// What `scripts/setup` installs with that option, if it did. CI can't do without.
    fn installed(simulator: &'static str, option: &str, folder: &str, list: &str) -> Option<Runner> {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(folder);
        if !tools.join(list).exists() {
            assert!(std::env::var_os("CI").is_none(), "scripts/setup --{option} did not install its tools");
            eprintln!("not run: cocotb is not installed (scripts/setup --{option})");
            return None;
        }
        Some(Runner { simulator, python: tools.join("bin/python3") })
    }

    /// Whether a test of `streams.py` passes in the Verilog of a folder.
    fn passes(&self, folder: &Path, setting: &str, test: &str) -> bool {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chip/run.py");
        let mut command = Command::new(&self.python);
        command.arg(script).arg(self.simulator).arg(folder).args([setting, test]);
        let output = command.output().expect("Python runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("TESTS=1"), "cocotb did not run: {said}");
        if !output.status.success() {
            println!("{said}");
        }
        said.lines().filter(|line| line.contains("packets, ")).for_each(|line| println!("{line}"));
        output.status.success()
    }
}

const RANDOM: &str = "packets_come_out_as_they_went_in";

/// A module around the chip in which each stream has pins of its own.
fn bench(chip: &Chip) -> String {
    let pins = chip_pins(&chip.config.shape(), &chip.around);
    let (mut ports, mut body, mut connections) = (vec![], String::new(), vec![]);
    let (mut errors, mut stable) = (vec![], String::new());
    for pin in &pins {
        let is_input = pin.direction == Direction::Input;
        let direction = if is_input { "input" } else { "output" };
        let (width, name) = (pin.width(), pin.name);
        let own = format!("{direction} wire [{}:0] {name}", width - 1);
        let to = match name {
            "reset_n" => {
                ports.push("input wire reset".into());
                "~reset".into()
            }
            name if name.starts_with("axis_") => {
                stream_pin(pin, &mut ports, &mut body);
                if pin.direction == Direction::Output && name.starts_with("axis_out_") {
                    stable += &unstable(pin);
                }
                name.into()
            }
            name if name.starts_with("error_") && !["error_clear", "error_stream"].contains(&name) => {
                let _ = writeln!(body, "    wire [{}:0] {name};", width - 1);
                errors.push(format!("|{name}"));
                name.into()
            }
            name if ["apb_", "memory_"].iter().any(|start| name.starts_with(start)) && is_input => {
                format!("{width}'d0")
            }
            name if ["axil_", "error_", "clock", "reset"].iter().any(|start| name.starts_with(start)) => {
                ports.push(own);
                name.into()
            }
            _ => String::new(),
        };
        connections.push(format!("        .{name}({to})"));
    }
    ports.extend(["output wire error_switch".into(), "output reg unstable".into()]);
    format!(
        "module bench (\n    {}\n);\n{body}    assign error_switch = {};\n    initial unstable = 0;\n{stable}\n    {} dut (\n{}\n    );\nendmodule\n",
        ports.join(",\n    "),
        errors.join(" | "),
        chip.design.top().name,
        connections.join(",\n")
    )
}

/// The pins of each stream, and the vector that is theirs together.
fn stream_pin(pin: &Pin, ports: &mut Vec<String>, body: &mut String) {
    let (way, name) = pin.name.strip_prefix("axis_").and_then(|name| name.split_once('_')).expect("a stream's pin");
    let _ = writeln!(body, "    wire [{}:0] {};", pin.width() - 1, pin.name);
    for p in 0..pin.count {
        let element = format!("{}[{} +: {}]", pin.name, p as u32 * pin.bits, pin.bits);
        let own = format!("{way}{p}_axis_{name}");
        let direction = if pin.direction == Direction::Input { "input" } else { "output" };
        ports.push(format!("{direction} wire [{}:0] {own}", pin.bits - 1));
        let (to, from) = if direction == "input" { (element, own) } else { (own, element) };
        let _ = writeln!(body, "    assign {to} = {from};");
    }
}

/// Notes if a pin of a stream that goes out changes while a beat waits.
fn unstable(pin: &Pin) -> String {
    let (name, last, bits) = (pin.name, pin.width() - 1, pin.bits);
    format!(
        "    reg [{last}:0] last_{name};
    reg [{0}:0] waits_{name} = 0;
    integer i_{name};
    always @(posedge clock) begin
        last_{name} <= {name};
        waits_{name} <= reset ? 0 : axis_out_tvalid & ~axis_out_tready;
        for (i_{name} = 0; i_{name} < {count}; i_{name} = i_{name} + 1)
            if (waits_{name}[i_{name}] && !reset &&
                last_{name}[i_{name}*{bits} +: {bits}] !== {name}[i_{name}*{bits} +: {bits}]) unstable <= 1;
    end
",
        pin.count - 1,
        count = pin.count
    )
}

/// What the Python needs to know of the chip.
fn setting(chip: &Chip, cycles: u64) -> String {
    let shape = chip.config.shape();
    let streams = chip.around.streams.as_ref().expect("streams");
    let registers = registers(&shape);
    let addresses = |name: &str| {
        let register = registers.iter().find(|register| register.name == name);
        register.map_or(vec![], |register| (0..register.count).map(|i| register.address + 4 * i).collect::<Vec<_>>())
    };
    let groups = ["multicast_status", "multicast_mask_low", "multicast_write"].map(addresses);
    json!({
        "ports": shape.ports, "vcs": shape.vcs, "flit_bytes": streams.flit_bytes, "seed": 1, "cycles": cycles,
        "payload_flits": shape.max_flits - streams.header_flits, "cut_through": streams.cut_through, "bad": 0.1,
        "axi_lite": chip.around.register_port == Some(RegisterPort::AxiLite),
        "multicast": groups,
        "snapshot": addresses("counters"), "tx_packets": addresses("tx_packets"), "id": addresses("id"),
    })
    .to_string()
}

/// The folder of a chip with its bench.
fn folder(chip: &Chip) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    chip.write(folder.path());
    let list = std::fs::read_to_string(folder.path().join("files.f")).unwrap();
    std::fs::write(folder.path().join("files.f"), list + "bench.v\n").unwrap();
    std::fs::write(folder.path().join("bench.v"), bench(chip)).unwrap();
    folder
}

fn pass(runner: Option<Runner>, cycles: u64) {
    let Some(runner) = runner else { return };
    for json in [STORING, LONG_HEADER, CUT_THROUGH] {
        let chip = Chip::new(json);
        assert!(runner.passes(folder(&chip).path(), &setting(&chip, cycles), RANDOM), "{json}");
    }
}

#[test]
fn packets_come_out_as_they_went_in() {
    pass(Runner::icarus(), CYCLES);
}

#[test]
#[ignore = "six minutes: 1,000,000 cycles of each chip"]
fn packets_come_out_as_they_went_in_for_long() {
    pass(Runner::verilator(), 1_000_000);
}

/// `tuser` makes a packet one for a multicast group, and an adapter that leaves it out is found.
#[test]
fn multicast_packets_reach_all_members() {
    let Some(runner) = Runner::icarus() else { return };
    let chip = Chip::new(MULTICAST);
    let folder = folder(&chip);
    let pass = || runner.passes(folder.path(), &setting(&chip, CYCLES), "multicast_packets_reach_all_members");
    assert!(pass());
    let file = folder.path().join("members_stream_in.v");
    let text = std::fs::read_to_string(&file).unwrap();
    let right = "multicast_q <= tuser;";
    assert_eq!(text.matches(right).count(), 1, "{right}");
    std::fs::write(&file, text.replace(right, "multicast_q <= 1'b0;")).unwrap();
    assert!(!pass(), "a lost mark was not found");
}

/// A fault: module, what is in its text, and what stands there instead.
type Mutant = (&'static str, &'static str, &'static str);

/// Faults that a test must find, one in each adapter.
const MUTANTS: [Mutant; 3] = [
    ("stream_in", "room = leaving_bad", "room = 1'b1"),
    ("stream_out", "(~tvalid | tready)", "(~tvalid | tready | tlast)"),
    ("axi_lite_port", "whole_q <= &wstrb", "whole_q <= 1'b1"),
];

/// And more of them.
const MORE_MUTANTS: [Mutant; 8] = [
    ("stream_in", "queue_push = take & ~too_long_q", "queue_push = take"),
    ("stream_in", "padding = i[1:0]", "padding = 2'd1"),
    ("stream_in", "coming_vc = tid", "coming_vc = 1'b0"),
    ("stream_out", "tvalid = valid &", "tvalid = ~tx_valid & valid &"),
    ("stream_out", "if (busy_q)", "if (1'b0)"),
    ("stream_out", "<= (3 - i)", "< (3 - i)"),
    ("stream_out", "credit_return_popped = {2{pop}}", "credit_return_popped = {2{pop & ~in_header}}"),
    ("axi_lite_port", "refused_q <= apb_pslverr", "refused_q <= 1'b0"),
];

fn find(mutants: &[Mutant]) {
    let Some(runner) = Runner::icarus() else { return };
    let chip = Chip::new(STORING);
    for (module, right, wrong) in mutants {
        let folder = folder(&chip);
        let file = folder.path().join(format!("storing_{module}.v"));
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(right).count(), 1, "{module}: {right}");
        std::fs::write(&file, text.replace(right, wrong)).unwrap();
        assert!(!runner.passes(folder.path(), &setting(&chip, CYCLES), RANDOM), "{module}: {wrong} was not found");
    }
}

#[test]
fn a_fault_in_an_adapter_is_found() {
    find(&MUTANTS);
}

#[test]
#[ignore = "half a minute: a run for each fault"]
fn more_faults_in_adapters_are_found() {
    find(&MORE_MUTANTS);
}
