//! The same content for machines.

use crate::{Figure, Report, ReportTable, Section, SectionPart, Verdict};
use serde_json::{json, Map, Value};

/// Version of Railyard.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Report {
    /// The report as JSON: sections by name, each a list of its parts. Rows of tables are objects by their heads.
    pub fn to_json(&self) -> Value {
        let section = |Section { name, title, parts }: &Section| {
            (name.to_string(), json!({"title": title, "parts": parts.iter().map(part).collect::<Vec<_>>()}))
        };
        json!({
            "railyard": VERSION,
            "report": self.of,
            "title": self.title,
            "about": self.about,
            "sections": self.sections.iter().map(section).collect::<Map<_, _>>(),
        })
    }
}

fn part(part: &SectionPart) -> Value {
    match part {
        SectionPart::Text(text) => json!({"text": text}),
        SectionPart::Verdict(Verdict { is_good, text }) => json!({"good": is_good, "verdict": text}),
        SectionPart::Facts(facts) => {
            let facts: Map<String, Value> = facts.iter().map(|fact| (fact.name.clone(), json!(fact.value))).collect();
            json!({"facts": facts})
        }
        SectionPart::Table(ReportTable { title, columns, rows }) => {
            let row = |row: &Vec<Value>| columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>();
            json!({"table": title, "rows": rows.iter().map(row).collect::<Vec<_>>()})
        }
        SectionPart::Figure(Figure { title, svg }) => json!({"figure": title, "svg": svg}),
        SectionPart::Lines(lines) => json!({"lines": lines.lines().collect::<Vec<_>>()}),
        SectionPart::Notes(notes) => json!({"notes": notes}),
    }
}
