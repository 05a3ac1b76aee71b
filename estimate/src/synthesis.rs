//! One module through Yosys and OpenSTA: cells, area, paths, power.

use crate::design::{Hierarchy, MemoryShape};
use crate::error::{at, Error};
use crate::liberty::Liberty;
use crate::sram::{self, Model};
use crate::tools;
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
    /// Power.
    pub power: CellPower,
}

/// What a synthesis needs beside the module.
pub(crate) struct Flow<'a> {
    pub liberty: &'a Liberty,
    pub liberty_file: &'a Path,
    pub mapping_file: &'a Path,
    pub model: &'a Model,
    pub hierarchy: &'a Hierarchy,
    pub recipe: &'a str,
    pub target_ps: u32,
    pub clock: &'a str,
    pub period_ns: f64,
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
        let mut result = self.synthesise(module, verilog, "", macros, work)?;
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

    /// Synthesises `module`; `boxes` are the modules in it (beside the macros) that stay as they are. Leaves `netlist.v`, and
    /// with [`Flow::json`] `netlist.json`, in `work`.
    pub fn synthesise(
        &self,
        module: &str,
        verilog: &BTreeMap<String, String>,
        boxes: &str,
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
            put("macros.v", &(sram::black_boxes(macros) + boxes))?;
            settings.push(("RY_MACROS", "macros.v".to_string()));
        }
        tools::run("yosys", tools::SYNTH, work, module, &settings)?;
        let stat = work.join("stat.txt");
        let stat = std::fs::read_to_string(&stat).map_err(at(&stat))?;
        Ok(self.count(&stat))
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
        ]);
        if !macros.is_empty() {
            put("macros.lib", &sram::liberty(self.model, macros, self.liberty.voltage))?;
            settings[0].1 += " macros.lib";
        }
        if let Some(activity) = activity {
            put("activity.txt", activity)?;
            settings.push(("RY_ACTIVITY", "activity.txt".to_string()));
        }
        let timing = tools::run("sta", tools::TIMING, work, module, &settings)?;
        self.read_timing(module, &timing, result);
        Ok(())
    }

    /// Reads Yosys' `stat`: its last section is the whole.
    fn count(&self, stat: &str) -> Synthesis {
        let mut result = Synthesis::default();
        let whole = stat.rsplit("=== ").next().unwrap_or(stat);
        for line in whole.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, count] = words.as_slice() else { continue };
            let Ok(count) = count.parse::<u64>() else { continue };
            if MemoryShape::of(name).is_some() {
                *result.macros.entry(name.to_string()).or_default() += count;
            } else if let Some(cell) = self.liberty.cell(name) {
                result.cells += count;
                result.cell_area_um2 += cell.area * count as f64;
                if cell.is_register {
                    result.registers += count;
                    result.register_area_um2 += cell.area * count as f64;
                }
                *result.by_cell.entry(name.to_string()).or_default() += count;
            }
        }
        result.cell_area_um2 = rounded(result.cell_area_um2);
        result.register_area_um2 = rounded(result.register_area_um2);
        result
    }

    fn read_timing(&self, module: &str, text: &str, result: &mut Synthesis) {
        let mut raw: Vec<(String, f64, Vec<RawPoint>)> = Vec::new();
        let mut in_power = false;
        if self.power {
            result.power.period_ns = self.period_ns;
        }
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                ["ry:path", group, slack] => {
                    raw.push((group.to_string(), self.period_ns - slack.parse().unwrap_or(0.0), Vec::new()));
                }
                ["ry:point", arrival, cell, direction, pin, outputs] => {
                    if let Some((_, _, points)) = raw.last_mut() {
                        points.push(RawPoint {
                            arrival: arrival.parse().unwrap_or(0.0),
                            cell: cell.to_string(),
                            is_output: *direction == "output",
                            pin: plain(pin),
                            nets: outputs.split(' ').map(plain).filter(|n| !n.is_empty()).collect(),
                        });
                    }
                }
                ["ry:activity", known, all] => {
                    result.power.annotated = known.parse().ok().zip(all.parse().ok());
                }
                ["ry:power"] => in_power = true,
                _ if in_power && line.starts_with("Total") => {
                    let numbers: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
                    if let [internal, switching, leakage, ..] = numbers[..] {
                        result.power.internal_w = internal;
                        result.power.switching_w = switching;
                        result.power.leakage_w = leakage;
                    }
                }
                _ => {}
            }
        }
        for (group, delay, points) in raw {
            let path = self.path(module, delay, &points);
            match group.as_str() {
                "register_to_register" => result.paths.register_to_register = path,
                "input_to_register" => result.paths.input_to_register = path,
                "register_to_output" => result.paths.register_to_output = path,
                _ => result.paths.input_to_output = path,
            }
        }
    }

    fn path(&self, module: &str, delay: f64, points: &[RawPoint]) -> Option<TimingPath> {
        let (first, last) = (points.first()?, points.last()?);
        let (start, end) = (self.name(first), self.name(last));
        let gate = |p: &&RawPoint| p.is_output && p.cell != "port";
        let is_gate = |p: &&RawPoint| gate(p) && MemoryShape::of(&p.cell).is_none();
        let launches = usize::from(gate(&first) && is_gate(&first));
        Some(TimingPath {
            start_block: self.hierarchy.owner(module, &start),
            end_block: self.hierarchy.owner(module, &end),
            start,
            end,
            delay_ns: rounded(delay),
            stages: points.iter().filter(is_gate).count().saturating_sub(launches) as u32,
            points: points
                .iter()
                .filter(gate)
                .map(|p| PathPoint { name: self.name(p), cell: p.cell.clone(), arrival_ns: rounded(p.arrival) })
                .collect(),
        })
    }

    /// The name of the source nearest to a pin: a register, a memory's pin, a named net; else the pin.
    fn name(&self, point: &RawPoint) -> String {
        let is_register = self.liberty.cell(&point.cell).is_some_and(|c| c.is_register);
        let named = point.nets.iter().find(|n| !is_anonymous(n));
        match named {
            Some(net) if is_register || point.is_output && MemoryShape::of(&point.cell).is_none() => net.clone(),
            _ => point.pin.clone(),
        }
    }
}

struct RawPoint {
    arrival: f64,
    cell: String,
    is_output: bool,
    pin: String,
    nets: Vec<String>,
}

/// A name without Tcl's braces and Verilog's escapes.
fn plain(name: &str) -> String {
    name.trim_matches(['{', '}']).replace('\\', "")
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
