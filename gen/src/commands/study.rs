//! `railyard study`.

use crate::cli::{StudyArgs, StudySize};
use crate::folder::{check_files, write_files};
use crate::progress::spinner;
use crate::table::{columns, paragraph, two_columns};
use crate::{answer, Error, Outcome};
use railyard_input::{FileKind, InputSource};
use railyard_study::{cell, Study, StudyNetwork, StudyOptions, StudyPart, TextTrace, STUDIES};
use serde_json::{json, Value};

/// Makes a study, or lists them.
///
/// # Errors
/// A bad trace, a folder that can't be written.
pub fn run(args: &StudyArgs) -> Result<Outcome, Error> {
    let Some(name) = args.name.as_deref().filter(|_| !args.list) else { return list(args.json) };
    let study = STUDIES.iter().find(|study| study.name == name).expect("clap has checked the name");
    let options = of_size(study, &args.size)?;
    let trace = args.traffic_file.as_ref().map(|file| read(file, args)).transpose()?;
    if args.nas.is_some() && study.network != Some(StudyNetwork::Applications) {
        return Err(Error::Usage("--nas: only the study `applications` takes one".into()));
    }
    if let Some(folder) = &args.output {
        check_files(folder, |file| {
            file.starts_with(name) && [".csv", ".svg", ".json"].iter().any(|end| file.ends_with(end))
        })?;
    }
    let working = spinner("studying");
    let report = study.run(&StudyOptions { seed: args.seed, trace, nas: args.nas.clone(), ..options });
    working.finish_and_clear();
    let report = report?;
    let files = match &args.output {
        Some(folder) => write_files(folder, &report.files())?,
        None => Vec::new(),
    };
    if args.json {
        let mut all = report.to_json();
        all["files"] = answer::paths(&files);
        answer::json(&all)?;
    } else {
        let parts: Vec<String> = report.parts.iter().map(part).collect();
        let notes: String =
            report.notes.iter().map(|note| format!("\n{}", paragraph(&format!("note: {note}"), 100))).collect();
        let wrote: Vec<(&str, String)> = files.iter().map(|file| ("wrote", file.display().to_string())).collect();
        let wrote = if wrote.is_empty() { String::new() } else { format!("\n{}", two_columns(&wrote)) };
        answer::text(&[parts.join("\n"), notes, wrote].concat())?;
    }
    Ok(Outcome::Fine)
}

/// The options of a study, with a size that it takes.
///
/// # Errors
/// The size is that of a network that it does not run.
pub(super) fn of_size(study: &Study, size: &StudySize) -> Result<StudyOptions, Error> {
    for (option, is_given, network, what) in [
        ("--nodes", size.nodes.is_some(), StudyNetwork::FatTree, "a fat tree"),
        ("--h", size.h.is_some(), StudyNetwork::Dragonfly, "a Dragonfly"),
        ("--ranks", size.ranks.is_some(), StudyNetwork::Applications, "applications"),
    ] {
        if is_given && study.network != Some(network) {
            let of_network = STUDIES.iter().filter(|study| study.network == Some(network));
            let names: Vec<String> = of_network.map(|study| format!("`{}`", study.name)).collect();
            let studies = if names.len() == 1 { "the study" } else { "the studies" };
            let run = if names.len() == 1 { "runs" } else { "run" };
            return Err(Error::Usage(format!("{option}: only {studies} {} {run} {what}", listed(&names))));
        }
    }
    let (network, dragonfly) = (size.nodes.unwrap_or_default(), size.h.unwrap_or_default());
    Ok(StudyOptions { network, dragonfly, ranks: size.ranks.unwrap_or_default(), ..StudyOptions::default() })
}

/// Names as a sentence lists them.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn list(json: bool) -> Result<Outcome, Error> {
    if json {
        let list: Vec<Value> = STUDIES.iter().map(|s| json!({"name": s.name, "summary": s.summary})).collect();
        answer::json(&list)?;
    } else {
        let rows: Vec<(&str, String)> = STUDIES.iter().map(|s| (s.name, s.summary.to_string())).collect();
        answer::text(&two_columns(&rows))?;
    }
    Ok(Outcome::Fine)
}

fn read(file: &InputSource, args: &StudyArgs) -> Result<TextTrace, Error> {
    if args.name.as_deref() != Some("trace") {
        return Err(Error::Usage("--traffic-file: only the study `trace` takes one".into()));
    }
    let name = file.to_string();
    let bytes = file.read(FileKind::Trace).map_err(Error::io(&name))?;
    // What is not text is not a number either: the error names the line.
    Ok(TextTrace::read(&name, &String::from_utf8_lossy(&bytes), &args.torus)?)
}

fn part(part: &StudyPart) -> String {
    let heads = part.table.columns.iter().map(ToString::to_string).collect();
    let rows = part.table.rows.iter().map(|row| row.iter().map(cell).collect());
    let table: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    format!("{}\n{}", part.title, columns(&table))
}
