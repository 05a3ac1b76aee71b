//! A figure and what it is held against.

use railyard_estimate::SynthesisReport;
use serde::Serialize;
use std::collections::BTreeMap;

/// Reports by the name of their subject.
pub type Reports = BTreeMap<&'static str, SynthesisReport>;

/// A figure of ours, and what it is held against.
pub struct ComparedFigure {
    /// What it is.
    pub what: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Digits behind the point.
    pub digits: usize,
    /// Ours, if its subject was synthesised.
    pub ours: fn(&Reports) -> Option<f64>,
    /// Which way is better.
    pub better: Preference,
    /// Theirs.
    pub theirs: Theirs,
    /// What ours is meant to reach, where that is another than theirs.
    pub goal: Option<f64>,
    /// Both are of the same thing under the same conditions.
    pub like_for_like: bool,
    /// Where theirs is from.
    pub source: &'static str,
    /// What makes ours differ, or what is compared.
    pub note: &'static str,
}

/// Which way of a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    Less,
    More,
}

/// The other side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Theirs {
    /// Nobody has printed one.
    None,
    /// As a paper prints it.
    Published(f64),
    /// Worked out of what a paper prints, by this formula.
    Derived(f64, &'static str),
    /// Measured by us: another design in the same flow.
    Measured(f64),
}

impl Theirs {
    /// The figure.
    pub fn value(self) -> Option<f64> {
        match self {
            Theirs::None => None,
            Theirs::Published(value) | Theirs::Derived(value, _) | Theirs::Measured(value) => Some(value),
        }
    }

    /// Where it comes from, in a word.
    pub fn basis(self) -> Option<&'static str> {
        match self {
            Theirs::None => None,
            Theirs::Published(_) => Some("published"),
            Theirs::Derived(..) => Some("derived"),
            Theirs::Measured(_) => Some("measured"),
        }
    }

    /// How a derived one is worked out.
    pub fn formula(self) -> Option<&'static str> {
        match self {
            Theirs::Derived(_, formula) => Some(formula),
            _ => None,
        }
    }
}

impl ComparedFigure {
    /// A figure of which less is better, held against nothing yet.
    pub fn new(
        what: &'static str,
        unit: &'static str,
        digits: usize,
        ours: fn(&Reports) -> Option<f64>,
    ) -> ComparedFigure {
        ComparedFigure {
            what,
            unit,
            digits,
            ours,
            better: Preference::Less,
            theirs: Theirs::None,
            goal: None,
            like_for_like: true,
            source: "",
            note: "",
        }
    }

    /// An area.
    pub fn area(what: &'static str, subject: fn(&Reports) -> Option<f64>) -> ComparedFigure {
        ComparedFigure::new(what, "um2", 0, subject)
    }

    /// A longest path.
    pub fn path(what: &'static str, subject: fn(&Reports) -> Option<f64>) -> ComparedFigure {
        ComparedFigure::new(what, "ns", 3, subject)
    }

    /// More is better.
    pub fn more(self) -> ComparedFigure {
        ComparedFigure { better: Preference::More, ..self }
    }

    /// Held against theirs.
    pub fn against(self, theirs: Theirs, source: &'static str) -> ComparedFigure {
        ComparedFigure { theirs, source, ..self }
    }

    /// Held against a goal of ours.
    pub fn goal(self, goal: f64) -> ComparedFigure {
        ComparedFigure { goal: Some(goal), ..self }
    }

    /// With a note.
    pub fn note(self, note: &'static str) -> ComparedFigure {
        ComparedFigure { note, ..self }
    }

    /// Of different things, or under different conditions, as the note says.
    pub fn unlike(self, note: &'static str) -> ComparedFigure {
        ComparedFigure { like_for_like: false, note, ..self }
    }

    /// What ours is held against: the goal, or else theirs.
    pub fn limit(&self) -> Option<f64> {
        self.goal.or(self.theirs.value())
    }
}
