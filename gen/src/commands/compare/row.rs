//! A row of the comparison: ours, theirs, the goal, and what comes of it.

use super::figure::Reports;
use super::figure::{ComparedFigure, Preference};
use serde::Serialize;

/// A figure of ours beside what it is held against.
#[derive(Debug, Serialize)]
pub struct ComparisonRow {
    figure: &'static str,
    unit: &'static str,
    ours: Option<f64>,
    theirs: Option<f64>,
    /// `published`, `derived` or `measured`.
    basis: Option<&'static str>,
    /// How a derived figure is worked out.
    formula: Option<&'static str>,
    goal: Option<f64>,
    better: Preference,
    like_for_like: bool,
    verdict: ComparisonVerdict,
    /// Whether ours is on the right side of the goal, or else of theirs.
    met: Option<bool>,
    /// How far ours is above (or, negative, below) the goal or else theirs, in percent.
    off_percent: Option<f64>,
    source: &'static str,
    note: &'static str,
    #[serde(skip)]
    digits: usize,
}

/// What comes of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// On the right side.
    Met,
    /// On the wrong side.
    Missed,
    /// There is neither a goal nor a figure of theirs.
    NoGoal,
    /// Ours was not synthesised.
    NotMeasured,
    /// Goals and figures are those of another library.
    OtherLibrary,
}

/// Heads of the columns for people.
pub const HEADS: [&str; 6] = ["figure", "ours", "theirs", "", "goal", "verdict"];

/// Heads of the columns for machines.
pub const FIELDS: [&str; 14] = [
    "figure",
    "unit",
    "ours",
    "theirs",
    "basis",
    "formula",
    "goal",
    "better",
    "like_for_like",
    "verdict",
    "met",
    "off_percent",
    "source",
    "note",
];

impl ComparisonRow {
    /// A figure, worked out. In another library than that of the goals, none of them is met or missed.
    pub fn new(figure: &ComparedFigure, reports: &Reports, is_comparable: bool) -> ComparisonRow {
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        let (ours, limit) = ((figure.ours)(reports).map(rounded), figure.limit());
        let verdict = match (ours, limit) {
            (None, _) => ComparisonVerdict::NotMeasured,
            (_, None) => ComparisonVerdict::NoGoal,
            _ if !is_comparable => ComparisonVerdict::OtherLibrary,
            (Some(ours), Some(limit)) => match figure.better {
                Preference::Less if ours <= limit => ComparisonVerdict::Met,
                Preference::More if ours >= limit => ComparisonVerdict::Met,
                _ => ComparisonVerdict::Missed,
            },
        };
        let met = match verdict {
            ComparisonVerdict::Met => Some(true),
            ComparisonVerdict::Missed => Some(false),
            _ => None,
        };
        let off = ours.zip(limit).filter(|_| met.is_some());
        ComparisonRow {
            figure: figure.what,
            unit: figure.unit,
            ours,
            theirs: figure.theirs.value().map(rounded),
            basis: figure.theirs.basis(),
            formula: figure.theirs.formula(),
            goal: figure.goal,
            better: figure.better,
            like_for_like: figure.like_for_like,
            verdict,
            met,
            off_percent: off.map(|(ours, limit)| ((ours / limit - 1.0) * 1000.0).round() / 10.0 + 0.0),
            source: figure.source,
            note: figure.note,
            digits: figure.digits,
        }
    }

    /// For people.
    pub fn cells(&self) -> Vec<String> {
        let number = |value: f64| format!("{value:.*} {}", self.digits, self.unit).trim_end().to_string();
        let or = |cell: Option<f64>, none: &str| cell.map_or(none.to_string(), number);
        vec![
            self.figure.into(),
            or(self.ours, "-"),
            or(self.theirs, "-"),
            self.basis.unwrap_or_default().into(),
            or(self.goal, ""),
            self.told(),
        ]
    }

    /// As cells of CSV, by [`FIELDS`].
    pub fn fields(&self) -> Vec<String> {
        let all = serde_json::to_value(self).expect("plain data");
        let cell = |name: &&str| match &all[*name] {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        FIELDS.iter().map(cell).collect()
    }

    /// As a line of a Markdown table, with where theirs is from.
    pub fn markdown(&self) -> String {
        let [figure, ours, theirs, basis, goal, verdict]: [String; 6] =
            self.cells().try_into().expect("as many cells as heads");
        let basis = match (self.formula, basis.as_str()) {
            (Some(formula), _) => format!("derived: {formula}; {}", self.source),
            (None, "") => self.source.to_string(),
            (None, basis) => format!("{basis}, {}", self.source),
        };
        format!("| {figure} | {ours} | {theirs} | {basis} | {goal} | {verdict} |\n")
    }

    /// The verdict in words; one that misses says by how much.
    fn told(&self) -> String {
        let verdict = match (self.verdict, self.off_percent) {
            (ComparisonVerdict::Met, _) => "met".to_string(),
            (ComparisonVerdict::Missed, off) => format!("missed by {:.1} %", off.unwrap_or_default().abs()),
            (ComparisonVerdict::NoGoal, _) => return "no goal".into(),
            (ComparisonVerdict::NotMeasured, _) => return "not measured".into(),
            (ComparisonVerdict::OtherLibrary, _) => return "other library".into(),
        };
        verdict + if self.like_for_like { "" } else { ", not like for like" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::compare::figure::Theirs;

    fn row(better: Preference, theirs: Theirs, goal: Option<f64>, ours: fn(&Reports) -> Option<f64>) -> ComparisonRow {
        let figure =
            ComparedFigure { better, goal, ..ComparedFigure::new("a", "ns", 2, ours).against(theirs, "there") };
        ComparisonRow::new(&figure, &Reports::new(), true)
    }

    #[test]
    fn a_row_that_misses_says_so_and_by_how_much() {
        let one = |_: &Reports| Some(1.0);
        let told = |row: ComparisonRow| (row.verdict, row.met, row.off_percent, row.told());
        let published = Theirs::Published(0.8);
        assert_eq!(
            told(row(Preference::Less, published, None, one)),
            (ComparisonVerdict::Missed, Some(false), Some(25.0), "missed by 25.0 %".into())
        );
        assert_eq!(told(row(Preference::More, published, None, one)).0, ComparisonVerdict::Met);
        // The goal comes before theirs.
        assert_eq!(told(row(Preference::More, published, Some(2.0), one)).3, "missed by 50.0 %");
        assert_eq!(
            told(row(Preference::Less, Theirs::None, None, one)),
            (ComparisonVerdict::NoGoal, None, None, "no goal".into())
        );
        let none = row(Preference::Less, published, None, |_| None);
        assert_eq!(told(none), (ComparisonVerdict::NotMeasured, None, None, "not measured".into()));
        let figure = ComparedFigure::new("a", "ns", 2, one).against(published, "there").unlike("another node");
        assert_eq!(ComparisonRow::new(&figure, &Reports::new(), true).told(), "missed by 25.0 %, not like for like");
        assert_eq!(ComparisonRow::new(&figure, &Reports::new(), false).told(), "other library");
    }

    #[test]
    fn every_column_is_a_field() {
        let row = row(Preference::Less, Theirs::Derived(2.0, "1 + 1"), None, |_| Some(1.0));
        let all = serde_json::to_value(&row).unwrap();
        assert_eq!(all.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>(), FIELDS);
        assert_eq!(row.fields()[..7], ["a", "ns", "1.0", "2.0", "derived", "1 + 1", ""]);
        assert_eq!(row.markdown(), "| a | 1.00 ns | 2.00 ns | derived: 1 + 1; there |  | met |\n");
    }

    #[test]
    fn only_what_a_paper_prints_is_published() {
        let papers = ["Hirasawa2022", "Fuentes2017", "Hirasawa2020", "Shalf2010", "Cao2016"];
        for figure in crate::commands::compare::figures::figures() {
            let is_paper = papers.iter().any(|paper| figure.source.starts_with(paper));
            match figure.theirs {
                Theirs::None => assert!(!is_paper, "{}", figure.what),
                Theirs::Measured(_) => assert!(!is_paper, "{}", figure.what),
                Theirs::Published(_) => assert!(is_paper, "{}", figure.what),
                Theirs::Derived(_, formula) => assert!(is_paper && !formula.is_empty(), "{}", figure.what),
            }
            assert!(figure.like_for_like || !figure.note.is_empty(), "{}: says why not", figure.what);
        }
    }
}
