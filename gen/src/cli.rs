//! The command line.

mod curve;
mod design;
mod explore;
mod network;
mod network_setting;
mod package;
mod picture;
mod registers;
mod shell;
mod study;

pub use curve::NetworkCurveArgs;
pub use design::DesignArgs;
pub use explore::ExploreArgs;
pub use network::{
    NetworkArgs, NetworkCheckArgs, NetworkCommand, NetworkGenerateArgs, NetworkRunArgs, NetworkVerifyArgs,
};
pub use network_setting::NetworkSetting;
pub use package::PackageArgs;
pub use picture::PictureArgs;
pub use registers::{FormatName, RegistersArgs};
pub use shell::{CompletionsArgs, DoctorArgs, ManArgs};
pub use study::StudyArgs;

use crate::error::Error;
use crate::text::read_text;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use railyard_estimate::Named;
use railyard_input::{shortened, Kind, Source};
use railyard_spec::registers::registers as registers_of;
use railyard_spec::Shape;
use railyard_testbench::stimulus::{Scenario, MOST_MOVES};
use railyard_testbench::traffic::{Burst, Pattern, Trace, Traffic};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the program.
pub const NAME: &str = "railyard";

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 the check found a mismatch, 2 usage or input. \
    With --json, errors are JSON on standard output, too.";

/// What the long help of the program shows last.
const FIRST_STEPS: &str = "\
Examples:
  railyard doctor                                 what is installed, and what is missing for which verb
  railyard new --preset hpc16 -o my.json          a switch description to start from
  railyard verify my.json                         its Verilog against the golden model
  railyard generate my.json -o my_switch          its Verilog

`railyard VERB --help` has an example of each verb.";

fn first_steps_and_exit_codes() -> String {
    format!("{FIRST_STEPS}\n\n{EXIT_CODES}")
}

/// HPC network switch generator: one JSON file in, verified Verilog out.
#[derive(Parser, Debug)]
#[command(
    version,
    max_term_width = 100,
    after_help = EXIT_CODES,
    after_long_help = first_steps_and_exit_codes()
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
    #[command(after_long_help = "Example: railyard presets")]
    Presets(PresetsArgs),
    /// Write a switch description to start from.
    #[command(after_long_help = "Example: railyard new --preset hpc16 -o my.json")]
    New(NewArgs),
    /// Print the JSON Schema of a switch description, a scenario, a sweep or a network.
    #[command(after_long_help = "Example: railyard schema > railyard.schema.json")]
    Schema(SchemaArgs),
    /// Check a switch description and show what follows from it.
    #[command(after_long_help = "Example: railyard check my.json")]
    Check(CheckArgs),
    /// Print the run-time registers of a switch, or the writes that fill its forwarding table.
    #[command(after_long_help = registers::EXAMPLES)]
    Registers(RegistersArgs),
    /// Write the Verilog: one file a module, a file list and a manifest.
    #[command(after_long_help = package::EXAMPLES)]
    Generate(GenerateArgs),
    /// Hold the Verilog against the golden model, every output in every cycle.
    #[command(after_long_help = "Example: railyard verify my.json --cycles 1000000 --seed 7 --trace out.fst")]
    Verify(VerifyArgs),
    /// Run the golden model alone: throughput, latency, hit rate.
    #[command(after_long_help = "Example: railyard simulate my.json --traffic uniform --load 0.7 --cycles 200000")]
    Simulate(SimulateArgs),
    /// Measure simulation speed: Verilated model, lock-step and golden model, side by side.
    #[command(after_long_help = "Example: railyard bench hpc16")]
    Bench(BenchArgs),
    /// Estimate area, clock, latency and power with Yosys and OpenSTA.
    #[command(after_long_help = "Example: railyard estimate my.json --library nangate45 --block route_unit")]
    Estimate(EstimateArgs),
    /// Simulate and estimate every point of a sweep over the description's fields, here or on a Slurm cluster.
    #[command(after_long_help = explore::EXAMPLES)]
    Explore(ExploreArgs),
    /// Check a network of switches for deadlock and reachability, or run it on the golden model.
    #[command(after_long_help = network::EXAMPLES)]
    Network(NetworkArgs),
    /// Make a figure of the literature again, beside the printed numbers.
    #[command(after_long_help = study::EXAMPLES)]
    Study(StudyArgs),
    /// Draw a switch or network as SVG: blocks, packets, waveforms, topologies.
    #[command(after_long_help = picture::EXAMPLES)]
    Picture(PictureArgs),
    /// Print area and clock of Railyard's blocks and switches beside published figures.
    #[command(after_long_help = "Example: railyard compare --json")]
    Compare(CompareArgs),
    /// Say what is installed, what is missing for which verb, and how to get it.
    ///
    /// Each program is run for its version. Exit code 1 if `verify` can't be run.
    #[command(after_long_help = "Example: railyard doctor --json")]
    Doctor(DoctorArgs),
    /// Print a script by which a shell completes verbs, options and values.
    #[command(after_long_help = shell::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Write manual pages, one a verb.
    #[command(after_long_help = shell::MAN)]
    Man(ManArgs),
}

/// The command line as clap has it.
pub fn command() -> clap::Command {
    taking_negative_numbers(Cli::command())
}

/// Whether a command line asks for JSON; also of one that is wrong otherwise.
pub fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    args.take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// Reads a command line, the program's name first.
///
/// # Errors
/// It is wrong, or asks for help.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let cli = command.try_get_matches_from_mut(args).and_then(|found| {
        let readers = readers_of_standard_input(&command, &found);
        match readers.len() {
            0 | 1 => Cli::from_arg_matches(&found),
            _ => Err(once(&readers)),
        }
    });
    cli.map_err(|error| short(error.format(&mut command)))
}

/// The arguments for which `-` was given, as help shows them.
fn readers_of_standard_input(command: &clap::Command, found: &ArgMatches) -> Vec<String> {
    let is_reader = |arg: &&clap::Arg| {
        let sources = found.try_get_many::<Source>(arg.get_id().as_str()).ok().flatten();
        sources.into_iter().flatten().any(|source| *source == Source::StandardInput)
    };
    let mut readers: Vec<String> = command.get_arguments().filter(is_reader).map(ToString::to_string).collect();
    if let Some((name, found)) = found.subcommand() {
        let inner = command.find_subcommand(name).expect("it was found by its name");
        readers.extend(readers_of_standard_input(inner, found));
    }
    readers
}

/// The error of a command line that gives `-` more than once.
fn once(readers: &[String]) -> clap::Error {
    let text = format!("`-` is given for {}: standard input can be read only once", readers.join(" and for "));
    clap::Error::raw(ErrorKind::ArgumentConflict, text)
}

/// No option is a number, so `-1` after one that takes a value is its value: the error is that of the value.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let take = |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    command.mut_args(take).mut_subcommands(taking_negative_numbers)
}

/// The error with no more than the start of what was given.
fn short(mut error: clap::Error) -> clap::Error {
    for kind in [ContextKind::InvalidValue, ContextKind::InvalidArg, ContextKind::InvalidSubcommand] {
        if let Some(ContextValue::String(given)) = error.get(kind) {
            let given = ContextValue::String(shortened(given));
            error.insert(kind, given);
        }
    }
    error
}

/// A parser of whole numbers in a range.
fn whole<T: TryFrom<u64>>(low: u64, high: u64) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| (low..=high).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let most = if high == u64::MAX { "2^64 - 1".into() } else { high.to_string() };
            format!("must be a whole number from {low} to {most}{}", nearest_whole(text, low, high))
        })
    }
}

/// Words for behind a rule: the legal whole number that is nearest to a number.
fn nearest_whole(text: &str, low: u64, high: u64) -> String {
    let whole = text.parse::<i128>().ok().or_else(|| {
        // As far as that is exact, which is as far as anybody writes fractions.
        text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.round() as i128)
    });
    whole.map_or(String::new(), |number| format!("; the nearest is {}", number.clamp(low.into(), high.into())))
}

/// A parser of numbers of things, at least one and at most `high`.
fn count(high: u64) -> impl Fn(&str) -> Result<NonZeroUsize, String> + Clone + Send + Sync + 'static {
    let number = whole::<usize>(1, high);
    move |text| number(text).map(|number| NonZeroUsize::new(number).expect("it is at least one"))
}

/// Clock cycles of a run, at most: more would take years.
const MOST_CYCLES: u64 = 1_000_000_000_000;

/// Mixes of a verification, at most.
const MOST_MIXES: u64 = 1_000_000;

/// A switch description.
#[derive(Args, Debug, Clone)]
pub struct DescriptionArgs {
    /// JSON file, `-` for standard input, or the name of a preset (`railyard presets`).
    #[arg(value_name = "CONFIG")]
    pub config: Source,
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
    /// Print it as a page for people instead.
    ///
    /// That is `docs/src/configuration.md`; with `--scenario`, `docs/src/scenario.md`.
    #[arg(long, conflicts_with_all = ["pins", "registers", "sweep", "network"])]
    pub markdown: bool,
    /// Print the pins of the default switch as a page for people instead (`docs/src/pins.md`).
    #[arg(long, group = "what")]
    pub pins: bool,
    /// Print the run-time registers as a page for people instead (`docs/src/registers.md`).
    #[arg(long, group = "what")]
    pub registers: bool,
    /// Print the JSON Schema of a sweep (`railyard explore`) instead.
    #[arg(long, group = "what")]
    pub sweep: bool,
    /// Print the JSON Schema of a scenario (`railyard verify --scenario`) instead.
    #[arg(long, group = "what")]
    pub scenario: bool,
    /// Print the JSON Schema of a network file (`railyard network`) instead.
    #[arg(long, group = "what")]
    pub network: bool,
    /// The JSON Schema, as without it: every verb takes `--json`.
    #[arg(long, conflicts_with_all = ["markdown", "pins", "registers"])]
    pub json: bool,
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
    pub description: DescriptionArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Folder to write: new, empty, or one that `generate` wrote before (it is replaced as a whole).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Files beside the Verilog.
    #[command(flatten)]
    pub package: PackageArgs,
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
    pub description: DescriptionArgs,
    /// Clock cycles with traffic; the switch is drained after them.
    #[arg(long, default_value_t = 100_000, value_parser = whole::<u64>(1, MOST_CYCLES))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Write a waveform of the whole run: `.fst` or `.vcd`.
    #[arg(long, value_name = "FILE", value_parser = waveform_file)]
    pub trace: Option<PathBuf>,
    /// Write only this many cycles before a failure (and a few after it), and nothing if there is none.
    #[arg(long, value_name = "CYCLES", requires = "trace", value_parser = whole::<u64>(0, MOST_CYCLES))]
    pub trace_window: Option<u64>,
    /// Write the packets to this CSV file, a line each: ports, VCs, cycles in and out, address.
    ///
    /// Those of the first run, in the order in which they leave the golden model; not those of the mixes. An existing
    /// file is replaced.
    #[arg(long, value_name = "FILE.csv")]
    pub packets: Option<PathBuf>,
    /// Short runs of other traffic after the first run; 0: none.
    ///
    /// Two runs of directed phases come first (as `--traffic limits` and `--traffic faults`). Then come as many mixes
    /// drawn from the seed (as `--traffic any`): other lengths, gaps, starved credits, a slow CAM, illegal senders,
    /// resets. `--trace` and `--scenario` leave all of them out.
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = whole::<u64>(0, MOST_MIXES))]
    pub mixes: u64,
    /// A design in place of the generated one.
    #[command(flatten)]
    pub design: DesignArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Clock cycles measured.
    ///
    /// Before them the switch is set up, and warms up until its figures stay the same (not with `--traffic-file`).
    #[arg(long, default_value_t = 100_000, value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Write the packets to this CSV file, a line each: ports, VCs, cycles in and out, address.
    ///
    /// In the order in which they leave, those of the warm-up first. An existing file is replaced.
    #[arg(long, value_name = "FILE.csv")]
    pub packets: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 3, value_parser = whole::<u64>(1, 600))]
    pub seconds: u64,
    /// Seed of all that is random.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
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
    pub description: DescriptionArgs,
    /// Standard-cell library by name: nangate45, sky130hd, sg13g2, gt2n or osu018.
    ///
    /// All but osu018 are looked for in the folder that RAILYARD_LIBERTY_DIR names.
    #[arg(long, default_value = "nangate45", value_name = "NAME")]
    pub library: String,
    /// Standard-cell library by file, `.lib` or `.lib.gz`; `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "library")]
    pub liberty: Option<Source>,
    /// Feature size of `--liberty` in nm, for the memories that go with it.
    #[arg(long, value_name = "NM", requires = "liberty", value_parser = whole::<u32>(1, 1_000))]
    pub node: Option<u32>,
    /// Only this module of the design and what is in it.
    #[arg(long, value_name = "MODULE")]
    pub block: Option<String>,
    /// Also synthesise each module on its own, for a table of area and longest path by block.
    #[arg(long, conflicts_with = "block")]
    pub by_block: bool,
    /// Flatten the whole before logic is optimised, instead of linking its units: hours for a large switch.
    #[arg(long)]
    pub flat: bool,
    /// What mapping aims at.
    #[arg(long, value_enum, default_value_t = MappingRecipe::Speed)]
    pub recipe: MappingRecipe,
    /// Clock uncertainty (jitter and skew) in ns, added to every path that ends at a register or an output.
    #[arg(long, value_name = "NS", default_value_t = 0.0, value_parser = up_to(1000.0))]
    pub clock_uncertainty: f64,
    /// Loads of wires: the default wire load of the library, if it has one, or none.
    #[arg(long, value_enum, default_value_t = WireLoads::Library)]
    pub wires: WireLoads,
    /// VCD of the design at work, for power, or `-` for standard input.
    ///
    /// `verify --trace run.vcd` writes one. The whole is flattened.
    #[arg(long, value_name = "FILE")]
    pub activity: Option<Source>,
    /// Your own table of memories (JSON), or `-` for standard input, in place of the built-in one.
    #[arg(long, value_name = "FILE")]
    pub memories: Option<Source>,
    /// Keep the Verilog, the netlist, memory macros and their Liberty view in this folder, which is new or empty.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Count the primitives of an FPGA instead (and its clock, if nextpnr is installed).
    #[arg(
        long,
        value_name = "FAMILY",
        conflicts_with_all = [
            "library", "liberty", "by_block", "flat", "recipe", "clock_uncertainty", "wires", "activity", "memories", "keep"
        ]
    )]
    pub fpga: Option<FpgaFamily>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What ABC is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MappingRecipe {
    /// The shortest path.
    Speed,
    /// In between.
    Balanced,
    /// The least area.
    Area,
    /// Yosys' own script, `abc -D 100 -constr`: to compare with figures of other designs.
    Yosys,
}

/// Whose loads of wires timing reckons with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum WireLoads {
    /// Those of the library's default wire load.
    Library,
    /// None.
    None,
}

fn library_names() -> clap::builder::PossibleValuesParser {
    Named::all().iter().map(|named| named.name).collect::<Vec<_>>().into()
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Standard-cell library by name, as for `estimate`; Cao2016's chip is always mapped to osu018.
    #[arg(long, default_value = "nangate45", value_name = "NAME", value_parser = library_names())]
    pub library: String,
    /// Blocks of a switch only, no whole switches and no points of curves: seconds in place of minutes, the first time.
    #[arg(long)]
    pub quick: bool,
    /// Answer as CSV, with notes on what makes ours differ.
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub csv: bool,
    /// Answer as a table in Markdown, as in the page of measurements.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Answer as JSON, with notes on what makes ours differ and critical paths.
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
const MIXES: &[&str] = &["bursty", "any", "limits", "faults"];

/// What the senders do.
#[derive(Args, Debug, Clone)]
pub struct TrafficArgs {
    /// Traffic pattern.
    ///
    /// `bursty` is uniform in bursts of eight packets. `any` is a mix drawn from the seed: lengths, gaps, starved
    /// credits, slow CAM, illegal senders, resets. `limits` are phases that lead the switch to the limits of its
    /// buffers, credits, counters and tables. `faults` are the same among illegal senders. The load of `limits` and
    /// `faults` is what the links take.
    #[arg(long, default_value = "uniform", value_parser = clap::builder::PossibleValuesParser::new(traffic_names()))]
    pub traffic: String,
    /// Offered load in flits for each port and cycle.
    #[arg(long, default_value_t = 0.7, value_parser = up_to(1.0))]
    pub load: f64,
    /// Changes of the table, topology or groups under traffic, for each cycle.
    ///
    /// Only in a switch with registers. The caches are disabled and flushed, the CAM and the settings change, the
    /// caches are enabled again.
    #[arg(long, value_name = "RATE", default_value_t = 0.0, value_parser = up_to(MOST_MOVES))]
    pub moves: f64,
    /// Share of the packets that are multicast packets.
    ///
    /// Only in a switch with a mixed virtual channel. They go to groups of few and many outputs, drawn from the seed.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = up_to(1.0), conflicts_with = "traffic_file")]
    pub multicast: f64,
    /// Barriers at which each node of a group arrives, for each cycle.
    ///
    /// Only in a switch with a barrier virtual channel. A node does not arrive while it waits at a barrier. Left out:
    /// 0.02 in `verify`, none in `simulate` and `bench`. Of more than four groups each is as much slower. Groups and
    /// faults on the links (lost, repeated, corrupted and forged messages) are drawn from the seed.
    #[arg(long, value_name = "RATE", value_parser = up_to(1.0))]
    pub barriers: Option<f64>,
    /// The whole stimulus as JSON, as a failure report prints it.
    ///
    /// `railyard schema --scenario` prints its JSON Schema; docs/src/scenario.md describes it. In place of `--traffic`,
    /// `--load`, `--moves`, `--multicast`, `--barriers` and `--seed`.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["traffic", "load", "moves", "multicast", "barriers", "seed"])]
    pub scenario: Option<String>,
    /// Packets from a file, or `-` for standard input.
    ///
    /// A line each: `cycle source destination flits [vc]`. In place of `--traffic` and `--load`; with `--scenario`, of
    /// its pattern, load, lengths and bursts.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "load"])]
    pub traffic_file: Option<Source>,
}

fn traffic_names() -> Vec<&'static str> {
    Pattern::OF_SWITCHES.iter().chain(MIXES).copied().collect()
}

fn waveform_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("fst" | "vcd") => Ok(path),
        _ if matches!(path.file_name().and_then(|name| name.to_str()), Some(".fst" | ".vcd")) => {
            Err("must have a name before its ending, as in run.fst".into())
        }
        _ => Err("must end in .fst or .vcd".into()),
    }
}

/// A number from 0 to `most`.
fn up_to(most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text| match text.parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        Ok(number) if !number.is_nan() => {
            let nearest = number.clamp(0.0, most);
            Err(format!("must be a number from 0.0 to {most:?}; the nearest is {nearest:?}"))
        }
        _ => Err(format!("must be a number from 0.0 to {most:?}")),
    }
}

impl TrafficArgs {
    /// The stimulus for commands that measure: barriers only if they are asked for.
    ///
    /// # Errors
    /// As [`TrafficArgs::scenario`].
    pub fn measured_scenario(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        let mut scenario = self.scenario(seed, shape)?;
        if self.barriers.is_none() && self.scenario.is_none() {
            scenario.barriers = 0.0;
        }
        Ok(scenario)
    }

    /// The stimulus that the options describe.
    ///
    /// # Errors
    /// `--scenario` is not the JSON of a scenario for this switch, or `--traffic-file` has no packets for this switch.
    pub fn scenario(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        if self.moves > 0.0 && registers_of(shape).is_empty() {
            return Err(Error::Usage(
                "--moves: this switch has no registers, so that nothing can change at run time".into(),
            ));
        }
        if self.multicast > 0.0 && shape.multicast.is_none() {
            return Err(Error::Usage("--multicast: this switch has no mixed virtual channel".into()));
        }
        if self.barriers.is_some_and(|rate| rate > 0.0) && shape.barrier.is_none() {
            return Err(Error::Usage("--barriers: this switch has no barrier virtual channel".into()));
        }
        let scenario = self.without_file(seed, shape)?;
        let Some(file) = &self.traffic_file else { return Ok(scenario) };
        let text = read_text(file, Kind::Trace)?;
        let trace = Trace::parse(file, &text, shape).map_err(|faults| Error::Traffic { file: file.clone(), faults })?;
        let trace = Arc::new(trace);
        if self.scenario.is_none() {
            let replay = Scenario::replay(seed, trace);
            return Ok(Scenario { moves: self.moves, barriers: self.barriers.unwrap_or(replay.barriers), ..replay });
        }
        Ok(Scenario { traffic: Traffic { trace: Some(trace), ..scenario.traffic }, ..scenario })
    }

    fn without_file(&self, seed: u64, shape: &Shape) -> Result<Scenario, Error> {
        if let Some(json) = &self.scenario {
            return Scenario::for_switch(json, shape).map_err(Error::Scenario);
        }
        let mut scenario = match self.traffic.as_str() {
            "any" => Scenario::any(seed),
            "limits" => Scenario::limits(seed),
            "faults" => Scenario::faults(seed),
            "bursty" => {
                let mut scenario = Scenario::new(seed, Pattern::Uniform, self.load);
                scenario.traffic.burst = Some(Burst { packets: 8.0 });
                scenario
            }
            name => Scenario::new(seed, Pattern::named(name).expect("clap has checked the name"), self.load),
        };
        if self.moves > 0.0 {
            scenario.moves = self.moves;
        }
        if self.multicast > 0.0 {
            scenario.traffic.multicast = self.multicast;
        }
        if let Some(rate) = self.barriers {
            scenario.barriers = rate;
        }
        Ok(scenario)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_one() {
        command().debug_assert();
    }

    /// Of every option that takes a number: the error names option, value and rule.
    #[test]
    fn a_negative_number_is_a_bad_value_not_an_unknown_option() {
        for line in [
            "verify tiny --cycles",
            "verify tiny --seed",
            "verify tiny --load",
            "verify tiny --mixes",
            "verify tiny --trace a.fst --trace-window",
            "simulate tiny --cycles",
            "simulate tiny --seed",
            "bench tiny --seconds",
            "bench tiny --seed",
            "estimate tiny --liberty a.lib --node",
            "explore sweep.json -o out --jobs",
            "explore sweep.json -o out --slurm --tasks",
            "explore sweep.json -o out --slurm --throttle",
            "explore sweep.json -o out --shard",
            "study trace --seed",
            "network run net.json --cycles",
            "network run net.json --load",
            "network run net.json --length",
            "network run net.json --barriers",
            "network run net.json --lost-credits",
            "network run net.json --corrupt-credits",
            "network run net.json --lost-messages",
            "network run net.json --corrupt-messages",
        ] {
            let option = line.rsplit(' ').next().unwrap();
            let words = ["railyard"].into_iter().chain(line.split(' ')).chain(["-1"]).map(OsString::from);
            let error = parse(words).expect_err(line).render().to_string();
            assert!(error.contains("invalid value '-1' for '") && error.contains(option), "{line}: {error}");
            assert!(error.contains("must be "), "{line}: {error}");
        }
    }

    /// Of every option that takes a number that could be absurdly large: the error names option, value and limit.
    #[test]
    fn an_absurd_number_is_refused_with_the_limit() {
        for line in [
            "verify tiny --cycles",
            "verify tiny --mixes",
            "verify tiny --trace a.fst --trace-window",
            "simulate tiny --cycles",
            "bench tiny --seconds",
            "estimate tiny --liberty a.lib --node",
            "explore sweep.json -o out --jobs",
            "explore sweep.json -o out --slurm --tasks",
            "explore sweep.json -o out --slurm --throttle",
            "network run net.json --cycles",
            "network run net.json --length",
        ] {
            let words =
                ["railyard"].into_iter().chain(line.split(' ')).chain(["18446744073709551615"]).map(OsString::from);
            let error = parse(words).expect_err(line).render().to_string();
            assert!(
                error.contains("18446744073709551615") && error.contains("must be a whole number from"),
                "{line}: {error}"
            );
        }
    }

    #[test]
    fn a_long_value_is_shown_by_its_start() {
        let long = "9".repeat(5_000);
        for line in [&["verify", "tiny", "--cycles"][..], &["verify", "tiny", "--traffic"], &[]] {
            let words = ["railyard"].into_iter().chain(line.iter().copied()).chain([long.as_str()]).map(OsString::from);
            assert!(parse(words).unwrap_err().render().to_string().len() < 1_000, "{line:?}");
        }
    }
}
