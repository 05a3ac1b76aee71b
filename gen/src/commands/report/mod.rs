//! `railyard report`.

mod area;
mod curve;
mod network;
mod parameters;
mod study;
mod subject;
mod sweep;
mod switch;
mod verification;

use crate::cli::ReportArgs;
use crate::commands::picture::place;
use crate::folder::write_files;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_report::{Part, Report};
use railyard_testbench::lockstep::command;
use serde_json::json;
use subject::Subject;

/// Makes the page.
///
/// # Errors
/// What is named is nothing to report on, or at fault; a tool fails; the page can't be written.
pub fn run(args: &ReportArgs) -> Result<Outcome, Error> {
    let place = args.output.as_deref().map(place).transpose()?;
    let report = make(args)?;
    let wrote = match &place {
        Some((folder, file)) => write_files(folder, &[(file.clone(), report.html())])?,
        None => Vec::new(),
    };
    match (args.json, wrote.first()) {
        (true, file) => {
            let mut all = report.to_json();
            all["file"] = json!(file);
            answer::json(&all)?;
        }
        (false, None) => answer::text(&report.html())?,
        (false, Some(file)) => answer::text(&two_columns(&[("wrote", file.display().to_string())]))?,
    }
    Ok(if report.is_good() { Outcome::Fine } else { Outcome::Mismatch })
}

fn make(args: &ReportArgs) -> Result<Report, Error> {
    match Subject::of(&args.source)? {
        Subject::Switch(config) => switch::report(args, &config),
        Subject::Network(text) => network::report(args, &text),
        Subject::Sweep(folder) => sweep::report(args, &folder),
        Subject::Study(study) => study::report(args, study),
    }
}

/// How the page is made again.
fn made(args: &ReportArgs, seed: bool, options: &[String], programs: &[(&'static str, String)]) -> Vec<Part> {
    let mut words = vec!["railyard".to_string(), "report".into(), args.source.again("input.json")];
    words.extend_from_slice(options);
    let mut facts = vec![("Railyard", env!("CARGO_PKG_VERSION").to_string())];
    facts.extend_from_slice(programs);
    if seed {
        words.extend(["--seed".into(), args.seed.to_string()]);
        facts.push(("seed", args.seed.to_string()));
    }
    words.extend(["-o".into(), "report.html".into()]);
    vec![Part::facts(facts), Part::Lines(command(&words))]
}
