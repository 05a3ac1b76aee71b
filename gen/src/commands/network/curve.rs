//! `railyard network curve`: a network at rising load.

use super::{read, run_of};
use crate::cli::NetworkCurveArgs;
use crate::folder::{check_files, write_files};
use crate::progress::runs_bar;
use crate::table::{columns, paragraph, two_columns};
use crate::{answer, Error, Outcome};
use railyard_network::description::Input;
use railyard_network::harness::{KindReport, RunError, RunReport};
use railyard_network::{execute, Execution, Extent};
use railyard_plot::{Axis, Dot, Picture};
use serde::Serialize;
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// The network at one load. Nothing in it depends on the machine.
#[derive(Serialize)]
pub(in crate::commands) struct Point {
    load: f64,
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

/// Runs at all loads, some side by side, each on one thread.
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
    let loads = &args.loads.0;
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = runs_bar(loads.len());
    let extent = Extent { threads: NonZeroUsize::new(1), ..Extent::new(args.setting.cycles(None)) };
    let work = || {
        while let Some(&load) = loads.get(next.fetch_add(1, Ordering::Relaxed)) {
            let point = execute(input, &run_of(&args.setting, Some(load), input), extent, |_| {})
                .map(|Execution { report, notes, .. }| Point { load, report, notes });
            results.lock().expect("no holder panics").push(point);
            bar.inc(1);
        }
    };
    thread::scope(|scope| (0..jobs.min(loads.len())).for_each(|_| _ = scope.spawn(work)));
    bar.finish_and_clear();
    let points: Result<Vec<Point>, RunError> = results.into_inner().expect("no holder panics").into_iter().collect();
    points.map(|mut points| {
        points.sort_by(|a, b| a.load.total_cmp(&b.load));
        points
    })
}

/// The kinds of packets that there are, with the names of their series.
fn kinds(points: &[Point]) -> Vec<(&'static str, fn(&RunReport) -> &KindReport)> {
    let all: [(&str, fn(&RunReport) -> &KindReport); 2] =
        [("unicast", |report| &report.unicast), ("multicast", |report| &report.multicast)];
    all.into_iter().filter(|(_, kind)| points.iter().any(|point| kind(&point.report).packets > 0)).collect()
}

/// The table for people, heads first.
pub(in crate::commands) fn rows(points: &[Point]) -> Vec<Vec<String>> {
    let kinds = kinds(points);
    let latencies =
        kinds.iter().flat_map(|(name, _)| [format!("{name} mean"), "p50".into(), "p99".into(), "max".into()]);
    let heads = ["load", "offered", "accepted", "received"]
        .map(String::from)
        .into_iter()
        .chain(latencies)
        .chain([String::new()]);
    let mut rows = vec![heads.collect()];
    for Point { load, report, .. } in points {
        let rates = [report.offered, report.accepted, report.throughput].map(|rate| format!("{rate:.4}"));
        let mut row = [vec![load.to_string()], rates.into()].concat();
        row.extend(kinds.iter().flat_map(|(_, kind)| {
            let KindReport { latency_mean, latency_p50, latency_p99, latency_max, .. } = kind(report);
            [format!("{latency_mean:.1}"), latency_p50.to_string(), latency_p99.to_string(), latency_max.to_string()]
        }));
        row.push(state(report).into());
        rows.push(row);
    }
    rows
}

fn state(report: &RunReport) -> &'static str {
    match (report.mismatch_count, report.saturated) {
        (1.., _) => "MISMATCH",
        (0, true) if report.has_stranded() => "packets are stranded",
        (0, true) => "saturated",
        (0, false) => "",
    }
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
        format!("MISMATCH at load {}: {} in all; the first:\n{first}", point.load, point.report.mismatch_count)
    });
    mismatches.collect()
}

/// The files by name.
fn contents(points: &[Point], name: &str) -> Vec<(String, String)> {
    let json = serde_json::to_string_pretty(&json!({"network": name, "points": points})).expect("plain data") + "\n";
    let texts = [csv(points), json, latency(points, name).svg(), throughput(points, name).svg()];
    FILES.map(String::from).into_iter().zip(texts).collect()
}

fn csv(points: &[Point]) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut heads =
        ["load", "offered", "accepted", "throughput", "saturated", "mismatches", "hit_rate"].map(String::from).to_vec();
    for (name, _) in kinds(points) {
        heads.extend(
            ["packets", "latency_mean", "latency_p50", "latency_p99", "latency_max"]
                .map(|head| format!("{name}_{head}")),
        );
    }
    let rows = points.iter().map(|Point { load, report, .. }| {
        let hit_rate = report.caches.as_ref().map_or(String::new(), |caches| caches.hit_rate.to_string());
        let rates = [*load, report.offered, report.accepted, report.throughput].map(|rate| rate.to_string());
        let mut row = rates.to_vec();
        row.extend([report.saturated.to_string(), report.mismatch_count.to_string(), hit_rate]);
        for (_, kind) in kinds(points) {
            let KindReport { packets, latency_mean, latency_p50, latency_p99, latency_max } = kind(report);
            row.extend([packets.to_string(), latency_mean.to_string()]);
            row.extend([latency_p50, latency_p99, latency_max].map(u64::to_string));
        }
        row
    });
    for row in std::iter::once(heads).chain(rows) {
        csv.write_record(row).expect("writing to memory");
    }
    String::from_utf8(csv.into_inner().expect("writing to memory")).expect("numbers and names")
}

fn dots(points: &[Point], y: impl Fn(&RunReport) -> f64) -> Vec<Dot> {
    points.iter().map(|point| Dot { hollow: point.report.saturated, ..Dot::at(point.load, y(&point.report)) }).collect()
}

const LOAD: &str = "offered load (flits/node/cycle)";

/// Latency over load.
pub(in crate::commands) fn latency(points: &[Point], name: &str) -> Picture {
    let series = kinds(points).into_iter().flat_map(|(name, kind)| {
        [
            (format!("{name}, mean"), dots(points, |report| kind(report).latency_mean)),
            (format!("{name}, p99"), dots(points, |report| kind(report).latency_p99 as f64)),
        ]
    });
    let axes = [Axis::linear(LOAD), Axis::log("latency (cycles)")];
    let title = format!("latency over load: {name}");
    Picture {
        title,
        axes,
        legend: Some("packets".into()),
        series: series.collect(),
        published: Vec::new(),
        front: None,
    }
}

/// Throughput over load.
pub(in crate::commands) fn throughput(points: &[Point], name: &str) -> Picture {
    let series = vec![
        ("accepted".into(), dots(points, |report| report.accepted)),
        ("received".into(), dots(points, |report| report.throughput)),
    ];
    let axes = [Axis::linear(LOAD), Axis::linear("flits/node/cycle")];
    let title = format!("throughput over load: {name}");
    Picture { title, axes, legend: Some("flits".into()), series, published: Vec::new(), front: None }
}
