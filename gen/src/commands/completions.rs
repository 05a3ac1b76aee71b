//! `railyard completions`.

use crate::cli::{CompletionsArgs, NAME};
use crate::{answer, cli, Error, Outcome};
use clap_complete::generate;
use serde_json::json;

/// Prints the script by which a shell completes verbs, options and their values.
///
/// # Errors
/// Standard output takes no more.
pub fn run(args: &CompletionsArgs) -> Result<Outcome, Error> {
    let mut script = Vec::new();
    generate(args.shell, &mut cli::command(), NAME, &mut script);
    let script = String::from_utf8(script).expect("names and help texts are UTF-8");
    match args.json {
        true => answer::json(&json!({"shell": args.shell.to_string(), "script": script}))?,
        false => answer::text(&script)?,
    }
    Ok(Outcome::Fine)
}
