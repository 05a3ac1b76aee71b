//! `railyard compare`.

mod figures;
mod subjects;

use crate::cli::CompareArgs;
use crate::commands::estimate::cache;
use crate::progress::spinner;
use crate::table::columns;
use crate::{answer, Error, Outcome};
use figures::{figures, Reports};
use railyard_estimate::{Error as Missing, Library, Options};
use rayon::prelude::*;
use serde::Serialize;
use subjects::SUBJECTS;

/// The answer.
#[derive(Serialize)]
struct Comparison {
    library: String,
    tools: Vec<String>,
    figures: Vec<Row>,
    critical_paths: Vec<Critical>,
    notes: Vec<String>,
}

/// A figure of ours beside a published one.
#[derive(Serialize)]
struct Row {
    figure: &'static str,
    unit: &'static str,
    ours: Option<f64>,
    relation: &'static str,
    theirs: Option<f64>,
    goal: Option<f64>,
    met: Option<bool>,
    source: &'static str,
    note: &'static str,
    #[serde(skip)]
    digits: usize,
}

/// What limits the clock of a whole switch.
#[derive(Serialize)]
struct Critical {
    switch: &'static str,
    period_ns: Option<f64>,
    limited_by: String,
    start: String,
    start_block: String,
    end: String,
    end_block: String,
}

/// Synthesises our blocks and switches, and prints them beside the published figures.
///
/// # Errors
/// A missing tool or library.
pub fn run(args: &CompareArgs) -> Result<Outcome, Error> {
    let working = spinner("synthesising (kept for the next run)");
    let (mut reports, mut notes, mut tools) = (Reports::new(), Vec::new(), Vec::new());
    let subjects: Vec<_> = SUBJECTS.iter().filter(|s| !args.quick || !s.is_switch).collect();
    // Side by side: with everything kept from a run before, this is what takes time.
    let designs: Vec<_> = subjects.par_iter().map(|subject| (subject.design)()).collect();
    for (subject, design) in subjects.into_iter().zip(designs) {
        let design = design.map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Error::Estimate(faults.join("; "))
        })?;
        let bar = working.clone();
        let progress = move |done: usize, all: usize, what: &str| {
            bar.set_message(format!("{}: {what} ({done} of {all} done)", subject.name));
        };
        let options = Options {
            library: Library::Name(subject.library.unwrap_or(&args.library).to_string()),
            recipe: subject.recipe,
            by_block: false,
            flatten: subject.flat,
            cache: cache(),
            progress: Some(&progress),
            ..Options::default()
        };
        match railyard_estimate::estimate(&design, &options) {
            Ok(report) => {
                tools.clone_from(&report.tools);
                reports.insert(subject.name, report);
            }
            Err(missing @ Missing::MissingLibrary { .. }) if subject.library.is_some() => {
                notes.push(format!("{}: {missing}", subject.name));
            }
            Err(error) => {
                working.finish_and_clear();
                return Err(Error::Estimate(error.to_string()));
            }
        }
    }
    working.finish_and_clear();
    if args.quick {
        notes.push("--quick leaves whole switches out: their figures are `-`".into());
    }
    if args.library != "nangate45" {
        notes.push("the published figures are those of 45 nm where not said otherwise".into());
    }
    let comparison = Comparison {
        library: args.library.clone(),
        tools,
        figures: rows(&reports, args.library == "nangate45"),
        critical_paths: paths(&reports),
        notes,
    };
    if args.json {
        answer::json(&comparison)?;
    } else {
        answer::text(&text(&comparison))?;
    }
    Ok(Outcome::Fine)
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let number = |value: f64| format!("{value:.*} {}", self.digits, self.unit).trim_end().to_string();
        let relation = if self.relation == "=" { "" } else { self.relation };
        let limit = |value: f64| format!("{relation} {}", number(value)).trim().to_string();
        let or_dash = |cell: Option<String>| cell.unwrap_or("-".into());
        let met = self.met.map_or("", |met| if met { "yes" } else { "no" });
        vec![
            self.figure.into(),
            or_dash(self.ours.map(number)),
            or_dash(self.theirs.map(limit)),
            self.goal.map_or(String::new(), limit),
            met.into(),
            self.source.into(),
        ]
    }
}

/// In another library than that of the goals, none of them is met or missed.
fn rows(reports: &Reports, is_comparable: bool) -> Vec<Row> {
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let row = |f: figures::Figure| {
        let ours = (f.ours)(reports).map(rounded);
        Row {
            figure: f.what,
            unit: f.unit,
            ours,
            relation: f.relation,
            theirs: f.theirs.map(rounded),
            goal: f.goal,
            met: ours.filter(|_| is_comparable).and_then(|ours| f.is_met(ours)),
            source: f.source,
            note: f.note,
            digits: f.digits,
        }
    };
    figures().into_iter().map(row).collect()
}

fn paths(reports: &Reports) -> Vec<Critical> {
    let switches = SUBJECTS.iter().filter(|s| s.is_switch).filter_map(|s| Some((s.name, reports.get(s.name)?)));
    let critical = |(switch, report): (&'static str, &railyard_estimate::Report)| {
        let path = report.timing.critical.clone()?;
        Some(Critical {
            switch,
            period_ns: report.timing.period_ns,
            limited_by: report.timing.limited_by.clone(),
            start: path.start,
            start_block: path.start_block,
            end: path.end,
            end_block: path.end_block,
        })
    };
    switches.filter_map(critical).collect()
}

fn text(comparison: &Comparison) -> String {
    let heads = ["figure", "ours", "theirs", "goal", "met", "source of theirs"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(comparison.figures.iter().map(Row::cells));
    let mut out = columns(&rows);
    out += "\n";
    for path in &comparison.critical_paths {
        out +=
            &format!("{}: {} ({}) to {} ({})\n", path.switch, path.start, path.start_block, path.end, path.end_block);
    }
    out += &format!("{}; {}\n", comparison.library, comparison.tools.join("; "));
    for note in &comparison.notes {
        out += &format!("note: {note}\n");
    }
    out
}
