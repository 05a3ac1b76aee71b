//! `railyard verify`.

use crate::campaign::{Campaign, CampaignVerdict};
use crate::cli::VerifyArgs;
use crate::commands::generate::elaborate;
use crate::folder::{FILE_LIST, MANIFEST};
use crate::manifest::DesignSource;
use crate::packets_file::{Packets, PacketsFile};
use crate::progress::{spinner, CyclesBar};
use crate::{answer, Error, Outcome};
use railyard_input::{shortened, Document, FileKind, InputSource, Reader};
use railyard_spec::CheckedConfig;
use railyard_testbench::lockstep::{Verification, Verify, Verilog, Waveform};
use railyard_testbench::traffic::SAVED_TRACE;
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::path::{Component, Path};

/// Holds the Verilog against the golden model.
///
/// # Errors
/// A bad description, scenario or design folder; a missing tool; Verilog that doesn't compile.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let scenario = args.traffic.scenario(args.seed, &config.shape())?;
    let guard = args.design.guard()?;
    let verilog = match &args.design.design {
        Some(folder) => read_design(folder, &config)?,
        None => generated(&config)?,
    };
    let mut verify = Verify::new(&config.shape(), verilog, scenario, args.cycles);
    (verify.arguments, verify.preparation) = named(args);
    verify.build.guard = guard;
    verify.waveform = args.trace.clone().map(|path| Waveform { path, window: args.trace_window });
    let packets =
        args.packets.as_deref().map(|path| PacketsFile::begin(path, &verify.shape, &verify.scenario)).transpose()?;
    verify.packets = packets.as_ref().map(PacketsFile::log);
    let building = spinner("building the Verilated model (kept for the next run)");
    let prepared = verify.prepare();
    building.finish_and_clear();
    let prepared = prepared.map_err(|e| Error::Testbench(e.to_string()))?;
    let mixes = if args.trace.is_none() && args.traffic.scenario.is_none() { args.mixes } else { 0 };
    let campaign = Campaign::new(&verify, mixes);
    let bar = CyclesBar::new(campaign.cycles());
    let verdict = campaign.run(&prepared, |done| bar.at(done));
    bar.clear();
    let verdict = verdict.map_err(|e| Error::Testbench(e.to_string()))?;
    let packets = packets.map(PacketsFile::finish).transpose()?;
    let answer = Answer::new(verdict, packets);
    if args.json {
        answer::json(&answer)?;
    } else {
        answer::text(&format!("{answer}\n"))?;
    }
    Ok(if answer.passed { Outcome::Fine } else { Outcome::Mismatch })
}

/// The verdict, and the run that it rests on: the one asked for, or the mix that failed.
#[derive(Serialize)]
struct Answer {
    /// Whether all went well, in that run and in the mixes.
    passed: bool,
    #[serde(flatten)]
    run: Verification,
    /// Runs of directed phases that were made after it and passed.
    directed_passed: u64,
    /// Mixes that were run after these and passed.
    mixes_passed: u64,
    /// The file of the packets of the run that was asked for.
    #[serde(rename = "packets_file", skip_serializing_if = "Option::is_none")]
    packets: Option<Packets>,
    /// The runs behind the first one, in words.
    #[serde(skip)]
    others: String,
}

impl Answer {
    fn new(verdict: CampaignVerdict, packets: Option<Packets>) -> Answer {
        let others = verdict.to_string();
        let CampaignVerdict { run, directed_passed, mixes_passed, .. } = verdict;
        Answer { passed: run.passed(), run, directed_passed, mixes_passed, packets, others }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.run)?;
        if self.passed && self.mixes_passed > 0 {
            write!(f, "\nand {}: passed", self.others)?;
        }
        if self.passed {
            write!(f, "\n{}", self.run.limits)?;
        }
        self.packets.as_ref().map_or(Ok(()), |packets| write!(f, "\n{}", packets.line()))
    }
}

/// The words that name the switch and the design, and what to do before they can be used again.
fn named(args: &VerifyArgs) -> (Vec<String>, Option<String>) {
    /// Stands for standard input, which can be read only once.
    const SAVED: &str = "description.json";
    let saved = match (&args.description.config, &args.traffic.traffic_file) {
        (InputSource::StandardInput, _) => Some(SAVED),
        (_, Some(InputSource::StandardInput)) => Some(SAVED_TRACE),
        _ => None,
    };
    let preparation = saved.map(|name| format!("save what was read from standard input as {name}"));
    let mut words = vec![args.description.config.again(SAVED)];
    words.extend(args.design.words());
    (words, preparation)
}

/// The Verilog that belongs to a configuration.
///
/// # Errors
/// The hardware can't be elaborated.
pub fn generated(config: &CheckedConfig) -> Result<Verilog, Error> {
    let design = elaborate(config)?;
    let top = design.top().name.clone();
    let files = design.modules.into_iter().map(|m| (format!("{}.v", m.name), m.text)).collect();
    Ok(Verilog { top, files })
}

/// The Verilog in a folder that `generate` wrote.
///
/// # Errors
/// The folder is not one, or was generated from another description.
pub(super) fn read_design(folder: &Path, config: &CheckedConfig) -> Result<Verilog, Error> {
    let fault = |why: String| Error::Design { path: folder.into(), why };
    let manifest = folder.join(MANIFEST);
    let text = railyard_input::read_text(&manifest, FileKind::Manifest)
        .map_err(|e| fault(format!("{MANIFEST} can't be read ({e}); `railyard generate` writes it")))?;
    let design: DesignSource =
        serde_json::from_str(&text).map_err(|e| fault(format!("{MANIFEST} {}", no_manifest(&text, &e))))?;
    // Held against the golden model is the switch in a chip.
    let (top, path) = match design.chip {
        Some(chip) => (chip.switch, "/chip/switch"),
        None => (design.top, "/top"),
    };
    if !is_identifier(&top) {
        let top = shortened(&top);
        return Err(fault(format!(
            "{MANIFEST}: {path}: {top:?} must be a name of letters, digits, _ and $, as tiny_switch"
        )));
    }
    if design.config != **config {
        return Err(fault("was generated from another description than the one given".into()));
    }
    let list = railyard_input::read_text(folder.join(FILE_LIST), FileKind::FileList).map_err(|e| {
        fault(format!("{FILE_LIST}, the list of the Verilog files, can't be read ({e}); `railyard generate` writes it"))
    })?;
    let (mut files, mut known): (Vec<(String, String)>, HashSet<&str>) = (Vec::new(), HashSet::new());
    let mut reader = Reader::new(FileKind::Verilog);
    for (line, name) in listed(&list) {
        let fault = |why: &str| fault(format!("{FILE_LIST}:{line}: {} {why}", shortened(name)));
        if name.starts_with(['-', '+']) {
            return Err(fault("is an option; only names of files can be listed"));
        }
        let name = name.strip_prefix("./").unwrap_or(name);
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Err(fault("is not in the folder itself; only files there can be listed"));
        }
        if !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Err(fault("is no Verilog file: .v or .sv, or .vh or .svh to be included"));
        }
        if !known.insert(name) {
            return Err(fault("is listed twice"));
        }
        let path = folder.join(name);
        let text = reader.read_text(&path).map_err(|e| fault(&format!("can't be read: {e}")))?;
        if leads_out(&path, folder) {
            return Err(fault("is a link that leads out of the folder; a copy of the file can be listed"));
        }
        files.push((name.into(), text));
    }
    match files.is_empty() {
        true => Err(fault(format!("{FILE_LIST} lists no file"))),
        false => Ok(Verilog { top, files }),
    }
}

/// Why a text is no manifest.
fn no_manifest(text: &str, error: &serde_json::Error) -> String {
    let value = serde_json::from_str(text).unwrap_or_default();
    match Document::of(&value).filter(|document| document.name != Document::MANIFEST) {
        Some(document) => format!("is {}: {}", document.name, document.advice),
        None => format!("can't be read: {error}"),
    }
}

/// Whether a name is a simple identifier of Verilog.
fn is_identifier(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

/// Whether a file is elsewhere, by way of links; not if it can't be found.
fn leads_out(file: &Path, folder: &Path) -> bool {
    let real = file.canonicalize().ok().zip(folder.canonicalize().ok());
    real.is_some_and(|(file, folder)| !file.starts_with(folder))
}

/// Endings of Verilog files.
const ENDINGS: [&str; 4] = [".v", ".sv", ".vh", ".svh"];

/// The words of a file list with their lines; `//` and `#` begin comments.
fn listed(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code =
        |line: &'_ str| -> usize { ["//", "#"].iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len()) };
    text.lines()
        .enumerate()
        .flat_map(move |(index, line)| line[..code(line)].split_whitespace().map(move |word| (index + 1, word)))
}
