//! The command `railyard`. All of its work is in the library; here only arguments and the exit code.

mod standard_output;

use railyard::cli::{parse, wants_json};
use railyard::{notes, report, run, show, Error};
use railyard_programs::end_on_signals;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that has seen enough (`railyard schema | head`) ends the command quietly.
    sigpipe::reset();
    if standard_output::was_closed() {
        eprintln!("error: (standard output): is closed, and the answer has no other place");
        return ExitCode::from(2);
    }
    notes::show();
    let json = wants_json(std::env::args_os());
    let outcome = match parse(std::env::args_os()) {
        Ok(cli) => end_on_signals().map_err(Error::io("(signals)")).and_then(|()| run(cli)),
        Err(usage) if json && usage.use_stderr() => Err(Error::from(usage)),
        // An error with clap's own layout and colours.
        Err(usage) if usage.use_stderr() => usage.exit(),
        Err(help) => show(&help),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            report(&error, json);
            ExitCode::from(2)
        }
    }
}
