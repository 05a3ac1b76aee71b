//! The Verilog is what its users' tools want: no warning from Verilator or Icarus, no latch, no loop and real memories
//! in Yosys; the same bytes from the same JSON; and for the smallest preset the bytes that are committed.

mod common;

use common::{config, preset, verilog};
use railyard::memory::MemoryBits;
use railyard_network::description::Input;
use railyard_spec::{presets::PRESETS, CheckedConfig};
use railyard_testbench::lockstep::Verilog;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a tool that must succeed without a word of warning.
fn quiet(tool: &str, package: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{tool}: {error}; `apt-get install {package}` installs it"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let warned = text.lines().any(|line| line.to_lowercase().contains("warning") && !line.contains("Warnings: 0"));
    assert!(output.status.success() && !warned, "{tool} {arguments:?}:\n{text}");
    text
}

fn write(verilog: &Verilog) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &verilog.files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn names(verilog: &Verilog) -> Vec<&str> {
    verilog.files.iter().map(|(name, _)| name.as_str()).collect()
}

fn lint(verilog: &Verilog) {
    let folder = write(verilog);
    let mut arguments = vec!["--lint-only", "-Wall", "--default-language", "1364-2005", "--top-module", &verilog.top];
    arguments.extend(names(verilog));
    quiet("verilator", "verilator", &arguments, folder.path());
    let mut arguments = vec!["-g2005", "-Wall", "-t", "null", "-s", &verilog.top];
    arguments.extend(names(verilog));
    quiet("iverilog", "iverilog", &arguments, folder.path());
}

fn synthesise(verilog: &Verilog) {
    let folder = write(verilog);
    let script = format!(
        "read_verilog {}; hierarchy -check -top {}; proc; flatten; opt_clean; opt_dff; opt_clean; check -assert; \
         select -assert-none t:$dlatch t:$dlatchsr t:$adlatch; memory -nomap; opt_clean; stat; \
         select -assert-none t:$mem_v2 r:RD_CLK_ENABLE=1'0 %i",
        names(verilog).join(" "),
        verilog.top
    );
    let text = quiet("yosys", "yosys", &["-Q", "-p", &script], folder.path());
    assert!(text.contains("$mem_v2"), "memories are memories:\n{text}");
}

/// A spread of shapes that differ in which blocks they have.
const SHAPES: &[&str] = &[
    r#"{"name": "a", "ports": 3, "flit_bits": 17, "routing": {"kind": "source", "hops": 3}}"#,
    r#"{"name": "b", "ports": 2, "virtual_channels": {"unicast": 1}, "link_arbitration": "flit", "packet": {"max_flits": 1}, "buffer_flits": 2, "routing": {"kind": "source", "hops": 1}}"#,
    r#"{"name": "c", "ports": 5, "virtual_channels": {"unicast": 8}, "crossbar": "single", "flow_control": "relative", "routing": {"kind": "table", "address_bits": 8, "cache": null}}"#,
    r#"{"name": "d", "ports": 4, "flit_bits": 16, "virtual_channels": {"unicast": 3}, "link_arbitration": "flit", "routing": {"kind": "table", "address_bits": 64, "lookups_per_vc": 1, "cache": {"entries": 16, "ways": 16}}}"#,
    r#"{"name": "e", "ports": 9, "flit_bits": 512, "routing": {"kind": "table", "lookups_per_vc": 16, "cache": {"entries": 16384, "ways": 1}}}"#,
    r#"{"name": "f", "ports": 6, "virtual_channels": {"unicast": 1}, "flow_control": "relative", "routing": {"kind": "table", "address_bits": 63, "lookups_per_vc": 7, "cache": {"entries": 256, "ways": 8}}}"#,
    r#"{"name": "g", "ports": 3, "registers": false, "routing": {"kind": "table", "cache": {"entries": 64, "ways": 2}}}"#,
    r#"{"name": "h", "ports": 4, "routing": {"kind": "table", "address_bits": 40, "cache": {"entries": 64, "ways": 4, "replacement": "pseudo_lru"}, "node_reduction": {"topologies": ["cube", "fat_tree", "dragonfly"], "chunk_bits": [4, 2, 3], "stages": 3}}}"#,
    r#"{"name": "i", "ports": 2, "routing": {"kind": "table", "address_bits": 10, "lookups_per_vc": 1, "cache": {"entries": 16, "ways": 16, "replacement": "round_robin"}, "node_reduction": {"topologies": ["dragonfly"], "chunk_bits": [8], "stages": 1}}}"#,
    r#"{"name": "j", "ports": 5, "routing": {"kind": "table", "cache": {"entries": 2048, "ways": 2, "replacement": "random"}, "node_reduction": {"topologies": ["cube"], "chunk_bits": [3], "stages": 2}}}"#,
    r#"{"name": "k", "ports": 4, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "next_vc": true}}"#,
    r#"{"name": "l", "ports": 3, "virtual_channels": {"unicast": 1}, "crossbar": "single", "routing": {"kind": "table", "address_bits": 20, "cache": null, "next_vc": true}}"#,
    r#"{"name": "m", "ports": 5, "routing": {"kind": "algorithmic", "address_bits": 16, "node_reduction": {"stages": 3}, "next_vc": true}}"#,
    r#"{"name": "n", "ports": 5, "crossbar": "single", "virtual_channels": {"unicast": 3}, "routing": {"kind": "algorithmic", "address_bits": 9, "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [3, 4]}, "next_vc": true}}"#,
    r#"{"name": "p", "ports": 5, "virtual_channels": {"unicast": 3}, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 16, "ways": 2}, "link_aggregation": {"groups": 3, "links": 5}}}"#,
    r#"{"name": "q", "ports": 6, "crossbar": "single", "routing": {"kind": "table", "address_bits": 24, "cache": null, "next_vc": true, "candidates": 3, "link_aggregation": {"groups": 1, "links": 2, "hash": {"crc_bits": 5, "polynomial": "0x5"}}}}"#,
    r#"{"name": "r", "ports": 4, "link_arbitration": "flit", "routing": {"kind": "table", "cache": {"entries": 16, "ways": 2}, "candidates": 2}, "registers": false}"#,
    r#"{"name": "s", "ports": 5, "virtual_channels": {"unicast": 1}, "routing": {"kind": "table", "cache": null, "next_vc": true, "candidates": 4}}"#,
    r#"{"name": "t", "ports": 4, "routing": {"kind": "algorithmic", "address_bits": 9, "next_vc": true, "link_aggregation": {"groups": 4, "links": 4}}}"#,
    r#"{"name": "u", "ports": 3, "routing": {"kind": "table", "cache": null, "link_aggregation": {"groups": 16, "links": 16}}}"#,
    r#"{"name": "o", "ports": 4, "routing": {"kind": "table", "address_bits": 12, "cache": {"entries": 32, "ways": 2}, "node_reduction": {"topologies": ["cube", "fat_tree"], "chunk_bits": [2, 4], "stages": 2}, "next_vc": true}}"#,
    r#"{"name": "v", "ports": 5, "virtual_channels": {"unicast": 3}, "counters": {}, "routing": {"kind": "table", "address_bits": 40, "cache": {"entries": 16, "ways": 2}, "forwarding_table": {"entries": 64, "ways": 4}, "parity": {"fault_pins": true}, "default_route": true, "next_vc": true, "candidates": 3, "link_aggregation": {"groups": 3, "links": 2}}}"#,
    r#"{"name": "w", "ports": 4, "virtual_channels": {"unicast": 1}, "counters": {"bits": 8}, "routing": {"kind": "table", "cache": null, "lookups_per_vc": 1, "forwarding_table": {"entries": 1024, "ways": 1}, "external_cam": false}}"#,
    r#"{"name": "x", "ports": 3, "link_arbitration": "flit", "counters": {"bits": 17}, "routing": {"kind": "source", "hops": 2}}"#,
    r#"{"name": "y", "ports": 4, "crossbar": "single", "counters": {}, "routing": {"kind": "table", "cache": {"entries": 16, "ways": 1}, "parity": {}, "forwarding_table": {"entries": 64, "ways": 8}, "default_route": true}}"#,
    r#"{"name": "z", "ports": 5, "flit_bits": 32, "virtual_channels": {"unicast": 2, "mixed": 1, "barrier": 1}, "barrier": {"groups": 6}, "counters": {}, "routing": {"kind": "table", "cache": null, "next_vc": true, "default_route": true}}"#,
    r#"{"name": "zf", "ports": 34, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 3}, "link_arbitration": "flit", "routing": {"kind": "source", "hops": 2}}"#,
    r#"{"name": "za", "ports": 4, "memory_pins": {"test_bits": 1}, "multicast": {"groups": 256}, "virtual_channels": {"unicast": 1, "mixed": 1}, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}}}"#,
    r#"{"name": "zh", "ports": 4, "multicast": {"groups": 16}, "virtual_channels": {"unicast": 1, "mixed": 1}, "routing": {"kind": "source", "hops": 2}}"#,
    r#"{"name": "zm", "ports": 4, "multicast": {"groups": 256}, "virtual_channels": {"unicast": 1, "mixed": 1}, "routing": {"kind": "algorithmic", "address_bits": 8, "node_reduction": {}}}"#,
    r#"{"name": "ze", "ports": 3, "flit_bits": 128, "buffer_ecc": {"fault_pins": true}, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 1}, "routing": {"kind": "source", "hops": 2}}"#,
    r#"{"name": "zs", "ports": 3, "crossbar": "single", "multicast": {"groups": 5}, "virtual_channels": {"unicast": 1, "mixed": 1, "barrier": 1}, "barrier": {"groups": 1}, "routing": {"kind": "source", "hops": 2}}"#,
];

#[test]
fn simulators_have_nothing_to_say_on_presets() {
    PRESETS.iter().for_each(|p| lint(&verilog(&preset(p.name))));
}

#[test]
fn simulators_have_nothing_to_say_on_shapes() {
    SHAPES.iter().for_each(|json| lint(&verilog(&config(json))));
}

#[test]
fn synthesis_finds_no_latch_no_loop_and_all_memories() {
    synthesise(&verilog(&preset("tiny")));
    let some = SHAPES[..4].iter().chain(&SHAPES[14..19]).chain(&SHAPES[21..]);
    some.for_each(|json| synthesise(&verilog(&config(json))));
}

/// Networks that differ in which pins they have: with CAMs and open ports; of one switch; with barriers; with relative
/// credits.
#[test]
fn networks_are_as_clean_as_switches() {
    let open = r#"{"switch": "tiny", "topology": {"kind": "wiring", "switches": 3, "links": [[[0, 1], [1, 0]]], "nodes": [[0, 0], [1, 1]]}, "link_latency": 3}"#;
    let one = r#"{"switch": "tiny", "topology": {"kind": "wiring", "switches": 1, "nodes": [[0, 0], [0, 1]]}}"#;
    let barrier = r#"{"switch": {"name": "b", "ports": 3, "virtual_channels": {"unicast": 1, "barrier": 1}, "barrier": {"groups": 2}, "routing": {"kind": "source", "hops": 2}},
        "topology": {"kind": "wiring", "switches": 2, "links": [[[0, 0], [1, 0]], {"ends": [[0, 1], [1, 1]], "latency": 3}], "nodes": [[0, 2], [1, 2]]}}"#;
    let relative = r#"{"switch": {"name": "r", "ports": 2, "flow_control": "relative", "routing": {"kind": "source", "hops": 2}},
        "topology": {"kind": "wiring", "switches": 2, "links": [[[0, 0], [1, 0]]], "nodes": [[0, 1], [1, 1]]}, "link_latency": 2}"#;
    for json in [open, one, barrier, relative] {
        let input = Input::read(json, Path::new("")).unwrap_or_else(|error| panic!("{json}: {error}"));
        let verilog = railyard::commands::network::generate::generated(
            &std::path::Path::new("network.json").into(),
            &input,
            "net",
        )
        .unwrap();
        lint(&verilog);
        synthesise(&verilog);
        for (name, text) in &verilog.files {
            assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 120), "{name}: a line over 120 columns");
            assert!(text.starts_with("//") && is_closed(text), "{name}");
        }
    }
}

/// Whether undeclared names are errors in the file, and in no file behind it.
fn is_closed(text: &str) -> bool {
    text.contains("\n`default_nettype none\n\nmodule ") && text.ends_with("endmodule\n\n`default_nettype wire\n")
}

/// Bits of all memories of the design, RAMs and register files, by the tree of instances that Yosys prints.
fn memory_bits(config: &CheckedConfig) -> u64 {
    let verilog = verilog(config);
    let folder = write(&verilog);
    let script = format!("read_verilog {}; hierarchy -top {}; stat", names(&verilog).join(" "), verilog.top);
    let text = quiet("yosys", "yosys", &["-p", &script], folder.path());
    let (_, tree) = text.rsplit_once("=== design hierarchy ===").expect("a tree");
    let (mut bits, mut above) = (0, Vec::<u64>::new());
    for line in tree.lines().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2 - 1;
        let (name, count) = line.trim().split_once(' ').expect("name and number");
        above.truncate(depth);
        above.push(count.trim().parse().expect("a number"));
        let size = ["_ram_1r1w_", "_register_file_"].iter().find_map(|kind| name.rsplit_once(kind)?.1.split_once('x'));
        if let Some((words, width)) = size {
            bits += above.iter().product::<u64>() * words.parse::<u64>().unwrap() * width.parse::<u64>().unwrap();
        }
    }
    bits
}

#[test]
fn check_counts_the_memories_that_are_there() {
    for config in SHAPES.iter().map(|json| config(json)).chain(["tiny", "noc5", "table16"].map(preset)) {
        let counted = MemoryBits::of(&config.shape());
        assert_eq!(counted.total(), memory_bits(&config), "{}: {counted:?}", config.name);
    }
}

/// A switch whose queues are block RAM, between sources, sinks and a CAM in Verilog: what Icarus says of a run.
fn self_test(verilog: &Verilog, defines: &[&str], more: &[&Path]) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let around = ["cam", "link_source", "link_sink", "self_test"].map(|name| examples.join(format!("fpga/{name}.v")));
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/verilog/unknown_bench.v");
    let folder = write(verilog);
    let files = around.iter().map(|path| path.as_path()).chain([bench.as_path()]).chain(more.iter().copied());
    let mut arguments = vec!["-g2012", "-DSWITCH=deep_switch", "-s", "unknown_bench", "-o", "bench"];
    arguments.extend(defines);
    arguments.extend(files.map(|path| path.to_str().expect("a path of text")));
    arguments.extend(names(verilog));
    quiet("iverilog", "iverilog", &arguments, folder.path());
    quiet("vvp", "iverilog", &["-n", "bench"], folder.path())
}

const DEEP: &str = r#"{"name": "deep", "ports": 2, "flit_bits": 32, "virtual_channels": {"unicast": 1}, "packet": {"max_flits": 4}, "buffer_flits": 32, "registers": false, "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 16, "ways": 2}}}"#;

/// What a memory may return in any value is X; a block that used it would show X at a pin.
#[test]
fn no_unknown_word_reaches_a_pin() {
    let deep = config(DEEP);
    assert_eq!(self_test(&verilog(&deep), &["-DRAILYARD_X"], &[]), "failed 0, 1650 packets\n");
    let wrong = common::mutated(&deep, "fifo_32x33", "(front_valid_next),", "(front_valid_next & ~pop),");
    assert!(self_test(&wrong, &["-DRAILYARD_X"], &[]).starts_with("UNKNOWN in cycle"));
}

/// A switch whose queues are register files works with both forms of these, and a wrong decoder shows.
#[test]
fn register_files_have_a_form_for_standard_cells() {
    let shallow = config(&DEEP.replace(r#""buffer_flits": 32"#, r#""buffer_flits": 8"#));
    let files = verilog(&shallow);
    let asic = "-DRAILYARD_ASIC";
    let mut arguments = vec!["--lint-only", "-Wall", asic, "--top-module", &files.top];
    arguments.extend(names(&files));
    quiet("verilator", "verilator", &arguments, write(&files).path());
    let sizes = ["-Punknown_bench.DEPTH=8", "-Punknown_bench.CREDIT_BITS=5"];
    let array = self_test(&files, &sizes, &[]);
    assert!(array.starts_with("failed 0, "), "{array}");
    let sizes = [&sizes[..], &[asic]].concat();
    assert_eq!(self_test(&files, &sizes, &[]), array);
    let wrong = common::mutated(&shallow, "register_file_8x33", "{read_address == w[2:0]}", "{read_address != w[2:0]}");
    assert_ne!(self_test(&wrong, &sizes, &[]), array);
}

/// The example's macro in the place of all memories: a self-test with a model of the macro. Its bindings fit `hpc16`.
#[test]
fn macros_take_the_place_of_memories() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/memory-macro");
    let (binding, model) = (example.join("sg13g2.v"), example.join("model.v"));
    let deep = verilog(&config(DEEP));
    let mut own = String::new();
    for name in names(&deep).into_iter().filter(|name| name.contains("_ram_1r1w_")) {
        let name = name.trim_end_matches(".v");
        let (depth, width) = name.rsplit_once('_').and_then(|(_, size)| size.split_once('x')).expect("a size");
        let address = depth.parse::<u32>().unwrap().ilog2();
        own += &format!(
            "module {name}_macro (input wire clock, write_enable, read_enable, input wire [{address}-1:0] write_address, \
             read_address, input wire [{width}-1:0] write_data, output wire [{width}-1:0] read_data);\n\
             sg13g2_1r1w #({address}, {width}) memory (clock, write_enable, write_address, write_data, read_enable, \
             read_address, read_data, 1'b1, 1'b1, 1'b0);\nendmodule\n"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let bindings = folder.path().join("bindings.v");
    fs::write(&bindings, own).unwrap();
    let said = self_test(&deep, &["-DRAILYARD_MACROS"], &[&binding, &model, &bindings]);
    assert_eq!(said, "failed 0, 1650 packets\n");

    let hpc16 = railyard_spec::presets::find("hpc16").unwrap().json.replacen("hpc16", "my", 1);
    let with_pins = hpc16.replacen('{', r#"{"memory_pins": {"test_bits": 2},"#, 1);
    for (json, more) in [(hpc16, None), (with_pins, Some("-DMEMORY_PINS"))] {
        let hpc16 = verilog(&config(&json));
        let folder = write(&hpc16);
        let mut arguments = vec!["-g2005", "-Wall", "-DRAILYARD_MACROS", "-t", "null", "-s", "my_switch"];
        arguments.extend(more);
        arguments.extend([binding.to_str().unwrap(), model.to_str().unwrap()]);
        arguments.extend(names(&hpc16));
        quiet("iverilog", "iverilog", &arguments, folder.path());
    }
}

#[test]
fn text_is_for_people() {
    for preset_name in PRESETS.iter().map(|p| p.name) {
        for (name, text) in &verilog(&preset(preset_name)).files {
            assert!(
                text.lines().all(|line| line.chars().count() <= 120),
                "{preset_name}/{name}: a line over 120 columns"
            );
            assert!(text.is_ascii() && is_closed(text), "{preset_name}/{name}");
            assert_eq!(text.matches("\nmodule ").count(), 1, "{preset_name}/{name}: one module a file");
            assert!(text.starts_with("//"), "{preset_name}/{name}: a header comment");
            let logic = text.replace("$error(\"", ""); // of assertions
            assert!(!logic.contains('$') && !logic.contains("_GEN_"), "{preset_name}/{name}");
        }
    }
}

#[test]
fn the_same_json_gives_the_same_bytes() {
    for preset_name in PRESETS.iter().map(|p| p.name) {
        assert_eq!(verilog(&preset(preset_name)), verilog(&preset(preset_name)));
    }
}

#[test]
fn the_committed_verilog_of_tiny_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/tiny");
    let fresh = railyard::commands::generate::files(&preset("tiny")).unwrap();
    let advice = "run `railyard generate tiny -o verilog-out/tiny`";
    for (name, text) in &fresh {
        let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == *text, "verilog-out/tiny/{name} is not current: {advice}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), fresh.len(), "files too many: {advice}");
}

#[test]
#[ignore = "long"]
fn synthesis_of_the_large_presets() {
    ["source16", "hpc16"].iter().for_each(|name| synthesise(&verilog(&preset(name))));
}
