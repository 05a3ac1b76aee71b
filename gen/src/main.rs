//! The command `railyard`. All of its work is in the library; here only arguments and the exit code.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that has seen enough (`railyard schema | head`) ends the command quietly.
    sigpipe::reset();
    let cli = railyard::cli::Cli::parse();
    match railyard::run(cli) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // Where not even standard error takes anything, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "error: {}", railyard_spec::printable_lines(&error.to_string()));
            ExitCode::from(2)
        }
    }
}
