//! PeakRDL and the schema and reader of CMSIS-SVD.

use crate::maps::{all, Named};
use railyard_exports::registers::MapFormat;
use railyard_spec::registers::Register;
use serde_json::{json, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of `scripts/setup --exports`, if it was installed. CI can't do without.
fn python() -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let found = tools.join("export-tools.txt").exists().then(|| tools.join("bin/python3"));
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "scripts/setup --exports did not install its tools");
        eprintln!("not run: PeakRDL is not installed (scripts/setup --exports)");
    }
    found
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// What a reader found, by address.
fn found(folder: &Path, file: &str) -> Value {
    let mut list: Vec<Value> = serde_json::from_str(&read(&folder.join(format!("{file}.json")))).expect("JSON");
    list.sort_by_key(|register| register["address"].as_u64());
    list.into()
}

#[test]
fn registers_read_back_are_those_of_the_description() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let maps = all();
    for map in &maps {
        map.write(folder.path(), MapFormat::SystemRdl);
        map.write(folder.path(), MapFormat::Svd);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/register_maps/read_back.py");
    let output = Command::new(python).arg(script).arg(folder.path()).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    maps.iter().for_each(|map| compare(map, folder.path()));
}

/// SystemRDL, the IP-XACT made of it, and SVD.
fn compare(map: &Named, folder: &Path) {
    let name = &map.name;
    let described: Value = map.registers.iter().map(described).collect();
    assert_eq!(found(folder, &format!("{name}.rdl")), described, "{name}: SystemRDL");
    assert_eq!(found(folder, &format!("{name}.xml")), described, "{name}: IP-XACT");
    let in_svd: Value = map.registers.iter().map(in_svd).collect();
    assert_eq!(found(folder, &format!("{name}.svd")), in_svd, "{name}: SVD");
    for made in ["sv", "peakrdl.h"] {
        let text = read(&folder.join(format!("{name}.{made}")));
        let missing = map.registers.iter().find(|register| !text.contains(register.name));
        assert!(missing.is_none(), "{name}.{made}: {missing:?}");
    }
    assert!(folder.join(format!("{name}.html_folder/index.html")).exists(), "{name}: HTML");
}

/// As `registers --json` has it, but for the legal values.
fn described(register: &Register) -> Value {
    let mut value = serde_json::to_value(register).unwrap();
    for field in value["fields"].as_array_mut().unwrap() {
        field.as_object_mut().unwrap().remove("legal");
    }
    value
}

/// As SVD has it: values after reset belong to words there, and meanings of fields have their legal values behind them.
fn in_svd(register: &Register) -> Value {
    let field = |field: &Value| json!({"name": field["name"], "low": field["low"], "bits": field["bits"]});
    let mut value = described(register);
    value["fields"] = value["fields"].as_array().unwrap().iter().map(field).collect();
    value["reset"] = register.fields.iter().map(|field| field.reset << field.low).sum::<u32>().into();
    value
}
