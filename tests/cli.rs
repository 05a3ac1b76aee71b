//! The command line: answers, errors and exit codes of every verb that needs no simulator.

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

/// Runs a command that must succeed; its standard output.
fn answer(args: &[&str]) -> String {
    let output = railyard(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that must end with exit code 2; its standard error.
fn refusal(args: &[&str]) -> String {
    let output = railyard(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
    let error = text(&output.stderr);
    assert!(error.starts_with("error: "), "{error}");
    assert!(!error.contains("panicked"), "{error}");
    error
}

fn write(folder: &Path, name: &str, contents: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, contents).expect("a temporary file");
    path.to_str().expect("UTF-8").to_string()
}

#[test]
fn presets_can_be_listed_copied_and_checked() {
    let list: Value = serde_json::from_str(&answer(&["presets", "--json"])).unwrap();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert!(["tiny", "source16", "hpc16", "hpc64"].iter().all(|n| names.contains(n)), "{names:?}");
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        assert!(answer(&["presets"]).contains(name));
        let file = folder.path().join(format!("{name}.json"));
        let file = file.to_str().unwrap();
        answer(&["new", "--preset", name, "-o", file]);
        assert_eq!(answer(&["check", file]), answer(&["check", name]));
        assert!(refusal(&["new", "--preset", name, "-o", file]).contains("exists"));
    }
}

#[test]
fn a_preset_can_be_renamed() {
    let json: Value = serde_json::from_str(&answer(&["new", "--preset", "tiny", "--name", "mine"])).unwrap();
    assert_eq!(json["name"], "mine");
    assert!(refusal(&["new", "--preset", "tiny", "--name", "Not A Name"]).contains("/name"));
    assert!(refusal(&["new", "--preset", "huge"]).contains("railyard presets"));
}

#[test]
fn the_schema_is_a_schema() {
    let schema: Value = serde_json::from_str(&answer(&["schema"])).unwrap();
    assert!(schema["properties"]["ports"]["minimum"] == 2);
}

#[test]
fn the_configuration_page_is_up_to_date() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/configuration.md");
    let fresh = answer(&["schema", "--markdown"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --markdown` into {page}");
}

#[test]
fn every_input_has_a_schema_and_a_scenario_has_a_page() {
    for (option, field) in [("--scenario", "traffic"), ("--network", "topology"), ("--sweep", "vary")] {
        let schema: Value = serde_json::from_str(&answer(&["schema", option])).unwrap();
        assert!(schema["properties"][field].is_object(), "{option}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/scenario.md");
    let fresh = answer(&["schema", "--scenario", "--markdown"]);
    let command = "railyard schema --scenario --markdown";
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `{command}` into {page}");
    assert!(fresh.contains("| `/traffic/pattern/hot_spot/share` | 0.0 to 1.0 | (required) |"), "{fresh}");
    for two in [["--scenario", "--network"], ["--pins", "--registers"], ["--network", "--markdown"]] {
        assert!(refusal(&["schema", two[0], two[1]]).contains("cannot be used with"));
    }
}

/// A field of one type can stand in several places: each has its own default.
#[test]
fn defaults_are_those_of_the_place() {
    let page = answer(&["schema", "--markdown"]);
    for row in [
        "| `/routing/cache/hash/crc_bits` | 1 to 64 | `16` |",
        "| `/routing/forwarding_table/hash/crc_bits` | 1 to 64 | `64` |",
        "| `/routing/forwarding_table/hash/polynomial` | text, `^0x[0-9a-fA-F]{1,16}$` | `\"0xad93d23594c935a9\"` |",
        "| `/routing/forwarding_table` | object or `null` | `null` |",
        "| `/routing/cache` | object or `null` | as below |",
    ] {
        assert!(page.contains(row), "{row} in\n{page}");
    }
    let folder = tempfile::tempdir().unwrap();
    let of = |hash: &str| {
        let json =
            format!(r#"{{"name": "x", "routing": {{"kind": "table", "forwarding_table": {{"hash": {hash}}}}}}}"#);
        write(folder.path(), "x.json", &json)
    };
    let check = |hash| -> Value { serde_json::from_str(&answer(&["check", &of(hash), "--json"])).unwrap() };
    assert_eq!(check("{}"), check(r#"{"crc_bits": 64, "polynomial": "0xAD93D23594C935A9"}"#));
    assert!(refusal(&["check", &of(r#"{"crc_bits": 65}"#)]).contains("legal: 64"));
}

#[test]
fn check_shows_every_block() {
    let text = answer(&["check", "reduced16"]);
    for part in ["cube, fat_tree, dragonfly; chunks of", "dateline", "link shared by packet", "registers"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = answer(&["check", "table16"]);
    for part in ["forwarding table   4 ways x 256 entries, CRC-64", "default route", "counters", "external CAM"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = answer(&["check", "dawning16"]);
    for part in ["256 groups on VC 2", "32 groups on VC 3"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for preset in railyard_spec::presets::PRESETS {
        let text = answer(&["check", preset.name]);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// The register map in each format; `exports/` holds what is in it against the description.
#[test]
fn registers_come_in_the_formats_of_other_tools() {
    for (format, part) in [
        ("rdl", "addrmap table16_registers {"),
        ("c", "#define TABLE16_COUNTERS_OFFSET 0x0050u"),
        ("rust", "pub mod counters {"),
        ("svd", "<name>TABLE16</name>"),
    ] {
        assert!(answer(&["registers", "table16", "--format", format]).contains(part), "{format}");
        assert!(refusal(&["registers", "source16", "--format", format]).contains("no registers"));
    }
    assert!(refusal(&["registers", "table16", "--format", "ada"]).contains("rdl, c, rust, svd"));
    let both = railyard(&["registers", "table16", "--format", "c", "--json"]);
    assert!(both.status.code() == Some(2) && text(&both.stdout).contains("--json"));
    assert!(refusal(&["registers", "table16", "--format", "c", "--table", "-"]).contains("--table"));
}

#[test]
fn registers_are_listed() {
    let text = answer(&["registers", "table16"]);
    for part in
        ["0x070 table_write (command): ", "[24] valid: reset 0x0; 1: the entry is", "0x4000 rx_packets[32] (read)"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let json: Value = serde_json::from_str(&answer(&["registers", "table16", "--json"])).unwrap();
    let of = |name: &str| json["registers"].as_array().unwrap().iter().find(|r| r["name"] == name).cloned().unwrap();
    assert_eq!((&of("table_write")["address"], &of("table_write")["access"]), (&0x70.into(), &"command".into()));
    assert!(answer(&["registers", "source16"]).contains("no registers"));
}

/// The writes are those of the placement, in the order in which firmware makes them.
#[test]
fn a_forwarding_table_becomes_writes() {
    let folder = tempfile::tempdir().unwrap();
    let table = write(folder.path(), "t.txt", "17 3\n0x12 3 # same port\n19 4\ndefault 5\n");
    let text = answer(&["registers", "table16", "--table", &table]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# address data; before the first write, read 0x078"), "{text}");
    assert_eq!(lines.last(), Some(&"0x028 0x00000105  # default_route"));
    assert_eq!(text.matches("# table_route").count(), 2, "two routes: {text}");
    let json: Value = serde_json::from_str(&answer(&["registers", "table16", "--table", &table, "--json"])).unwrap();
    let writes = json["writes"].as_array().unwrap();
    let config = railyard_spec::Config::from_json(railyard_spec::presets::find("table16").unwrap().json).unwrap();
    let shape = config.shape();
    let placed = railyard_spec::forwarding_table::place(shape.forwarding_table().unwrap(), 24, &[17, 18, 19]);
    // What a table would hold after the writes.
    let (mut address, mut port, mut held) = (0, 0, Vec::new());
    for write in writes {
        let (register, data) = (write["register"].as_str().unwrap(), write["data"].as_u64().unwrap());
        match register {
            "table_address_low" => address = data,
            "table_route" => port = data,
            "table_write" => held.push((data >> 16 & 7, data & 0xFFFF, address, port)),
            other => assert_eq!(other, "default_route"),
        }
    }
    held.sort();
    let expected = placed
        .entries
        .iter()
        .map(|(place, address)| (place.way as u64, place.index as u64, *address, if *address == 19 { 4 } else { 3 }));
    assert_eq!(held, expected.collect::<Vec<_>>());

    let full: String = (0..2_000).map(|address| format!("{address} 1\n")).collect();
    let full = refusal(&["registers", "table16", "--table", &write(folder.path(), "full.txt", &full)]);
    assert!(full.contains("finds no place beside the others of 2000 entries"), "{full}");
    let wrong = refusal(&["registers", "table16", "--table", &write(folder.path(), "wrong.txt", "1 99\n")]);
    assert!(wrong.contains("wrong.txt:1: 99 must be an output port, 0 to 15"), "{wrong}");
    assert!(refusal(&["registers", "hpc16", "--table", &table]).contains("no forwarding table"));
}

#[test]
fn the_pin_page_is_up_to_date() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/pins.md");
    let fresh = answer(&["schema", "--pins"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --pins` into {page}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/registers.md");
    let fresh = answer(&["schema", "--registers"]);
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), fresh, "run `railyard schema --registers` into {page}");
}

#[test]
fn check_lists_every_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "bad.json",
        r#"{"name": "x", "ports": 65, "flit_bits": "64", "buffer_flits": 24, "colour": 1}"#,
    );
    let error = refusal(&["check", &file]);
    for part in
        ["/ports: 65", "at most 64", "/flit_bits: \"64\"", "/buffer_flits: 24", "power of two", "/colour", "legal:"]
    {
        assert!(error.contains(part), "{part} in {error}");
    }
    let output = railyard(&["check", &file, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["faults"].as_array().unwrap().len(), 4);
    assert_eq!(json["legal"], false);
}

/// Every verb, with a bad description, a missing file, and an option that doesn't exist.
#[test]
fn errors_are_json_where_json_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(folder.path(), "bad.json", r#"{"name": "x", "ports": 65}"#);
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let error = |args: &[&str]| -> Value {
        let output = railyard(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
        assert!(output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        assert!(json["error"].is_string() && json["faults"].is_array(), "{args:?}: {json}");
        json
    };
    for verb in ["check", "generate", "verify", "simulate", "bench", "estimate"] {
        let output: &[&str] = if verb == "generate" { &["-o", out] } else { &[] };
        let with = |config| [&[verb, config, "--json"], output].concat();
        let json = error(&with(&bad));
        assert_eq!((&json["legal"], &json["faults"][0]["path"]), (&false.into(), &"/ports".into()), "{verb}: {json}");
        assert!(error(&with("no-such-file"))["error"].as_str().unwrap().contains("no such file"));
        assert!(error(&[&with(&bad)[..], &["--frobnicate"]].concat())["error"]
            .as_str()
            .unwrap()
            .contains("--frobnicate"));
    }
    let scenario = r#"{"traffic": {"load": 7}, "seat": 1}"#;
    let faults = error(&["simulate", "tiny", "--scenario", scenario, "--json"])["faults"].clone();
    let paths: Vec<&str> = faults.as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/seat", "/traffic/load"]);
    for args in [
        &["new", "--preset", "huge", "--json"][..],
        &["new", "--preset", "tiny", "--name", "Not A Name", "--json"],
        &["presets", "--json", "--frobnicate"],
        &["schema", "--json", "--frobnicate"],
        &["frobnicate", "--json"],
    ] {
        error(args);
    }
}

#[test]
fn new_answers_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.json");
    let file = file.to_str().unwrap();
    let json: Value = serde_json::from_str(&answer(&["new", "--preset", "tiny", "-o", file, "--json"])).unwrap();
    assert_eq!(json["file"], file);
    assert_eq!(answer(&["new", "--preset", "tiny", "--json"]), fs::read_to_string(file).unwrap());
}

/// As for `generate`; and where a file can't be, the error names what was asked for.
#[test]
fn new_makes_the_folders_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/er/my.json");
    answer(&["new", "--preset", "tiny", "-o", file.to_str().unwrap()]);
    assert!(file.is_file());
    let below = file.join("below.json");
    assert!(refusal(&["new", "--preset", "tiny", "-o", below.to_str().unwrap()]).contains("my.json: is a file"));
    let nowhere = refusal(&["new", "--preset", "tiny", "-o", "/proc/nowhere/my.json"]);
    assert!(nowhere.contains("/proc/nowhere") && !nowhere.contains(".tmp"), "{nowhere}");
}

#[test]
fn a_report_says_what_there_was_to_measure() {
    let folder = tempfile::tempdir().unwrap();
    let uncached = r#"{"name": "x", "ports": 2, "routing": {"kind": "table", "cache": null}}"#;
    let uncached = write(folder.path(), "uncached.json", uncached);
    let report = answer(&["simulate", &uncached, "--cycles", "200000"]);
    assert!(report.contains("no cache") && !report.contains('%'), "{report}");
    let json: Value = serde_json::from_str(&answer(&["simulate", &uncached, "--cycles", "2000", "--json"])).unwrap();
    assert!(json["hit_rate"].is_null(), "{json}");
    let empty = write(folder.path(), "empty.trace", "# nothing\n");
    let report = answer(&["simulate", "tiny", "--traffic-file", &empty, "--cycles", "100"]);
    assert!(report.contains("file has none") && report.contains("latency, mean             -\n"), "{report}");
    assert!(report.contains("latency, p50 / p99 / max  - / - / - cycles"), "{report}");
    let one = write(folder.path(), "one.trace", "5 0 1 1\n");
    let one = ["simulate", "tiny", "--traffic-file", &one, "--cycles", "100"];
    let report = answer(&one);
    assert!(
        report.contains("unknown: see notes") && report.contains("note: a trace is measured as a whole"),
        "{report}"
    );
    let late = write(folder.path(), "late.trace", "98 0 1 1\n");
    let late = ["simulate", "tiny", "--traffic-file", &late, "--cycles", "100", "--json"];
    let json: Value = serde_json::from_str(&answer(&late)).unwrap();
    assert!(["mean", "p50", "p99", "max"].iter().all(|kind| json[format!("latency_{kind}")].is_null()), "{json}");
}

#[test]
fn check_answers_as_json() {
    let json: Value = serde_json::from_str(&answer(&["check", "hpc16", "--json"])).unwrap();
    assert_eq!(json["derived"]["routing"]["cache"]["sets"], 512);
    assert_eq!(json["config"]["ports"], 16);
    // 16 ports x 512 sets x (4 ways x 20 bits + 6 bits of order), as in ram_1r1w_512x20 and ram_1r1w_512x6.
    assert_eq!(json["memory_bits"]["routing_caches"], 16 * 512 * 86);
    assert_eq!(json["memory_bits"]["input_buffers"], 32 * 32 * 65);
}

#[test]
fn input_that_is_no_description_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(refusal(&["check", "no-such-file.json"]).contains("no such file"));
    assert!(refusal(&["check", folder.path().to_str().unwrap()]).contains("folder"));
    assert!(refusal(&["check", &write(folder.path(), "empty.json", "")]).contains("(file): the file is empty; legal: "));
    assert!(refusal(&["check", &write(folder.path(), "list.json", "[1, 2]")]).contains("object"));
    let binary = folder.path().join("binary.json");
    fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    refusal(&["check", binary.to_str().unwrap()]);
    let deep = "[".repeat(100_000);
    assert!(refusal(&["check", &write(folder.path(), "deep.json", &deep)]).contains("not JSON"));
}

#[test]
fn a_description_can_come_from_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_railyard"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"name": "piped", "ports": 4}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("piped_switch"));
}

#[test]
fn usage_errors_end_with_two() {
    for args in [
        &["verify"][..],
        &["verify", "tiny", "--cycles", "0"],
        &["verify", "tiny", "--cycles", "many"],
        &["verify", "tiny", "--scenario", "[]"],
        &["verify", "tiny", "--mixes", "99999999999"],
        &["verify", "tiny", "--load", "1.5"],
        &["simulate", "tiny", "--load", "-1"],
        &["simulate", "tiny", "--load", "nan"],
        &["verify", "tiny", "--trace", ".vcd"],
        &["simulate", "tiny", "--traffic", "rush-hour"],
        &["verify", "tiny", "--trace", "run.png"],
        &["generate", "tiny"],
        &["frobnicate"],
        &[],
    ] {
        assert_eq!(railyard(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn generate_writes_the_whole_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/er/tiny");
    let out_text = out.to_str().unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["top"], "tiny_switch");
    assert_eq!(manifest["clock"], "clock");
    let flits = manifest["ports"].as_array().unwrap().iter().find(|p| p["name"] == "rx_flit").unwrap();
    assert_eq!((&flits["direction"], &flits["width"]), (&"input".into(), &64.into()));
    let list = fs::read_to_string(out.join("files.f")).unwrap();
    for file in list.lines() {
        let verilog = fs::read_to_string(out.join(file)).unwrap();
        let module = file.trim_end_matches(".v");
        assert!(verilog.contains(&format!("module {module}")), "one module a file: {file}");
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), list.lines().count() + 2, "nothing but modules, list and manifest");

    let before = fs::read_to_string(out.join("tiny_switch.v")).unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    assert_eq!(fs::read_to_string(out.join("tiny_switch.v")).unwrap(), before, "the same JSON gives the same bytes");
    assert_eq!(fs::read_dir(folder.path().join("deep/er")).unwrap().count(), 1, "nothing left beside it");
}

#[test]
fn generate_replaces_nothing_of_others_and_writes_nothing_on_errors() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.txt", "precious");
    let out = folder.path().to_str().unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out]).contains("not written by"));
    assert_eq!(fs::read_to_string(folder.path().join("mine.txt")).unwrap(), "precious");
    let bad = write(folder.path(), "bad.json", r#"{"name": "x", "ports": 1}"#);
    let target = folder.path().join("never");
    refusal(&["generate", &bad, "-o", target.to_str().unwrap()]);
    assert!(!target.exists());
    let file = folder.path().join("mine.txt");
    assert!(refusal(&["generate", "tiny", "-o", file.to_str().unwrap()])
        .contains("mine.txt: is a file, and a design is a folder"));
}

#[test]
fn generate_keeps_hand_edits_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tiny");
    let out_text = out.to_str().unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    let file = out.join("tiny_fifo_8x17.v");
    let edited = fs::read_to_string(&file).unwrap() + "// mine\n";
    fs::write(&file, &edited).unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out_text]).contains("tiny_fifo_8x17.v: was edited"));
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
    answer(&["generate", "tiny", "-o", out_text, "--force"]);
    assert_ne!(fs::read_to_string(&file).unwrap(), edited);

    // The file list and the manifest are somebody's work, too; so is a text that is not even UTF-8.
    for (name, from, to) in [
        ("files.f", "tiny_switch.v\n", "tiny_switch.v\n# mine\n"),
        ("manifest.json", "\"clock\": \"clock\"", "\"clock\": \"clk\""),
        ("manifest.json", "  \"sha256\"", "  \"mine\": 1,\n  \"sha256\""),
    ] {
        let file = out.join(name);
        let before = fs::read_to_string(&file).unwrap();
        let edited = before.replacen(from, to, 1);
        assert_ne!(edited, before, "{name}");
        fs::write(&file, &edited).unwrap();
        assert!(refusal(&["generate", "tiny", "-o", out_text]).contains(&format!("{name}: was edited")));
        assert_eq!(fs::read_to_string(&file).unwrap(), edited);
        answer(&["generate", "tiny", "-o", out_text, "--force"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
    fs::write(&file, [0xff]).unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out_text]).contains("was edited"));
}

#[test]
fn generate_replaces_only_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("extension");
    fs::create_dir(&foreign).unwrap();
    write(&foreign, "manifest.json", r#"{"precious": 1}"#);
    assert!(refusal(&["generate", "tiny", "-o", foreign.to_str().unwrap()]).contains("not written by"));
    let design = folder.path().join("design");
    answer(&["generate", "tiny", "-o", design.to_str().unwrap()]);
    write(&design, "notes.txt", "precious");
    assert!(refusal(&["generate", "tiny", "-o", design.to_str().unwrap()]).contains("notes.txt"));
    fs::remove_file(design.join("notes.txt")).unwrap();

    // From inside, by a relative path that goes through the folder itself.
    let output = Command::new(env!("CARGO_BIN_EXE_railyard"))
        .args(["generate", "tiny", "-o", "../design"])
        .current_dir(&design)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.path().join("design/manifest.json").is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing left beside it");
}

#[test]
fn hostile_input_does_not_drive_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "{\"name\": \"x\", \"\\u001b[2J\": \"\u{9b}31m\u{202e}\", \"ports\": \"\u{7f}\"}";
    let file = write(folder.path(), "\u{1b}[31m.json", hostile);
    let output = railyard(&["check", &file]);
    let json = railyard(&["check", &file, "--json"]);
    let missing = railyard(&["check", "\u{1b}[2J"]);
    for shown in [output.stderr, json.stdout.clone(), json.stderr, missing.stderr].map(|bytes| text(&bytes)) {
        assert!(!shown.contains(|c: char| railyard_input::drives_terminal(c) && c != '\n'), "{shown:?}");
    }
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json["faults"].as_array().unwrap().iter().any(|fault| fault["path"] == "/\u{1b}[2J"), "{json}");
}

/// A name with a line end is on one line, so that it can't look like an answer or another error.
#[test]
fn a_name_with_a_line_end_forges_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let forged = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let illegal = write(folder.path(), "a\nerror: forged.json", r#"{"name": "x", "ports": 1}"#);
    let out = forged("b\nerror: forged");
    answer(&["generate", "tiny", "-o", &out]);
    for args in [
        &["check", &illegal][..],
        &["check", &forged("none\nerror: forged")],
        &["generate", "tiny", "-o", &illegal],
        &["verify", "hpc16", "--design", &out],
        &["simulate", "tiny", "--traffic-file", &forged("none\nerror: forged")],
        &["estimate", "tiny", "--library", &forged("none\nerror: forged.lib")],
        &["network", "run", &illegal],
        &["explore", &illegal, "-o", &forged("sweep")],
        &["new", "--preset", "none\nerror: forged"],
        &["verify", "tiny", "--trace", &forged("none\nerror: forged/x.vcd")],
    ] {
        let why = refusal(args);
        assert!(!why.lines().skip(1).any(|line| line.starts_with("error: forged")), "{args:?}: {why}");
    }
    let said = answer(&["generate", "tiny", "-o", &out]);
    assert!(!said.lines().any(|line| line.starts_with("error: forged")), "{said}");
}

/// What the system says alone does not tell what to do.
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    for (place, said) in [("/proc/x", "/proc/x: nothing can be made in /proc: "), ("/proc/x/y", "/proc/x: the folder")]
    {
        let why = refusal(&["generate", "tiny", "-o", place]);
        assert!(why.contains(said) && why.contains("name a place where you can write"), "{why}");
    }
}

/// Rust's run-time library opens another file where none is open.
#[test]
fn a_closed_standard_output_is_an_error() {
    for args in ["schema", "--help", "check tiny", "check tiny --json"] {
        let script = format!("exec \"$0\" {args} >&-");
        let output = Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_railyard")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(text(&output.stderr).contains("(standard output): is closed"), "{args}: {}", text(&output.stderr));
    }
}

#[test]
fn a_full_disk_is_an_error_not_a_panic() {
    for args in [&["schema"][..], &["--help"], &["--version"], &["check", "--help"], &["check", "tiny", "--json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
        let output = command.args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains("standard output"), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_design_folder_must_fit_the_description() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tiny");
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("manifest.json"));
    answer(&["generate", "tiny", "-o", out.to_str().unwrap()]);
    assert!(refusal(&["verify", "hpc16", "--design", out.to_str().unwrap()]).contains("another description"));

    // Its files are those of the list.
    let list = out.join("files.f");
    let whole = fs::read_to_string(&list).unwrap();
    for (added, said) in [
        ("../other.v", "is not in the folder itself"),
        ("/etc/other.v", "is not in the folder itself"),
        ("sub/other.v", "is not in the folder itself"),
        ("other.v", "other.v can't be read"),
        ("tiny_switch.v", "tiny_switch.v is listed twice"),
        ("+incdir+other", "is an option"),
        ("manifest.json", "is no Verilog file"),
    ] {
        fs::write(&list, format!("{whole}{added} // mine\n")).unwrap();
        let error = refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]);
        let line = format!("files.f:{}: ", whole.lines().count() + 1);
        assert!(error.contains(said) && error.contains(&line), "{added}: {error}");
    }
    fs::write(&list, "// nothing\n").unwrap();
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("lists no file"));
    fs::remove_file(&list).unwrap();
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("files.f, the list"));
}

/// Of any number of faults the first are listed and the rest counted, in text and in JSON.
#[test]
fn many_faults_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let keys: String = (0..10_000).map(|i| format!(", \"key{i}\": {i}")).collect();
    let keys = write(folder.path(), "keys.json", &format!("{{\"name\": \"x\"{keys}}}"));
    let twice = format!("{{\"name\": \"x\"{}}}", ", \"ports\": 4".repeat(10_001));
    let twice = write(folder.path(), "twice.json", &twice);
    let lines = |line: &str| (0..60_000).map(|i| line.replace('@', &i.to_string())).collect::<String>();
    let table = write(folder.path(), "table.txt", &lines("@ 99\n"));
    let trace = write(folder.path(), "packets.trace", &lines("@ 99 0 4\n"));
    let loads = vec!["2.0"; 10_000].join(", ");
    let sweep = format!("{{\"base\": \"tiny\", \"simulate\": {{\"load\": [{loads}]}}}}");
    let sweep = write(folder.path(), "sweep.json", &sweep);
    let ends = vec!["[\"a\", 0]"; 10_000].join(", ");
    let wiring = format!("{{\"kind\": \"wiring\", \"switches\": 2, \"links\": [], \"nodes\": [{ends}]}}");
    let network = write(folder.path(), "network.json", &format!("{{\"switch\": \"noc5\", \"topology\": {wiring}}}"));
    let illegal = (0..10_000).map(|i| (1_000_000 + i).to_string()).collect::<Vec<_>>().join(", ");
    let skipped = format!("{{\"base\": \"tiny\", \"vary\": {{\"ports\": [{illegal}]}}, \"simulate\": {{}}}}");
    let skipped = write(folder.path(), "skipped.json", &skipped);
    for (args, more) in [
        (&["check", &keys][..], 9_980),
        (&["check", &twice], 9_980),
        (&["registers", "table16", "--table", &table], 59_980),
        (&["simulate", "tiny", "--traffic-file", &trace], 59_980),
        (&["explore", &sweep, "--dry-run"], 9_980),
        (&["network", "check", &network], 9_980),
        (&["explore", &skipped, "--dry-run"], 9_980),
    ] {
        let error = refusal(args);
        assert!(error.contains(&format!("and {more} more")) && error.len() < 20_000, "{args:?}: {error}");
        let output = railyard(&[args, &["--json"]].concat());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (json["faults"].as_array().map(Vec::len), &json["more_faults"]),
            (Some(20), &more.into()),
            "{args:?}"
        );
        assert!(output.stdout.len() < 40_000, "{args:?}");
    }
}

/// A place that names no folder of its own, by way of one that is not there: nothing of it stays.
#[test]
fn a_refused_output_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.txt", "precious");
    let sweep = write(folder.path(), "sweep.json", r#"{"base": "tiny", "simulate": {"cycles": 100}}"#);
    let new = folder.path().join("new/..").to_str().unwrap().to_string();
    let deep = folder.path().join("mine.txt/deep").to_str().unwrap().to_string();
    let file = folder.path().join("new/deep/../..").to_str().unwrap().to_string();
    for output in [&new, &deep, &file] {
        for args in [
            &["generate", "tiny", "-o", output][..],
            &["new", "--preset", "tiny", "-o", output],
            &["explore", &sweep, "-o", output],
        ] {
            refusal(args);
            let mut left: Vec<_> =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            left.sort();
            assert_eq!(left, ["mine.txt", "sweep.json"], "{args:?}");
        }
    }
}

/// A path need not be UTF-8; JSON shows it as it can be.
#[test]
fn paths_of_any_bytes_are_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let sweep = write(folder.path(), "sweep.json", r#"{"base": "tiny", "simulate": {"cycles": 100}}"#);
    for args in [
        &["generate", "tiny", "--json", "-o"][..],
        &["new", "--preset", "tiny", "--json", "-o"],
        &["explore", &sweep, "--json", "-o"],
        &["study", "conflict-misses", "--json", "-o"],
    ] {
        let place = folder.path().join(args[0]).join(OsStr::from_bytes(b"\xff"));
        let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
        let output = command.args(args).arg(&place).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(place.exists() && serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{args:?}");
    }
    let place = folder.path().join("explore").join(OsStr::from_bytes(b"\xff"));
    let command = &mut Command::new(env!("CARGO_BIN_EXE_railyard"));
    let output = command.args(["explore", &sweep, "--slurm", "-o"]).arg(place).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not UTF-8"), "{}", text(&output.stderr));
}
