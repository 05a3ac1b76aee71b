//! The result, and how it is put together.

use crate::activity::Rate;
use crate::count;
use crate::design::{GeneratedDesign, Hierarchy, Lookup, MemoryShape, SwitchFacts};
use crate::energy::{LookupConstants, LookupEnergy, SLOT_BITS};
use crate::liberty::Liberty;
use crate::library::{Found, Loaded};
use crate::macros::UserMacro;
use crate::sram::{Macro, SramModel};
use crate::synthesis::{rounded, Paths, Synthesis, TimingPath};
use crate::{Library, Options, Wires};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that is known of a design in one library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthesisReport {
    /// Module that was estimated.
    pub top: String,
    /// Library.
    pub library: LibraryUsed,
    /// What ABC aimed at, and its target in ps.
    pub recipe: String,
    /// Yosys and OpenSTA.
    pub tools: Vec<String>,
    /// The whole, flat (unless told otherwise).
    pub whole: Synthesis,
    /// Area of cells in um2.
    pub cell_area_um2: f64,
    /// Area of memory macros in um2.
    pub memory_area_um2: f64,
    /// Both.
    pub area_um2: f64,
    /// Flip-flops.
    pub registers: u64,
    /// Bits in memories, macros and small ones.
    pub memory_bits: u64,
    /// Each module on its own, the top first.
    pub blocks: Vec<Block>,
    /// Each kind of memory.
    pub memories: Vec<MemoryReport>,
    /// Clock and what limits it.
    pub timing: Timing,
    /// The clock that was asked for, if one was, and the design has a path between registers to judge it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedClock>,
    /// The other end of the range of what memories can be, for a design with memory macros.
    pub other_memories: Option<OtherMemories>,
    /// Power.
    pub power: Power,
    /// Look-ups, for a switch that looks routes up in an external CAM.
    pub lookup: Option<LookupEnergy>,
    /// The same with energy and leakage of this design's own cache memories in place of the printed ones.
    pub lookup_own_memories: Option<LookupEnergy>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The library of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LibraryUsed {
    /// Name.
    pub name: String,
    /// File.
    pub file: String,
    /// Node for the memory model.
    pub node_nm: u32,
    /// Supply.
    pub voltage: f64,
}

/// One module, synthesised on its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Module.
    pub module: String,
    /// How often it is in the design.
    pub instances: u64,
    /// Standard cells of one, with all that is in it.
    pub cells: u64,
    /// Flip-flops of one.
    pub registers: u64,
    /// Area of one in um2, with all that is in it, memory macros included.
    pub area_um2: f64,
    /// Memory macros in it, in um2.
    pub memory_area_um2: f64,
    /// Area of one without the modules in it (what they need on their own is taken off; never below 0).
    pub own_area_um2: f64,
    /// Area of all instances in um2.
    pub total_area_um2: f64,
    /// Clock that it could have on its own, register to register, in MHz.
    pub fmax_mhz: Option<f64>,
    /// Longest path of any kind, also from and to its ports, in ns.
    pub longest_ns: Option<f64>,
    /// Its paths.
    pub paths: Paths,
}

/// One kind of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Module.
    pub module: String,
    /// How many.
    pub instances: u64,
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// The macro, or `None` for a small one that is made of flip-flops.
    pub as_macro: Option<Macro>,
}

/// Clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The path that limits the clock.
    pub critical: Option<TimingPath>,
    /// Shortest clock period in ns.
    pub period_ns: Option<f64>,
    /// Highest clock in MHz.
    pub fmax_mhz: Option<f64>,
    /// `path`, or the memory whose cycle is longer than any path.
    pub limited_by: String,
    /// Flit bits x Fmax in Gbit/s: what a link carries, for a switch.
    pub link_rate_gbps: Option<f64>,
    /// 672 bit x Fmax in Gbit/s: the line whose shortest frames (84-byte slots) come at one a cycle, the rate of
    /// routes.
    pub shortest_frame_rate_gbps: Option<f64>,
    /// Cycles of a header through the idle switch.
    pub latency_cycles: Option<u32>,
    /// The same in ns at Fmax.
    pub latency_ns: Option<f64>,
}

/// A clock that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedClock {
    /// The clock in MHz.
    pub mhz: f64,
    /// Whether the design reaches it.
    pub met: bool,
    /// What is left of a period behind the longest path and its clock uncertainty, in ns; below 0 what is missing.
    pub slack_ns: f64,
}

impl AskedClock {
    /// How a shortest period compares with the one of this clock.
    fn new(mhz: f64, shortest_ns: f64) -> AskedClock {
        let slack_ns = 1000.0 / mhz - shortest_ns;
        AskedClock { mhz, met: slack_ns >= 0.0, slack_ns: rounded(slack_ns) }
    }
}

/// Area and clock with memories as other sources have them than those of the report: generators and their models are
/// far apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherMemories {
    /// Where their areas and times come from.
    pub source: String,
    /// Area of memory macros in um2.
    pub memory_area_um2: f64,
    /// Cells and memories in um2.
    pub area_um2: f64,
    /// Shortest clock period in ns.
    pub period_ns: Option<f64>,
    /// Highest clock in MHz.
    pub fmax_mhz: Option<f64>,
    /// `path`, or the memory whose cycle is longer than any path.
    pub limited_by: String,
}

/// Power at the highest clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// Where activity comes from.
    pub activity: String,
    /// Clock in MHz that the figures are for.
    pub clock_mhz: f64,
    /// Inside cells and on nets, in W.
    pub cell_dynamic_w: f64,
    /// Leakage of cells in W.
    pub cell_leakage_w: f64,
    /// Reads and writes of memories, in W.
    pub memory_dynamic_w: f64,
    /// Leakage of memories in W.
    pub memory_leakage_w: f64,
    /// All.
    pub total_w: f64,
}

pub(crate) struct Parts<'a> {
    pub design: &'a GeneratedDesign,
    pub options: &'a Options<'a>,
    pub top: &'a str,
    pub found: &'a Found,
    pub loaded: &'a Loaded,
    pub library: &'a Liberty,
    pub tools: Vec<String>,
    pub hierarchy: &'a Hierarchy,
    pub results: BTreeMap<String, Synthesis>,
    pub model: &'a SramModel,
    pub other_model: Option<&'a SramModel>,
    pub rates: Option<&'a BTreeMap<String, Rate>>,
}

/// Puts a report together.
pub(crate) fn assemble(parts: Parts) -> SynthesisReport {
    let Parts { design, options, top, hierarchy, model, .. } = parts;
    let whole = parts.results[top].clone();
    let memory_area = rounded(macro_area(model, &whole));
    let memories = memories(&hierarchy.counts(top), model);
    let switch = design.switch.as_ref().filter(|_| options.block.is_none());
    let timing = timing(&whole, &memories, switch);
    let (lookup, lookup_own_memories) = lookups(switch, &timing, hierarchy, top, &memories);
    SynthesisReport {
        top: top.to_string(),
        library: LibraryUsed {
            name: parts.found.name.clone(),
            file: parts.found.path.display().to_string(),
            node_nm: parts.loaded.node_nm,
            voltage: parts.library.voltage,
        },
        recipe: format!("{}, target {} ps", options.recipe.name(), options.target_ps),
        tools: parts.tools.clone(),
        cell_area_um2: whole.cell_area_um2,
        memory_area_um2: memory_area,
        area_um2: rounded(whole.cell_area_um2 + memory_area),
        registers: whole.registers,
        memory_bits: memories.iter().map(|m| u64::from(m.depth) * u64::from(m.width) * m.instances).sum(),
        blocks: blocks(&parts),
        other_memories: other_memories(&parts, &whole),
        power: power(&whole, &memories, &timing, options, hierarchy, top, parts.rates),
        notes: notes(&parts, &whole, &memories, &timing),
        whole,
        memories,
        asked: options.clock_mhz.zip(timing.period_ns).map(|(mhz, shortest_ns)| AskedClock::new(mhz, shortest_ns)),
        timing,
        lookup,
        lookup_own_memories,
    }
}

/// Area of the memory macros in a module in um2.
fn macro_area(model: &SramModel, module: &Synthesis) -> f64 {
    let area = |(name, count): (&String, &u64)| {
        MemoryShape::of(name).map_or(0.0, |shape| model.estimate(shape).area_um2 * *count as f64)
    };
    module.macros.iter().map(area).sum()
}

/// The kinds of memory among modules with their numbers.
fn memories(counts: &BTreeMap<String, u64>, model: &SramModel) -> Vec<MemoryReport> {
    let shapes = counts.iter().filter_map(|(name, count)| Some((name, *count, MemoryShape::of(name)?)));
    let memory = |(module, instances, shape): (&String, u64, MemoryShape)| MemoryReport {
        module: module.clone(),
        instances,
        depth: shape.depth,
        width: shape.width,
        as_macro: (!shape.is_small()).then(|| model.estimate(shape)),
    };
    shapes.map(memory).collect()
}

/// Each module with a result of its own, the top first.
fn blocks(parts: &Parts) -> Vec<Block> {
    let Parts { options, top, hierarchy, results, model, .. } = parts;
    let counts = hierarchy.counts(top);
    // With all that is in it.
    let inclusive = |module: &str| match (results.get(module), MemoryShape::of(module)) {
        (Some(s), _) => s.cell_area_um2 + macro_area(model, s),
        (None, Some(shape)) => model.estimate(shape).area_um2,
        (None, None) => 0.0,
    };
    let block = |module: String| {
        let s = results.get(&module)?;
        let children = hierarchy.children(&module);
        let inside = children.iter().map(|child| {
            let here = hierarchy.instances[child].iter().filter(|(parent, _)| *parent == module).count();
            inclusive(child) * here as f64
        });
        let area = inclusive(&module);
        let own = if options.by_block { (area - inside.sum::<f64>()).max(0.0) } else { area };
        let instances = counts.get(&module).copied().unwrap_or(0);
        let period = s.paths.register_to_register.as_ref().map(|p| p.delay_ns);
        Some(Block {
            instances,
            cells: s.cells,
            registers: s.registers,
            area_um2: rounded(area),
            memory_area_um2: rounded(macro_area(model, s)),
            own_area_um2: rounded(own),
            total_area_um2: rounded(area * instances as f64),
            fmax_mhz: clock(period),
            longest_ns: s.paths.longest().map(|p| p.delay_ns),
            paths: s.paths.clone(),
            module,
        })
    };
    hierarchy.order(top).into_iter().filter_map(block).collect()
}

/// Power of look-ups with the printed constants, and with this design's own cache memories.
fn lookups(
    switch: Option<&SwitchFacts>,
    timing: &Timing,
    hierarchy: &Hierarchy,
    top: &str,
    memories: &[MemoryReport],
) -> (Option<LookupEnergy>, Option<LookupEnergy>) {
    let (Some(switch), Some(rate)) = (switch, timing.shortest_frame_rate_gbps) else { return (None, None) };
    if switch.lookup == Lookup::None {
        return (None, None);
    }
    let is_cached = switch.lookup == Lookup::CachedCam;
    let at = |constants| LookupEnergy::at(constants, switch.ports, rate * f64::from(switch.ports), is_cached);
    let own = own_cache(hierarchy, top, memories, switch.ports).filter(|_| is_cached);
    (Some(at(LookupConstants::hirasawa_2022())), own.map(at))
}

/// Which memories the model is about, where the user has macros: the energy of all of them is the model's.
fn modelled(parts: &Parts, memories: &[MemoryReport]) -> &'static str {
    let is_own = |memory: &MemoryReport| {
        MemoryShape::of(&memory.module).is_some_and(|shape| parts.model.macros.contains_key(&shape))
    };
    let mut macros = memories.iter().filter(|memory| memory.as_macro.is_some());
    match (memories.iter().any(is_own), macros.any(|memory| !is_own(memory))) {
        (false, _) => "",
        (true, true) => "other ",
        (true, false) => "energy of ",
    }
}

/// What a reader should know.
fn notes(parts: &Parts, whole: &Synthesis, memories: &[MemoryReport], timing: &Timing) -> Vec<String> {
    let Parts { options, library, model, loaded, .. } = parts;
    let of_memories = format!("{}{}, {} nm library", modelled(parts, memories), model.describe(), loaded.node_nm);
    let mut notes = vec![conditions(options, library), of_memories];
    for own in memories.iter().filter_map(|memory| model.macros.get(&MemoryShape::of(&memory.module)?)) {
        let UserMacro { file, cell, shape, access_ns, .. } = own;
        notes.push(format!("area and times of {} from {file}: {cell}, {access_ns:.3} ns to the data", shape.name()));
    }
    let no_area = whole.by_cell.iter().filter(|(name, _)| library.cell(name).is_some_and(|cell| cell.area() == 0.0));
    let no_area = count::list(no_area);
    if !no_area.is_empty() {
        notes.push(format!("cells without an area in the library count as 0 um2: {no_area}"));
    }
    if whole.power.internal_w == 0.0 {
        notes.push(
            "OpenSTA finds no internal power of these cells in this library: it is not in the cells' power".into(),
        );
    }
    if memories.iter().any(|m| m.as_macro.is_none()) {
        notes.push("memories below 512 bits or of up to 8 words are made of flip-flops".into());
    }
    if let (Some(mhz), None) = (options.clock_mhz, timing.period_ns) {
        notes.push(format!("there is no path between registers: nothing says whether {mhz} MHz are met"));
    }
    if loaded.guessed {
        notes.push("the library's node is not known: memories as at 45 nm (give the node to change that)".into());
    }
    notes
}

/// What the timing reckons with, for every library by the same rule.
fn conditions(options: &Options, library: &Liberty) -> String {
    let clock = match options.clock_uncertainty_ns {
        0.0 => "ideal clock".into(),
        uncertainty => format!("clock uncertainty {uncertainty} ns"),
    };
    let wires = match (options.wires, &library.wire_load) {
        (Wires::None, _) => "no wires".into(),
        (Wires::Library, None) => "no wires (the library has no default wire load)".into(),
        (Wires::Library, Some(name)) => format!("wires by the library's default wire load {name}"),
    };
    let corner = match options.library {
        Library::Name(_) => "typical corner",
        Library::File { .. } => "corner as in the library file",
    };
    format!("{clock}; {wires}; {corner}")
}

/// The shortest period, and what limits it: a path from register to register, or the cycle of a memory among `macros`.
fn limit<'a>(paths: &Paths, macros: impl Iterator<Item = (&'a String, Macro)>) -> (Option<f64>, String) {
    let mut period = paths.register_to_register.as_ref().map(|path| path.delay_ns);
    let mut limited_by = "path".to_string();
    for (module, made) in macros {
        if period.is_none_or(|period| made.cycle_ns > period) {
            period = Some(rounded(made.cycle_ns));
            limited_by.clone_from(module);
        }
    }
    (period, limited_by)
}

/// Megahertz of a period in ns.
fn clock(period: Option<f64>) -> Option<f64> {
    period.map(|ns| rounded(1000.0 / ns))
}

fn other_memories(parts: &Parts, whole: &Synthesis) -> Option<OtherMemories> {
    let (model, paths) = (parts.other_model?, whole.other_paths.as_ref()?);
    let macros = whole.macros.keys().filter_map(|name| Some((name, model.estimate(MemoryShape::of(name)?))));
    let (period_ns, limited_by) = limit(paths, macros);
    let memory_area = macro_area(model, whole);
    Some(OtherMemories {
        source: model.places(),
        memory_area_um2: rounded(memory_area),
        area_um2: rounded(whole.cell_area_um2 + memory_area),
        period_ns,
        fmax_mhz: clock(period_ns),
        limited_by,
    })
}

fn timing(whole: &Synthesis, memories: &[MemoryReport], switch: Option<&SwitchFacts>) -> Timing {
    let macros = memories.iter().filter_map(|memory| Some((&memory.module, memory.as_macro.clone()?)));
    let (period, limited_by) = limit(&whole.paths, macros);
    let fmax = clock(period);
    let latency_cycles = switch.and_then(|switch| switch.latency_cycles);
    // Gbit/s of so many bits a cycle.
    let rate = |bits: f64| fmax.map(|mhz| rounded(bits * mhz / 1000.0));
    Timing {
        critical: whole.paths.register_to_register.clone(),
        period_ns: period,
        fmax_mhz: fmax,
        limited_by,
        link_rate_gbps: switch.and_then(|switch| rate(f64::from(switch.flit_bits))),
        shortest_frame_rate_gbps: rate(SLOT_BITS),
        latency_cycles,
        latency_ns: latency_cycles.zip(period).map(|(c, p)| rounded(f64::from(c) * p)),
    }
}

fn power(
    whole: &Synthesis,
    memories: &[MemoryReport],
    timing: &Timing,
    options: &Options,
    hierarchy: &Hierarchy,
    top: &str,
    rates: Option<&BTreeMap<String, Rate>>,
) -> Power {
    // At the highest clock, unless one was asked for.
    let period = timing.period_ns.filter(|_| options.clock_mhz.is_none()).unwrap_or(options.period_ns);
    let cells = &whole.power;
    let dynamic = (cells.internal_w + cells.switching_w) * cells.period_ns / period;
    let (mut memory_pj, mut memory_leakage) = (0.0, 0.0);
    for memory in memories {
        let Some(m) = &memory.as_macro else { continue };
        memory_leakage += m.leakage_mw * 1e-3 * memory.instances as f64;
        match rates {
            // Reads: cycles with a new address; writes: cycles with write_enable.
            Some(rates) => {
                for path in paths_of(hierarchy, top, &memory.module) {
                    let rate = |name: String| rates.get(&name).copied();
                    let writes = rate(format!("{path}.write_enable")).map_or(0.0, |r| r.duty);
                    let bits = MemoryShape { depth: memory.depth, width: memory.width }.address();
                    let bit = |b: u32| rate(format!("{path}.read_address[{b}]")).map_or(0.0, |r| r.per_cycle);
                    let one = rate(format!("{path}.read_address")).map_or(0.0, |r| r.per_cycle);
                    let reads = ((0..bits).map(bit).sum::<f64>() + one).min(1.0);
                    memory_pj += m.read_pj * reads + m.write_pj * writes;
                }
            }
            None => memory_pj += (m.read_pj + m.write_pj * options.toggle) * memory.instances as f64,
        }
    }
    let memory_dynamic = memory_pj * 1e-12 / (period * 1e-9);
    let activity = match (&options.activity, cells.annotated) {
        (Some(file), Some((known, all))) => {
            format!("{file}: {known} of {all} inputs, registers and memory outputs")
        }
        _ => format!(
            "assumed, not measured: {} transitions a cycle at each input, a read a cycle and {} writes a cycle in each memory",
            options.toggle, options.toggle
        ),
    };
    Power {
        activity,
        clock_mhz: rounded(1000.0 / period),
        cell_dynamic_w: nano(dynamic),
        cell_leakage_w: nano(cells.leakage_w),
        memory_dynamic_w: nano(memory_dynamic),
        memory_leakage_w: nano(memory_leakage),
        total_w: nano(dynamic + cells.leakage_w + memory_dynamic + memory_leakage),
    }
}

/// To a nanowatt.
fn nano(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// Paths (names joined by dots) of all instances of a module.
fn paths_of(hierarchy: &Hierarchy, top: &str, module: &str) -> Vec<String> {
    let Some(list) = hierarchy.instances.get(module) else { return Vec::new() };
    let mut paths = Vec::new();
    for (parent, name) in list {
        if parent == top {
            paths.push(name.clone());
        } else {
            paths.extend(paths_of(hierarchy, top, parent).into_iter().map(|p| format!("{p}.{name}")));
        }
    }
    paths
}

/// Energy and leakage of the memories inside `routing_cache*` modules, per port.
fn own_cache(hierarchy: &Hierarchy, top: &str, memories: &[MemoryReport], ports: u32) -> Option<LookupConstants> {
    let caches: Vec<String> = hierarchy.order(top).into_iter().filter(|m| m.starts_with("routing_cache")).collect();
    let (mut read_pj, mut leakage_mw) = (0.0, 0.0);
    for memory in memories {
        let Some(m) = &memory.as_macro else { continue };
        let inside = |cache: &String| hierarchy.counts(cache).get(&memory.module).copied().unwrap_or(0);
        let all = hierarchy.counts(top);
        for cache in &caches {
            let n = inside(cache) as f64 * all.get(cache).copied().unwrap_or(0) as f64;
            read_pj += m.read_pj * n;
            leakage_mw += m.leakage_mw * n;
        }
    }
    (read_pj > 0.0).then(|| LookupConstants {
        cache_nj: rounded(read_pj / 1000.0 / f64::from(ports)),
        cache_mw: rounded(leakage_mw / f64::from(ports)),
        source: "this design's cache memories by the memory model; CAM as in Hirasawa2022".to_string(),
        ..LookupConstants::hirasawa_2022()
    })
}
