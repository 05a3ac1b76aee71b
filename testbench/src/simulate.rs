//! Simulation with the golden model alone: fast, for numbers.
//!
//! What the switch must be told first is no part of a measurement; then it warms up until its figures stay the same.

use crate::bench::{BarrierCounts, SwitchBench};
use crate::measure::{Doubt, IntervalTotals, Window, BATCHES};
use crate::packet_log::PacketLog;
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
    /// Cycles before them in which sources sent.
    pub warm_up: u64,
    /// Cycles before those: reset, and writing of tables and registers. Sources stood still.
    pub set_up: u64,
    /// Whether the figures were the same before and in both halves of the measured cycles. None of a trace, and if the
    /// cycles are too few to tell.
    pub steady: Option<bool>,
    /// Whether sources refused packets for want of room in their queues: latencies are those of full queues.
    pub saturated: bool,
    /// The seed.
    pub seed: u64,
    /// Name of the traffic pattern; `trace` for a file.
    pub traffic: String,
    /// Flits that sources had, for each port and cycle.
    pub offered_load: f64,
    /// Flits that left the switch, for each port and cycle.
    pub accepted_load: f64,
    /// Latency of packets in cycles, from the cycle in which the source has the packet to the cycle with its tail at
    /// the output pins: waiting for the link and for credit, and the packet's own length, are part of it.
    /// None without packets.
    pub latency_mean: Option<f64>,
    /// Median.
    pub latency_p50: Option<u64>,
    /// What 99 % of the packets don't exceed.
    pub latency_p99: Option<u64>,
    /// Largest.
    pub latency_max: Option<u64>,
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
pub struct ModelFaults(pub Vec<String>);

/// How long a simulation warms up before it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// Until the figures stay the same, or for [`LONGEST_WARM_UP`] times the cycles measured.
    UntilSteady,
    /// So many cycles.
    Cycles(u64),
}

/// Longest warm-up, in multiples of the cycles measured.
pub const LONGEST_WARM_UP: u64 = 10;

/// Share of the measured cycles that warm up in any case.
const SHORTEST_WARM_UP: u64 = 10;

/// Share of the offered flits that sources refuse in a saturated switch. Less can be bad luck of a full queue.
const SATURATED: f64 = 0.01;

/// Cycles after the set-up that a simulation takes at least, of which so many are measured.
pub fn shortest_run(scenario: &Scenario, cycles: u64) -> u64 {
    match scenario.traffic.trace {
        Some(_) => cycles,
        None => cycles + cycles / 2 + cycles / SHORTEST_WARM_UP,
    }
}

/// Runs the golden model: set-up, warm-up, then `cycles` measured cycles. A trace has no warm-up: what comes first in
/// it may be all there is. `progress` gets the number of cycles done since the set-up now and then.
///
/// # Errors
/// The model breaks the rules of packets.
pub fn simulate(
    shape: &Shape,
    scenario: &Scenario,
    warm_up: WarmUp,
    cycles: u64,
    progress: impl FnMut(u64),
) -> Result<Simulation, ModelFaults> {
    simulate_logged(shape, scenario, warm_up, cycles, None, progress)
}

/// The same with a log of packets, those of the warm-up among them.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_logged(
    shape: &Shape,
    scenario: &Scenario,
    warm_up: WarmUp,
    cycles: u64,
    log: Option<PacketLog>,
    progress: impl FnMut(u64),
) -> Result<Simulation, ModelFaults> {
    let start = Instant::now();
    let mut run = Run::new(shape, scenario, log, progress);
    let is_trace = scenario.traffic.trace.is_some();
    let (window, steady) = match warm_up {
        WarmUp::UntilSteady if !is_trace => run.until_steady(cycles),
        WarmUp::UntilSteady => (run.window(cycles), false),
        WarmUp::Cycles(before) => {
            run.cycles(before);
            let (first, second) = run.halves(cycles);
            let steady = first.agrees(&second);
            (first.join(second), steady)
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let bench = &run.bench;
    if bench.is_faulty() {
        return Err(ModelFaults(bench.faults()));
    }
    let totals = window.totals();
    let saturated = totals.refused_share() > SATURATED;
    let is_judged = !is_trace && bench.scoreboard().is_some();
    let doubt = window.doubt(saturated).filter(|doubt| is_judged && (steady || matches!(doubt, Doubt::Few(_))));
    let latencies = window.latencies;
    let of_any = |latency: u64| (latencies.count() > 0).then_some(latency);
    let mut result = Simulation {
        cycles,
        warm_up: bench.since_set_up() - cycles,
        set_up: bench.now() - bench.since_set_up(),
        steady: (is_judged && doubt.is_none()).then_some(steady),
        saturated,
        seed: scenario.seed,
        traffic: scenario.traffic_name().to_owned(),
        offered_load: totals.offered_load(shape.ports),
        accepted_load: totals.accepted_load(shape.ports),
        latency_mean: (latencies.count() > 0).then(|| latencies.mean()),
        latency_p50: of_any(latencies.percentile(0.5)),
        latency_p99: of_any(latencies.percentile(0.99)),
        latency_max: of_any(latencies.max()),
        packets: latencies.count(),
        hit_rate: bench.hit_rate(&totals),
        barriers: bench.barrier_counts(),
        cycles_per_second: bench.now() as f64 / seconds.max(1e-9),
        notes: Vec::new(),
    };
    result.notes = notes(bench, &result, totals.refused_share(), doubt);
    Ok(result)
}

/// A golden model in its bench, and how far it is.
struct Run<P> {
    switch: Switch,
    bench: SwitchBench,
    progress: P,
}

impl<P: FnMut(u64)> Run<P> {
    /// Behind the set-up.
    fn new(shape: &Shape, scenario: &Scenario, log: Option<PacketLog>, progress: P) -> Run<P> {
        let mut run = Run { switch: Switch::new(shape), bench: SwitchBench::new(shape, scenario), progress };
        run.bench.log_packets(log);
        while run.bench.stimulus().is_setting_up() {
            run.step();
        }
        run
    }

    #[inline]
    fn step(&mut self) {
        self.switch.step(self.bench.cycle(self.switch.outputs()));
    }

    fn cycles(&mut self, count: u64) {
        let end = self.bench.now() + count;
        while self.bench.now() < end {
            for _ in 0..PROGRESS.min(end - self.bench.now()) {
                self.step();
            }
            (self.progress)(self.bench.since_set_up());
        }
    }

    fn totals(&self) -> IntervalTotals {
        let entries = self.switch.counters().iter().map(|port| port.entries).sum();
        IntervalTotals { entries, ..self.bench.totals() }
    }

    /// Runs and measures so many cycles.
    fn window(&mut self, cycles: u64) -> Window {
        self.bench.take_latencies();
        let is_swept = self.switch.is_sweeping();
        let mut before = self.totals();
        let mut batch = |at: u64| {
            self.cycles((at + 1) * cycles / BATCHES - at * cycles / BATCHES);
            let now = self.totals();
            now.since(std::mem::replace(&mut before, now))
        };
        let batches = (0..BATCHES).map(&mut batch).collect();
        Window { batches, is_swept, latencies: self.bench.take_latencies() }
    }

    /// Two windows of so many cycles together.
    fn halves(&mut self, cycles: u64) -> (Window, Window) {
        (self.window(cycles / 2), self.window(cycles - cycles / 2))
    }

    /// Goes on until the last three windows agree, each of half of the cycles to be measured. Gives the last two, and
    /// whether they agree with each other and the one before.
    fn until_steady(&mut self, cycles: u64) -> (Window, bool) {
        self.cycles(cycles / SHORTEST_WARM_UP);
        let mut before = self.window(cycles / 2);
        let (mut first, mut second) = self.halves(cycles);
        let agree = |before: &Window, first: &Window, second: &Window| {
            before.agrees(first) && first.agrees(second) && before.agrees(second)
        };
        while !agree(&before, &first, &second) && self.bench.since_set_up() < (LONGEST_WARM_UP + 1) * cycles {
            let next = self.window(cycles - second.totals().cycles);
            before = std::mem::replace(&mut first, std::mem::replace(&mut second, next));
        }
        let steady = agree(&before, &first, &second);
        (first.join(second), steady)
    }
}

fn notes(bench: &SwitchBench, result: &Simulation, refused: f64, doubt: Option<Doubt>) -> Vec<String> {
    let mut notes = Vec::new();
    if bench.scoreboard().is_none() {
        notes.push("packets are not followed (illegal senders, or packets that look alike): no latencies".to_owned());
    } else if let Some(nothing) = bench.nothing_delivered() {
        notes.push(nothing);
    } else if result.packets == 0 {
        notes.push("no packet was delivered after the warm-up: run more cycles".to_owned());
    } else if let Some(doubt) = doubt {
        notes.push(doubt.note(result.cycles));
    } else if result.traffic == "trace" {
        notes.push("a trace is measured as a whole: whether the switch is steady is not told".to_owned());
    }
    notes.extend(bench.unplayed());
    notes.extend(bench.unreached());
    if result.saturated {
        notes.push(format!(
            "saturated: sources refuse {:.0} % of the offered load for want of room in their queues, and latencies are those of full queues",
            100.0 * refused
        ));
    }
    if result.steady == Some(false) {
        notes.push(format!(
            "not steady: latency, accepted load or hit rate still change after {} cycles: run more cycles",
            result.warm_up + result.cycles
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
