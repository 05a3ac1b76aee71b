//! `verify`, `simulate` and `bench` as a user runs them: answers, exit codes, waveforms, hand-edited Verilog.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn railyard(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_railyard")).args(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The JSON answer of a command that must end with `code`.
fn json(args: &[&str], code: i32) -> Value {
    let output = railyard(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", text(&output.stdout)))
}

/// The JSON answer of a mismatch, of a command line as a user pastes it into a shell in `folder`.
fn paste(line: &str, folder: &Path) -> Value {
    let own = Path::new(env!("CARGO_BIN_EXE_railyard")).parent().unwrap().to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).unwrap();
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(folder).output().expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{line}: {}{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{line}: {e}"))
}

/// A folder with the Verilog of `tiny`, one operator of it changed by hand.
fn edited(folder: &Path, file: &str, from: &str, to: &str) -> String {
    let design = folder.join("it's a design");
    let path = design.to_str().expect("UTF-8").to_string();
    assert_eq!(railyard(&["generate", "tiny", "-o", &path]).status.code(), Some(0));
    edit(&design.join(file), from, to);
    path
}

/// Puts a text in place of another one, where that stands first.
fn edit(file: &Path, from: &str, to: &str) {
    let before = fs::read_to_string(file).expect("a module");
    assert!(before.contains(from), "{from} in {before}");
    fs::write(file, before.replacen(from, to, 1)).expect("a temporary file");
}

#[test]
fn verify_answers_as_json_and_repeats_exactly() {
    let args = ["verify", "tiny", "--cycles", "20000", "--seed", "7", "--json"];
    let (mut first, mut second) = (json(&args, 0), json(&args, 0));
    for field in ["packets_sent", "packets_delivered", "packets_dropped", "hit_rate", "cycles_per_second"] {
        assert!(first[field].is_number(), "{field}: {first}");
    }
    assert_eq!((&first["mismatches"], &first["seed"]), (&0.into(), &7.into()));
    assert!(first["cycles"].as_u64() >= Some(20_000));
    assert_eq!(
        first["packets_sent"].as_u64(),
        Some(first["packets_delivered"].as_u64().unwrap() + first["packets_dropped"].as_u64().unwrap())
    );
    first["cycles_per_second"] = Value::Null;
    second["cycles_per_second"] = Value::Null;
    assert_eq!(first, second);
}

#[test]
fn simulate_answers_as_json_and_repeats_exactly() {
    let args =
        ["simulate", "tiny", "--traffic", "uniform", "--load", "0.4", "--cycles", "50000", "--seed", "1", "--json"];
    let (mut first, mut second) = (json(&args, 0), json(&args, 0));
    for field in
        ["offered_load", "accepted_load", "latency_mean", "latency_p50", "latency_p99", "latency_max", "hit_rate"]
    {
        assert!(first[field].is_number(), "{field}: {first}");
    }
    assert!((first["accepted_load"].as_f64().unwrap() - 0.4).abs() < 0.03, "{first}");
    assert_eq!((&first["steady"], &first["saturated"]), (&true.into(), &false.into()), "{first}");
    assert_eq!((&first["cycles"], &first["set_up"]), (&50_000.into(), &2.into()), "{first}");
    assert!(first["warm_up"].as_u64() >= Some(30_000), "{first}");
    first["cycles_per_second"] = Value::Null;
    second["cycles_per_second"] = Value::Null;
    assert_eq!(first, second);
}

#[test]
fn verify_says_which_limits_were_reached() {
    let args = ["verify", "tiny", "--cycles", "20000"];
    let answer = json(&[&args[..], &["--json"]].concat(), 0);
    assert_eq!((&answer["directed_passed"], &answer["mixes_passed"]), (&2.into(), &8.into()), "{answer}");
    let limits = answer["limits"].as_array().unwrap();
    assert!(limits.len() > 10, "{answer}");
    for limit in limits {
        let is_reached = limit["reached"] == limit["elements"];
        assert!(is_reached || limit["cycles"].as_u64() > Some(20_000), "{limit}");
        assert!(limit["first_cycle"].is_u64() == (limit["reached"] != 0) && limit["meaning"].is_string(), "{limit}");
    }
    let report = text(&railyard(&args).stdout);
    let full = report.lines().find(|line| line.trim_start().starts_with("buffer full")).unwrap();
    assert!(full.contains("2 of 2") && full.contains("first in cycle"), "{report}");
    assert!(report.contains("not reached; takes about "), "{report}");
    // Ordinary traffic alone does not lead everywhere.
    let alone = json(&[&args[..], &["--mixes", "0", "--json"]].concat(), 0);
    let missing =
        |answer: &Value| answer["limits"].as_array().unwrap().iter().filter(|l| l["reached"] != l["elements"]).count();
    assert_eq!(alone["directed_passed"], 0);
    assert!(missing(&alone) > missing(&answer) + 3, "{alone}");
}

#[test]
fn a_hand_edit_of_one_operator_is_found_and_explained() {
    let folder = tempfile::tempdir().unwrap();
    let design = edited(folder.path(), "tiny_result_fifo.v", "load & empty", "load | empty");
    let args = ["verify", "tiny", "--design", &design, "--cycles", "20000"];
    let output = railyard(&args);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", text(&output.stderr));
    for part in ["FAILED", "cycle ", "expected", "got", "before that:", "again: railyard verify tiny --design '"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let answer = json(&[&args[..], &["--json"]].concat(), 1);
    assert!(answer["mismatches"].as_u64() > Some(0));
    let difference = &answer["failure"]["differences"][0];
    assert!(["pin", "expected", "got"].iter().all(|field| difference[field].is_string()), "{answer}");

    // The command that the report gives shows the same failure again.
    let again = answer["failure"]["reproduce"].as_str().unwrap();
    let repeated = paste(&format!("{again} --json"), folder.path());
    assert_eq!(repeated["failure"]["cycle"], answer["failure"]["cycle"]);
    assert_eq!(repeated["failure"]["differences"], answer["failure"]["differences"]);

    // Standard input can't be read again: the report says what to do, and then the command works.
    let tiny = railyard(&["new", "--preset", "tiny"]).stdout;
    fs::write(folder.path().join("description.json"), &tiny).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_railyard"))
        .args(["verify", "-", "--json"])
        .args(&args[2..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&tiny).unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer["failure"]["preparation"].as_str().unwrap().contains("standard input"), "{answer}");
    let again = answer["failure"]["reproduce"].as_str().unwrap();
    let repeated = paste(&format!("{again} --json"), folder.path());
    assert_eq!(repeated["failure"]["differences"], answer["failure"]["differences"]);
}

#[test]
fn an_idle_run_does_not_say_that_it_passed() {
    let args = ["verify", "tiny", "--load", "0", "--cycles", "500", "--mixes", "0"];
    let output = railyard(&args);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("equal, but nothing was delivered: "), "{}", text(&output.stdout));
    assert!(json(&[&args[..], &["--json"]].concat(), 0)["notes"][0].is_string());
    let output = railyard(&["simulate", "tiny", "--load", "1.0", "--cycles", "20000"]);
    let report = text(&output.stdout);
    assert!(report.contains("note: saturated") && report.contains("  saturated, "), "{report}");
}

#[test]
fn traffic_can_come_from_a_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/tiny.trace");
    let answer = json(&["verify", "tiny", "--traffic-file", file, "--cycles", "200", "--mixes", "0", "--json"], 0);
    assert_eq!((&answer["packets_delivered"], &answer["traffic"]), (&10.into(), &"trace".into()), "{answer}");
    assert_eq!((&answer["scoreboard"], &answer["notes"]), (&true.into(), &Value::Array(Vec::new())), "{answer}");
    let answer = json(&["simulate", "tiny", "--traffic-file", file, "--cycles", "200", "--json"], 0);
    assert_eq!((&answer["packets"], &answer["warm_up"]), (&10.into(), &0.into()), "{answer}");

    // A failure repeats from its report, also with the rest of the stimulus as JSON.
    let folder = tempfile::tempdir().unwrap();
    let design = edited(folder.path(), "tiny_output_unit.v", "assign tx_tail = ", "assign tx_tail = ~");
    for scenario in [&[][..], &["--scenario", r#"{"sink": {"delay_max": 9}}"#]] {
        let args = [&["verify", "tiny", "--design", &design, "--traffic-file", file, "--json"], scenario].concat();
        let answer = json(&args, 1);
        let again = answer["failure"]["reproduce"].as_str().unwrap();
        assert!(again.contains("--traffic-file ") && again.contains("--scenario ") != scenario.is_empty(), "{again}");
        let repeated = paste(&format!("{again} --json"), folder.path());
        assert_eq!(repeated["failure"]["differences"], answer["failure"]["differences"]);
    }
}

#[test]
fn a_traffic_file_that_does_not_fit_is_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.trace");
    fs::write(&file, "0 0 1 4\n0 0 2 4\n0 0 1 5 1\n").unwrap();
    let path = file.to_str().unwrap();
    for verb in ["verify", "simulate", "bench"] {
        let output = railyard(&[verb, "tiny", "--traffic-file", path]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        for part in
            ["bad.trace:2: 2 must be an output port, 0 to 1", ":3: 5 must be a length", ":3: 1 must be a virtual"]
        {
            assert!(text(&output.stderr).contains(part), "{part} in {}", text(&output.stderr));
        }
        let answer = json(&[verb, "tiny", "--traffic-file", path, "--json"], 2);
        assert_eq!(answer["faults"].as_array().unwrap().len(), 3, "{answer}");
    }
    assert!(
        text(&railyard(&["simulate", "tiny", "--traffic-file", "no-such.trace"]).stderr).contains("no-such.trace: ")
    );
    for other in [["--traffic", "tornado"], ["--load", "0.1"]] {
        let output = railyard(&[&["simulate", "tiny", "--traffic-file", path][..], &other].concat());
        assert!(text(&output.stderr).contains("cannot be used with"), "{}", text(&output.stderr));
    }
}

#[test]
fn an_unedited_folder_passes() {
    let folder = tempfile::tempdir().unwrap();
    let design = edited(folder.path(), "tiny_route_queue.v", "module", "module");
    assert_eq!(json(&["verify", "tiny", "--design", &design, "--cycles", "5000", "--json"], 0)["mismatches"], 0);
}

#[test]
fn a_design_has_the_pins_of_its_description() {
    for (from, to, said) in [
        (
            "    input  wire clock,",
            "    input  wire clock,\n    input  wire test_mode,",
            "not expected: input `test_mode`",
        ),
        ("    input  wire clock,", "    input  wire clock,\n    output wire debug,", "not expected: output `debug`"),
        ("error_clear", "wrong_clear", "missing: input `error_clear`\n  not expected: input `wrong_clear`"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let design = edited(folder.path(), "tiny_switch.v", from, to);
        if from == "error_clear" {
            // Inside, the pin keeps its name.
            let file = Path::new(&design).join("tiny_switch.v");
            edit(&file, "\n);\n", "\n);\n    wire error_clear = wrong_clear;\n");
        }
        let output = railyard(&["verify", "tiny", "--design", &design, "--cycles", "5000"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

#[test]
fn broken_verilog_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let design = edited(folder.path(), "tiny_result_fifo.v", "assign load", "asign load");
    let output = railyard(&["verify", "tiny", "--design", &design, "--cycles", "5000"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("tiny_result_fifo.v:"), "{}", text(&output.stderr));
}

#[test]
fn waveforms_are_written_in_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    for (file, magic) in [("run.vcd", &b"$"[..]), ("run.fst", &b"\0"[..])] {
        let path = folder.path().join(file);
        json(&["verify", "tiny", "--cycles", "500", "--trace", path.to_str().unwrap(), "--json"], 0);
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() > 1_000 && bytes.starts_with(magic), "{file}: {} bytes", bytes.len());
    }
    let window = folder.path().join("window.vcd");
    let design = edited(folder.path(), "tiny_result_fifo.v", "load & empty", "load | empty");
    let args =
        ["verify", "tiny", "--design", &design, "--trace", window.to_str().unwrap(), "--trace-window", "50", "--json"];
    let answer = json(&args, 1);
    let (first, last) = (&answer["failure"]["window"][0], &answer["failure"]["window"][1]);
    assert!(last.as_u64().unwrap() - first.as_u64().unwrap() <= 70, "{answer}");
    assert!(window.is_file());
}

/// What the simulator prints for the design doesn't get into the answer; what the list adds gets into the design.
#[test]
fn a_design_may_print_and_may_have_more_files() {
    let folder = tempfile::tempdir().unwrap();
    let printing = r#"initial $display("said by display");
    initial $fdisplay(32'h1, "said by descriptor");
    tiny_mine mine ();
endmodule"#;
    let design = edited(folder.path(), "tiny_drop_counter.v", "endmodule", printing);
    let mine = "module tiny_mine; initial $display(\"said by mine\"); endmodule\n";
    fs::write(Path::new(&design).join("tiny_mine.v"), mine).unwrap();
    let args = ["verify", "tiny", "--design", &design, "--cycles", "500", "--mixes", "2", "--json"];
    assert!(text(&railyard(&args).stdout).contains("tiny_mine"), "it is not in the list yet");
    let list = Path::new(&design).join("files.f");
    fs::write(&list, fs::read_to_string(&list).unwrap() + "tiny_mine.v\n").unwrap();
    let output = railyard(&args);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["passed"], &answer["mixes_passed"]), (&true.into(), &2.into()), "{answer}");
    for said in ["said by display", "said by descriptor", "said by mine"] {
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
    let report = text(&railyard(&args[..8]).stdout);
    assert!(report.starts_with("passed: ") && report.contains("and 2 mixes of other traffic"), "{report}");
}

/// It would never end.
#[test]
fn a_loop_of_logic_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let design =
        edited(folder.path(), "tiny_drop_counter.v", "assign drop_count = ", "assign drop_count = ~drop_count | ");
    let answer = json(&["verify", "tiny", "--design", &design, "--cycles", "500", "--json"], 1);
    assert_eq!((&answer["passed"], &answer["failure"]["kind"]), (&false.into(), &"unsettled".into()), "{answer}");
    let said = answer["failure"]["messages"][0].as_str().unwrap();
    assert!(said.contains("drop_count") && said.contains("tiny_drop_counter.v:"), "{said}");
}

/// All outputs were equal up to there, so there are no mismatches; and yet it is no pass.
#[test]
fn a_design_that_stops_itself_has_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let design = edited(folder.path(), "tiny_drop_counter.v", "endmodule", "    initial $finish;\nendmodule");
    let answer = json(&["verify", "tiny", "--design", &design, "--cycles", "500", "--json"], 1);
    assert_eq!((&answer["passed"], &answer["mismatches"]), (&false.into(), &0.into()), "{answer}");
    assert_eq!(answer["failure"]["kind"], "stopped", "{answer}");
}

/// Before anything is built: a model takes minutes.
#[test]
fn a_waveform_that_has_no_place_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dir.fst")).unwrap();
    for file in ["missing/run.fst", "dir.fst"].map(|name| folder.path().join(name)) {
        for window in [&[][..], &["--trace-window", "10"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
            command.args(["verify", "tiny", "--cycles", "500", "--trace", file.to_str().unwrap()]).args(window);
            let output = command.env("RAILYARD_CACHE", folder.path().join("cache")).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            assert!(text(&output.stderr).contains("waveform"), "{}", text(&output.stderr));
        }
    }
    assert!(!folder.path().join("cache").exists());
}

#[test]
#[cfg(unix)]
fn a_waveform_is_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["vcd", "fst"] {
        let (link, target) =
            (folder.path().join(format!("link.{ending}")), folder.path().join(format!("real.{ending}")));
        std::os::unix::fs::symlink(target.file_name().unwrap(), &link).unwrap();
        json(&["verify", "tiny", "--cycles", "500", "--trace", link.to_str().unwrap(), "--json"], 0);
        assert!(link.is_symlink() && fs::metadata(&target).unwrap().len() > 1_000, "{ending}");
    }
}

#[test]
fn a_failure_must_fit_the_switch() {
    for (switch, failure, fault) in [
        ("tiny", r#"{"cycle": 9, "port": 2, "detour": 1}"#, "/failure/port: 2 must be below 2"),
        ("tiny", r#"{"cycle": 9, "port": 1, "detour": 1}"#, "/failure/detour: 1 must be another port"),
        ("source16", r#"{"cycle": 9, "port": 1, "detour": 2}"#, "/failure: a failure needs a switch with registers"),
    ] {
        let output = railyard(&["verify", switch, "--scenario", &format!(r#"{{"failure": {failure}}}"#)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(fault), "{}", text(&output.stderr));
    }
}

/// As `--multicast`, `--moves` and `--barriers` are; what nobody said is no fault, and the scenario of a failure report
/// fits.
#[test]
fn a_scenario_must_fit_the_switch() {
    for (scenario, fault) in [
        (r#"{"barriers": 0.1}"#, "/barriers: 0.1 needs a switch with a barrier virtual channel"),
        (r#"{"moves": 0.01}"#, "/moves: 0.01 needs a switch with registers"),
        (r#"{"traffic": {"multicast": 0.5}}"#, "/traffic/multicast: 0.5 needs a switch with a mixed virtual channel"),
    ] {
        for verb in ["verify", "simulate", "bench"] {
            let output = railyard(&[verb, "source16", "--scenario", scenario]);
            assert_eq!(output.status.code(), Some(2), "{verb} {scenario}");
            assert!(text(&output.stderr).contains(fault), "{}", text(&output.stderr));
        }
    }
    let output = railyard(&["simulate", "source16", "--scenario", r#"{"seed": 3}"#, "--cycles", "1000"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// The fields of the description that stand against an option are named, for people and for machines.
#[test]
fn an_option_that_the_switch_has_no_part_for_is_refused() {
    const NO_REGISTERS: &str = "/registers: false must be true for --moves; legal: true";
    const SOURCE: &str = r#"/routing/kind: "source" must be one whose routes can change for --moves; legal: "table""#;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let without = file("fixed.json", r#"{"name": "fixed", "ports": 2, "registers": false}"#);
    let source = file("source.json", r#"{"name": "source", "ports": 2, "routing": {"kind": "source"}}"#);
    for (switch, option, faults) in [
        (without.as_str(), "--moves", &[NO_REGISTERS][..]),
        (source.as_str(), "--moves", &[SOURCE]),
        ("source16", "--moves", &[NO_REGISTERS, SOURCE]),
        ("source16", "--multicast", &["/virtual_channels/mixed: 0 must be 1 for --multicast; legal: 1"]),
        ("source16", "--barriers", &["/virtual_channels/barrier: 0 must be 1 for --barriers; legal: 1"]),
    ] {
        let output = railyard(&["verify", switch, option, "0.01", "--json"]);
        assert_eq!(output.status.code(), Some(2));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["error"], format!("{option}:\n  {}", faults.join("\n  ")));
        let paths: Vec<&str> = told["faults"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
        assert_eq!(paths, faults.iter().map(|fault| fault.split(':').next().unwrap()).collect::<Vec<_>>());
    }
}

#[test]
fn a_scenario_that_is_none_is_refused() {
    for scenario in ["{", r#"{"colour": 1}"#, r#"{"traffic": {"load": "high"}}"#, r#"{"traffic": {"load": 7}}"#] {
        let output = railyard(&["verify", "tiny", "--scenario", scenario]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--scenario"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_damaged_cache_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_railyard"))
            .args(["verify", "tiny", "--cycles", "500", "--mixes", "0"])
            .env("RAILYARD_CACHE", folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    };
    run();
    let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let model = entries.map(|path| path.join("model.so")).find(|path| path.is_file()).unwrap();
    let whole = fs::read(&model).unwrap();
    fs::write(&model, &whole[..whole.len() / 2]).unwrap();
    run();
    assert!(fs::metadata(&model).unwrap().len() as usize > whole.len() / 2);
}

#[test]
fn bench_prints_the_ratios() {
    let answer = json(&["bench", "tiny", "--seconds", "1", "--json"], 0);
    for field in ["/verilated", "/lockstep", "/lockstep_share", "/model_speedup", "/golden/model", "/golden/bench"] {
        let spread = ["min", "median", "max"].map(|name| answer.pointer(field).unwrap()[name].as_f64().unwrap());
        assert!(spread[0] > 0.0 && spread.is_sorted(), "{field}: {answer}");
    }
}

#[test]
fn verify_writes_the_packets_of_its_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.csv");
    let report = |mixes| {
        let args =
            ["verify", "tiny", "--cycles", "3000", "--mixes", mixes, "--packets", path.to_str().unwrap(), "--json"];
        (json(&args, 0), fs::read_to_string(&path).unwrap())
    };
    let ((run, csv), (_, with_mixes)) = (report("0"), report("1"));
    let left = run["packets_delivered"].as_u64().unwrap() + run["packets_dropped"].as_u64().unwrap();
    assert_eq!((csv.lines().count() as u64, run["packets_file"]["packets"].as_u64()), (1 + left, Some(left)));
    assert_eq!(csv, with_mixes);
}
