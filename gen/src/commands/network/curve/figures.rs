//! The figures of a curve: a table for people with a row for each load, and CSV with a row for each run.

use super::level::{kinds, levels, Level};
use super::Point;
use railyard_network::harness::{KindReport, RunReport};

/// The table for people, heads first. Means of several runs have their 95 % confidence beside them.
pub(in crate::commands) fn rows(points: &[Point]) -> Vec<Vec<String>> {
    let several = levels(points).any(|level| level.mean(|report| report.accepted).1.is_some());
    let spread = || several.then(|| "+-".to_string());
    let mut heads = ["load", "offered", "accepted"].map(String::from).to_vec();
    heads.extend(spread());
    heads.push("received".into());
    for (name, _) in kinds(points) {
        heads.push(format!("{name} mean"));
        heads.extend(spread());
        heads.extend(["p50", "p99", "max"].map(String::from));
    }
    heads.push(String::new());
    std::iter::once(heads).chain(levels(points).map(|level| row(level, points))).collect()
}

fn row(level: Level<'_>, points: &[Point]) -> Vec<String> {
    let rate = |figure: fn(&RunReport) -> f64| format!("{:.4}", level.mean(figure).0);
    let mut row = vec![level.load().to_string(), rate(|report| report.offered)];
    row.extend(spread(level.mean(|report| report.accepted), 4));
    row.push(rate(|report| report.throughput));
    for (_, kind) in kinds(points) {
        row.extend(spread(level.mean(|report| kind(report).latency_mean), 1));
        for figure in [|kind: &KindReport| kind.latency_p50, |kind: &KindReport| kind.latency_p99] {
            let (mean, half) = level.mean(|report| figure(kind(report)) as f64);
            // That of one run is a whole number.
            row.push(format!("{mean:.*}", usize::from(half.is_some())));
        }
        row.push(level.largest(|report| kind(report).latency_max).to_string());
    }
    row.push(level.state().into());
    row
}

/// A mean and, if there is one, its confidence.
fn spread((mean, half): (f64, Option<f64>), digits: usize) -> impl Iterator<Item = String> {
    std::iter::once(mean).chain(half).map(move |figure| format!("{figure:.digits$}"))
}

/// All runs, one a row.
pub(super) fn csv(points: &[Point]) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut heads = ["load", "seed", "offered", "accepted", "throughput", "saturated", "mismatches", "hit_rate"]
        .map(String::from)
        .to_vec();
    for (name, _) in kinds(points) {
        heads.extend(
            ["packets", "latency_mean", "latency_p50", "latency_p99", "latency_max"]
                .map(|head| format!("{name}_{head}")),
        );
    }
    let rows = points.iter().map(|Point { load, seed, report, .. }| {
        let hit_rate = report.caches.as_ref().map_or(String::new(), |caches| caches.hit_rate.to_string());
        let mut row = vec![load.to_string(), seed.to_string()];
        row.extend([report.offered, report.accepted, report.throughput].map(|rate| rate.to_string()));
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
