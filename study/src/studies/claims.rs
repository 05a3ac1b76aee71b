//! Statements of a source, each with what we found.

use crate::report::beside;
use crate::{Seed, StudyPart, StudyTable};
use railyard_plot::{Axis, Dot, Picture, Published};
use serde_json::json;

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Origin {
    /// It is printed, for the source's own network.
    Published,
    /// It follows from theory, for the network of the study.
    Derived,
}

/// Statements so far.
pub(super) struct Claims {
    table: StudyTable,
    dots: Vec<Dot>,
    published: Vec<Published>,
}

impl Claims {
    pub fn new() -> Claims {
        let table = StudyTable::new(&["where", "quantity", "of", "ours", "seed", "difference"]);
        Claims { table, dots: Vec::new(), published: Vec::new() }
    }

    /// Adds one.
    pub fn add(&mut self, place: &str, quantity: &str, origin: Origin, ours: f64, seed: Seed) {
        let row = self.dots.len() as f64 + 1.0;
        let of = match origin {
            Origin::Published => "published",
            Origin::Derived => "derived",
        };
        let head = [json!(place), json!(quantity), json!(of)];
        self.table.push(head.into_iter().chain(beside(ours, seed)));
        self.dots.push(Dot::at(row, ours));
        self.published.extend(seed.at(row));
    }

    /// Their table.
    pub fn part(self, study: &str) -> StudyPart {
        let title = "What is printed or follows from theory";
        let picture = Picture {
            title: title.into(),
            axes: [Axis::rows("row of the table"), Axis::log("value")],
            legend: None,
            series: vec![("ours".into(), self.dots)],
            published: self.published,
            front: None,
        };
        StudyPart { name: format!("{study}-claims"), title: title.into(), table: self.table, picture }
    }
}
