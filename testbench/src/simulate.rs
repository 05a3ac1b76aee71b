//! Simulation with the golden model alone: fast, for numbers.

use crate::bench::{BarrierCounts, Bench};
use crate::stimulus::Scenario;
use railyard_model::Switch;
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Cycles between calls of a progress function.
pub const PROGRESS: u64 = 10_000;

/// What a simulation measured, after its warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Cycles measured.
    pub cycles: u64,
    /// Cycles before them.
    pub warm_up: u64,
    /// The seed.
    pub seed: u64,
    /// Name of the traffic pattern; `trace` for a file.
    pub traffic: String,
    /// Flits that sources had, for each port and cycle.
    pub offered_load: f64,
    /// Flits that left the switch, for each port and cycle.
    pub accepted_load: f64,
    /// Latency of packets in cycles, from the cycle in which the source has the packet to the cycle with its tail at the output
    /// pins: waiting for the link and for credit, and the packet's own length, are part of it.
    pub latency_mean: f64,
    /// Median.
    pub latency_p50: u64,
    /// What 99 % of the packets don't exceed.
    pub latency_p99: u64,
    /// Largest.
    pub latency_max: u64,
    /// Packets delivered; those that the latencies are of.
    pub packets: u64,
    /// Share of lookups that hit the routing cache, if there is one and there were any.
    pub hit_rate: Option<f64>,
    /// Barriers, if there were any.
    pub barriers: Option<BarrierCounts>,
    /// Simulated cycles for each second.
    pub cycles_per_second: f64,
    /// What a reader should know before trusting the figures.
    pub notes: Vec<String>,
}

/// What the scoreboard found wrong with the golden model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model breaks the rules of packets:\n{}", .0.join("\n"))]
pub struct Broken(pub Vec<String>);

/// Runs the golden model for `warm_up` and then `cycles` cycles; `progress` gets the number of cycles done now and then.
pub fn simulate(
    shape: &Shape,
    scenario: &Scenario,
    warm_up: u64,
    cycles: u64,
    mut progress: impl FnMut(u64),
) -> Result<Simulation, Broken> {
    let mut switch = Switch::new(shape);
    let mut bench = Bench::new(shape, scenario);
    let start = Instant::now();
    let mut run = |bench: &mut Bench, count: u64| {
        let end = bench.now() + count;
        while bench.now() < end {
            for _ in 0..PROGRESS.min(end - bench.now()) {
                switch.step(bench.cycle(switch.outputs()));
            }
            progress(bench.now());
        }
    };
    run(&mut bench, warm_up);
    bench.measure();
    run(&mut bench, cycles);
    let seconds = start.elapsed().as_secs_f64();
    if bench.is_faulty() {
        return Err(Broken(bench.faults()));
    }
    let statistics = &bench.statistics;
    let latencies = &statistics.latencies;
    Ok(Simulation {
        cycles,
        warm_up,
        seed: scenario.seed,
        traffic: scenario.traffic.name().to_owned(),
        offered_load: statistics.offered_load(bench.stimulus().offered()),
        accepted_load: statistics.accepted_load(),
        latency_mean: latencies.mean(),
        latency_p50: latencies.percentile(0.5),
        latency_p99: latencies.percentile(0.99),
        latency_max: latencies.max(),
        packets: latencies.count(),
        hit_rate: bench.hit_rate(),
        barriers: bench.barrier_counts(),
        cycles_per_second: (warm_up + cycles) as f64 / seconds.max(1e-9),
        notes: notes(&bench),
    })
}

/// Accepted load over offered load below which a switch with full source queues counts as saturated.
const SATURATED: f64 = 0.95;

fn notes(bench: &Bench) -> Vec<String> {
    let statistics = &bench.statistics;
    let (offered, accepted) = (statistics.offered_load(bench.stimulus().offered()), statistics.accepted_load());
    let mut notes = Vec::new();
    if bench.scoreboard().is_none() {
        notes.push("packets are not followed (illegal senders, or packets that look alike): no latencies".to_owned());
    } else if let Some(nothing) = bench.nothing_delivered() {
        notes.push(nothing);
    } else if statistics.latencies.count() == 0 {
        notes.push("no packet was delivered after the warm-up: run more cycles".to_owned());
    }
    notes.extend(bench.unplayed());
    if bench.stimulus().refused() > 0 && accepted < SATURATED * offered {
        notes.push(format!(
            "saturated: {:.0} % of the offered load is accepted, source queues are full, and latencies are those of full queues",
            100.0 * accepted / offered
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
