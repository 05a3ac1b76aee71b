//! Throughput and latency of a switch at rising load, measured on the golden model.

use super::CONFIDENCE;
use crate::cli::ReportArgs;
use crate::counted::counted;
use crate::progress::runs_bar;
use crate::Error;
use railyard_plot::{Axis, Dot, Interval, Picture};
use railyard_report::SectionPart;
use railyard_spec::Shape;
use railyard_testbench::simulate::{simulate, Simulation, WarmUp};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;
use rayon::prelude::*;
use serde_json::{json, Value};

/// Runs at one load, with a seed each.
struct Point {
    load: f64,
    runs: Vec<Simulation>,
}

/// States of points that are hollow.
const SATURATED: &str = "saturated";
const NOT_STEADY: &str = "not steady";

/// A figure of a run, if it has one.
type Figure = fn(&Simulation) -> Option<f64>;

const MEAN: Figure = |run| run.latency_mean;
const P99: Figure = |run| run.latency_p99.map(|cycles| cycles as f64);
const ACCEPTED: Figure = |run| Some(run.accepted_load);

impl Point {
    /// The figure of all runs; none if one of them has none.
    fn values(&self, figure: Figure) -> Option<Vec<f64>> {
        self.runs.iter().map(figure).collect()
    }

    fn mean(&self, figure: Figure) -> Option<f64> {
        self.values(figure).map(|values| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Half of the 95 % confidence interval, of two runs or more.
    fn half(&self, figure: Figure) -> Option<f64> {
        self.values(figure).filter(|values| values.len() > 1).map(|values| Interval::of(&values).half)
    }

    fn dot(&self, figure: Figure) -> Option<Dot> {
        let dot = Dot::at(self.load, self.mean(figure)?).hollow_if(matches!(self.state(), SATURATED | NOT_STEADY));
        Some(self.half(figure).map_or(dot, |half| dot.give_or_take(half)))
    }

    fn state(&self) -> &'static str {
        let any = |is: fn(&Simulation) -> bool| self.runs.iter().any(is);
        match (any(|run| run.saturated), any(|run| run.steady == Some(false)), any(|run| run.steady.is_none())) {
            (true, ..) => SATURATED,
            (_, true, _) => NOT_STEADY,
            (_, _, true) => "too short to tell",
            _ => "steady",
        }
    }
}

/// The curves, and their table.
///
/// # Errors
/// The golden model breaks the rules of packets.
pub(super) fn curve(args: &ReportArgs, shape: &Shape, name: &str) -> Result<Vec<SectionPart>, Error> {
    let points = measure(args, shape)?;
    let notes = vec![
        format!(
            "Golden model, uniform traffic. Each point is {} of {} measured cycles, after a warm-up until the \
             figures stay the same. {}",
            counted(args.runs(), "run"), args.curve_cycles(), if args.runs() > 1 { CONFIDENCE.trim_end() } else { "" }
        ),
        "Latency: from the cycle in which the source has the packet to its tail at the output. Load: flits for each port and \
         cycle. Latencies of a saturated switch are those of full queues."
            .into(),
    ];
    Ok(vec![
        SectionPart::figure("Latency by offered load; the axis upwards is logarithmic", latency(&points, name).svg()),
        SectionPart::figure("Accepted load by offered load", accepted(&points, name).svg()),
        table(&points),
        SectionPart::Notes(notes),
    ])
}

fn measure(args: &ReportArgs, shape: &Shape) -> Result<Vec<Point>, Error> {
    let runs = args.runs();
    let loads = &args.loads().0;
    let cases: Vec<(f64, u64)> = loads.iter().flat_map(|&load| (0..runs as u64).map(move |run| (load, run))).collect();
    let bar = runs_bar(cases.len());
    let measured: Result<Vec<Simulation>, Error> = cases
        .par_iter()
        .map(|&(load, run)| {
            // The seeds of runs are far from those that a user gives next.
            let scenario = Scenario::new(args.seed().wrapping_add(run << 32), Pattern::Uniform, load);
            let scenario = Scenario { barriers: 0.0, ..scenario };
            let result = simulate(shape, &scenario, WarmUp::UntilSteady, args.curve_cycles(), |_| {});
            bar.inc(1);
            result.map_err(|broken| Error::Testbench(broken.to_string()))
        })
        .collect();
    bar.finish_and_clear();
    let mut measured = measured?.into_iter();
    Ok(loads.iter().map(|&load| Point { load, runs: measured.by_ref().take(runs).collect() }).collect())
}

fn dots(points: &[Point], figure: Figure) -> Vec<Dot> {
    points.iter().filter_map(|point| point.dot(figure)).collect()
}

const LOAD: &str = "offered load (flits/port/cycle)";

fn latency(points: &[Point], name: &str) -> Picture {
    Picture {
        title: format!("Latency over load: {name}"),
        axes: [Axis::linear(LOAD), Axis::log("latency (cycles)")],
        legend: Some("packets".into()),
        series: vec![("mean".into(), dots(points, MEAN)), ("99 % are below".into(), dots(points, P99))],
        published: Vec::new(),
        front: None,
    }
}

fn accepted(points: &[Point], name: &str) -> Picture {
    Picture {
        title: format!("Throughput over load: {name}"),
        axes: [Axis::linear(LOAD), Axis::linear("accepted load (flits/port/cycle)")],
        legend: None,
        series: vec![(String::new(), dots(points, ACCEPTED))],
        published: Vec::new(),
        front: None,
    }
}

fn table(points: &[Point]) -> SectionPart {
    let heads =
        ["load", "accepted", "accepted +-", "latency", "latency +-", "p50", "p99", "max", "cache hits %", "state"];
    let number = |value: Option<f64>| value.map_or(Value::Null, |value| json!((1e4 * value).round() / 1e4));
    let row = |point: &Point| {
        let (p50, max): (Figure, Figure) =
            (|run| run.latency_p50.map(|cycles| cycles as f64), |run| run.latency_max.map(|cycles| cycles as f64));
        let largest = point.values(max).and_then(|values| values.into_iter().reduce(f64::max));
        let hits: Figure = |run| run.hit_rate.map(|rate| 100.0 * rate);
        let figures = [
            Some(point.load),
            point.mean(ACCEPTED),
            point.half(ACCEPTED),
            point.mean(MEAN),
            point.half(MEAN),
            point.mean(p50),
            point.mean(P99),
            largest,
            point.mean(hits),
        ];
        figures.into_iter().map(number).chain([json!(point.state())]).collect()
    };
    SectionPart::table("", heads, points.iter().map(row).collect())
}
