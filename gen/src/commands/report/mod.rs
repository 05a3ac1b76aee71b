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
use crate::folder::{check_file, write_file};
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_report::{Report, SectionPart};
use railyard_testbench::lockstep::command;
use serde_json::json;
use subject::Subject;

/// Makes the page.
///
/// # Errors
/// What is named is nothing to report on, or at fault; a tool fails; the page can't be written.
pub fn run(args: &ReportArgs) -> Result<Outcome, Error> {
    let place = args.output.as_deref();
    place.map(check_file).transpose()?;
    let report = make(args)?;
    place.map(|place| write_file(place, &report.html())).transpose()?;
    match (args.json, place) {
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
    let subject = Subject::of(&args.source)?;
    check_options(args, &subject)?;
    match subject {
        Subject::Switch(config) => switch::report(args, &config),
        Subject::Network(text) => network::report(args, &text),
        Subject::Sweep(folder) => sweep::report(args, &folder),
        Subject::Study(study) => study::report(args, study),
    }
}

/// Refuses options that the report would not follow.
///
/// # Errors
/// An option is for a report of another kind.
fn check_options(args: &ReportArgs, subject: &Subject) -> Result<(), Error> {
    const SWITCHES: &[&str] = &[Subject::SWITCH];
    const CURVES: &[&str] = &[Subject::SWITCH, Subject::NETWORK];
    const STUDIES: &[&str] = &[Subject::STUDY];
    let options = [
        ("--cycles", args.cycles.is_some(), SWITCHES),
        ("--no-verify", args.no_verify, SWITCHES),
        ("--no-estimate", args.no_estimate, SWITCHES),
        ("--library", args.library.is_some(), SWITCHES),
        ("--runs", args.runs.is_some(), CURVES),
        ("--loads", args.loads.is_some(), CURVES),
        ("--curve-cycles", args.curve_cycles.is_some(), CURVES),
        ("--seed", args.seed.is_some(), &[Subject::SWITCH, Subject::NETWORK, Subject::STUDY]),
        ("--nodes", args.size.nodes.is_some(), STUDIES),
        ("--h", args.size.h.is_some(), STUDIES),
        ("--ranks", args.size.ranks.is_some(), STUDIES),
    ];
    let kind = subject.kind();
    match options.into_iter().find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind)) {
        Some((option, _, kinds)) => {
            let kinds = kinds.join(" or ");
            Err(Error::Usage(format!("{option}: changes nothing in the report of {kind}; it is for that of {kinds}")))
        }
        None => Ok(()),
    }
}

/// What the spread of several runs is, in a note.
const CONFIDENCE: &str = "Bars and +- are the 95 % confidence of their mean. ";

/// How the page is made again.
fn made(args: &ReportArgs, seed: bool, options: &[String], programs: &[(&'static str, String)]) -> Vec<SectionPart> {
    let mut words = vec!["railyard".to_string(), "report".into(), args.source.again("input.json")];
    words.extend_from_slice(options);
    let mut facts = vec![("Railyard", env!("CARGO_PKG_VERSION").to_string())];
    facts.extend_from_slice(programs);
    if seed {
        words.extend(["--seed".into(), args.seed().to_string()]);
        facts.push(("seed", args.seed().to_string()));
    }
    words.extend(["-o".into(), "report.html".into()]);
    vec![SectionPart::facts(facts), SectionPart::Lines(command(&words))]
}
