//! `railyard estimate`.

use crate::cli::{EstimateArgs, FpgaFamily, MappingRecipe};
use crate::progress::spinner;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_estimate::{fpga, Design, Library, Options, Recipe, Report};
use railyard_hdl::elaborate_plain;
use railyard_spec::{module_prefix, Config, RoutingShape};
use std::path::PathBuf;

/// Estimates area, clock and power.
///
/// # Errors
/// A bad description, a missing tool or library, an unknown block.
pub fn run(args: &EstimateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let mut design = design(&config)?;
    let block = args.block.as_ref().map(|block| plain(&config, block));
    if args.block.is_some() {
        // Latency and look-ups are the switch's, not a block's.
        (design.latency_cycles, design.ports) = (None, None);
    }
    let working = spinner("synthesising (kept for the next run)");
    if let Some(family) = args.fpga {
        let family = match family {
            FpgaFamily::Ecp5 => fpga::Family::Ecp5,
            FpgaFamily::Ice40 => fpga::Family::Ice40,
        };
        let report = fpga::estimate(&design, block.as_deref(), family, cache().as_deref());
        working.finish_and_clear();
        let report = report.map_err(|e| Error::Estimate(e.to_string()))?;
        print_or(args.json, &report, || fpga_text(&report))?;
        return Ok(Outcome::Fine);
    }
    let bar = working.clone();
    let progress = move |done: usize, all: usize, what: &str| {
        bar.set_message(format!("synthesising {what} ({done} of {all} done)"));
    };
    let options = Options {
        library: match (&args.library, &args.liberty) {
            (_, Some(path)) => Library::File { path: path.clone(), node_nm: args.node },
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
        activity: args.activity.clone(),
        sram_table: args.memories.clone(),
        cache: cache(),
        keep: args.keep.clone(),
        progress: Some(&progress),
        ..Options::default()
    };
    let report = railyard_estimate::estimate(&design, &options);
    working.finish_and_clear();
    let report = report.map_err(|e| Error::Estimate(e.to_string()))?;
    print_or(args.json, &report, || text(&report))?;
    Ok(Outcome::Fine)
}

/// A block's name without that of the design.
fn plain(config: &Config, block: &str) -> String {
    let is_top = block == format!("{}_switch", config.name);
    block.strip_prefix(&module_prefix(&config.name)).filter(|_| !is_top).unwrap_or(block).to_string()
}

/// The design as the estimate takes it: blocks by their plain names, so that what is kept serves designs of any name.
pub fn design(config: &Config) -> Result<Design, Error> {
    let verilog = elaborate_plain(config)
        .map_err(|errors| Error::Elaboration(errors.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n")))?;
    let shape = config.shape();
    let latency = match &shape.routing {
        RoutingShape::Source(_) => Some(3),
        RoutingShape::Algorithmic(a) => Some(3 + a.reduction.stages),
        RoutingShape::Table(table) => table.cache.as_ref().map(|_| 5),
    };
    let modules = verilog.modules.iter().map(|m| (format!("{}.v", m.name), m.text.clone())).collect();
    Ok(Design { top: verilog.top().name.clone(), modules, latency_cycles: latency, ports: Some(config.ports) })
}

/// Where results are kept: beside the Verilated models.
pub fn cache() -> Option<PathBuf> {
    let own = std::env::var_os("RAILYARD_CACHE").map(PathBuf::from);
    let user = || std::env::var_os("XDG_CACHE_HOME").map(|d| PathBuf::from(d).join("railyard"));
    let home = || std::env::var_os("HOME").map(|d| PathBuf::from(d).join(".cache/railyard"));
    own.or_else(user).or_else(home).map(|folder| folder.join("estimates"))
}

fn print_or<T: serde::Serialize>(json: bool, report: &T, text: impl FnOnce() -> String) -> Result<(), Error> {
    if json {
        answer::json(report)
    } else {
        answer::text(&text())
    }
}

fn text(report: &Report) -> String {
    let number = |value: Option<f64>, digits: usize, unit: &str| match value {
        Some(value) => format!("{value:.digits$} {unit}"),
        None => "none".to_string(),
    };
    let mut out = String::new();
    if !report.blocks.is_empty() {
        out += &format!(
            "{:<28} {:>5} {:>8} {:>9} {:>12} {:>13} {:>8}\n",
            "block", "count", "cells", "registers", "um2 each", "um2 in all", "ns"
        );
        for block in &report.blocks {
            let longest = block.longest_ns.map_or("-".to_string(), |ns| format!("{ns:.3}"));
            out += &format!(
                "{:<28} {:>5} {:>8} {:>9} {:>12.0} {:>13.0} {:>8}\n",
                block.module,
                block.instances,
                block.cells,
                block.registers,
                block.area_um2,
                block.total_area_um2,
                longest
            );
        }
        out.push('\n');
    }
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
        ("highest clock", number(timing.fmax_mhz, 0, &format!("MHz, limited by {}", timing.limited_by))),
    ];
    let whole = report.lookup.is_some();
    if whole {
        rows.push((
            "line rate of a port",
            number(timing.line_rate_gbps, 0, "Gbit/s: a look-up a cycle, each an 84-byte slot (seed 000)"),
        ));
    }
    if let (true, Some(cycles)) = (whole, timing.latency_cycles) {
        rows.push(("latency, idle", number(timing.latency_ns, 2, &format!("ns ({cycles} cycles)"))));
    }
    let power = &report.power;
    let cells = power.cell_dynamic_w + power.cell_leakage_w;
    let memories = power.memory_dynamic_w + power.memory_leakage_w;
    rows.push((
        "power",
        format!(
            "{:.3} mW = {:.3} cells + {:.3} memories, at {:.0} MHz, {}",
            1e3 * (cells + memories),
            1e3 * cells,
            1e3 * memories,
            power.clock_mhz,
            power.activity
        ),
    ));
    if let Some(lookup) = &report.lookup {
        rows.push((
            "look-ups (seed's constants)",
            format!(
                "{:.2} W conventional, {:.2} W at 1 % misses, {:.2} W at none, {:.0} Gbit/s",
                lookup.conventional_w, lookup.one_percent_w, lookup.no_miss_w, lookup.gbps
            ),
        ));
    }
    out += &two_columns(&rows);
    for note in &report.notes {
        out += &format!("note: {note}\n");
    }
    out
}

fn fpga_text(report: &fpga::FpgaReport) -> String {
    let mut out = two_columns(&[
        ("module", report.top.clone()),
        ("family", report.family.name().to_string()),
        ("look-up tables", report.luts.to_string()),
        ("flip-flops", report.registers.to_string()),
        ("block RAMs", report.block_rams.to_string()),
        ("carry cells", report.carries.to_string()),
        ("highest clock", report.fmax_mhz.map_or("not placed".into(), |mhz| format!("{mhz:.1} MHz"))),
    ]);
    for note in &report.notes {
        out += &format!("note: {note}\n");
    }
    out
}
