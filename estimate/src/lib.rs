//! Area, clock and energy of a generated design, from Yosys synthesis and OpenSTA timing.
//!
//! [`estimate()`] takes the design as data ([`Design`]: the Verilog files), a [`Library`] and [`Options`], and gives a [`Report`].
//! The flow scripts are those in `scripts/flow`; a user can run them alone.
//!
//! - Modules named `ram_1r1w_<depth>x<width>` are memories: macros from the model in [`sram`], or, when small
//!   ([`MemoryShape::is_small`]), flip-flops made from their Verilog.
//! - The whole (or one block) is flattened and timed register to register: memories included, ideal clock, no wires.
//! - Each module is also synthesised on its own: that is the area by block. Logic that is optimised across a border makes the sum
//!   differ from the whole by some per cent; both are given.
//! - Results are kept by content (Verilog, library, scripts, options, tool versions): the same question is answered from the
//!   cache.
//! - A Verilog file with text macros (`` `define ``) used by several modules is not supported: Railyard writes none.

#![warn(missing_docs)]

mod activity;
mod cache;
mod design;
mod energy;
mod error;
pub mod fpga;
mod harness;
mod liberty;
mod library;
mod modules;
mod partition;
mod report;
pub mod sram;
mod synthesis;
mod tools;

pub use design::{Design, Hierarchy, MemoryShape};
pub use energy::{packets_per_second, LookupConstants, LookupEnergy, SLOT_BITS};
pub use error::Error;
pub use liberty::{Cell, Liberty, Pin};
pub use library::{Library, Named, LIBERTY_DIR};
pub use report::{Block, LibraryUsed, Memory, Power, Report, Timing};
pub use synthesis::{CellPower, PathPoint, Paths, Synthesis, TimingPath};

use cache::{Cache, Key};
use modules::{check_block, split};
use partition::{Loads, Netlist, Plan};
use railyard_input::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use synthesis::Flow;

/// What ABC aims at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recipe {
    /// The shortest path; about a quarter more area than `Area`.
    #[default]
    Speed,
    /// In between.
    Balanced,
    /// The least area; paths up to 1.6 times as long.
    Area,
    /// Yosys' own script (`abc -D 100 -constr`): what figures of other designs are usually made with.
    Yosys,
}

impl Recipe {
    /// Its name in `synth.tcl`.
    pub fn name(self) -> &'static str {
        match self {
            Recipe::Speed => "speed",
            Recipe::Balanced => "balanced",
            Recipe::Area => "area",
            Recipe::Yosys => "yosys",
        }
    }
}

/// Called with finished runs, all runs, and the module whose run begins.
pub type Progress = dyn Fn(usize, usize, &str) + Sync;

/// How to estimate.
#[derive(Clone)]
pub struct Options<'a> {
    /// Library to map to.
    pub library: Library,
    /// Folders with Liberty files, looked at before [`LIBERTY_DIR`].
    pub library_directories: Vec<PathBuf>,
    /// Only this module and what is in it.
    pub block: Option<String>,
    /// Synthesise each module on its own too, for the area by block.
    pub by_block: bool,
    /// Flatten the whole, so that logic is optimised across all borders: hours for a large switch. `false`: by parts
    /// (an input unit, an allocator), each synthesised once and kept by content; the whole is linked from them and timed.
    pub flatten: bool,
    /// What ABC aims at.
    pub recipe: Recipe,
    /// Delay target of mapping and sizing in ps; 1: as fast as it goes.
    pub target_ps: u32,
    /// Clock port.
    pub clock: String,
    /// Clock period in ns for power.
    pub period_ns: f64,
    /// Without an activity file: transitions in a cycle at each input.
    pub toggle: f64,
    /// A VCD of the design at work (for instance of `railyard verify --trace`), for power.
    pub activity: Option<Source>,
    /// Another table of memories than the built-in one.
    pub sram_table: Option<Source>,
    /// Where results are kept; `None`: nowhere.
    pub cache: Option<PathBuf>,
    /// Keep design, netlist, macros (black boxes and Liberty view) and Yosys' counts of the whole in this folder; this run is not
    /// answered from the cache.
    pub keep: Option<PathBuf>,
    /// Synthesis runs side by side.
    pub jobs: usize,
    /// Told what is done: finished, all, and what begins.
    pub progress: Option<&'a Progress>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            library: Library::Name("nangate45".into()),
            library_directories: Vec::new(),
            block: None,
            by_block: true,
            flatten: true,
            recipe: Recipe::Speed,
            target_ps: 1,
            clock: "clock".into(),
            period_ns: 1.0,
            toggle: 0.1,
            activity: None,
            sram_table: None,
            cache: None,
            keep: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            progress: None,
        }
    }
}

/// Area, timing, power and look-up energy of a design.
pub fn estimate(design: &Design, options: &Options) -> Result<Report, Error> {
    let modules = split(design);
    let top = options.block.clone().unwrap_or_else(|| design.top.clone());
    check_block(&modules, &top)?;
    if let Some(keep) = &options.keep {
        std::fs::create_dir_all(keep).map_err(error::at(keep))?;
        if std::fs::read_dir(keep).map_err(error::at(keep))?.next().is_some() {
            let why = "holds files already; empty it first or name another folder";
            return Err(error::at(keep)(std::io::Error::new(std::io::ErrorKind::AlreadyExists, why)));
        }
    }
    let versions = tools::versions()?;
    let found = options.library.find(&options.library_directories)?;
    let table = match &options.sram_table {
        Some(file) => sram::Table::read(file)?,
        None => sram::Table::built_in(),
    };
    let rates = match &options.activity {
        Some(file) => {
            if options.block.is_some() {
                let reason = "goes with the whole design, not with a block".to_string();
                return Err(Error::Activity { path: file.to_string().into(), reason });
            }
            Some(activity::read(file, &top, &options.clock)?)
        }
        None => None,
    };
    let activity_text = rates.as_ref().map(activity::lines);
    let cache = Cache::new(options.cache.as_deref())?;
    let mut base = Key::new();
    let scripts = format!("{}{}{}", tools::SYNTH, tools::TIMING, tools::HIERARCHY);
    let version = concat!(env!("CARGO_PKG_VERSION"), " parts 2");
    base.add(&found.bytes);
    for text in [&versions[0], &versions[1], &scripts, &serde_json::to_string(&table).unwrap_or_default(), version] {
        base.add(text.as_bytes());
    }
    let settings = format!(
        "{} {} {} {} {} {:?}",
        options.recipe.name(),
        options.target_ps,
        options.clock,
        options.period_ns,
        options.toggle,
        found.node_nm
    );
    base.add(settings.as_bytes());
    let mut whole_key = base.clone();
    for (name, text) in &modules {
        whole_key.add(name.as_bytes()).add(text.as_bytes());
    }
    let extras = (design.latency_cycles, design.ports, options.by_block, options.flatten, &found.name, &found.path);
    whole_key
        .add(top.as_bytes())
        .add(format!("{extras:?}").as_bytes())
        .add(activity_text.as_deref().unwrap_or_default().as_bytes());
    let whole_key = whole_key.finish("report");
    if let Some(report) = cache.get(&whole_key).filter(|_| options.keep.is_none()) {
        return Ok(report);
    }

    let loaded = found.load()?;
    let bad = |reason| Error::Liberty { path: found.path.clone(), reason };
    let library = Liberty::parse(&loaded.text).map_err(bad)?;
    let work = tempfile::tempdir().map_err(error::at(Path::new("temporary folder")))?;
    let file = |name: &str, text: &str| -> Result<PathBuf, Error> {
        let path = work.path().join(name);
        std::fs::write(&path, text).map_err(error::at(&path))?;
        Ok(path)
    };
    let liberty_file = file("library.lib", &loaded.text)?;
    let mapping_file = file("mapping.lib", &library.for_mapping())?;
    let model = table.model(loaded.node_nm);

    let hierarchy = hierarchy(&modules, &top, &base, &cache, work.path())?;
    let counts = hierarchy.counts(&top);
    let flow = Flow {
        liberty: &library,
        liberty_file: &liberty_file,
        mapping_file: &mapping_file,
        model: &model,
        hierarchy: &hierarchy,
        recipe: options.recipe.name(),
        target_ps: options.target_ps,
        json: false,
        power: true,
        clock: &options.clock,
        period_ns: options.period_ns,
        toggle: options.toggle,
    };
    let is_macro = |name: &str| MemoryShape::of(name).is_some_and(|s| !s.is_small());
    let order = hierarchy.order(&top);
    // A block with registers of its own is what others take as a part.
    let flatten = options.flatten
        || options.activity.is_some()
        || (options.block.is_some() && Plan::holds_state(&top, &hierarchy, &modules));
    let plan = if flatten { Plan::default() } else { Plan::new(&top, &hierarchy, &modules) };
    let mut jobs: Vec<Job> = Vec::new();
    if flatten {
        jobs.push(Job::Block(&top));
    } else {
        jobs.extend(plan.parts.iter().chain(&plan.opened).map(|m| Job::Part(m)));
    }
    if options.by_block {
        let own = |m: &&String| **m != top && !is_macro(m) && !plan.opened.contains(m) && !plan.parts.contains(m);
        jobs.extend(order.iter().filter(own).map(|m| Job::Block(m)));
    }
    let macros_of = |module: &str| -> Vec<MemoryShape> {
        hierarchy.order(module).iter().filter(|m| is_macro(m)).filter_map(|m| MemoryShape::of(m)).collect()
    };
    let folder_of = |name: String| -> Result<PathBuf, Error> {
        let folder = work.path().join(name);
        std::fs::create_dir(&folder).map_err(error::at(&folder))?;
        Ok(folder)
    };
    let keep_files = |from: &Path| -> Result<(), Error> {
        let Some(keep) = &options.keep else { return Ok(()) };
        for name in ["netlist.v", "macros.lib", "stat.txt"] {
            let (from, to) = (from.join(name), keep.join(name));
            if from.is_file() {
                std::fs::copy(&from, &to).map_err(error::at(&to))?;
            }
        }
        let put = |name: &str, text: &str| {
            let to = keep.join(name);
            std::fs::write(&to, text).map_err(error::at(&to))
        };
        let inside = hierarchy.order(&top);
        put("design.v", &inside.iter().filter(|m| !is_macro(m)).map(|m| modules[m].as_str()).collect::<String>())?;
        match macros_of(&top) {
            macros if macros.is_empty() => Ok(()),
            macros => put("macros.v", &sram::black_boxes(&macros)),
        }
    };
    // A module with all that is in it, flat.
    let block = |index: usize, module: &str| -> Result<Synthesis, Error> {
        let cone: BTreeSet<String> = hierarchy.order(module).into_iter().collect();
        let macros = macros_of(module);
        let verilog: BTreeMap<String, String> =
            cone.iter().filter(|m| !is_macro(m)).map(|m| (m.clone(), modules[m].clone())).collect();
        let activity = activity_text.as_deref().filter(|_| module == top);
        let mut key = base.clone();
        for (name, text) in &verilog {
            key.add(name.as_bytes()).add(text.as_bytes());
        }
        key.add(format!("{macros:?}").as_bytes());
        key.add(module.as_bytes()).add(activity.unwrap_or("").as_bytes());
        let key = key.finish("synthesis");
        let keep = module == top && options.keep.is_some();
        if let Some(done) = cache.get(&key).filter(|_| !keep) {
            return Ok(done);
        }
        let folder = folder_of(format!("{index}"))?;
        let result = flow.run(module, &verilog, &macros, activity, &folder)?;
        if keep {
            keep_files(&folder)?;
        }
        cache.put(&key, &result)?;
        Ok(result)
    };
    // A part with all that is in it, or an opened module with its parts left out.
    let part = |index: usize, module: &str| -> Result<Netlist, Error> {
        let opened = plan.opened.iter().any(|m| m == module);
        let (mut verilog, mut boxes) = (BTreeMap::new(), String::new());
        let inside = if opened { hierarchy.children(module) } else { hierarchy.order(module) };
        for name in inside.iter().filter(|m| !is_macro(m) && *m != module) {
            match opened {
                true => boxes += &partition::black_box(&modules[name]),
                false => drop(verilog.insert(name.clone(), modules[name].clone())),
            }
        }
        verilog.insert(module.to_string(), modules[module].clone());
        let macros: Vec<MemoryShape> =
            inside.iter().filter(|m| is_macro(m)).filter_map(|m| MemoryShape::of(m)).collect();
        let mut key = base.clone();
        for (name, text) in &verilog {
            key.add(name.as_bytes()).add(text.as_bytes());
        }
        let key = key.add(format!("{macros:?}").as_bytes()).add(boxes.as_bytes()).add(module.as_bytes()).clone();
        let key = key.finish("part");
        if let Some(done) = cache.get(&key) {
            return Ok(done);
        }
        let folder = folder_of(format!("part{index}"))?;
        let own = Flow { json: true, ..flow };
        let mut counts = own.synthesise(module, &verilog, &boxes, &macros, &folder)?;
        if !opened {
            own.time(module, &macros, None, &folder, &mut counts)?;
        }
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(error::at(&path))
        };
        let mut netlist = Netlist { counts, ..Netlist::default() };
        let json = read("netlist.json")?;
        if opened {
            netlist.json = json;
        } else {
            netlist.verilog = read("netlist.v")?;
            netlist.loads =
                partition::input_loads(module, &json, &library, sram::input_load(&model), &Loads::default())?;
        }
        cache.put(&key, &netlist)?;
        Ok(netlist)
    };
    let run = |index: usize, job: &Job| match job {
        Job::Block(module) => block(index, module).map(Made::Block),
        Job::Part(module) => part(index, module).map(Made::Part),
    };
    let (mut results, mut netlists) = (BTreeMap::new(), BTreeMap::new());
    for (job, made) in side_by_side(&jobs, options, &run)? {
        match (job, made) {
            (Job::Block(module), Made::Block(made)) => drop(results.insert(module.to_string(), made)),
            (Job::Part(module), Made::Part(made)) => drop(netlists.insert(module.to_string(), made)),
            _ => {}
        }
    }
    if !flatten {
        if let Some(progress) = options.progress {
            progress(jobs.len(), jobs.len(), "linking and timing the whole");
        }
        let folder = folder_of("whole".to_string())?;
        let (mut loads, mut text) = (Loads::default(), String::new());
        for name in &plan.parts {
            let netlist = &netlists[name];
            loads.insert(name, netlist.loads.clone());
            text += &netlist.verilog;
            results.entry(name.clone()).or_insert_with(|| netlist.counts.clone());
        }
        // From the inside out: buffers inside a module count before those of who instantiates it.
        for name in &plan.opened {
            let netlist = &netlists[name];
            let memory = sram::input_load(&model);
            let linked = partition::link(name, &netlist.json, &library, memory, &loads, &options.clock)?;
            loads.insert(name, linked.loads);
            text += &linked.verilog;
            let mut sum = netlist.counts.clone();
            for (cell, n) in &linked.buffers {
                let area = library.cell(cell).map_or(0.0, |c| c.area);
                let one = Synthesis {
                    cells: 1,
                    cell_area_um2: area,
                    by_cell: BTreeMap::from([(cell.clone(), 1)]),
                    ..Synthesis::default()
                };
                partition::add(&mut sum, &one, *n);
            }
            for child in hierarchy.children(name).iter().filter(|c| !is_macro(c)) {
                let n = hierarchy.instances[child].iter().filter(|(parent, _)| parent == name).count() as u64;
                partition::add(&mut sum, &results[child], n);
            }
            results.insert(name.clone(), sum);
        }
        let path = folder.join("netlist.v");
        std::fs::write(&path, text).map_err(error::at(&path))?;
        let mut whole = results[&top].clone();
        // Its power is that of its parts.
        let timed =
            Flow { power: false, ..flow }.time(&top, &macros_of(&top), activity_text.as_deref(), &folder, &mut whole);
        keep_files(&folder)?;
        timed?;
        results.insert(top.clone(), whole);
    }

    let used = LibraryUsed {
        name: found.name.clone(),
        file: found.path.display().to_string(),
        node_nm: loaded.node_nm,
        voltage: library.voltage,
    };
    let mut report = report::assemble(report::Parts {
        design,
        options,
        top: &top,
        used,
        tools: versions.to_vec(),
        hierarchy: &hierarchy,
        counts: &counts,
        results,
        model: &model,
        rates: rates.as_ref(),
    });
    if loaded.guessed {
        report
            .notes
            .push("the library's node is not known: memories as at 45 nm (give the node to change that)".into());
    }
    cache.put(&whole_key, &report)?;
    Ok(report)
}

/// What is synthesised at a time.
#[derive(Clone, Copy)]
enum Job<'a> {
    /// A module with all that is in it, timed too.
    Block(&'a str),
    /// A part or an opened module.
    Part(&'a str),
}

/// What comes of a job.
enum Made {
    Block(Synthesis),
    Part(Netlist),
}

type Run<'a> = dyn Fn(usize, &Job) -> Result<Made, Error> + Sync + 'a;

/// Runs all jobs, the first (the largest) first.
fn side_by_side<'a>(jobs: &[Job<'a>], options: &Options, run: &Run) -> Result<Vec<(Job<'a>, Made)>, Error> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Ok(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, jobs.len()) {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { return };
                if let Some(progress) = options.progress {
                    let (Job::Block(module) | Job::Part(module)) = job;
                    progress(done.load(Ordering::Relaxed), jobs.len(), module);
                }
                let result = run(index, job);
                done.fetch_add(1, Ordering::Relaxed);
                let mut all = results.lock().unwrap_or_else(|e| e.into_inner());
                match (result, &mut *all) {
                    (Ok(result), Ok(list)) => list.push((*job, result)),
                    (Err(error), Ok(_)) => {
                        *all = Err(error);
                        next.store(jobs.len(), Ordering::Relaxed);
                    }
                    _ => {}
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// Who instantiates whom, from Yosys.
fn hierarchy(
    modules: &BTreeMap<String, String>,
    top: &str,
    base: &Key,
    cache: &Cache,
    work: &Path,
) -> Result<Hierarchy, Error> {
    let mut key = base.clone();
    for (name, text) in modules {
        key.add(name.as_bytes()).add(text.as_bytes());
    }
    let key = key.add(top.as_bytes()).clone().finish("hierarchy");
    if let Some(known) = cache.get(&key) {
        return Ok(known);
    }
    let folder = work.join("hierarchy");
    std::fs::create_dir(&folder).map_err(error::at(&folder))?;
    for (name, text) in modules {
        let path = folder.join(format!("{name}.v"));
        std::fs::write(&path, text).map_err(error::at(&path))?;
    }
    let names: Vec<String> = modules.keys().cloned().collect();
    let files: Vec<String> = names.iter().map(|n| format!("{n}.v")).collect();
    let settings = [
        ("RY_VERILOG", files.join(" ")),
        ("RY_TOP", top.to_string()),
        ("RY_MODULES", names.join(" ")),
        ("RY_OUT", ".".to_string()),
    ];
    tools::run("yosys", tools::HIERARCHY, &folder, top, &settings)?;
    let mut tree = Hierarchy::default();
    for name in names {
        let path = folder.join(format!("{name}.instances"));
        let text = std::fs::read_to_string(&path).map_err(error::at(&path))?;
        let pair = |line: &str| line.split_once('/').map(|(a, b)| (a.to_string(), b.to_string()));
        let mut list: Vec<(String, String)> = text.lines().filter_map(pair).collect();
        list.sort();
        if !list.is_empty() {
            tree.instances.insert(name, list);
        }
    }
    cache.put(&key, &tree)?;
    Ok(tree)
}
