//! Sweeps with estimates.

use super::{railyard, text, Place};
use railyard_estimate::NamedLibrary;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Yosys, OpenSTA and a library, or a line that says that the test was not run.
fn estimates_can_be_made() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/liberty");
    let folder = std::env::var_os("RAILYARD_LIBERTY_DIR").map_or(beside, PathBuf::from);
    let runs = |tool: &str, flag: &str| Command::new(tool).arg(flag).output().is_ok();
    let named = NamedLibrary::get("nangate45").unwrap();
    let ready = named.find(std::slice::from_ref(&folder)).is_ok() && runs("yosys", "-V") && runs("sta", "-version");
    if !ready {
        eprintln!("not run: yosys, sta or nangate45 missing");
    }
    ready.then_some(folder)
}

#[test]
fn estimates_join_simulations() {
    let Some(folder) = estimates_can_be_made() else { return };
    let place = Place::new(&json!({
        "base": "tiny",
        "together": [{ "flit_bits": [16], "buffer_flits": [8] }],
        "simulate": { "cycles": 2000, "load": [0.5, 1.0] },
        "estimate": {},
        "plots": [{ "x": "area_um2", "y": "port_gbps", "pareto": { "x": "min", "y": "max" } }]
    }));
    let out = place.path("out");
    let command = &mut railyard(&["explore", &place.sweep, "-o", &out, "--json"]);
    let output =
        command.env("RAILYARD_LIBERTY_DIR", folder).env("RAILYARD_CACHE", place.path("cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    // An estimate is of a switch, whatever its load.
    assert_eq!((&json["points"], &json["runs"]["made"]), (&json!(2), &json!(3)));
    let all: Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
    for point in all["points"].as_array().unwrap() {
        let number = |name: &str| point[name].as_f64().unwrap_or_else(|| panic!("{name}: {point}"));
        let expected = number("accepted_load") * number("flit_bits") * number("fmax_mhz") / 1_000.0;
        assert!((number("port_gbps") - expected).abs() < 1e-6, "{point}");
        assert!(number("area_um2") > 1_000.0, "{point}");
    }
    assert_eq!((&json["pareto"][0]["of"], &json["pareto"][0]["points"][0]["load"]), (&json!(2), &json!(1.0)));
}

#[test]
fn a_run_that_fails_does_not_stop_the_others() {
    let Some(folder) = estimates_can_be_made() else { return };
    let place = Place::new(&json!({
        "base": "tiny",
        "vary": { "routing.cache": [null, { "entries": 16, "ways": 2 }] },
        "estimate": { "block": "routing_cache" }
    }));
    let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out"), "--json"]);
    let output =
        command.env("RAILYARD_LIBERTY_DIR", folder).env("RAILYARD_CACHE", place.path("cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["points"], 1, "{json}");
    let unfinished = &json["unfinished"][0];
    assert_eq!(unfinished["values"], json!({"routing.cache": null}));
    assert!(unfinished["why"].as_str().unwrap().contains("no module routing_cache"), "{unfinished}");
}

#[test]
fn a_block_of_no_design_is_a_fault_of_the_sweep() {
    for (block, legal) in [("no_such", "legal: allocator, "), ("ram_1r1w_512x20", "legal: leave it out")] {
        let sweep = json!({"base": "hpc16", "vary": {"flit_bits": [64, 128]}, "estimate": {"block": block}});
        let place = Place::new(&sweep);
        for arguments in [["--dry-run", "--json"], ["-o", &place.path("out")]] {
            let output = railyard(&["explore", &place.sweep]).args(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            let said = [text(&output.stdout), text(&output.stderr)].concat();
            assert!(said.contains("/estimate/block") && said.contains(legal), "{said}");
        }
    }
}

#[test]
fn a_missing_library_ends_the_sweep() {
    let place = Place::new(&json!({"base": "tiny", "vary": {"ports": [2, 4]}, "estimate": {"library": "gt2n"}}));
    let command = &mut railyard(&["explore", &place.sweep, "-o", &place.path("out")]);
    let output = command.env("RAILYARD_LIBERTY_DIR", place.path("none")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}
