//! `railyard network curve`: a network at rising load.

mod figures;
mod level;
mod pictures;

pub(in crate::commands) use figures::rows;
pub(in crate::commands) use pictures::{latency, throughput};

use super::{read, run_of};
use crate::cli::NetworkCurveArgs;
use crate::folder::{check_files, write_files};
use crate::progress::runs_bar;
use crate::table::{columns, paragraph, two_columns};
use crate::{answer, Error, Outcome};
use railyard_network::description::Input;
use railyard_network::harness::{RunError, RunReport};
use railyard_network::run::Run;
use railyard_network::{execute, Execution, Extent};
use serde::Serialize;
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// A run of the network at one load. Nothing in it depends on the machine.
#[derive(Serialize)]
pub(in crate::commands) struct Point {
    load: f64,
    seed: u64,
    #[serde(flatten)]
    pub report: RunReport,
    notes: Vec<String>,
}

const FILES: [&str; 4] = ["curve.csv", "curve.json", "latency.svg", "throughput.svg"];

/// Runs the network at each load, and shows what became of it.
///
/// # Errors
/// A bad network file, or a run that does not fit it; a folder that can't be written.
pub fn run(args: &NetworkCurveArgs) -> Result<Outcome, Error> {
    if let Some(folder) = &args.output {
        check_files(folder, |name| FILES.contains(&name))?;
    }
    let input = read(&args.setting.network)?;
    let name = args.setting.network.to_string();
    let points = points(args, &input).map_err(|error| Error::network_run(&name, &error))?;
    let files = match &args.output {
        Some(folder) => write_files(folder, &contents(&points, &name))?,
        None => Vec::new(),
    };
    if args.json {
        answer::json(&json!({"network": name, "points": points, "files": answer::paths(&files)}))?;
    } else {
        let wrote: Vec<(&str, String)> = files.iter().map(|file| ("wrote", file.display().to_string())).collect();
        answer::text(&[columns(&rows(&points)), notes(&points), two_columns(&wrote)].concat())?;
    }
    let is_fine = points.iter().all(|point| point.report.mismatch_count == 0);
    Ok(if is_fine { Outcome::Fine } else { Outcome::Mismatch })
}

/// Runs at all loads, some side by side, each on one thread: by load, and at a load in the order of their numbers.
///
/// # Errors
/// The run does not fit the network.
pub(in crate::commands) fn points(args: &NetworkCurveArgs, input: &Input) -> Result<Vec<Point>, RunError> {
    if let Some(packets) = &input.packets {
        return Err(RunError {
            path: "/traffic/file",
            value: format!("\"{}\"", packets.file),
            rule: "has packets, of which no load makes more or less".into(),
            legal: "leave it out".into(),
        });
    }
    let cases: Vec<(f64, u64)> =
        args.loads.0.iter().flat_map(|&load| (0..args.runs.get() as u64).map(move |run| (load, run))).collect();
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = runs_bar(cases.len());
    let extent = Extent { threads: NonZeroUsize::new(1), ..Extent::new(args.setting.cycles(None)) };
    let work = || loop {
        let case = next.fetch_add(1, Ordering::Relaxed);
        let Some(&(load, run)) = cases.get(case) else { return };
        // The seeds of runs are far from those that a user gives next.
        let seed = args.setting.seed.wrapping_add(run << 32);
        let run = Run { seed, ..run_of(&args.setting, Some(load), input) };
        let point = execute(input, &run, extent, |_| {}).map(|Execution { report, notes, .. }| Point {
            load,
            seed,
            report,
            notes,
        });
        results.lock().expect("no holder panics").push((case, point));
        bar.inc(1);
    };
    thread::scope(|scope| (0..jobs.min(cases.len())).for_each(|_| _ = scope.spawn(work)));
    bar.finish_and_clear();
    let mut points = results.into_inner().expect("no holder panics");
    points.sort_by_key(|(case, _)| *case);
    points.into_iter().map(|(_, point)| point).collect()
}

/// What was noted at a load, each note once with its loads; and the first mismatches.
fn notes(points: &[Point]) -> String {
    let notes = noted(points).into_iter().map(|note| paragraph(&format!("note {note}"), 100));
    notes.chain(mismatches(points)).collect()
}

/// What was noted at a load, each note once with its loads.
pub(in crate::commands) fn noted(points: &[Point]) -> Vec<String> {
    let mut known: Vec<(&str, Vec<String>)> = Vec::new();
    for (point, note) in points.iter().flat_map(|point| point.notes.iter().map(move |note| (point, note))) {
        match known.iter_mut().find(|(text, _)| text == note) {
            Some((_, loads)) if loads.contains(&point.load.to_string()) => {}
            Some((_, loads)) => loads.push(point.load.to_string()),
            None => known.push((note, vec![point.load.to_string()])),
        }
    }
    known.iter().map(|(text, loads)| format!("(load {}): {text}", loads.join(", "))).collect()
}

/// The first mismatches at each load.
pub(in crate::commands) fn mismatches(points: &[Point]) -> Vec<String> {
    let mismatches = points.iter().filter(|point| point.report.mismatch_count > 0).map(|point| {
        let first: String = point.report.mismatches.iter().map(|mismatch| format!("  {mismatch}\n")).collect();
        let Point { load, seed, report, .. } = point;
        format!("MISMATCH at load {load}, seed {seed}: {} in all; the first:\n{first}", report.mismatch_count)
    });
    mismatches.collect()
}

/// The files by name.
fn contents(points: &[Point], name: &str) -> Vec<(String, String)> {
    let json = serde_json::to_string_pretty(&json!({"network": name, "points": points})).expect("plain data") + "\n";
    let texts = [figures::csv(points), json, latency(points, name).svg(), throughput(points, name).svg()];
    FILES.map(String::from).into_iter().zip(texts).collect()
}
