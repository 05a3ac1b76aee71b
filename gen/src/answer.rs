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
/// As [`GOOD`], of notes.
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow))).bold();

/// Words with a colour of their own, wherever they stand.
const BAD_WORDS: [&str; 4] = ["FAILED", "MISMATCH", "MISSING", "NOT USABLE"];

/// An answer for people: verdicts and notes are coloured on a terminal.
///
/// # Errors
/// Standard output takes no more.
pub fn text(text: &str) -> Result<(), Error> {
    let coloured: String = printable_lines(text).split_inclusive('\n').map(coloured).collect();
    let mut out = anstream::stdout().lock();
    out.write_all(coloured.as_bytes()).and_then(|()| out.flush()).map_err(Error::io("(standard output)"))
}

/// A line with its verdict coloured, if it has one.
fn coloured(line: &str) -> String {
    let in_style = |style: Style, start: usize, length: usize| {
        let (before, word, behind) = (&line[..start], &line[start..start + length], &line[start + length..]);
        format!("{before}{style}{word}{style:#}{behind}")
    };
    let bad = BAD_WORDS.iter().find_map(|word| word_in(line, word).map(|start| (start, word.len())));
    if let Some((start, length)) = bad {
        return in_style(BAD, start, length);
    }
    if line.starts_with("note:") || line.starts_with("note (") {
        return in_style(NOTE, 0, "note".len());
    }
    // A verdict stands first, or behind its head.
    let verdict = line.strip_prefix("verdict").unwrap_or(line).trim_start();
    match verdict.starts_with("passed:") {
        true => in_style(GOOD, line.len() - verdict.len(), "passed".len()),
        false => line.into(),
    }
}

/// Where a word of capitals stands in a line, and not as a part of another one.
fn word_in(line: &str, word: &str) -> Option<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let alone = |start: usize| {
        !is_part(line[..start].chars().next_back()) && !is_part(line[start + word.len()..].chars().next())
    };
    line.match_indices(word).map(|(start, _)| start).find(|start| alone(*start))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_a_colour_and_other_text_has_none() {
        let [good, bad, note] = [GOOD, BAD, NOTE].map(|style| (style.to_string(), format!("{style:#}")));
        let cases = [
            ("passed: 20 cycles\n", format!("{}passed{}: 20 cycles\n", good.0, good.1)),
            ("verdict   passed: equal\n", format!("verdict   {}passed{}: equal\n", good.0, good.1)),
            ("nextpnr   MISSING\n", format!("nextpnr   {}MISSING{}\n", bad.0, bad.1)),
            ("FAILED: 69 cycles\n", format!("{}FAILED{}: 69 cycles\n", bad.0, bad.1)),
            ("note: cold caches\n", format!("{}note{}: cold caches\n", note.0, note.1)),
        ];
        for (line, shown) in cases {
            assert_eq!(coloured(line), shown);
        }
        for line in ["and 8 mixes of other traffic: passed\n", "#define MISSING_BIT 1\n", "MISMATCHES\n", "noted: x\n"]
        {
            assert_eq!(coloured(line), line);
        }
    }
}
