//! `railyard estimate` with Yosys and OpenSTA that are shell scripts: how a tool ends, what it leaves out, what is
//! kept.
//!
//! The scripts use what the shell has by itself, so that nothing else need be in `PATH`.

use serde_json::{json, Value};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Says its version; lists no instances; or leaves a netlist of two flip-flops and a buffer. `FAKE_YOSYS` is run before
/// that.
const YOSYS: &str = r#"#!/bin/sh
[ "$1" = -V ] && { echo "${FAKE_VERSION-Yosys 0.0 of this test}"; exit 0; }
eval "$FAKE_YOSYS"
if [ -n "$RY_MODULES" ]; then
    for module in $RY_MODULES; do : > $module.instances; done
    exit 0
fi
echo '{"design": {"num_cells": 3, "num_cells_by_type": {"'${FAKE_CELL-DFF}'": 2, "BUF": 1}}}' > stat.json
echo > stat.txt
echo "module $RY_TOP; endmodule" > netlist.v
"#;

/// Says its version; or times a path of 0.75 ns, 0.8 ns with the library's wire loads. `FAKE_STA` is run in the place
/// of that.
const STA: &str = r#"#!/bin/sh
[ "$1" = -version ] && { echo 2.0.0; exit 0; }
[ -n "$FAKE_STA" ] && { eval "$FAKE_STA"; exit 0; }
slack=0.25
while read -r line; do case "$line" in default_wire_load*) slack=0.2;; esac; done < ${RY_LIBERTY%% *}
printf 'ry:path\tregister_to_register\t%s\n' $slack
printf 'ry:point\t0.1\tDFF\toutput\ta_reg/Q\ta\n'
printf 'ry:point\t0.7\tDFF\tinput\tb_reg/D\ta\n'
printf 'ry:none\tinput_to_register\nry:none\tregister_to_output\nry:none\tinput_to_output\n'
printf 'ry:power\nTotal 1e-3 2e-3 3e-6 3.003e-3 100.0%%\nry:end\n'
"#;

/// A library of a flip-flop and a buffer, of which the latter has no area.
const LIBRARY: &str = r#"library (test) {
    time_unit : "1ns";
    capacitive_load_unit (1, ff);
    nom_voltage : 1.1;
    default_wire_load : "small";
    cell (DFF) {
        area : 4.5;
        ff (q, qn) { }
        pin (D) { direction : input; capacitance : 1; }
        pin (CK) { direction : input; capacitance : 1; }
        pin (Q) { direction : output; }
    }
    cell (BUF) {
        pin (A) { direction : input; capacitance : 1; }
        pin (Z) { direction : output; function : "A"; }
    }
}
"#;

/// The tools, the library and a cache in a folder.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench { folder };
        fs::create_dir(bench.path("tools")).unwrap();
        bench.tool("tools/yosys", YOSYS, 0o755);
        bench.tool("tools/sta", STA, 0o755);
        fs::write(bench.path("test.lib"), LIBRARY).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, name: &str, script: &str, mode: u32) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), script).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
    }

    /// `railyard estimate` in the test's library.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
        command.arg("estimate").args(args).arg("--liberty").arg(self.path("test.lib"));
        command.env("PATH", self.path("tools")).env("RAILYARD_CACHE", self.path("cache"));
        command
    }

    /// One block of the smallest preset, as JSON.
    fn block(&self) -> Command {
        self.command(&["tiny", "--block", "packet_check", "--node", "45", "--json"])
    }

    /// The kept file whose name begins so.
    fn kept(&self, kind: &str) -> PathBuf {
        let entries = fs::read_dir(self.path("cache/estimates")).unwrap().flatten().map(|entry| entry.path());
        let mut named = entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(kind));
        named.next().unwrap_or_else(|| panic!("no {kind}"))
    }
}

fn output(mut command: Command) -> Output {
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer(command: Command) -> Value {
    let output = output(command);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The message of a command that has to fail.
fn error(command: Command) -> String {
    let output = output(command);
    assert_eq!(output.status.code(), Some(2), "{}{}", text(&output.stdout), text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["error"].as_str().unwrap().to_string()
}

#[test]
fn a_target_clock_may_have_a_fraction() {
    let bench = Bench::new();
    for mhz in [156.25, 1234.5] {
        let mut command = bench.block();
        command.args(["--clock", &mhz.to_string()]);
        let report = answer(command);
        assert_eq!((&report["asked"]["mhz"], &report["power"]["clock_mhz"]), (&json!(mhz), &json!(mhz)), "{report}");
        let args = ["tiny", "--block", "packet_check", "--node", "45", "--clock", &mhz.to_string()];
        let said = text(&output(bench.command(&args)).stdout);
        assert!(said.contains(&format!("{mhz} MHz: met")) && said.contains(&format!("at {mhz} MHz, ")), "{said}");
    }
    let mut command = bench.block();
    command.args(["--clock", "0.9"]);
    assert!(error(command).contains("must be a number from 1 to 100000; the nearest is 1"));
}

/// What stands around a switch is a part of the design, and its blocks have names as those of the switch.
#[test]
fn a_chip_is_estimated_with_what_stands_around_its_switch() {
    let bench = Bench::new();
    let chip = r#"{"streams": {}, "register_port": "axi_lite", "reset_synchronizer": true}"#;
    let json = format!(r#"{{"name": "my", "ports": 2, "counters": {{}}, "chip": {chip}}}"#);
    fs::write(bench.path("chip.json"), json).unwrap();
    let path = bench.path("chip.json");
    for block in ["stream_in", "my_stream_out", "axi_lite_port", "my_reset_synchronizer", "packet_check"] {
        let report = answer(bench.command(&[path.to_str().unwrap(), "--block", block, "--json"]));
        assert_eq!(report["top"], block.trim_start_matches("my_"), "{report}");
    }
    let unknown = error(bench.command(&[path.to_str().unwrap(), "--block", "none", "--json"]));
    assert!(unknown.contains("my_chip") && unknown.contains("my_switch"), "{unknown}");
}

#[test]
fn how_a_tool_ended_is_told() {
    let bench = Bench::new();
    for (tool, script, told) in [
        (
            "FAKE_YOSYS",
            "echo mapping; kill -9 $$",
            "yosys failed on packet_check: it was killed by signal 9 (SIGKILL), often for want of memory\n  mapping",
        ),
        ("FAKE_YOSYS", "kill -11 $$", "yosys failed on packet_check: it was killed by signal 11 (SIGSEGV)"),
        ("FAKE_YOSYS", "exit 7", "it ended with exit status 7\n  (it printed nothing)"),
        ("FAKE_YOSYS", "echo 'ERROR: no such module'; exit 1", "exit status 1: ERROR: no such module"),
        ("FAKE_STA", "kill -9 $$", "sta failed on packet_check: it was killed by signal 9 (SIGKILL)"),
        ("FAKE_STA", "exit 1", "sta failed on packet_check: it ended with exit status 1"),
        ("FAKE_STA", "echo 'Error: no clock'", "exit status 0: Error: no clock"),
    ] {
        let mut command = bench.block();
        command.env(tool, script);
        let error = error(command);
        assert!(error.contains(told), "{script}: {error}");
    }
    // None of it was kept as a result.
    assert_eq!(answer(bench.block())["registers"], 2);
}

#[test]
fn a_result_that_is_missing_is_an_error() {
    let bench = Bench::new();
    for (tool, script, told) in [
        ("FAKE_STA", ":", "sta ended well on packet_check, but its result can't be used: no path register_to_register"),
        ("FAKE_STA", "printf 'ry:path\\tregister_to_register\\tINF\\n'", "\"INF\" is no number"),
        ("FAKE_STA", "for g in register_to_register input_to_register register_to_output input_to_output; do printf \"ry:none\\t$g\\n\"; done", "no line Total of report_power"),
        ("FAKE_STA", "printf 'ry:path\\tregister_to_register\\t9e9\\n'", "\"9e9\" is no number, in the line: ry:path"),
        ("FAKE_STA", "printf 'ry:path\\tregister_to_register\\t1000\\n'", "sta ended well on packet_check, but its result can't be used: a path can't have a delay of -"),
        ("FAKE_YOSYS", "exit 0", "yosys ended well on packet_check, but its result can't be used: allocator.instances: No such file"),
        ("FAKE_YOSYS", "[ -n \"$RY_MODULES\" ] || exit 0", "its result can't be used: stat.json: No such file"),
        ("FAKE_YOSYS", "[ -n \"$RY_MODULES\" ] || { echo > stat.json; exit 0; }", "stat.json: EOF"),
        ("FAKE_CELL", "$_DLATCH_P_", "it left cells that library test lacks: $_DLATCH_P_ (2)"),
        ("FAKE_VERSION", "some other yosys", "tools/yosys is not the tool that is needed: with -V it says\n  some other yosys"),
        ("FAKE_VERSION", "", "(it printed nothing)"),
    ] {
        let mut command = bench.block();
        command.env(tool, script);
        let error = error(command);
        assert!(error.contains(told), "{script}: {error}");
        // A hierarchy without instances is all that may be kept of such a run.
        fs::remove_dir_all(bench.path("cache")).ok();
    }
}

#[test]
fn a_tool_that_can_not_be_executed_is_passed_over() {
    let bench = Bench::new();
    bench.tool("before/yosys", "#!/bin/sh\n", 0o644);
    let search = |folders: &[&str]| std::env::join_paths(folders.iter().map(|folder| bench.path(folder))).unwrap();
    let mut command = bench.block();
    command.env("PATH", search(&["before", "tools"]));
    assert_eq!(answer(command)["registers"], 2);
    let mut command = bench.block();
    command.env("PATH", search(&["before"]));
    let told = error(command);
    assert!(told.contains("before/yosys is not executable") && told.contains("apt-get install yosys"), "{told}");
    bench.tool("before/yosys", "\u{7f}ELF", 0o755);
    let mut command = bench.block();
    command.env("PATH", search(&["before"]));
    let told = error(command);
    assert!(told.contains("before/yosys can't be run: "), "{told}");
}

/// What is kept comes without the tools; what somebody has changed does not come at all.
#[test]
fn a_changed_digit_in_the_cache_is_no_result() {
    let bench = Bench::new();
    let first = answer(bench.block());
    let kept = || {
        let mut command = bench.block();
        command.env("FAKE_YOSYS", "exit 1").env("FAKE_STA", "exit 1");
        command
    };
    assert_eq!(answer(kept()), first, "from the cache");
    for kind in ["report-", "synthesis-"] {
        let file = bench.kept(kind);
        let text_before = fs::read_to_string(&file).unwrap();
        let changed = text_before.replace("\"registers\": 2", "\"registers\": 3");
        assert_ne!(changed, text_before);
        fs::write(&file, &changed).unwrap();
        if kind == "synthesis-" {
            fs::remove_file(bench.kept("report-")).unwrap();
            assert!(error(kept()).contains("exit status 1"), "it is made again, with tools that fail");
            fs::write(&file, &changed).unwrap();
        }
        let output = output(bench.block());
        let notes = text(&output.stderr);
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(notes.contains(name) && notes.contains("its seal does not fit; the result is made again"), "{notes}");
        assert_eq!(notes.lines().count(), 1, "{notes}");
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), first);
        assert_eq!(fs::read_to_string(&file).unwrap(), text_before, "kept again");
    }
    // A result under another's name.
    fs::copy(bench.kept("hierarchy-"), bench.kept("report-")).unwrap();
    assert_eq!(answer(bench.block()), first);
}

#[test]
fn without_a_cache_all_works_with_one_note() {
    let bench = Bench::new();
    let first = answer(bench.block());
    for (what, folder) in [("below a file", bench.path("test.lib/cache")), ("a file", bench.path("test.lib"))] {
        let mut command = bench.block();
        command.env("RAILYARD_CACHE", folder);
        let output = output(command);
        assert_eq!(output.status.code(), Some(0), "{what}");
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), first, "{what}");
        let notes = text(&output.stderr);
        assert!(notes.lines().count() == 1 && notes.contains("new results are not kept"), "{what}: {notes}");
    }
    let mut command = bench.block();
    command.env_remove("RAILYARD_CACHE").env_remove("XDG_CACHE_HOME").env_remove("HOME");
    let output = output(command);
    assert_eq!(output.status.code(), Some(0));
    let notes = text(&output.stderr);
    assert!(notes.lines().count() == 1 && notes.contains("set RAILYARD_CACHE"), "{notes}");
}

#[test]
fn cells_without_an_area_are_named() {
    let bench = Bench::new();
    let report = answer(bench.block());
    assert_eq!(report["cell_area_um2"], 9.0);
    let notes = report["notes"].to_string();
    assert!(notes.contains("cells without an area in the library count as 0 um2: BUF (1)"), "{notes}");
}

/// One rule for all libraries, said in the report.
#[test]
fn wires_are_those_of_the_library_or_none() {
    let bench = Bench::new();
    let with = |wires: &str| {
        let mut command = bench.block();
        command.args(["--wires", wires]);
        answer(command)
    };
    for (wires, period, note) in
        [("library", 0.8, "wires by the library's default wire load small"), ("none", 0.75, "; no wires; ")]
    {
        let report = with(wires);
        assert_eq!(report["timing"]["period_ns"], period, "{wires}");
        assert!(report["notes"][0].as_str().unwrap().contains(note), "{}", report["notes"]);
    }
    let plain = LIBRARY.replace("    default_wire_load : \"small\";\n", "");
    fs::write(bench.path("test.lib"), plain).unwrap();
    let report = with("library");
    assert_eq!(report["timing"]["period_ns"], 0.75);
    assert!(report["notes"][0].as_str().unwrap().contains("the library has no default wire load"), "{report}");
}

/// The wire carries its flits; the rate of shortest frames is another figure; only a switch that looks routes up in a
/// CAM has watts for that.
#[test]
fn rates_by_their_names_and_watts_for_look_ups_only() {
    let bench = Bench::new();
    let whole = |preset: &str| answer(bench.command(&[preset, "--flat", "--node", "45", "--json"]));
    for (preset, flit_bits, looks_up) in [("tiny", 32.0, true), ("noc5", 64.0, false), ("source16", 64.0, false)] {
        let report = whole(preset);
        let mhz = report["timing"]["fmax_mhz"].as_f64().unwrap();
        let near = |name: &str, bits: f64| {
            let gbps = report["timing"][name].as_f64().unwrap();
            assert!((gbps - bits * mhz / 1000.0).abs() < 1e-3, "{preset} {name}: {gbps}");
        };
        near("link_rate_gbps", flit_bits);
        near("shortest_frame_rate_gbps", 672.0);
        assert_eq!(report["lookup"].is_object(), looks_up, "{preset}");
    }
    let shown = text(&output(bench.command(&["noc5", "--flat", "--node", "45"])).stdout);
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{shown}"));
    assert!(line("link rate of a port").contains("80 Gbit/s: a flit a cycle"), "{shown}");
    assert!(line("packet rate of a port").contains("840 Gbit/s in 84-byte slots"), "{shown}");
    assert!(!shown.contains("line rate") && !shown.contains("look-ups"), "{shown}");
    let block = answer(bench.block());
    assert_eq!((&block["timing"]["link_rate_gbps"], &block["lookup"]), (&Value::Null, &Value::Null));
}

#[test]
fn an_activity_file_that_is_no_vcd_is_named() {
    let bench = Bench::new();
    let told = |bytes: &[u8]| {
        fs::write(bench.path("run.fst"), bytes).unwrap();
        error(bench.command(&["tiny", "--json", "--activity", bench.path("run.fst").to_str().unwrap()]))
    };
    let fst = told(&[&[0, 0, 0, 0, 0, 0, 0, 1, 0x49][..], &[0; 321]].concat());
    assert!(fst.contains("run.fst: is an FST file") && fst.contains("verify --trace run.vcd"), "{fst}");
    assert!(told(&[0x1f, 0x8b, 8, 0]).contains("is compressed"));
}

#[test]
fn all_faults_of_a_memory_table_come_at_once() {
    let bench = Bench::new();
    let point = json!({"node": 45, "depth": 0, "width": 64, "ports": "1r1w", "area_um2": -3.0, "access_ns": "fast", "fit": true});
    let table = json!({"about": "mine", "sources": {}, "points": [point]});
    fs::write(bench.path("table.json"), table.to_string()).unwrap();
    let mut command = bench.block();
    let output = command.arg("--memories").arg(bench.path("table.json")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let paths: Vec<&str> = answer["faults"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    let at = |field: &str| format!("/points/0/{field}");
    assert_eq!(paths, [at("access_ns"), at("area_um2"), at("depth"), at("source")]);
}

/// A sweep's estimates come from the same cache, by the same rules.
#[test]
fn explore_tells_what_its_tools_did() {
    let bench = Bench::new();
    let sweep = json!({
        "base": "tiny", "vary": {"ports": [2, 4]},
        "estimate": {"liberty": bench.path("test.lib"), "node": 45, "block": "packet_check"}
    });
    fs::write(bench.path("sweep.json"), sweep.to_string()).unwrap();
    let explore = |script: &str, output: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
        command.arg("explore").arg(bench.path("sweep.json")).arg("-o").arg(output).arg("--json");
        command.env("PATH", bench.path("tools")).env("RAILYARD_CACHE", bench.path("cache"));
        command.env("FAKE_STA", script).output().unwrap()
    };
    let failed = explore("kill -9 $$", &bench.path("out"));
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let answer: Value = serde_json::from_slice(&failed.stdout).unwrap();
    let why = answer["unfinished"][0]["why"].as_str().unwrap();
    assert!(why.contains("sta failed on packet_check: it was killed by signal 9 (SIGKILL)"), "{why}");
    assert_eq!(explore("", &bench.path("out")).status.code(), Some(0));
    let rows = fs::read_to_string(bench.path("out/results.csv")).unwrap();
    // A changed estimate in the cache does not get into another sweep either.
    let file = bench.kept("report-");
    let changed = fs::read_to_string(&file).unwrap().replace("\"registers\": 2", "\"registers\": 3");
    fs::write(&file, changed).unwrap();
    assert_eq!(explore("", &bench.path("other")).status.code(), Some(0));
    assert_eq!(fs::read_to_string(bench.path("other/results.csv")).unwrap(), rows);
}
