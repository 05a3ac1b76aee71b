//! Throughput and latency of a switch under rising load, measured on the golden model while the package is written.

use railyard_exports::data_sheet::SheetPart;
use railyard_plot::{Axis, Dot, Picture};
use railyard_spec::Shape;
use railyard_testbench::simulate::{simulate, Simulation, WarmUp};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

/// Loads, in tenths of what a link carries.
const TENTHS: [u32; 8] = [1, 2, 4, 6, 7, 8, 9, 10];

/// Seed of the traffic.
const SEED: u64 = 1;

/// Port cycles measured at each load: a second or two of work in all.
const PORT_CYCLES: u64 = 32_000;

/// Tables and pictures; a note if the switch can't be measured.
pub fn parts(shape: &Shape) -> Vec<SheetPart> {
    let cycles = (PORT_CYCLES / shape.ports as u64).max(500);
    let run = |tenths: u32| {
        let scenario = Scenario { barriers: 0.0, ..Scenario::new(SEED, Pattern::Uniform, f64::from(tenths) / 10.0) };
        simulate(shape, &scenario, WarmUp::Cycles(cycles), cycles, |_| {}).ok()
    };
    let Some(runs) = TENTHS.map(run).into_iter().collect::<Option<Vec<Simulation>>>() else {
        return vec![SheetPart::Text("The golden model could not be measured.".into())];
    };
    let said = format!(
        "Golden model, uniform traffic, packets of every legal length, seed {SEED}: {cycles} cycles at each load, after as many to warm \
         up. Latency is from the source to the tail at the output pins. `railyard simulate` measures longer."
    );
    vec![SheetPart::Text(said), table(&runs), latency(&runs), throughput(&runs)]
}

fn table(runs: &[Simulation]) -> SheetPart {
    let heads = ["offered, flits/port/cycle", "accepted", "mean latency, cycles", "median", "99 %"].map(String::from);
    let or_none = |value: Option<String>| value.unwrap_or("-".into());
    let cells = |run: &Simulation| {
        vec![
            format!("{:.2}", run.offered_load),
            format!("{:.3}", run.accepted_load),
            or_none(run.latency_mean.map(|cycles| format!("{cycles:.1}"))),
            or_none(run.latency_p50.map(|cycles| cycles.to_string())),
            or_none(run.latency_p99.map(|cycles| cycles.to_string())),
        ]
    };
    SheetPart::Table(std::iter::once(heads.to_vec()).chain(runs.iter().map(cells)).collect())
}

/// A load that sources could not keep is an empty circle.
fn dot(run: &Simulation, y: f64) -> Dot {
    Dot { hollow: run.saturated, ..Dot::at(run.offered_load, y) }
}

fn latency(runs: &[Simulation]) -> SheetPart {
    let mean = runs.iter().filter_map(|run| Some(dot(run, run.latency_mean?))).collect();
    let high = runs.iter().filter_map(|run| Some(dot(run, run.latency_p99? as f64))).collect();
    drawn("Latency", Axis::log("latency in cycles"), vec![("mean".into(), mean), ("99 %".into(), high)])
}

fn throughput(runs: &[Simulation]) -> SheetPart {
    let accepted = runs.iter().map(|run| dot(run, run.accepted_load)).collect();
    drawn("Throughput", Axis::linear("accepted load in flits/port/cycle"), vec![("accepted".into(), accepted)])
}

fn drawn(title: &str, upwards: Axis, series: Vec<(String, Vec<Dot>)>) -> SheetPart {
    let across = Axis::linear("offered load in flits/port/cycle");
    let picture = Picture {
        title: title.into(),
        axes: [across, upwards],
        legend: None,
        series,
        published: Vec::new(),
        front: None,
    };
    SheetPart::Picture(picture.svg())
}
