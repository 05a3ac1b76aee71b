//! Area, clock and energy of a generated design, from Yosys synthesis and OpenSTA timing.
//!
//! [`estimate()`] takes the design as data ([`GeneratedDesign`]: the Verilog files), a [`Library`] and [`Options`], and
//! gives a [`SynthesisReport`]. The flow scripts are those in `scripts/flow`; a user can run them alone.
//!
//! - Modules named `ram_1r1w_<depth>x<width>` are memories: macros from the model in [`sram`], or, when small
//!   ([`MemoryShape::is_small`]), flip-flops made from their Verilog.
//! - The whole (or one block) is flattened and timed register to register: memories included, ideal clock; wires by the
//!   library's default wire load, if it has one, or none ([`Wires`]).
//! - Each module is also synthesised on its own: that is the area by block. Logic that is optimised across a border
//!   makes the sum differ from the whole by some per cent; both are given.
//! - Figures that a tool did not give are errors, never zeros.
//! - Results are kept by content (Verilog, library, scripts, options, tool versions): the same question is answered
//!   from the cache.
//! - A Verilog file with text macros (`` `define ``) used by several modules is not supported: Railyard writes none.

mod activity;
mod at_clock;
mod circuit;
mod count;
mod design;
mod energy;
mod error;
pub mod fpga;
mod harness;
mod hierarchy;
mod inputs;
mod keep;
mod liberty;
mod library;
mod macros;
mod modules;
mod partition;
mod report;
pub mod sram;
mod synthesis;
mod timing;
mod tools;
mod work;

pub use design::{GeneratedDesign, Hierarchy, Lookup, MemoryShape, SwitchFacts};
pub use energy::{packets_per_second, LookupConstants, LookupEnergy, SLOT_BITS};
pub use error::Error;
pub use liberty::{Cell, CellPin, Liberty};
pub use library::{Library, NamedLibrary, LIBERTY_DIR};
pub use report::{AskedClock, Block, LibraryUsed, MemoryReport, OtherMemories, Power, SynthesisReport, Timing};
pub use synthesis::{CellPower, PathPoint, Paths, Synthesis, TimingPath};

use hierarchy::hierarchy;
use inputs::Inputs;
use library::Loaded;
use macros::UserMacro;
use modules::{check_block, split};
use partition::Plan;
use railyard_cache::DiskCache;
use railyard_input::InputSource;
use railyard_programs::DraftFolder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use synthesis::Flow;
use work::Work;

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

/// Whose loads of wires OpenSTA reckons with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wires {
    /// Those of the library's default wire load, if it has one.
    #[default]
    Library,
    /// None, whatever the library says.
    None,
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
    /// (an input unit, an allocator), each synthesised once and kept by content; the whole is linked from them and
    /// timed.
    pub flatten: bool,
    /// What ABC aims at.
    pub recipe: Recipe,
    /// Delay target of mapping and sizing in ps; 1: as fast as it goes.
    pub target_ps: u32,
    /// Clock port.
    pub clock: String,
    /// Clock period in ns for power.
    pub period_ns: f64,
    /// Clock in MHz to map for, in place of the fastest: `target_ps` and `period_ns` follow from it. Power is at this
    /// clock.
    pub clock_mhz: Option<f64>,
    /// Clock uncertainty (jitter, skew) in ns, which every period has to leave.
    pub clock_uncertainty_ns: f64,
    /// Loads of wires.
    pub wires: Wires,
    /// Without an activity file: transitions in a cycle at each input.
    pub toggle: f64,
    /// A VCD of the design at work (for instance of `railyard verify --trace`), for power.
    pub activity: Option<InputSource>,
    /// Another table of memories than the built-in one.
    pub sram_table: Option<InputSource>,
    /// Liberty files of memory macros, which have a macro for each memory of the design.
    pub macros: Vec<InputSource>,
    /// Where results are kept; `None`: nowhere.
    pub cache: Option<PathBuf>,
    /// Keep design, netlist, macros (black boxes and Liberty view) and Yosys' counts of the whole in this folder; this
    /// run is not answered from the cache.
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
            clock_mhz: None,
            clock_uncertainty_ns: 0.0,
            wires: Wires::default(),
            toggle: 0.1,
            activity: None,
            sram_table: None,
            macros: Vec::new(),
            cache: None,
            keep: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            progress: None,
        }
    }
}

/// The name under which a report is kept.
fn report_name(
    design: &GeneratedDesign,
    options: &Options,
    modules: &BTreeMap<String, String>,
    top: &str,
    inputs: &Inputs,
) -> String {
    let found = &inputs.found;
    let extras = (&design.switch, options.by_block, options.flatten, &found.name, &found.path);
    let key = modules.iter().fold(inputs.key(options), |key, (name, text)| key.part(name, text));
    let key = key.part("top", top).part("extras", format!("{extras:?}"));
    let key = key.part("activity", inputs.activity.as_ref().map_or("", |activity| &activity.lines));
    format!("report-{}", key.finish())
}

/// The report that [`estimate`] kept when it was last asked the same, if there is one. Nothing is synthesised.
pub fn kept(design: &GeneratedDesign, options: &Options) -> Option<SynthesisReport> {
    let modules = split(design);
    let top = options.block.clone().unwrap_or_else(|| design.top.clone());
    let inputs = Inputs::read(options, &top).ok()?;
    let name = report_name(design, options, &modules, &top, &inputs);
    DiskCache::open(options.cache.as_deref()).get(&name)
}

/// Area, timing, power and look-up energy of a design.
///
/// # Errors
/// A missing tool or library, a block that the design does not have, a result that can't be.
pub fn estimate(design: &GeneratedDesign, options: &Options) -> Result<SynthesisReport, Error> {
    match options.clock_mhz {
        Some(mhz) => at_clock::estimate(design, options, mhz),
        None => estimate_once(design, options),
    }
}

/// One mapping.
fn estimate_once(design: &GeneratedDesign, options: &Options) -> Result<SynthesisReport, Error> {
    let modules = split(design);
    let top = options.block.clone().unwrap_or_else(|| design.top.clone());
    check_block(&modules, &top)?;
    let _kept = options.keep.as_deref().map(keep::claim).transpose()?;
    let inputs = Inputs::read(options, &top)?;
    let cache = DiskCache::open(options.cache.as_deref());
    let base = inputs.key(options);
    let found = &inputs.found;
    let name = report_name(design, options, &modules, &top, &inputs);
    if options.keep.is_none() {
        if let Some(report) = cache.get(&name) {
            return Ok(report);
        }
    }
    let loaded = found.load()?;
    let bad = |reason| Error::Liberty { path: found.path.clone(), reason };
    let library = &Liberty::parse(&loaded.text).map_err(bad)?;
    let folder = DraftFolder::scratch().map_err(error::at(Path::new("temporary folder")))?;
    let tree = hierarchy(&modules, &top, &inputs.yosys, &base, &cache, folder.path())?;
    let report = Setting {
        design,
        options,
        modules: &modules,
        top: &top,
        inputs: &inputs,
        loaded: &loaded,
        library,
        tree: &tree,
    }
    .report(&cache, &base, folder.path())?;
    cache.put(&name, &report);
    Ok(report)
}

/// A design with all that is known before the work begins.
struct Setting<'a> {
    design: &'a GeneratedDesign,
    options: &'a Options<'a>,
    modules: &'a BTreeMap<String, String>,
    top: &'a str,
    inputs: &'a Inputs,
    loaded: &'a Loaded,
    library: &'a Liberty,
    tree: &'a Hierarchy,
}

impl Setting<'_> {
    /// The user's macros, if there are any: one for each memory.
    fn macros(&self) -> Result<BTreeMap<MemoryShape, UserMacro>, Error> {
        let given = &self.inputs.macros;
        let inside = self.tree.order(self.top);
        let shapes = inside.iter().filter_map(|module| MemoryShape::of(module)).filter(|shape| !shape.is_small());
        let missing: Vec<String> = shapes.filter(|shape| !given.contains_key(shape)).map(MemoryShape::name).collect();
        if missing.is_empty() || given.is_empty() {
            return Ok(given.clone());
        }
        Err(Error::NoMacro { missing, known: given.keys().map(|shape| shape.name()).collect() })
    }

    /// Synthesises and times in `folder`.
    fn report(&self, cache: &DiskCache, base: &railyard_cache::Key, folder: &Path) -> Result<SynthesisReport, Error> {
        let Setting { design, options, modules, top, inputs, loaded, library, tree } = *self;
        let file = |name: &str, text: &str| -> Result<PathBuf, Error> {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(error::at(&path))?;
            Ok(path)
        };
        let liberty_file = file("library.lib", &library.for_timing(options.wires))?;
        let mapping_file = file("mapping.lib", &library.for_mapping())?;
        let mut model = inputs.table.model(loaded.node_nm);
        let other_model = inputs.table.other_model(&model).filter(|_| inputs.macros.is_empty());
        model.macros = self.macros()?;
        // A block with registers of its own is what others take as a part.
        let flatten = options.flatten
            || inputs.activity.is_some()
            || (options.block.is_some() && Plan::holds_state(top, tree, modules));
        let flow = Flow {
            yosys: &inputs.yosys,
            sta: &inputs.sta,
            liberty: library,
            liberty_file: &liberty_file,
            mapping_file: &mapping_file,
            model: &model,
            hierarchy: tree,
            recipe: options.recipe.name(),
            target_ps: options.target_ps,
            json: false,
            power: true,
            clock: &options.clock,
            period_ns: options.period_ns,
            uncertainty_ns: options.clock_uncertainty_ns,
            toggle: options.toggle,
        };
        let work = Work {
            options,
            modules,
            top,
            hierarchy: tree,
            library,
            model: &model,
            other_model: other_model.as_ref(),
            activity: inputs.activity.as_ref().map(|activity| activity.lines.as_str()),
            plan: if flatten {
                Plan::default()
            } else {
                let switch = design.switch.as_ref().map(|switch| switch.module.as_str());
                Plan::new(top, switch, tree, modules)
            },
            flatten,
            flow,
            cache,
            base,
            folder,
        };
        let results = work.results()?;
        Ok(report::assemble(report::Parts {
            design,
            options,
            top,
            found: &inputs.found,
            loaded,
            library,
            tools: vec![inputs.yosys.version.clone(), inputs.sta.version.clone()],
            hierarchy: tree,
            results,
            model: &model,
            other_model: other_model.as_ref(),
            rates: inputs.activity.as_ref().map(|activity| &activity.rates),
        }))
    }
}
