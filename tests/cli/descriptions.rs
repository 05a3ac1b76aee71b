//! Descriptions: presets, `new` and `check`.

use super::{answer, railyard, refusal, text, write};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

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
