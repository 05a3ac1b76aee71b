//! The answer of a command, on standard output.

use crate::error::Error;
use railyard_input::{drives_terminal, printable_lines};
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// An answer for people.
///
/// # Errors
/// Standard output takes no more.
pub fn text(text: &str) -> Result<(), Error> {
    write(&printable_lines(text))
}

/// An answer for machines: JSON, for reading and comparing.
///
/// # Errors
/// Standard output takes no more.
pub fn json(value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).expect("answers are plain numbers and names");
    write(&(terminal_safe(&text) + "\n"))
}

/// Paths for machines. One that is not UTF-8 is shown as it can be.
pub fn paths(paths: &[PathBuf]) -> Value {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// JSON text in which strings hold nothing that drives a terminal: JSON itself escapes only the first 32 characters.
fn terminal_safe(json: &str) -> String {
    let escape = |c: char| match drives_terminal(c) && c != '\n' {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.into(),
    };
    json.chars().map(escape).collect()
}

fn write(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::io("(standard output)"))
}
