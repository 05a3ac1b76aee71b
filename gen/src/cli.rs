//! The command line.

mod bench;
mod check;
mod compare;
mod curve;
mod description;
mod design;
mod estimate;
mod exchange;
mod explore;
mod generate;
mod network;
mod network_setting;
mod new;
mod package;
mod picture;
mod presets;
mod registers;
mod report;
mod schema;
mod shell;
mod simulate;
mod study;
mod traffic;
mod value;
mod verify;

pub use bench::BenchArgs;
pub use check::CheckArgs;
pub use compare::CompareArgs;
pub use curve::NetworkCurveArgs;
pub use description::DescriptionArgs;
pub use design::DesignArgs;
pub use estimate::{EstimateArgs, FpgaFamily, MappingRecipe, WireLoads};
pub use exchange::{ExportFormat, ImportFormat, NetworkExportArgs, NetworkImportArgs};
pub use explore::ExploreArgs;
pub use generate::GenerateArgs;
pub use network::{
    NetworkArgs, NetworkCheckArgs, NetworkCommand, NetworkGenerateArgs, NetworkMeasureArgs, NetworkRunArgs,
    NetworkVcsArgs, NetworkVerifyArgs,
};
pub use network_setting::NetworkSetting;
pub use new::NewArgs;
pub use package::PackageArgs;
pub use picture::PictureArgs;
pub use presets::PresetsArgs;
pub use registers::{FormatName, RegistersArgs};
pub use report::ReportArgs;
pub use schema::SchemaArgs;
pub use shell::{CompletionsArgs, DoctorArgs, ManArgs};
pub use simulate::SimulateArgs;
pub use study::{StudyArgs, StudySize};
pub use traffic::TrafficArgs;
pub(crate) use value::MOST_CYCLES;
pub use verify::VerifyArgs;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use railyard_input::{shortened, InputSource};
use std::ffi::OsString;

/// The name of the program.
pub const NAME: &str = "railyard";

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 the check found a mismatch, 2 usage or input. \
    With --json, errors are JSON on standard output, too.";

/// What the long help of the program shows last.
const FIRST_STEPS: &str = "\
Examples:
  railyard doctor
      what is installed, and what is missing
  railyard new --preset hpc16 -o my.json
      a switch description to start from
  railyard verify my.json
      its Verilog against the golden model
  railyard generate my.json -o my_switch
      its Verilog

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
    /// Write one self-contained HTML page on a switch, a network, a sweep or a study.
    #[command(after_long_help = report::EXAMPLES)]
    Report(ReportArgs),
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
        let sources = found.try_get_many::<InputSource>(arg.get_id().as_str()).ok().flatten();
        sources.into_iter().flatten().any(|source| *source == InputSource::StandardInput)
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

#[cfg(test)]
mod tests;
