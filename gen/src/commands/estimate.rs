//! `railyard estimate`.

use crate::cli::{EstimateArgs, FpgaFamily, MappingRecipe, WireLoads};
use crate::progress::spinner;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_estimate::{
    fpga, AskedClock, Block, GeneratedDesign, Library, Lookup, LookupEnergy, Options, OtherMemories, Paths, Power,
    Recipe, SwitchFacts, SynthesisReport, Timing, TimingPath, Wires,
};
use railyard_hdl::{chip, elaborate_plain};
use railyard_spec::{module_prefix, CheckedConfig, Config, RoutingShape};
use std::path::PathBuf;

/// Estimates area, clock and power.
///
/// # Errors
/// A bad description, a missing tool or library, an unknown block.
pub fn run(args: &EstimateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let design = design(&config)?;
    let block = args.block.as_ref().map(|block| plain(&config, block));
    let working = spinner("synthesising (kept for the next run)");
    if let Some(family) = args.fpga {
        let family = match family {
            FpgaFamily::Ecp5 => fpga::Family::Ecp5,
            FpgaFamily::Ice40 => fpga::Family::Ice40,
            FpgaFamily::Xilinx7 => fpga::Family::Xilinx7,
        };
        let report = fpga::estimate(&design, block.as_deref(), family, cache().as_deref());
        working.finish_and_clear();
        let report = report?;
        print_or(args.json, &report, || fpga_text(&report))?;
        return Ok(Outcome::Fine);
    }
    let bar = working.clone();
    let progress = move |done: usize, all: usize, what: &str| {
        bar.set_message(format!("synthesising {what} ({done} of {all} done)"));
    };
    let options = Options {
        library: match (&args.library, &args.liberty) {
            (_, Some(file)) => Library::File { file: file.clone(), node_nm: args.node },
            (name, None) => Library::Name(name.clone()),
        },
        block: block.clone(),
        by_block: args.by_block,
        flatten: args.flat,
        recipe: match args.recipe {
            MappingRecipe::Speed => Recipe::Speed,
            MappingRecipe::Balanced => Recipe::Balanced,
            MappingRecipe::Area => Recipe::Area,
            MappingRecipe::Yosys => Recipe::Yosys,
        },
        clock_mhz: args.clock,
        clock_uncertainty_ns: args.clock_uncertainty,
        wires: match args.wires {
            WireLoads::Library => Wires::Library,
            WireLoads::None => Wires::None,
        },
        activity: args.activity.clone(),
        sram_table: args.memories.clone(),
        macros: args.macros.clone(),
        cache: cache(),
        keep: args.keep.clone(),
        progress: Some(&progress),
        ..Options::default()
    };
    let report = railyard_estimate::estimate(&design, &options);
    working.finish_and_clear();
    let report = report?;
    print_or(args.json, &report, || text(&report))?;
    Ok(Outcome::Fine)
}

/// A block's name without that of the design.
fn plain(config: &CheckedConfig, block: &str) -> String {
    let is_top = ["switch", "chip"].iter().any(|top| block == format!("{}_{top}", config.name));
    block.strip_prefix(&module_prefix(&config.name)).filter(|_| !is_top).unwrap_or(block).to_string()
}

/// The design as the estimate takes it, in its chip if it has one: blocks by their plain names, so that what is kept
/// serves designs of any name; without pins of memories, which are wires.
pub fn design(config: &CheckedConfig) -> Result<GeneratedDesign, Error> {
    let config = Config { memory_pins: None, ..config.clone().into_config() };
    let config = config.check().expect("pins of memories are no part of another rule");
    let verilog = match config.chip_shape() {
        Some(chip) => chip::elaborate_plain(&config, &chip)?,
        None => elaborate_plain(&config)?,
    };
    let shape = config.shape();
    let (latency_cycles, lookup) = match &shape.routing {
        RoutingShape::Source(_) => (Some(3), Lookup::None),
        RoutingShape::Algorithmic(a) => (Some(3 + a.reduction.stages), Lookup::None),
        RoutingShape::Dragonfly(_) => (Some(5), Lookup::None),
        RoutingShape::Table(table) => {
            let lookup = match (table.external_cam, &table.cache) {
                (false, _) => Lookup::None,
                (true, None) => Lookup::Cam,
                (true, Some(_)) => Lookup::CachedCam,
            };
            (table.cache.as_ref().map(|_| 5), lookup)
        }
    };
    let latency_cycles = latency_cycles.map(|cycles| cycles + u32::from(shape.buffer_code.is_some()));
    let module = format!("{}_switch", config.name);
    let switch = SwitchFacts { module, ports: config.ports, flit_bits: config.flit_bits, latency_cycles, lookup };
    let modules = verilog.modules.iter().map(|m| (format!("{}.v", m.name), m.text.clone())).collect();
    Ok(GeneratedDesign { top: verilog.top().name.clone(), modules, switch: Some(switch) })
}

/// Where results are kept: beside the Verilated models.
pub fn cache() -> Option<PathBuf> {
    railyard_cache::default_folder().map(|folder| folder.join("estimates"))
}

fn print_or<T: serde::Serialize>(json: bool, report: &T, text: impl FnOnce() -> String) -> Result<(), Error> {
    if json {
        answer::json(report)
    } else {
        answer::text(&text())
    }
}

fn text(report: &SynthesisReport) -> String {
    let notes = report.notes.iter().map(|note| format!("note: {note}\n"));
    blocks(&report.blocks) + &two_columns(&rows(report)) + &notes.collect::<String>()
}

/// What is said of the whole.
pub(super) fn rows(report: &SynthesisReport) -> Vec<(&'static str, String)> {
    let timing = &report.timing;
    let critical = timing.critical.as_ref().map_or("none".to_string(), |path| {
        format!(
            "{:.3} ns, {} stages, {} ({}) to {} ({})",
            path.delay_ns, path.stages, path.start, path.start_block, path.end, path.end_block
        )
    });
    let mut rows = vec![
        ("module", report.top.clone()),
        ("library", format!("{}, memories as at {} nm", report.library.name, report.library.node_nm)),
        (
            "area",
            format!(
                "{:.0} um2 = {:.0} cells + {:.0} memories",
                report.area_um2, report.cell_area_um2, report.memory_area_um2
            ),
        ),
        ("cells, registers", format!("{}, {}", report.whole.cells, report.registers)),
        ("memory", format!("{} bits", report.memory_bits)),
        ("critical path", critical),
        ("paths at the pins", pin_paths(&report.whole.paths)),
        ("highest clock", number(timing.fmax_mhz, 0, &format!("MHz, limited by {}", timing.limited_by))),
    ];
    rows.extend(report.asked.map(|asked| ("target clock", target_clock(asked))));
    rows.extend(report.other_memories.as_ref().map(|other| ("with other memories", other_memories(other))));
    rows.extend(rates(timing));
    rows.push(("power", power(&report.power, report.asked)));
    rows.extend(report.lookup.as_ref().map(|lookup| ("look-ups (seed's constants)", lookups(lookup))));
    rows
}

/// Whether the target clock is met.
fn target_clock(AskedClock { mhz, met, slack_ns }: AskedClock) -> String {
    match met {
        true => format!("{mhz} MHz: met, with {slack_ns:.3} ns of a period left"),
        false => format!("{mhz} MHz: not met, {:.3} ns of a period are missing", -slack_ns),
    }
}

/// The longest paths from inputs and to outputs. They limit no clock: what is outside of the module takes the rest of
/// the cycle.
fn pin_paths(paths: &Paths) -> String {
    let of = |path: &Option<TimingPath>| number(path.as_ref().map(|path| path.delay_ns), 3, "ns");
    let Paths { input_to_register, register_to_output, input_to_output, .. } = paths;
    let [inputs, outputs, through] = [of(input_to_register), of(register_to_output), of(input_to_output)];
    format!("inputs to registers {inputs}, registers to outputs {outputs}, inputs to outputs {through}")
}

/// A value with its unit, or `none`.
fn number(value: Option<f64>, digits: usize, unit: &str) -> String {
    value.map_or("none".to_string(), |value| format!("{value:.digits$} {unit}"))
}

/// The table of blocks, with an empty line below.
fn blocks(blocks: &[Block]) -> String {
    if blocks.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "{:<28} {:>5} {:>8} {:>9} {:>12} {:>13} {:>8}\n",
        "block", "count", "cells", "registers", "um2 each", "um2 in all", "ns"
    );
    for block in blocks {
        let longest = block.longest_ns.map_or("-".to_string(), |ns| format!("{ns:.3}"));
        out += &format!(
            "{:<28} {:>5} {:>8} {:>9} {:>12.0} {:>13.0} {:>8}\n",
            block.module, block.instances, block.cells, block.registers, block.area_um2, block.total_area_um2, longest
        );
    }
    out + "\n"
}

/// What a whole switch carries at its highest clock, and how long a header takes.
fn rates(timing: &Timing) -> Vec<(&'static str, String)> {
    let (Some(link), Some(mhz)) = (timing.link_rate_gbps, timing.fmax_mhz) else { return Vec::new() };
    let frames = number(timing.shortest_frame_rate_gbps, 0, "Gbit/s in 84-byte slots (Hirasawa2022)");
    let mut rows = vec![
        ("link rate of a port", format!("{link:.0} Gbit/s: a flit a cycle")),
        ("packet rate of a port", format!("{mhz:.0} million packets/s, one a cycle; as a line of {frames}")),
    ];
    let latency = timing.latency_cycles.map(|cycles| number(timing.latency_ns, 2, &format!("ns ({cycles} cycles)")));
    rows.extend(latency.map(|latency| ("latency, idle", latency)));
    rows
}

/// The other end of the range of memories.
fn other_memories(other: &OtherMemories) -> String {
    let clock = number(other.fmax_mhz, 0, &format!("MHz, limited by {}", other.limited_by));
    format!("{clock}; {:.0} um2; from {}", other.area_um2, other.source)
}

/// Power at the clock that was asked for, or at another one.
fn power(power: &Power, asked: Option<AskedClock>) -> String {
    let clock = asked.map_or_else(|| format!("{:.0}", power.clock_mhz), |asked| asked.mhz.to_string());
    let cells = power.cell_dynamic_w + power.cell_leakage_w;
    let memories = power.memory_dynamic_w + power.memory_leakage_w;
    format!(
        "{:.3} mW = {:.3} cells + {:.3} memories, at {clock} MHz, {}",
        1e3 * (cells + memories),
        1e3 * cells,
        1e3 * memories,
        power.activity
    )
}

fn lookups(lookup: &LookupEnergy) -> String {
    let cached = lookup.one_percent_w.zip(lookup.no_miss_w);
    let cached = cached.map(|(one, none)| format!(", {one:.2} W at 1 % misses, {none:.2} W at none"));
    format!(
        "{:.2} W conventional{}, at one a cycle and port ({:.0} Gbit/s of shortest frames in all)",
        lookup.conventional_w,
        cached.unwrap_or_default(),
        lookup.gbps
    )
}

fn fpga_text(report: &fpga::FpgaReport) -> String {
    let mut out = two_columns(&[
        ("module", report.top.clone()),
        ("family", report.family.name().to_string()),
        ("look-up tables", report.luts.to_string()),
        ("flip-flops", report.registers.to_string()),
        ("block RAMs", report.block_rams.to_string()),
        ("distributed RAMs", report.distributed_rams.to_string()),
        ("carry cells", report.carries.to_string()),
        ("highest clock", report.fmax_mhz.map_or("not placed".into(), |mhz| format!("{mhz:.1} MHz"))),
    ]);
    for note in &report.notes {
        out += &format!("note: {note}\n");
    }
    out
}
