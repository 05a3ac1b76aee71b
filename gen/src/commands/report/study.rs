//! The report of a study.

use super::made;
use crate::cli::ReportArgs;
use crate::commands::study::of_size;
use crate::progress::spinner;
use crate::Error;
use railyard_report::{Report, SectionPart};
use railyard_study::{Study, StudyNetwork, StudyOptions};

/// Makes the study, and the report of it.
///
/// # Errors
/// A size of a network for a study that runs none; a program of the study is missing or fails.
pub(super) fn report(args: &ReportArgs, study: &Study) -> Result<Report, Error> {
    let options = StudyOptions { seed: args.seed(), ..of_size(study, &args.size)? };
    let working = spinner("studying");
    let result = study.run(&options);
    working.finish_and_clear();
    let result = result?;
    let mut report = Report {
        of: "study",
        title: format!("Study {}", study.name),
        about: study.summary.to_string(),
        ..Report::default()
    };
    let parts = result.parts.iter().flat_map(|part| {
        let figure = SectionPart::figure(&part.title, part.picture.svg());
        [figure, SectionPart::table(&part.title, part.table.columns.iter().copied(), part.table.rows.clone())]
    });
    report.add("tables", "Ours beside what is published", parts.collect());
    let how = "A column \"seed\" is what is published, \"difference\" ours less that. A published bound is met if the difference is 0.";
    let notes = [how.to_string()].into_iter().chain(result.notes);
    report.add("notes", "Notes", vec![SectionPart::Notes(notes.collect())]);
    let size = match study.network {
        Some(StudyNetwork::FatTree) => vec!["--nodes".into(), options.network.nodes().to_string()],
        Some(StudyNetwork::Dragonfly) => vec!["--h".into(), options.dragonfly.h().to_string()],
        Some(StudyNetwork::Applications) => vec!["--ranks".into(), options.ranks.number().to_string()],
        None => Vec::new(),
    };
    report.add("made", "How this page is made", made(args, true, &size, &[]));
    Ok(report)
}
