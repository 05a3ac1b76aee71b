//! What is wrong with a document, a fault at a time.

use crate::printable::{printable, shortened, shortened_to};
use serde::Serialize;
use std::fmt;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Fault {
    /// Where, as a JSON pointer: `/routing/cache/ways`; empty for the whole file.
    pub path: String,
    /// What stands there, as JSON.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// A value that would do, as JSON.
    pub legal: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "(file)".into() } else { shortened(&self.path) };
        // Names and values are whatever stands in the file, and as long as they are there.
        f.write_str(&printable(&format!("{path}: {} {}; legal: {}", shortened(&self.value), self.rule, self.legal)))
    }
}

/// Characters of a path or a value that a fault keeps.
const KEPT: usize = 16_384;

/// All that is wrong with a document: the first faults, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}", lines(self, ""))]
pub struct Faults {
    /// The first that were found, at most [`Faults::LISTED`], with long paths and values cut short.
    #[serde(rename = "faults")]
    pub first: Vec<Fault>,
    /// How many more there are.
    #[serde(rename = "more_faults")]
    pub more: usize,
}

impl Faults {
    /// Faults that are kept; the rest are counted.
    pub const LISTED: usize = 20;

    /// Adds a fault.
    pub fn push(&mut self, fault: Fault) {
        self.push_with(|| fault);
    }

    /// Adds a fault that is made only if it is kept.
    pub fn push_with(&mut self, fault: impl FnOnce() -> Fault) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let fault = fault();
        let (path, value) = (shortened_to(KEPT, &fault.path), shortened_to(KEPT, &fault.value));
        self.first.push(Fault { path, value, ..fault });
    }

    /// Adds all of another report.
    pub fn append(&mut self, other: Faults) {
        self.extend(other.first);
        self.more += other.more;
    }

    /// Whether further faults are only counted.
    pub fn is_full(&self) -> bool {
        self.first.len() == Faults::LISTED
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// How many there are in all.
    pub fn len(&self) -> usize {
        self.first.len() + self.more
    }

    /// How many there are in all, in words: `1 fault`.
    pub fn count(&self) -> String {
        format!("{} fault{}", self.len(), if self.len() == 1 { "" } else { "s" })
    }

    /// Each fault, changed: a path put before another, for instance.
    pub fn map(self, change: impl FnMut(Fault) -> Fault) -> Faults {
        Faults { first: self.first.into_iter().map(change).collect(), more: self.more }
    }

    /// The kept ones in the order of their paths.
    pub fn sorted(mut self) -> Faults {
        self.first.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }

    /// For below a headline: a line for each fault, two columns in.
    pub fn indented(&self) -> String {
        lines(self, "  ")
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults::from_iter([fault])
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Faults {
        let mut all = Faults::default();
        all.extend(faults);
        all
    }
}

impl Extend<Fault> for Faults {
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        faults.into_iter().for_each(|fault| self.push(fault));
    }
}

/// A line for each fault, and one that says how many more there are.
fn lines(faults: &Faults, before: &str) -> String {
    let mut lines: Vec<String> = faults.first.iter().map(|fault| format!("{before}{fault}")).collect();
    lines.extend((faults.more > 0).then(|| format!("{before}and {} more", faults.more)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(path: String) -> Fault {
        Fault { path, value: "1".into(), rule: "is wrong".into(), legal: "2".into() }
    }

    #[test]
    fn the_first_are_listed_and_the_rest_counted() {
        let faults: Faults = (0..10_000).map(|i| fault(format!("/{i}"))).collect();
        assert_eq!((faults.len(), faults.count().as_str()), (10_000, "10000 faults"));
        let text = faults.to_string();
        assert_eq!((text.lines().count(), text.lines().last()), (21, Some("and 9980 more")));
        let json = serde_json::to_value(&faults).unwrap();
        assert_eq!((json["faults"].as_array().unwrap().len(), &json["more_faults"]), (20, &9980.into()));
        let mut twice = faults.clone();
        twice.append(faults);
        assert_eq!(twice.len(), 20_000);
    }

    #[test]
    fn a_long_value_is_kept_by_its_start() {
        let long = Faults::from(Fault { value: "9".repeat(100_000), ..fault("/".repeat(100_000)) });
        assert!(serde_json::to_string(&long).unwrap().len() < 40_000);
    }
}
