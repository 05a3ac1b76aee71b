//! The plots of a curve: points are means, with error bars if there are several runs.

use super::level::{kinds, levels};
use super::Point;
use railyard_network::harness::RunReport;
use railyard_plot::{Axis, Dot, Picture};

const LOAD: &str = "offered load (flits/node/cycle)";

fn dots(points: &[Point], y: impl Fn(&RunReport) -> f64) -> Vec<Dot> {
    levels(points).map(|level| level.dot(&y)).collect()
}

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
