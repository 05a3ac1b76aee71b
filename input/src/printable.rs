//! Text from outside, made fit for a terminal.

use std::path::Path;

/// Characters that change the direction of what is written after them.
const TURNS: &[char] = &[
    '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}',
    '\u{2068}', '\u{2069}',
];

/// Whether a character does something to a terminal instead of being shown.
pub fn drives_terminal(c: char) -> bool {
    c.is_control() || TURNS.contains(&c)
}

/// One line of text, with what would drive a terminal escaped as in a Rust string.
pub fn printable(text: &str) -> String {
    escaped(text, drives_terminal)
}

/// As [`printable`], for text of several lines: line ends and tabs stay.
pub fn printable_lines(text: &str) -> String {
    escaped(text, |c| drives_terminal(c) && c != '\n' && c != '\t')
}

/// A file's name for a message. One that is not UTF-8 is shown as it can be.
pub fn shown(path: impl AsRef<Path>) -> String {
    printable(&path.as_ref().display().to_string())
}

/// Characters of a value that a message shows.
const SHOWN: usize = 60;

/// A value from outside for a message, on one line: if it is long, only its start.
pub fn shortened(text: &str) -> String {
    printable(&shortened_to(SHOWN, text))
}

/// As [`shortened`], to so many characters.
pub(crate) fn shortened_to(most: usize, text: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

fn escaped(text: &str, bad: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match bad(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_long_value_is_shown() {
        assert_eq!(shortened("7"), "7");
        assert_eq!(shortened("a\nb"), "a\\nb");
        assert_eq!(shown("a\nerror: b"), "a\\nerror: b");
        assert_eq!(shortened(&"ä".repeat(SHOWN)), "ä".repeat(SHOWN));
        assert_eq!(shortened(&"ä".repeat(SHOWN + 1)), "ä".repeat(SHOWN) + "…");
    }

    #[test]
    fn only_what_drives_a_terminal_is_escaped() {
        let text = "a\u{1b}[31mb\u{7f}\u{9b}c\u{202e}\r\n\t\"ä\\";
        assert_eq!(printable(text), "a\\u{1b}[31mb\\u{7f}\\u{9b}c\\u{202e}\\r\\n\\t\"ä\\");
        assert_eq!(printable_lines(text), "a\\u{1b}[31mb\\u{7f}\\u{9b}c\\u{202e}\\r\n\t\"ä\\");
    }
}
