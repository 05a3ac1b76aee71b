//! Area and clock of a switch, where the tools are.

use crate::cli::ReportArgs;
use crate::commands::estimate::{cache, design, rows};
use crate::needs::Need;
use crate::progress::spinner;
use crate::Error;
use railyard_estimate::{estimate, Library, NamedLibrary, Options};
use railyard_report::SectionPart;
use railyard_spec::CheckedConfig;

/// The library that the report is made with: the one asked for, or the first that is found.
pub(super) fn library(args: &ReportArgs) -> Option<String> {
    let found = || NamedLibrary::all().iter().find(|named| named.find(&[]).is_ok()).map(|named| named.name.to_string());
    args.library.clone().or_else(found)
}

/// What the estimate says, or what is missing for one.
///
/// # Errors
/// The library is not known, or a tool fails.
pub(super) fn area(args: &ReportArgs, config: &CheckedConfig) -> Result<Vec<SectionPart>, Error> {
    if args.no_estimate {
        return Ok(vec![SectionPart::Text("Left out (--no-estimate).".into())]);
    }
    let missing = Need::missing("estimate");
    let library = match library(args) {
        Some(library) if missing.is_empty() => library,
        _ => {
            let lines = missing.into_iter().chain(["`railyard doctor` says more.".into()]).collect();
            return Ok(vec![SectionPart::Text("No estimate could be made:".into()), SectionPart::Notes(lines)]);
        }
    };
    let working = spinner("synthesising (kept for the next run)");
    let options = Options { library: Library::Name(library), cache: cache(), ..Options::default() };
    let report = estimate(&design(config)?, &options);
    working.finish_and_clear();
    let report = report?;
    let notes = report.notes.iter().cloned().chain([
        "Yosys' and OpenSTA's figures before placement and routing: for comparing switches, not for signing one off."
            .into(),
    ]);
    Ok(vec![SectionPart::facts(rows(&report)), SectionPart::Notes(notes.collect())])
}
