//! Registers and what is written to them.

use super::{answer, railyard, refusal, text, write};
use serde_json::Value;

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
