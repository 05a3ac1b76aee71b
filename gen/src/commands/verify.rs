//! `railyard verify`.

use crate::cli::VerifyArgs;
use crate::commands::generate::elaborate;
use crate::folder::MANIFEST;
use crate::manifest::DesignFiles;
use crate::progress::{spinner, CyclesBar};
use crate::{answer, Error, Outcome};
use railyard_spec::Config;
use railyard_testbench::lockstep::{Verification, Verify, Verilog, Waveform};
use railyard_testbench::stimulus::Scenario;
use std::fs;
use std::path::Path;

/// Holds the Verilog against the golden model.
///
/// # Errors
/// A bad description, scenario or design folder; a missing tool; Verilog that doesn't compile.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let scenario = args.traffic.scenario(args.seed, &config.shape())?;
    let verilog = match &args.design {
        Some(folder) => read_design(folder, &config)?,
        None => generated(&config)?,
    };
    let mut verify = Verify::new(&config.shape(), verilog, scenario, args.cycles);
    (verify.arguments, verify.preparation) = named(args);
    verify.waveform = args.trace.clone().map(|path| Waveform { path, window: args.trace_window });
    let building = spinner("building the Verilated model (kept for the next run)");
    let prepared = verify.prepare();
    building.finish_and_clear();
    let prepared = prepared.map_err(|e| Error::Testbench(e.to_string()))?;
    let mixes = if args.trace.is_none() && args.traffic.scenario.is_none() { args.mixes } else { 0 };
    let mix_cycles = args.cycles.min(MIX_CYCLES);
    let bar = CyclesBar::new(args.cycles.saturating_add(mixes.saturating_mul(mix_cycles)));
    let mut result = prepared.run(|done| bar.at(done));
    for mix in 0..mixes {
        if !result.as_ref().is_ok_and(Verification::passed) {
            break;
        }
        let scenario = Scenario::any(args.seed.wrapping_add(mix));
        let before = args.cycles + mix * mix_cycles;
        let run = Verify { scenario, cycles: mix_cycles, ..verify.clone() };
        match run.run(|done| bar.at(before + done)) {
            Ok(passed) if passed.passed() => {}
            failed => result = failed,
        }
    }
    bar.clear();
    let result = result.map_err(|e| Error::Testbench(e.to_string()))?;
    if args.json {
        answer::json(&result)?;
    } else {
        answer::text(&format!("{result}\n"))?;
    }
    Ok(if result.passed() { Outcome::Fine } else { Outcome::Mismatch })
}

/// The words that name the switch and the design, and what to do before they can be used again.
fn named(args: &VerifyArgs) -> (Vec<String>, Option<String>) {
    /// Stands for standard input, which can be read only once.
    const SAVED: &str = "description.json";
    let (config, preparation) = match args.description.config.as_str() {
        "-" => (SAVED, Some(format!("save what was read from standard input as {SAVED}"))),
        path => (path, None),
    };
    let mut words = vec![config.to_owned()];
    if let Some(folder) = &args.design {
        words.extend(["--design".to_owned(), folder.display().to_string()]);
    }
    (words, preparation)
}

/// Cycles of each mix.
const MIX_CYCLES: u64 = 20_000;

/// The Verilog that belongs to a configuration.
///
/// # Errors
/// The hardware can't be elaborated.
pub fn generated(config: &Config) -> Result<Verilog, Error> {
    let design = elaborate(config)?;
    let top = design.top().name.clone();
    let files = design.modules.into_iter().map(|m| (format!("{}.v", m.name), m.text)).collect();
    Ok(Verilog { top, files })
}

/// The Verilog in a folder that `generate` wrote.
fn read_design(folder: &Path, config: &Config) -> Result<Verilog, Error> {
    let fault = |why: String| Error::Design { path: folder.into(), why };
    let manifest = folder.join(MANIFEST);
    let text = fs::read_to_string(&manifest)
        .map_err(|e| fault(format!("{MANIFEST} can't be read ({e}); `railyard generate` writes it")))?;
    let design: DesignFiles = serde_json::from_str(&text).map_err(|e| fault(format!("{MANIFEST}: {e}")))?;
    if design.config != *config {
        return Err(fault("was generated from another description than the one given".into()));
    }
    let mut files = Vec::new();
    for module in &design.modules {
        let path = folder.join(&module.file);
        if Path::new(&module.file).components().count() != 1 {
            return Err(fault(format!("{MANIFEST} names a file outside of the folder: {}", module.file)));
        }
        files.push((module.file.clone(), fs::read_to_string(&path).map_err(Error::io(path))?));
    }
    Ok(Verilog { top: design.top, files })
}
