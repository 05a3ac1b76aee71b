//! The command `railyard`. All of its work is in the library; here only arguments and the exit code.

use railyard::cli::{parse, wants_json};
use railyard::{notes, report, run, Error};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that has seen enough (`railyard schema | head`) ends the command quietly.
    sigpipe::reset();
    notes::show();
    let json = wants_json(std::env::args_os());
    let outcome = match parse(std::env::args_os()) {
        Ok(cli) => run(cli),
        Err(usage) if json && usage.use_stderr() => Err(Error::from(usage)),
        // Help, or an error with clap's own layout and colours.
        Err(usage) => usage.exit(),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            report(&error, json);
            ExitCode::from(2)
        }
    }
}
