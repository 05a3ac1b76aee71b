//! The emitted Verilog is, byte for byte, what `hashes.txt` says: of all presets, of descriptions drawn from a seed, of
//! the link of a network and of node reduction alone.
//!
//! A change of the blocks that should not change the Verilog is held by this test. To see what differs, keep the texts
//! of the commit before, and name their folder when the test runs on the new one:
//!
//! ```text
//! VERILOG_TEXTS=/tmp/before UPDATE_HASHES=1 cargo test -p railyard-hdl --test byte_equality   # on the old commit
//! VERILOG_TEXTS=/tmp/before cargo test -p railyard-hdl --test byte_equality                   # on the new one
//! ```
//!
//! `UPDATE_HASHES=1` writes `hashes.txt` (and the texts, where a folder is named) in place of comparing. A change on
//! purpose commits the new file.

mod draw;

use railyard_hdl::{blocks, elaborate, network, Design, ElaborationError};
use railyard_spec::{presets, CheckedConfig, Config, Topology};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Drawn descriptions, and the seed they are drawn from.
const DRAWN: usize = 40;
const SEED: u64 = 5;

type Elaborate = Box<dyn Fn() -> Result<Design, Vec<ElaborationError>> + Send + Sync>;

/// What is elaborated, largest first: so the threads end together.
fn subjects() -> Vec<(String, Elaborate)> {
    let mut all: Vec<(String, Elaborate)> = vec![];
    let presets =
        presets::PRESETS.iter().rev().map(|preset| Config::from_json(preset.json).expect("presets are valid"));
    for config in presets.chain(draw::descriptions(DRAWN, SEED)) {
        all.push((config.name.clone(), Box::new(move || elaborate(&config))));
    }
    let tiny = Config::from_json(presets::find("tiny").expect("a preset").json).expect("presets are valid");
    all.push(("network_link".into(), Box::new(move || link(&tiny))));
    let topologies = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
    all.push(("node_reduction".into(), Box::new(move || blocks::node_reduction(24, &topologies, &[2, 3, 4], 0))));
    all
}

/// Links of two latencies.
fn link(config: &CheckedConfig) -> Result<Design, Vec<ElaborationError>> {
    let mut all = Design { modules: vec![] };
    for latency in [1, 3] {
        let link = network::link::link(&config.shape(), latency);
        all.modules.extend(railyard_hdl::rtl::emit(&link, &format!("link_{latency}"))?.modules);
    }
    Ok(all)
}

/// A line of `hashes.txt`: name, number of modules, SHA-256 of their names and texts.
fn line(name: &str, design: &Design) -> String {
    let mut sum = Sha256::new();
    for module in &design.modules {
        sum.update(format!("{}\n{}\n", module.name, module.text));
    }
    let sum = sum.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    format!("{name} {} {sum}", design.modules.len())
}

fn keep(folder: &Path, design: &Design) {
    fs::create_dir_all(folder).expect("the folder of texts can be made");
    for module in &design.modules {
        fs::write(folder.join(format!("{}.v", module.name)), &module.text).expect("a text can be written");
    }
}

/// The modules that are not as they were, each with its first line that differs.
fn differences(folder: &Path, design: &Design) -> String {
    let mut report = String::new();
    for module in &design.modules {
        let file = folder.join(format!("{}.v", module.name));
        let Ok(before) = fs::read_to_string(&file) else {
            let _ = writeln!(report, "  {}: there is no {}", module.name, file.display());
            continue;
        };
        if before != module.text {
            let end = "(the end)";
            let (mut old, mut new) = (before.lines(), module.text.lines());
            let differ = (1..).map(|n| (n, old.next().unwrap_or(end), new.next().unwrap_or(end))).find(|l| l.1 != l.2);
            let (number, old, new) = differ.expect("the texts differ");
            let _ = writeln!(report, "  {} line {number}:\n    before: {old}\n    now:    {new}", module.name);
        }
    }
    if report.is_empty() {
        report = format!("  no text differs from those in {}: they are not of the commit before\n", folder.display());
    }
    report
}

#[test]
fn the_verilog_is_the_same_byte_for_byte() {
    let hashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/byte_equality/hashes.txt");
    let update = env::var_os("UPDATE_HASHES").is_some();
    let texts: Option<PathBuf> = env::var_os("VERILOG_TEXTS").map(PathBuf::from);
    let before = fs::read_to_string(&hashes).unwrap_or_default();
    let checked = |(name, elaborate): &(String, Elaborate)| {
        let design = match elaborate() {
            Ok(design) => design,
            Err(errors) => return (format!("{name} -"), errors.iter().map(|error| format!("  {error}\n")).collect()),
        };
        let line = line(name, &design);
        let folder = texts.as_ref().map(|texts| texts.join(name));
        let report = match &folder {
            Some(folder) if update => {
                keep(folder, &design);
                String::new()
            }
            _ if update || before.lines().any(|old| old == line) => String::new(),
            Some(folder) => differences(folder, &design),
            None => "  VERILOG_TEXTS names the folder of the texts before: see the head of this test\n".into(),
        };
        (line, report)
    };
    let now: Vec<(String, String)> = subjects().par_iter().map(checked).collect();
    let text: String = now.iter().map(|(line, _)| format!("{line}\n")).collect();
    if update {
        fs::write(&hashes, text).expect("the hashes can be written");
        return;
    }
    let mut report = String::new();
    for (line, differences) in &now {
        if !before.lines().any(|old| old == line) {
            let name = line.split(' ').next().unwrap_or_default();
            let _ = writeln!(report, "{name}\n{differences}");
        }
    }
    assert!(report.is_empty() && before == text, "Verilog that is not as in {}:\n{report}", hashes.display());
}

#[test]
fn the_drawn_descriptions_have_every_structure() {
    let drawn = draw::descriptions(DRAWN, SEED);
    let json: Vec<String> = drawn.iter().map(|c| serde_json::to_string(c).expect("a description is JSON")).collect();
    for part in [
        "\"kind\":\"source\"",
        "\"kind\":\"table\"",
        "\"kind\":\"algorithmic\"",
        "\"crossbar\":\"single\"",
        "\"link_arbitration\":\"flit\"",
        "\"mixed\":1",
        "\"barrier\":1",
        "\"flow_control\":\"relative\"",
        "\"registers\":false",
        "\"counters\":{",
        "\"next_vc\":true",
        "\"candidates\":3",
        "\"link_aggregation\":{",
        "\"forwarding_table\":{",
        "\"external_cam\":false",
        "\"default_route\":true",
        "\"cache\":null",
        "\"replacement\":\"pseudo_lru\"",
        "\"replacement\":\"round_robin\"",
        "\"replacement\":\"random\"",
        "\"node_reduction\":{",
        "\"radix\":\"full\"",
    ] {
        let with = json.iter().filter(|json| json.contains(part)).count();
        assert!(with >= 2, "only {with} of {DRAWN} drawn descriptions have {part}");
    }
    for topology in ["cube", "fat_tree", "dragonfly"] {
        assert!(json.iter().any(|json| json.contains(&format!("[\"{topology}\"]"))), "no {topology} alone");
    }
}
