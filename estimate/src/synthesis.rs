//! One module through Yosys and OpenSTA: cells, area, paths, power.

use crate::count;
use crate::design::{Hierarchy, MemoryShape};
use crate::error::{at, Error};
use crate::liberty::Liberty;
use crate::sram::{self, SramModel};
use crate::timing::{self, Asked, Point, Timed};
use crate::tools::{Tool, SYNTH, TIMING};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A path in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimingPath {
    /// Register, memory pin or input where it starts.
    pub start: String,
    /// Register, memory pin or output where it ends.
    pub end: String,
    /// Module that holds the start.
    pub start_block: String,
    /// Module that holds the end.
    pub end_block: String,
    /// From clock edge to clock edge, set-up time included, in ns (at inputs and outputs: no delay outside).
    pub delay_ns: f64,
    /// Gates on the way.
    pub stages: u32,
    /// The way: each output pin with its cell and the time when it switches.
    pub points: Vec<PathPoint>,
}

/// One gate of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Net, or pin where the net has no name of the source.
    pub name: String,
    /// Cell.
    pub cell: String,
    /// Time in ns.
    pub arrival_ns: f64,
}

/// The longest path of each kind, where there is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paths {
    /// Register or memory to register or memory: what limits the clock.
    pub register_to_register: Option<TimingPath>,
    /// Input to register or memory.
    pub input_to_register: Option<TimingPath>,
    /// Register or memory to output.
    pub register_to_output: Option<TimingPath>,
    /// Input to output, through logic only.
    pub input_to_output: Option<TimingPath>,
}

impl Paths {
    /// The longest of all.
    pub fn longest(&self) -> Option<&TimingPath> {
        let all =
            [&self.register_to_register, &self.input_to_register, &self.register_to_output, &self.input_to_output];
        all.into_iter().flatten().max_by(|a, b| a.delay_ns.total_cmp(&b.delay_ns))
    }
}

/// Power of the cells, as OpenSTA reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellPower {
    /// Inside cells, in W at [`Self::period_ns`].
    pub internal_w: f64,
    /// Charging nets, in W.
    pub switching_w: f64,
    /// Leakage in W.
    pub leakage_w: f64,
    /// Clock period that it is for.
    pub period_ns: f64,
    /// Registers, inputs and memory outputs with activity from a file, and all of them.
    pub annotated: Option<(u64, u64)>,
}

/// What synthesis and timing say of a module with all that is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Synthesis {
    /// Standard cells.
    pub cells: u64,
    /// Their area in um2, memories not included.
    pub cell_area_um2: f64,
    /// Flip-flops.
    pub registers: u64,
    /// Their area in um2.
    pub register_area_um2: f64,
    /// Memory macros, by module name.
    pub macros: BTreeMap<String, u64>,
    /// How many of each cell.
    pub by_cell: BTreeMap<String, u64>,
    /// Longest paths.
    pub paths: Paths,
    /// Longest paths with memories as other sources have them, if there are memories and such sources.
    pub other_paths: Option<Paths>,
    /// Power.
    pub power: CellPower,
}

/// What a synthesis needs beside the module.
pub(crate) struct Flow<'a> {
    pub yosys: &'a Tool,
    pub sta: &'a Tool,
    pub liberty: &'a Liberty,
    pub liberty_file: &'a Path,
    pub mapping_file: &'a Path,
    pub model: &'a SramModel,
    pub hierarchy: &'a Hierarchy,
    pub recipe: &'a str,
    pub target_ps: u32,
    pub clock: &'a str,
    pub period_ns: f64,
    /// Clock uncertainty in ns.
    pub uncertainty_ns: f64,
    pub toggle: f64,
    /// Power too.
    pub power: bool,
    /// Leave `netlist.json` too.
    pub json: bool,
}

impl Flow<'_> {
    /// Synthesises and times `module`, whose Verilog (with all below it, macros left out) is given by module name.
    pub fn run(
        &self,
        module: &str,
        verilog: &BTreeMap<String, String>,
        macros: &[MemoryShape],
        activity: Option<&str>,
        work: &Path,
    ) -> Result<Synthesis, Error> {
        let mut result = self.synthesise(module, verilog, &BTreeMap::new(), macros, work)?;
        self.time(module, macros, activity, work, &mut result)?;
        Ok(result)
    }

    /// The settings that both scripts read.
    fn settings(&self, module: &str) -> Vec<(&'static str, String)> {
        let driver = self.liberty.driver().map(|c| c.name.clone()).unwrap_or_default();
        let load = format!("{:.3}", self.liberty.load());
        vec![
            ("RY_LIBERTY", self.liberty_file.display().to_string()),
            ("RY_TOP", module.to_string()),
            ("RY_OUT", ".".to_string()),
            ("RY_DRIVER", driver),
            ("RY_LOAD", load),
        ]
    }

    /// Synthesises `module`; `boxes` are the modules in it (beside the macros) that stay as they are, with their ports.
    /// Leaves `netlist.v`, and with [`Flow::json`] `netlist.json`, in `work`.
    pub fn synthesise(
        &self,
        module: &str,
        verilog: &BTreeMap<String, String>,
        boxes: &BTreeMap<String, String>,
        macros: &[MemoryShape],
        work: &Path,
    ) -> Result<Synthesis, Error> {
        let put = |name: &str, text: &str| {
            let path = work.join(name);
            std::fs::write(&path, text).map_err(at(&path))
        };
        for (name, text) in verilog {
            put(&format!("{name}.v"), text)?;
        }
        let files: Vec<String> = verilog.keys().map(|n| format!("{n}.v")).collect();
        let mut settings = self.settings(module);
        settings.extend([
            ("RY_VERILOG", files.join(" ")),
            ("RY_MAPPING", self.mapping_file.display().to_string()),
            ("RY_TARGET", self.target_ps.to_string()),
            ("RY_RECIPE", self.recipe.to_string()),
            ("RY_JSON", u8::from(self.json).to_string()),
        ]);
        settings.extend(self.liberty.smallest_buffer().map(|buffer| ("RY_BUFFER", buffer)));
        if let Some((high, low)) = self.liberty.ties() {
            settings.extend([("RY_TIE_HIGH", high), ("RY_TIE_LOW", low)]);
        }
        if !macros.is_empty() || !boxes.is_empty() {
            let boxes: String = boxes.values().map(String::as_str).collect();
            put("macros.v", &(sram::black_boxes(macros) + &boxes))?;
            settings.push(("RY_MACROS", "macros.v".to_string()));
        }
        self.yosys.run(SYNTH, work, module, &settings)?;
        let stat = self.yosys.written(&work.join("stat.json"), module)?;
        self.count(&stat, boxes).map_err(|what| self.yosys.lacks(module, &what))
    }

    /// Times the netlist in `work`.
    pub fn time(
        &self,
        module: &str,
        macros: &[MemoryShape],
        activity: Option<&str>,
        work: &Path,
        result: &mut Synthesis,
    ) -> Result<(), Error> {
        let put = |name: &str, text: &str| {
            let path = work.join(name);
            std::fs::write(&path, text).map_err(at(&path))
        };
        let mut settings = self.settings(module);
        settings.extend([
            ("RY_CLOCK", self.clock.to_string()),
            ("RY_PERIOD", self.period_ns.to_string()),
            ("RY_TOGGLE", self.toggle.to_string()),
            ("RY_POWER", u8::from(self.power).to_string()),
            ("RY_UNCERTAINTY", self.uncertainty_ns.to_string()),
        ]);
        if !macros.is_empty() {
            put("macros.lib", &sram::liberty(self.model, macros, self.liberty.voltage))?;
            settings[0].1 += " macros.lib";
        }
        if let Some(activity) = activity {
            put("activity.txt", activity)?;
            settings.push(("RY_ACTIVITY", "activity.txt".to_string()));
        }
        let printed = self.sta.run(TIMING, work, module, &settings)?;
        let asked = Asked { period_ns: self.period_ns, power: self.power, activity: self.power && activity.is_some() };
        let timed = Timed::read(&printed, asked).map_err(|what| self.sta.lacks(module, &what))?;
        self.take(module, timed, result);
        Ok(())
    }

    /// What Yosys has counted. Cells that neither the library nor the design has can't be: they would count for
    /// nothing.
    fn count(&self, stat: &str, boxes: &BTreeMap<String, String>) -> Result<Synthesis, String> {
        let mut result = Synthesis::default();
        let mut unknown = BTreeMap::new();
        for (name, count) in count::read(stat)? {
            if MemoryShape::of(&name).is_some() {
                result.macros.insert(name, count);
            } else if let Some(cell) = self.liberty.cell(&name) {
                let area = cell.area() * count as f64;
                result.cells += count;
                result.cell_area_um2 += area;
                if cell.is_register {
                    result.registers += count;
                    result.register_area_um2 += area;
                }
                result.by_cell.insert(name, count);
            } else if !boxes.contains_key(&name) {
                unknown.insert(name, count);
            }
        }
        if !unknown.is_empty() {
            return Err(format!(
                "it left cells that library {} lacks: {}",
                self.liberty.name,
                count::list(unknown.iter())
            ));
        }
        result.cell_area_um2 = rounded(result.cell_area_um2);
        result.register_area_um2 = rounded(result.register_area_um2);
        Ok(result)
    }

    /// Puts what OpenSTA has said into a result.
    fn take(&self, module: &str, timed: Timed, result: &mut Synthesis) {
        let path = |group: &str| self.path(module, timed.paths.get(group)?);
        result.paths = Paths {
            register_to_register: path(timing::REGISTER_TO_REGISTER),
            input_to_register: path(timing::INPUT_TO_REGISTER),
            register_to_output: path(timing::REGISTER_TO_OUTPUT),
            input_to_output: path(timing::INPUT_TO_OUTPUT),
        };
        if let Some([internal_w, switching_w, leakage_w]) = timed.power {
            let (period_ns, annotated) = (self.period_ns, timed.annotated);
            result.power = CellPower { internal_w, switching_w, leakage_w, period_ns, annotated };
        }
    }

    fn path(&self, module: &str, path: &timing::Path) -> Option<TimingPath> {
        let points = &path.points;
        let (first, last) = (points.first()?, points.last()?);
        let (start, end) = (self.name(first), self.name(last));
        let gate = |p: &&Point| p.is_output && p.cell != "port";
        let is_gate = |p: &&Point| gate(p) && MemoryShape::of(&p.cell).is_none();
        let launches = usize::from(gate(&first) && is_gate(&first));
        Some(TimingPath {
            start_block: self.hierarchy.owner(module, &start),
            end_block: self.hierarchy.owner(module, &end),
            start,
            end,
            delay_ns: rounded(self.period_ns - path.slack),
            stages: points.iter().filter(is_gate).count().saturating_sub(launches) as u32,
            points: points
                .iter()
                .filter(gate)
                .map(|p| PathPoint { name: self.name(p), cell: p.cell.clone(), arrival_ns: rounded(p.arrival) })
                .collect(),
        })
    }

    /// The name of the source nearest to a pin: a register, a memory's pin, a named net; else the pin.
    fn name(&self, point: &Point) -> String {
        let is_register = self.liberty.cell(&point.cell).is_some_and(|c| c.is_register);
        let named = point.nets.iter().find(|n| !is_anonymous(n));
        match named {
            Some(net) if is_register || point.is_output && MemoryShape::of(&point.cell).is_none() => net.clone(),
            _ => point.pin.clone(),
        }
    }
}

/// A name that Yosys made up: `_0123_`.
fn is_anonymous(name: &str) -> bool {
    let last = name.rsplit(['/', '.']).next().unwrap_or(name);
    last.len() > 2
        && last.starts_with('_')
        && last.ends_with('_')
        && last[1..last.len() - 1].bytes().all(|b| b.is_ascii_digit())
}

/// To a millionth: what floating-point sums differ by is not a result (and no minus zero).
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}
