//! `railyard doctor`.

use crate::cli::DoctorArgs;
use crate::needs::{Get, Need, State, NEEDS};
use crate::table::columns;
use crate::{answer, Error, Outcome};
use railyard_input::shortened;
use rayon::prelude::*;
use serde_json::{json, Value};

/// Says what is installed, what is missing for which verb, and how to get it.
///
/// # Errors
/// Standard output takes no more.
pub fn run(args: &DoctorArgs) -> Result<Outcome, Error> {
    let found: Vec<(&Need, State)> = NEEDS.par_iter().map(|need| (need, need.look())).collect();
    let lacks: Vec<&Need> = found.iter().filter(|(_, state)| !is_there(state)).map(|(need, _)| *need).collect();
    let can_verify = !lacks.iter().any(|need| need.is_for_verify());
    if args.json {
        let cache = railyard_cache::default_folder().map(|folder| folder.display().to_string());
        answer::json(&json!({
            "railyard": env!("CARGO_PKG_VERSION"), "can_verify": can_verify, "cache": cache,
            "needs": found.iter().map(entry).collect::<Vec<_>>(), "get": ways(&lacks),
        }))?;
    } else {
        let version = format!("railyard {}\n\n", env!("CARGO_PKG_VERSION"));
        answer::text(&[version, table(&found), troubles(&found), advice(&lacks, can_verify)].concat())?;
    }
    Ok(if can_verify { Outcome::Fine } else { Outcome::Mismatch })
}

fn is_there(state: &State) -> bool {
    matches!(state, State::Found { .. })
}

fn entry((need, state): &(&Need, State)) -> Value {
    let mut entry = json!({"name": need.name, "needed_by": need.verbs});
    if let (Some(entry), Value::Object(state)) = (entry.as_object_mut(), json!(state)) {
        entry.extend(state);
    }
    entry["get"] = json!(need.get.to_string());
    entry
}

fn table(found: &[(&Need, State)]) -> String {
    let row = |(need, state): &(&Need, State)| {
        let state = match state {
            State::Found { version, .. } => {
                shortened(version.strip_prefix(need.name).unwrap_or(version).trim_matches([' ', '-']))
            }
            State::Missing => "MISSING".into(),
            State::Unusable { .. } => "NOT USABLE".into(),
        };
        vec![need.name.to_string(), need.verbs.join(", "), state]
    };
    let heads = ["", "needed by", "found"].map(String::from).to_vec();
    columns(&std::iter::once(heads).chain(found.iter().map(row)).collect::<Vec<_>>())
}

/// A line for each that is there and does not do.
fn troubles(found: &[(&Need, State)]) -> String {
    let line = |(need, state): &(&Need, State)| match state {
        State::Unusable { why, path } => {
            let at = path.as_ref().map_or(String::new(), |path| format!(" ({})", path.display()));
            Some(format!("\n{}{at}: {why}\n", need.name))
        }
        _ => None,
    };
    found.iter().filter_map(line).collect()
}

/// How to get what is missing, a line each way; all packages at once.
fn ways(lacks: &[&Need]) -> Vec<String> {
    let (mut packages, mut others) = (Vec::new(), Vec::new());
    for need in lacks {
        match need.get {
            Get::Package(package) => packages.push(package),
            Get::Otherwise(way) => others.push(way.to_string()),
        }
    }
    let install = (!packages.is_empty()).then(|| format!("apt-get install {}", packages.join(" ")));
    install.into_iter().chain(others).collect()
}

fn advice(lacks: &[&Need], can_verify: bool) -> String {
    let verdict = match (lacks.is_empty(), can_verify) {
        (true, _) => "All verbs can be run.",
        (false, true) => "`railyard verify` can be run.",
        (false, false) => "`railyard verify` can't be run.",
    };
    let ways: String = ways(lacks).iter().map(|way| format!("  {way}\n")).collect();
    let heading = if ways.is_empty() { "" } else { " What is missing, on Debian:" };
    format!("\n{verdict}{heading}\n{ways}")
}
