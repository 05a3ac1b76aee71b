//! Benches of cocotb on packages.

use crate::*;

/// What the example bench of cocotb says, and whether it ended well; `None` if cocotb is not installed.
fn run_bench(folder: &Path, arguments: &[&str]) -> Option<(String, bool)> {
    let tools = installed("cocotb", "cocotb", "cocotb-tools.txt")?;
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cocotb").canonicalize().unwrap();
    let mut python = Command::new(tools.join("python"));
    // The package of this tree, if another one is installed.
    python.env("PYTHONPATH", &package).arg(package.join("example/bench.py")).arg("out").args(arguments);
    let output = python.current_dir(folder).output().expect("python runs");
    Some((text(&output.stdout) + &text(&output.stderr), output.status.success()))
}

/// The example bench passes all its tests.
fn cocotb(folder: &Path, tests: usize, arguments: &[&str]) {
    let Some((said, is_fine)) = run_bench(folder, arguments) else { return };
    assert!(is_fine, "{said}");
    assert!(said.contains(&format!("TESTS={tests} PASS={tests} FAIL=0")), "{said}");
}

/// A switch with all that the drivers know: several VCs, registers, relative credits, an active low reset.
fn cocotb_switch(folder: &Path) {
    let switch = r#"{"name": "four", "ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 2, "mixed": 1},
        "packet": {"max_flits": 4}, "flow_control": "relative", "counters": {"bits": 16},
        "routing": {"kind": "table", "address_bits": 12}, "reset": {"kind": "asynchronous", "active": "low"}}"#;
    fs::write(folder.join("four.json"), switch).unwrap();
    let path = folder.join("four.json");
    generate(&["generate", path.to_str().unwrap(), "--package"], &folder.join("out"));
}

#[test]
fn cocotb_runs_packets_and_registers_on_icarus() {
    let folder = tempfile::tempdir().unwrap();
    cocotb_switch(folder.path());
    cocotb(folder.path(), 2, &["--packets", "60"]);
    generate(&["generate", "tiny"], &folder.path().join("out"));
    cocotb(folder.path(), 2, &["--packets", "100"]);
}

/// A chip of three streams and a link, whose reset goes on inside after its pin.
#[test]
fn cocotb_runs_streams_on_icarus() {
    let folder = tempfile::tempdir().unwrap();
    let chip = r#"{"name": "four", "ports": 4, "flit_bits": 32, "virtual_channels": {"unicast": 2},
        "packet": {"max_flits": 6}, "routing": {"kind": "source", "hops": 2},
        "chip": {"streams": {"ports": [0, 1, 3]}, "reset_synchronizer": true}}"#;
    let path = folder.path().join("four.json");
    fs::write(&path, chip).unwrap();
    generate(&["generate", path.to_str().unwrap()], &folder.path().join("out"));
    cocotb(folder.path(), 3, &["--test", "streams_test", "--packets", "60"]);
}

/// Options add inputs: none floats. Marks of bad packets pass a stream, and registers are behind AXI4-Lite.
#[test]
fn cocotb_drives_the_inputs_of_options() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("mp.json"), folder.path().join("out"));
    let options = r#""flit_bits": 32, "virtual_channels": {"unicast": 2}, "packet": {"max_flits": 6},
        "counters": {"bits": 16}, "events": true, "buffer_flits": 32,
        "buffer_ecc": {"fault_pins": true}, "memory_pins": {"test_bits": 2}"#;
    let table = r#""routing": {"kind": "table", "address_bits": 12, "parity": {"fault_pins": true}}"#;
    fs::write(&path, format!(r#"{{"name": "mp", "ports": 3, {options}, {table}}}"#)).unwrap();
    generate(&["generate", path.to_str().unwrap()], &out);
    cocotb(folder.path(), 2, &["--packets", "20"]);
    let chip = |cut_through: bool, routing: &str| {
        format!(
            r#"{{"name": "mp", "ports": 4, {options}, {routing},
            "chip": {{"streams": {{"ports": [0, 1, 3], "cut_through": {cut_through}}}, "register_port": "axi_lite",
                "reset_synchronizer": true}}, "reset": {{"kind": "asynchronous", "active": "low"}}}}"#
        )
    };
    let source = r#""routing": {"kind": "source", "hops": 2}"#;
    for (cut_through, routing) in [(true, source), (false, table)] {
        fs::write(&path, chip(cut_through, routing)).unwrap();
        generate(&["generate", path.to_str().unwrap()], &out);
        cocotb(folder.path(), 3, &["--test", "streams_test", "--packets", "20"]);
    }
}

/// Routes of a forwarding table on the chip are written first: the example does not, and says so.
#[test]
fn the_example_refuses_streams_whose_routes_it_cannot_answer() {
    let folder = tempfile::tempdir().unwrap();
    let chip = r#"{"name": "own", "ports": 2, "flit_bits": 32, "virtual_channels": {"unicast": 1},
        "packet": {"max_flits": 4}, "chip": {"streams": {}},
        "routing": {"kind": "table", "cache": null, "external_cam": false, "address_bits": 8,
            "forwarding_table": {"entries": 64, "ways": 2}}}"#;
    let path = folder.path().join("own.json");
    fs::write(&path, chip).unwrap();
    generate(&["generate", path.to_str().unwrap()], &folder.path().join("out"));
    let Some((said, is_fine)) = run_bench(folder.path(), &["--test", "streams_test"]) else { return };
    assert!(!is_fine && said.contains("neither source routes nor a CAM"), "{said}");
}

/// A network with the pins of link faults and of registers.
#[test]
fn cocotb_runs_packets_through_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/networks/verified.json");
    generate(&["network", "generate", network], &folder.path().join("out"));
    cocotb(folder.path(), 1, &["--test", "network_test", "--packets", "20"]);
}

#[test]
#[ignore = "compiles a model"]
fn cocotb_runs_packets_on_verilator() {
    let folder = tempfile::tempdir().unwrap();
    generate(&["generate", "tiny", "--package"], &folder.path().join("out"));
    cocotb(folder.path(), 2, &["--simulator", "verilator"]);
}
