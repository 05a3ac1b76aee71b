//! Lines of a text, and what is wrong with one.

use railyard_input::Fault;
use std::fmt::Display;

/// A line with its number, from 1 on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its number.
    pub number: usize,
    /// Its text, without space around it.
    pub text: &'a str,
}

/// All lines that are not empty.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let all = text.lines().enumerate().map(|(at, text)| Line { number: at + 1, text: text.trim() });
    all.filter(|line| !line.text.is_empty())
}

/// A fault in a line.
pub(super) fn fault(line: usize, value: impl Display, rule: impl Into<String>, legal: impl Into<String>) -> Fault {
    Fault { path: format!("line {line}"), value: value.to_string(), rule: rule.into(), legal: legal.into() }
}

impl Line<'_> {
    /// A fault in this line.
    pub fn fault(&self, value: impl Display, rule: impl Into<String>, legal: impl Into<String>) -> Fault {
        fault(self.number, value, rule, legal)
    }

    /// The number that a word of the line must be.
    pub fn number_in(&self, word: &str, low: u64, high: u64) -> Result<u64, Fault> {
        let number = word.parse::<u64>().ok().filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| self.fault(word, format!("must be a whole number from {low} to {high}"), low.to_string()))
    }
}
