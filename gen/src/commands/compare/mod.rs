//! `railyard compare`.

mod curves;
mod figure;
mod figures;
mod row;
mod subjects;

use crate::cli::CompareArgs;
use crate::commands::estimate::cache;
use crate::progress::spinner;
use crate::table::columns;
use crate::{answer, Error, Outcome};
use figure::Reports;
use figures::figures;
use railyard_estimate::{Error as Missing, Library, Options};
use rayon::prelude::*;
use row::{ComparisonRow, FIELDS, HEADS};
use serde::Serialize;
use subjects::SUBJECTS;

/// The answer.
#[derive(Serialize)]
struct Comparison {
    library: String,
    tools: Vec<String>,
    figures: Vec<ComparisonRow>,
    critical_paths: Vec<Critical>,
    notes: Vec<String>,
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
    let subjects: Vec<_> = SUBJECTS.iter().filter(|s| !args.quick || !s.is_switch && !s.is_point).collect();
    // Side by side: with everything kept from a run before, this is what takes time.
    let designs: Vec<_> = subjects.par_iter().map(|subject| (subject.design)()).collect();
    for (subject, design) in subjects.into_iter().zip(designs) {
        let design = design?;
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
                return Err(error.into());
            }
        }
    }
    working.finish_and_clear();
    if args.quick {
        notes.push("--quick leaves whole switches and the points of curves out: their figures are `-`".into());
    }
    if args.library != "nangate45" {
        notes.push("the published figures are those of 45 nm where not said otherwise".into());
    }
    let comparison = Comparison {
        library: args.library.clone(),
        tools,
        figures: figures()
            .iter()
            .chain(&curves::figures())
            .map(|figure| ComparisonRow::new(figure, &reports, args.library == "nangate45"))
            .collect(),
        critical_paths: paths(&reports),
        notes,
    };
    match args {
        CompareArgs { json: true, .. } => answer::json(&comparison)?,
        CompareArgs { csv: true, .. } => answer::text(&csv(&comparison.figures))?,
        CompareArgs { markdown: true, .. } => answer::text(&markdown(&comparison.figures))?,
        _ => answer::text(&text(&comparison))?,
    }
    Ok(Outcome::Fine)
}

fn paths(reports: &Reports) -> Vec<Critical> {
    let switches = SUBJECTS.iter().filter(|s| s.is_switch).filter_map(|s| Some((s.name, reports.get(s.name)?)));
    let critical = |(switch, report): (&'static str, &railyard_estimate::SynthesisReport)| {
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
    let mut rows = vec![HEADS.map(String::from).to_vec()];
    rows.extend(comparison.figures.iter().map(ComparisonRow::cells));
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

fn csv(rows: &[ComparisonRow]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(FIELDS).expect("writing to memory");
    rows.iter().for_each(|row| writer.write_record(row.fields()).expect("writing to memory"));
    String::from_utf8(writer.into_inner().expect("writing to memory")).expect("made of text")
}

fn markdown(rows: &[ComparisonRow]) -> String {
    let heads = "| figure | ours | theirs | basis | goal | verdict |\n| --- | --- | --- | --- | --- | --- |\n";
    rows.iter().fold(heads.to_string(), |text, row| text + &row.markdown())
}
