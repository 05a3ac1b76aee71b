//! The report of a sweep: what its folder holds.

use super::made;
use crate::cli::ReportArgs;
use crate::commands::explore::Generated;
use crate::text::read_text;
use crate::Error;
use railyard_explore::{Front, Results, Store, Sweep, SweepPlan};
use railyard_input::{FileKind, InputSource};
use railyard_report::{Report, SectionPart};
use serde_json::{json, Map, Value};
use std::path::Path;

/// Makes it from the sealed results of the runs; tables and pictures in the folder are not read.
///
/// # Errors
/// The folder's sweep can't be read, or is at fault.
pub(super) fn report(args: &ReportArgs, folder: &Path) -> Result<Report, Error> {
    let store = Store::open(folder)?;
    let file = InputSource::File(folder.join("sweep.json"));
    let text = read_text(&file, FileKind::Sweep)?;
    let at_fault = |cause| Error::Sweep { path: file.to_string(), cause };
    let plan = SweepPlan::new(Sweep::read(&text, folder).map_err(at_fault)?).map_err(at_fault)?;
    let results = Results::gather(&plan, &store, &Generated, &[]);
    let mut report = Report {
        of: "sweep",
        title: format!("Sweep {}", folder.display()),
        about: format!(
            "{} points, {} unfinished, {} that break a rule",
            results.len(),
            results.unfinished.len(),
            plan.skipped.len()
        ),
        ..Report::default()
    };
    let pictures = results.pictures().iter().map(|picture| SectionPart::figure(picture.title(), picture.svg()));
    report.add("plots", "Plots", pictures.collect());
    report.add("fronts", "Pareto fronts", results.fronts.iter().map(front).collect());
    let (columns, rows) = results.table();
    let rows = rows.iter().map(|row| row.iter().map(rounded).collect()).collect();
    let points = SectionPart::table("", columns.iter().map(String::as_str), rows);
    report.add("points", "Points", vec![points]);
    let unfinished = results.unfinished.iter().map(|point| (&point.values, point.why.clone()));
    let skipped = plan.skipped.iter().map(|point| (&point.values, point.faults.to_string()));
    report.add("left-out", "Points without results", without(unfinished.chain(skipped)));
    report.add("sweep", "The sweep", vec![SectionPart::Lines(text)]);
    report.add("made", "How this page is made", made(args, false, &[], &[]));
    Ok(report)
}

fn front(front: &Front) -> SectionPart {
    let title = format!("{}: {} of {} points", front.plot, front.points.len(), front.of);
    let heads = front.points.first().map(|point| point.keys().map(String::as_str).collect::<Vec<_>>());
    let rows = front.points.iter().map(|point| point.values().map(rounded).collect()).collect();
    SectionPart::table(&title, heads.unwrap_or_default(), rows)
}

/// A figure to four digits or to whole units, whichever says more. The files of the sweep have all digits.
fn rounded(value: &Value) -> Value {
    let Some(figure) = value.as_f64().filter(|figure| value.is_f64() && *figure != 0.0) else { return value.clone() };
    let decimals = 3 - figure.abs().log10().floor() as i32;
    match decimals > 0 {
        true => json!((figure * 10f64.powi(decimals)).round() / 10f64.powi(decimals)),
        false => json!(figure.round() as i64),
    }
}

fn without<'a>(points: impl Iterator<Item = (&'a Map<String, Value>, String)>) -> Vec<SectionPart> {
    let row = |(values, why): (&Map<String, Value>, String)| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        vec![json!(values.join(", ")), json!(why)]
    };
    let rows: Vec<Vec<Value>> = points.map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![SectionPart::table("", ["point", "why"], rows)]
}
