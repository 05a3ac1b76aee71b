//! The answer of a command, on standard output.

use crate::error::Error;
use anstyle::{AnsiColor, Color, Style};
use railyard_input::{drives_terminal, printable_lines};
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Styles for a terminal; `anstream` leaves them out in a pipe, and where NO_COLOR is set.
const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))).bold();
/// As [`GOOD`], of errors and mismatches.
pub const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();

/// An answer for people.
///
/// # Errors
/// Standard output takes no more.
pub fn text(text: &str) -> Result<(), Error> {
    write(&printable_lines(text))
}

/// An answer for people whose first word is a verdict: coloured on a terminal.
///
/// # Errors
/// Standard output takes no more.
pub fn verdict(text: &str, is_good: bool) -> Result<(), Error> {
    let text = printable_lines(text);
    let (word, rest) = text.split_at(text.find([':', ',', ' ']).unwrap_or(0));
    let style = if is_good { GOOD } else { BAD };
    let mut out = anstream::stdout().lock();
    write!(out, "{style}{word}{style:#}{rest}").and_then(|()| out.flush()).map_err(Error::io("(standard output)"))
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
