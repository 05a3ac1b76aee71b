//! What an estimate is made with beside the design: tools, library, memory table, activity.

use crate::activity::{self, Rate};
use crate::design::MemoryShape;
use crate::error::Error;
use crate::library::Found;
use crate::macros::{self, UserMacro};
use crate::sram::Table;
use crate::tools::{Tool, HIERARCHY, SYNTH, TIMING};
use crate::Options;
use railyard_cache::Key;
use railyard_input::InputSource;
use std::collections::BTreeMap;

/// What results mean. To be counted up when the same inputs give other figures.
const MEANING: &str = concat!(env!("CARGO_PKG_VERSION"), " parts 7");

pub(crate) struct Inputs {
    pub yosys: Tool,
    pub sta: Tool,
    pub found: Found,
    pub table: Table,
    /// Macros of the user's, by shape.
    pub macros: BTreeMap<MemoryShape, UserMacro>,
    pub activity: Option<Activity>,
}

/// The switching of each bit, and the same as `timing.tcl` reads it.
pub(crate) struct Activity {
    pub rates: BTreeMap<String, Rate>,
    pub lines: String,
}

impl Inputs {
    /// Finds and reads them.
    pub fn read(options: &Options, top: &str) -> Result<Inputs, Error> {
        Ok(Inputs {
            yosys: Tool::yosys()?,
            sta: Tool::sta()?,
            found: options.library.find(&options.library_directories)?,
            table: options.sram_table.as_ref().map_or_else(|| Ok(Table::built_in()), Table::read)?,
            macros: macros(&options.macros)?,
            activity: options.activity.as_ref().map(|file| Activity::read(file, options, top)).transpose()?,
        })
    }

    /// The key of all that results depend on beside the Verilog.
    pub fn key(&self, options: &Options) -> Key {
        let settings = (
            (options.recipe.name(), options.target_ps, &options.clock, options.period_ns, options.toggle),
            (options.clock_uncertainty_ns, options.wires, self.found.node_nm),
            options.clock_mhz,
        );
        let table = serde_json::to_string(&self.table).expect("numbers and names");
        let key = Key::new()
            .part("meaning", MEANING)
            .part("library", &self.found.bytes)
            .part("yosys", &self.yosys.version)
            .part("sta", &self.sta.version)
            .part("scripts", [SYNTH, TIMING, HIERARCHY].join("\n"))
            .part("memories", table)
            .part("settings", format!("{settings:?}"));
        if self.macros.is_empty() {
            return key;
        }
        let macros: Vec<&UserMacro> = self.macros.values().collect();
        key.part("macros", serde_json::to_string(&macros).expect("numbers and names"))
    }
}

/// The macros of all files. Of two with the same shape the first counts.
fn macros(files: &[InputSource]) -> Result<BTreeMap<MemoryShape, UserMacro>, Error> {
    let mut by_shape = BTreeMap::new();
    for file in files {
        for made in macros::read(file)? {
            by_shape.entry(made.shape).or_insert(made);
        }
    }
    Ok(by_shape)
}

impl Activity {
    fn read(file: &InputSource, options: &Options, top: &str) -> Result<Activity, Error> {
        if options.block.is_some() {
            let reason = "goes with the whole design, not with a block".into();
            return Err(Error::Activity { path: file.to_string().into(), reason });
        }
        let rates = activity::read(file, top, &options.clock)?;
        Ok(Activity { lines: activity::lines(&rates), rates })
    }
}
