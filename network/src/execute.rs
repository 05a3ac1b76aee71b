//! A run of a network file on the golden model: warm-up, measurement, faults, drain, checks.

use crate::description::Input;
use crate::harness::{Network, Observer, Report, Run, RunError};
use railyard_model::Switch;
use serde::Serialize;
use std::time::Instant;

/// What a run came to, and how fast it was.
#[derive(Clone, Debug, Serialize)]
pub struct Execution {
    /// Figures and mismatches.
    #[serde(flatten)]
    pub report: Report,
    /// Cycles of the whole network in a second of this machine, while there was traffic.
    pub cycles_per_second: f64,
    /// What a reader should know before trusting the figures.
    pub notes: Vec<String>,
}

/// Runs so many cycles with traffic, the first tenth unmeasured, and drains the network. Links go down in the cycles that the file says.
/// `progress` is told the cycles done.
///
/// # Errors
/// The run does not fit the network.
pub fn execute(input: &Input, run: &Run, cycles: u64, progress: impl FnMut(u64)) -> Result<Execution, RunError> {
    execute_observed(input, run, cycles, None, progress)
}

/// The same under the eyes of somebody who sees each cycle, and can end the run.
///
/// # Errors
/// The run does not fit the network.
pub fn execute_observed(
    input: &Input,
    run: &Run,
    cycles: u64,
    observer: Option<Box<dyn Observer<Switch>>>,
    mut progress: impl FnMut(u64),
) -> Result<Execution, RunError> {
    let mut network = Network::observed(input.blueprint.clone(), run, Switch::new, observer)?;
    let warm_up = cycles / 10;
    let mut stops: Vec<(u64, Option<_>)> = vec![(warm_up, None), (cycles, None)];
    let downs = &input.description.faults.links_down;
    stops.extend(downs.iter().filter(|down| down.cycle < cycles).map(|down| (down.cycle, Some(down.link))));
    let too_late = downs.iter().enumerate().filter(|(_, down)| down.cycle >= cycles);
    let notes = too_late.map(|(number, down)| {
        let (link, cycle) = (down.link, down.cycle);
        format!("/faults/links_down/{number}/cycle: {cycle} is not below {cycles}, the cycles of this run: the link at {link} stays")
    });
    let notes = notes.collect();
    stops.sort_by_key(|(cycle, _)| *cycle);
    let (start, mut done) = (Instant::now(), 0);
    let first = network.now();
    for (cycle, link) in stops {
        let before = done;
        network.run(cycle - done, |here| progress(before + here));
        done = cycle;
        if let Some(link) = link {
            network.take_out(link).expect("the file was checked");
        } else if cycle == warm_up {
            network.measure();
        }
    }
    let cycles_per_second = (network.now() - first) as f64 / start.elapsed().as_secs_f64();
    let measured = network.report();
    network.finish();
    let (mismatches, mismatch_count) = network.scoreboard().mismatches();
    let report = Report { mismatches: mismatches.to_vec(), mismatch_count, ..measured };
    Ok(Execution { report, cycles_per_second, notes })
}
