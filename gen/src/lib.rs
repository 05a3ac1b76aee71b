//! What the command `railyard` does, as a library.
//!
//! Each verb is a module of [`commands`]: it takes parsed arguments and writes its answer to standard output. Progress
//! and notes go to standard error, and so do errors, unless `--json` asks for them as an answer.

mod answer;
mod campaign;
pub mod cli;
pub mod commands;
mod counted;
mod data_sheet;
mod describe;
mod error;
mod folder;
mod folder_files;
mod manifest;
pub mod memory;
mod needs;
pub mod notes;
mod packets_file;
mod pages;
mod progress;
mod table;
mod table_file;
mod text;

pub use error::Error;
pub use manifest::Manifest;

use railyard_input::printable_lines;
use std::io::Write;
use std::process::ExitCode;

/// How a command ended, if it could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is well: exit code 0.
    Fine,
    /// The check found a difference: exit code 1.
    Mismatch,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Fine => ExitCode::SUCCESS,
            Outcome::Mismatch => ExitCode::from(1),
        }
    }
}

/// Says why a command could not do its work: for people on standard error, for machines on standard output.
pub fn report(error: &Error, json: bool) {
    if json && answer::json(&error.to_json()).is_ok() {
        return;
    }
    // Where not even standard error takes anything, the exit code has to do.
    let style = answer::BAD;
    let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {}", printable_lines(&error.to_string()));
}

/// Prints the help, or the version, that was asked for.
///
/// # Errors
/// Standard output takes no more.
pub fn show(help: &clap::Error) -> Result<Outcome, Error> {
    let shown = help.print().and_then(|()| std::io::stdout().flush());
    shown.map(|()| Outcome::Fine).map_err(Error::io("(standard output)"))
}

/// Runs one command.
///
/// # Errors
/// Usage, input, or a missing tool: exit code 2.
pub fn run(cli: cli::Cli) -> Result<Outcome, Error> {
    use cli::Command;
    match cli.command {
        Command::Presets(args) => commands::presets::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Registers(args) => commands::registers::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Estimate(args) => commands::estimate::run(&args),
        Command::Explore(args) => commands::explore::run(&args),
        Command::Network(args) => commands::network::run(&args),
        Command::Study(args) => commands::study::run(&args),
        Command::Picture(args) => commands::picture::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}
