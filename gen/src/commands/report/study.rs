//! The report of a study.

use super::made;
use crate::cli::ReportArgs;
use crate::progress::spinner;
use crate::Error;
use railyard_report::{Part, Report};
use railyard_study::{Study, StudyOptions};

/// Makes the study, and the report of it.
///
/// # Errors
/// A size of a network for a study that runs none.
pub(super) fn report(args: &ReportArgs, study: &Study) -> Result<Report, Error> {
    if args.nodes.is_some() && !study.runs_network {
        return Err(Error::Usage(format!("--nodes: the study `{}` runs no network", study.name)));
    }
    let working = spinner("studying");
    let network = args.nodes.unwrap_or_default();
    let result = (study.run)(&StudyOptions { seed: args.seed, trace: None, network });
    working.finish_and_clear();
    let mut report = Report {
        of: "study",
        title: format!("Study {}", study.name),
        about: study.summary.to_string(),
        ..Report::default()
    };
    let parts = result.parts.iter().flat_map(|part| {
        let figure = Part::figure(&part.title, part.picture.svg());
        [figure, Part::table(&part.title, part.table.columns.iter().copied(), part.table.rows.clone())]
    });
    report.add("tables", "Ours beside what is published", parts.collect());
    let how = "A column \"seed\" is what is published, \"difference\" ours less that. A published bound is met if the difference is 0.";
    let notes = [how.to_string()].into_iter().chain(result.notes);
    report.add("notes", "Notes", vec![Part::Notes(notes.collect())]);
    let size = if study.runs_network { vec!["--nodes".into(), network.nodes().to_string()] } else { Vec::new() };
    report.add("made", "How this page is made", made(args, true, &size, &[]));
    Ok(report)
}
