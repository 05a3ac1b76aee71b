//! What an estimate is made with beside the design: tools, library, memory table, activity.

use crate::error::{at, Error};
use crate::library::Found;
use crate::sram::Table;
use crate::tools::{Tool, HIERARCHY, SYNTH, TIMING};
use crate::Options;
use railyard_cache::Key;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What results mean. To be counted up when the same inputs give other figures.
const MEANING: &str = concat!(env!("CARGO_PKG_VERSION"), " parts 3");

pub(crate) struct Inputs {
    pub yosys: Tool,
    pub sta: Tool,
    pub found: Found,
    pub table: Table,
    pub activity: Option<Activity>,
}

/// A file of activity and the hash of its contents.
pub(crate) struct Activity {
    pub path: PathBuf,
    hash: Vec<u8>,
}

impl Inputs {
    /// Finds and reads them.
    pub fn read(options: &Options) -> Result<Inputs, Error> {
        Ok(Inputs {
            yosys: Tool::yosys()?,
            sta: Tool::sta()?,
            found: options.library.find(&options.library_directories)?,
            table: options.sram_table.as_deref().map_or_else(|| Ok(Table::built_in()), Table::read)?,
            activity: options.activity.as_deref().map(|path| Activity::read(path, options)).transpose()?,
        })
    }

    /// The key of all that results depend on beside the Verilog.
    pub fn key(&self, options: &Options) -> Key {
        let settings = (
            (options.recipe.name(), options.target_ps, &options.clock, options.period_ns, options.toggle),
            (options.clock_uncertainty_ns, options.wires, self.found.node_nm),
        );
        let table = serde_json::to_string(&self.table).expect("numbers and names");
        Key::new()
            .part("meaning", MEANING)
            .part("library", &self.found.bytes)
            .part("yosys", &self.yosys.version)
            .part("sta", &self.sta.version)
            .part("scripts", [SYNTH, TIMING, HIERARCHY].join("\n"))
            .part("memories", table)
            .part("settings", format!("{settings:?}"))
    }
}

impl Activity {
    fn read(path: &Path, options: &Options) -> Result<Activity, Error> {
        let bad = |reason: &str| Error::Activity { path: path.into(), reason: reason.into() };
        if options.block.is_some() {
            return Err(bad("goes with the whole design, not with a block"));
        }
        if !path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0) {
            return Err(bad("no file with anything in it"));
        }
        let hash = hash(File::open(path).map_err(at(path))?).map_err(at(path))?;
        Ok(Activity { path: path.into(), hash })
    }

    /// The hash of the file's contents.
    pub fn hash(&self) -> &[u8] {
        &self.hash
    }
}

/// The SHA-256 sum of all that a reader gives, which need not fit into memory.
fn hash(mut reader: impl Read) -> std::io::Result<Vec<u8>> {
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(sum.finalize().to_vec()),
            length => sum.update(&buffer[..length]),
        }
    }
}
