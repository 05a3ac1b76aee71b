//! `railyard simulate`.

use crate::cli::SimulateArgs;
use crate::packets_file::PacketsFile;
use crate::progress::CyclesBar;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::Shape;
use railyard_testbench::simulate::{shortest_run, simulate_logged, Simulation, WarmUp};
use serde_json::json;

/// Runs the golden model alone.
///
/// # Errors
/// A bad description or scenario.
pub fn run(args: &SimulateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let shape = config.shape();
    let scenario = args.traffic.measured_scenario(args.seed, &shape)?;
    let packets = args.packets.as_deref().map(|path| PacketsFile::begin(path, &shape, &scenario)).transpose()?;
    let log = packets.as_ref().map(PacketsFile::log);
    let bar = CyclesBar::new(shortest_run(&scenario, args.cycles));
    let result = simulate_logged(&shape, &scenario, WarmUp::UntilSteady, args.cycles, log, |done| bar.at(done));
    bar.clear();
    let result = result.map_err(|broken| Error::Testbench(broken.to_string()))?;
    let packets = packets.map(PacketsFile::finish).transpose()?;
    if args.json {
        let mut report = json!(result);
        if let Some(packets) = packets {
            report["packets_file"] = json!(packets);
        }
        answer::json(&report)?;
    } else {
        let notes = result.notes.iter().map(|note| format!("note: {note}\n"));
        let wrote = packets.map(|packets| packets.line() + "\n");
        answer::text(&(two_columns(&rows(&result, &shape)) + &notes.chain(wrote).collect::<String>()))?;
    }
    Ok(Outcome::Fine)
}

fn state(result: &Simulation) -> &'static str {
    match (result.saturated, result.steady) {
        (true, Some(true)) => "saturated, steady",
        (true, Some(false)) => "saturated, not steady",
        (true, None) => "saturated",
        (false, Some(true)) => "steady",
        (false, Some(false)) => "not steady",
        (false, None) if result.packets == 0 || result.traffic == "trace" => "unknown: see notes",
        (false, None) => "too short to tell: see notes",
    }
}

fn rows(result: &Simulation, shape: &Shape) -> Vec<(&'static str, String)> {
    let hit_rate = match result.hit_rate {
        Some(rate) => format!("{:.2} %", 100.0 * rate),
        None if shape.table().is_some_and(|table| table.cache.is_some()) => "no lookups".into(),
        None => "no cache".into(),
    };
    let Simulation { latency_mean, latency_p50, latency_p99, latency_max, .. } = *result;
    let of = |latency: Option<u64>| latency.map_or("-".into(), |cycles| cycles.to_string());
    let mean = latency_mean
        .map_or("-".into(), |cycles| format!("{cycles:.1} cycles, from the source to the tail at the output"));
    let mut rows = vec![
        ("offered load", format!("{:.4} flits/port/cycle", result.offered_load)),
        ("accepted load", format!("{:.4} flits/port/cycle", result.accepted_load)),
        ("latency, mean", mean),
        ("latency, p50 / p99 / max", format!("{} / {} / {} cycles", of(latency_p50), of(latency_p99), of(latency_max))),
        ("routing cache hits", hit_rate),
        ("packets measured", result.packets.to_string()),
        (
            "cycles measured",
            format!("{}, after {} to set up and {} to warm up", result.cycles, result.set_up, result.warm_up),
        ),
        ("state", state(result).into()),
    ];
    rows.extend(result.barriers.map(|barriers| ("barriers", barriers.to_string())));
    rows.push(("speed", format!("{:.0} cycles/s", result.cycles_per_second)));
    rows
}
