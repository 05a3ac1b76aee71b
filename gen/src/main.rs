//! The command `railyard`. All of its work is in the library; here only arguments and the exit code.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that has seen enough (`railyard schema | head`) ends the command quietly.
    sigpipe::reset();
    let cli = railyard::cli::Cli::parse();
    match railyard::run(cli) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
