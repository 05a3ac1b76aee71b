//! The command line.

mod explore;
mod study;

pub use explore::ExploreArgs;
pub use study::StudyArgs;

use crate::error::Error;
use clap::{Args, Parser, Subcommand};
use railyard_spec::Shape;
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::{Burst, Pattern, Trace};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// HPC network switch generator: one JSON file in, verified Verilog out.
#[derive(Parser, Debug)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 fine, 1 the check found a mismatch, 2 usage or input. \
    With --json, errors are JSON on standard output, too."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the switch descriptions that come with Railyard.
    #[command(after_help = "Example: railyard presets")]
    Presets(PresetsArgs),
    /// Write a switch description to start from.
    #[command(after_help = "Example: railyard new --preset hpc16 -o my.json")]
    New(NewArgs),
    /// Print the JSON Schema of a switch description.
    #[command(after_help = "Example: railyard schema > railyard.schema.json")]
    Schema(SchemaArgs),
    /// Check a switch description and show what follows from it.
    #[command(after_help = "Example: railyard check my.json")]
    Check(CheckArgs),
    /// Write the Verilog: one file a module, a file list and a manifest.
    #[command(after_help = "Example: railyard generate my.json -o my_switch")]
    Generate(GenerateArgs),
    /// Hold the Verilog against the golden model, every output in every cycle.
    #[command(after_help = "Example: railyard verify my.json --cycles 1000000 --seed 7 --trace out.fst")]
    Verify(VerifyArgs),
    /// Run the golden model alone: throughput, latency, hit rate.
    #[command(after_help = "Example: railyard simulate my.json --traffic uniform --load 0.7 --cycles 200000")]
    Simulate(SimulateArgs),
    /// Measure simulation speed: Verilated model, lock-step and golden model, side by side.
    #[command(after_help = "Example: railyard bench hpc16")]
    Bench(BenchArgs),
    /// Estimate area, clock, latency and power with Yosys and OpenSTA.
    #[command(after_help = "Example: railyard estimate my.json --library nangate45 --block route_unit")]
    Estimate(EstimateArgs),
    /// Simulate and estimate every point of a sweep over the description's fields, here or on a Slurm cluster.
    #[command(after_help = explore::EXAMPLES)]
    Explore(ExploreArgs),
    /// Make a figure of the literature on routing caches again, with this switch's cache, beside the printed numbers.
    #[command(after_help = study::EXAMPLES)]
    Study(StudyArgs),
    /// Print area and clock of Railyard's blocks and switches beside published figures.
    #[command(after_help = "Example: railyard compare --json")]
    Compare(CompareArgs),
}

/// Whether a command line asks for JSON; also of one that is wrong otherwise.
pub fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    args.take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// A switch description.
#[derive(Args, Debug, Clone)]
pub struct Description {
    /// JSON file, `-` for standard input, or the name of a preset (`railyard presets`).
    #[arg(value_name = "CONFIG")]
    pub config: String,
}

/// Arguments of `presets`.
#[derive(Args, Debug)]
pub struct PresetsArgs {
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `schema`.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// Print it as a page for people instead (`docs/src/configuration.md`).
    #[arg(long, conflicts_with = "pins")]
    pub markdown: bool,
    /// Print the pins of the default switch as a page for people instead (`docs/src/pins.md`).
    #[arg(long)]
    pub pins: bool,
    /// Print the run-time registers as a page for people instead (`docs/src/registers.md`).
    #[arg(long, conflicts_with_all = ["pins", "markdown"])]
    pub registers: bool,
    /// The JSON Schema, as without it: every verb takes `--json`.
    #[arg(long, conflicts_with_all = ["markdown", "pins", "registers", "sweep"])]
    pub json: bool,
    /// Print the JSON Schema of a sweep (`railyard explore`) instead.
    #[arg(long, conflicts_with_all = ["markdown", "pins", "registers"])]
    pub sweep: bool,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// Preset to start from.
    #[arg(long)]
    pub preset: String,
    /// Name of the new design, instead of the preset's.
    #[arg(long)]
    pub name: Option<String>,
    /// File to write, instead of standard output. An existing file is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Answer as JSON: the description itself, or what was written.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Folder to write: new, empty, or one that `generate` wrote before (it is replaced as a whole).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace the folder even if files in it were edited by hand.
    #[arg(long)]
    pub force: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Clock cycles with traffic; the switch is drained after them.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Write a waveform of the whole run: `.fst` or `.vcd`.
    #[arg(long, value_name = "FILE", value_parser = waveform_file)]
    pub trace: Option<PathBuf>,
    /// Write only this many cycles before a failure (and a few after it), and nothing if there is none.
    #[arg(long, value_name = "CYCLES", requires = "trace")]
    pub trace_window: Option<u64>,
    /// After the traffic asked for, short runs of as many mixes drawn from the seed (as `--traffic any`): other lengths, gaps,
    /// starved credits, a slow CAM, illegal senders, resets. 0 leaves them out; so do `--trace` and `--scenario`.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub mixes: u64,
    /// Take the Verilog from this folder, written by `generate` and perhaps edited, instead of generating it.
    #[arg(long, value_name = "DIR")]
    pub design: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Clock cycles; the first tenth warms up and is not measured (all are, with `--traffic-file`).
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10..))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub seconds: u64,
    /// Seed of all that is random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `estimate`.
#[derive(Args, Debug)]
pub struct EstimateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: Description,
    /// Standard-cell library by name: nangate45, sky130hd, sg13g2, gt2n (in the folder that RAILYARD_LIBERTY_DIR names) or osu018.
    #[arg(long, default_value = "nangate45", value_name = "NAME")]
    pub library: String,
    /// Standard-cell library by file, `.lib` or `.lib.gz`.
    #[arg(long, value_name = "FILE", conflicts_with = "library")]
    pub liberty: Option<PathBuf>,
    /// Feature size of `--liberty` in nm, for the memories that go with it.
    #[arg(long, value_name = "NM", requires = "liberty")]
    pub node: Option<u32>,
    /// Only this module of the design and what is in it.
    #[arg(long, value_name = "MODULE")]
    pub block: Option<String>,
    /// Also synthesise each module on its own, for a table of area and longest path by block.
    #[arg(long)]
    pub by_block: bool,
    /// Flatten the whole before logic is optimised, instead of linking its units: hours for a large switch.
    #[arg(long)]
    pub flat: bool,
    /// VCD of the design at work (`verify --trace run.vcd`), for power; flattens the whole.
    #[arg(long, value_name = "FILE")]
    pub activity: Option<PathBuf>,
    /// Your own table of memories (JSON) in place of the built-in one.
    #[arg(long, value_name = "FILE")]
    pub memories: Option<PathBuf>,
    /// Keep netlist, memory macros and their Liberty view in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// Count the primitives of an FPGA instead (and its clock, if nextpnr is installed).
    #[arg(long, value_name = "FAMILY")]
    pub fpga: Option<FpgaFamily>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Standard-cell library by name, as for `estimate`; seed 004's chip is always mapped to osu018.
    #[arg(long, default_value = "nangate45", value_name = "NAME")]
    pub library: String,
    /// Blocks only, no whole switches: seconds in place of minutes, the first time.
    #[arg(long)]
    pub quick: bool,
    /// Answer as JSON, with notes on what makes ours differ.
    #[arg(long)]
    pub json: bool,
}

/// A family of FPGAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FpgaFamily {
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
}

/// Traffic names beyond the patterns.
const MIXES: &[&str] = &["bursty", "any"];

/// What the senders do.
#[derive(Args, Debug, Clone)]
pub struct TrafficArgs {
    /// Traffic pattern; `bursty` is uniform in bursts of eight packets, `any` a mix drawn from the seed (lengths, gaps,
    /// starved credits, slow CAM, illegal senders, resets).
    #[arg(long, default_value = "uniform", value_parser = clap::builder::PossibleValuesParser::new(traffic_names()))]
    pub traffic: String,
    /// Offered load in flits for each port and cycle.
    #[arg(long, default_value_t = 0.7, value_parser = load)]
    pub load: f64,
    /// The whole stimulus as JSON, as a failure report prints it, in place of `--traffic`, `--load` and `--seed`.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["traffic", "load", "seed"])]
    pub scenario: Option<String>,
    /// Packets from a file, a line each: `cycle source destination flits [vc]`. In place of `--traffic` and `--load`; with
    /// `--scenario`, of its pattern, load, lengths and bursts.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "load"])]
    pub traffic_file: Option<PathBuf>,
}

fn traffic_names() -> Vec<&'static str> {
    Pattern::NAMES.iter().chain(MIXES).copied().collect()
}

fn waveform_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("fst" | "vcd") => Ok(path),
        _ => Err("must end in .fst or .vcd".into()),
    }
}

fn load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if (0.0..=1.0).contains(&load) => Ok(load),
        _ => Err("must be a number from 0.0 to 1.0".into()),
    }
}

impl TrafficArgs {
    /// The stimulus that the options describe.
    ///
    /// # Errors
    /// `--scenario` is not the JSON of a scenario, or `--traffic-file` has no packets for this switch.
    pub fn scenario(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        let Some(path) = &self.traffic_file else { return self.without_file(seed) };
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let trace = Trace::parse(path, &text, shape).map_err(|faults| Error::Traffic { path: path.clone(), faults })?;
        let trace = Arc::new(trace);
        if self.scenario.is_none() {
            return Ok(Scenario::replay(seed, trace));
        }
        let mut scenario = self.without_file(seed)?;
        scenario.traffic.trace = Some(trace);
        Ok(scenario)
    }

    fn without_file(&self, seed: u64) -> Result<Scenario, Error> {
        if let Some(json) = &self.scenario {
            let scenario: Scenario =
                serde_json::from_str(json).map_err(|e| Error::Usage(format!("--scenario: {e}")))?;
            let faults = scenario.faults();
            return match faults.is_empty() {
                true => Ok(scenario),
                false => Err(Error::Usage(format!("--scenario:\n  {}", faults.join("\n  ")))),
            };
        }
        Ok(match self.traffic.as_str() {
            "any" => Scenario::any(seed),
            "bursty" => {
                let mut scenario = Scenario::new(seed, Pattern::Uniform, self.load);
                scenario.traffic.burst = Some(Burst { packets: 8.0 });
                scenario
            }
            name => Scenario::new(seed, Pattern::named(name).expect("clap has checked the name"), self.load),
        })
    }
}
