//! A run of a network file on the golden model: warm-up, measurement, faults, drain, checks.

use crate::description::{InjectedFaults, Input, LinkEvent};
use crate::harness::{
    Caches, DeliveryLog, Details, Moment, Network, Observer, Run, RunError, RunReport, SteadyRun, PER_THREAD,
};
use crate::notes;
use crate::wiring::Port;
use railyard_model::Switch;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::time::Instant;

/// What a run came to, and how fast it was.
#[derive(Clone, Debug, Serialize)]
pub struct Execution {
    /// Figures and mismatches.
    #[serde(flatten)]
    pub report: RunReport,
    /// Cycles of the whole network in a second of this machine, while there was traffic.
    pub cycles_per_second: f64,
    /// No node sent anything.
    pub has_sent_nothing: bool,
    /// What a reader should know before trusting the figures.
    pub notes: Vec<String>,
    /// Figures by place, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
    /// Figures by time, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Moment>,
}

/// What is done in a cycle of a run.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// The warm-up is over.
    Measure,
    /// A link is taken out of service.
    TakeOut(Port),
    /// A link breaks.
    Break(Port),
    /// The traffic is over.
    Drain,
}

/// How long a run is, how many threads step the switches, and what is kept of it. Reports are the same with any number
/// of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Cycles with traffic.
    pub cycles: u64,
    /// Threads; none: one for each core, as far as each has enough switches to step.
    pub threads: Option<NonZeroUsize>,
    /// Figures of each link, VC and switch are kept.
    pub details: bool,
    /// Figures are kept for each so many measured cycles.
    pub series: Option<u64>,
    /// Latencies are split into parts, in a Dragonfly.
    pub latency_parts: bool,
}

impl Extent {
    /// So many cycles, on as many threads as are of use.
    pub fn new(cycles: u64) -> Extent {
        Extent { cycles, threads: None, details: false, series: None, latency_parts: false }
    }

    fn threads(self, switches: usize) -> usize {
        self.threads.map_or_else(rayon::current_num_threads, usize::from).min(switches / PER_THREAD).max(1)
    }
}

/// Runs a network with traffic, the first tenth unmeasured, and drains it. Packets from a file are measured from the
/// first cycle to the last delivery. Links go down and break in the cycles that
/// the file says. `progress` is told the cycles done.
///
/// # Errors
/// The run does not fit the network.
pub fn execute(
    input: &Input,
    run: &Run,
    extent: Extent,
    progress: impl FnMut(u64) + Send,
) -> Result<Execution, RunError> {
    execute_watched(input, run, extent, (None, None), progress)
}

/// The same, and `log` takes each packet that is delivered, those of the warm-up too.
///
/// # Errors
/// The run does not fit the network.
pub fn execute_logged(
    input: &Input,
    run: &Run,
    extent: Extent,
    log: DeliveryLog,
    progress: impl FnMut(u64) + Send,
) -> Result<Execution, RunError> {
    execute_watched(input, run, extent, (None, Some(log)), progress)
}

/// The same under the eyes of somebody who sees each cycle, and can end the run.
///
/// # Errors
/// The run does not fit the network.
pub fn execute_observed(
    input: &Input,
    run: &Run,
    extent: Extent,
    observer: Option<Box<dyn Observer<Switch> + Send>>,
    progress: impl FnMut(u64) + Send,
) -> Result<Execution, RunError> {
    execute_watched(input, run, extent, (observer, None), progress)
}

/// What sees a run: each cycle, and each packet that is delivered.
type Watchers = (Option<Box<dyn Observer<Switch> + Send>>, Option<DeliveryLog>);

fn execute_watched(
    input: &Input,
    run: &Run,
    extent: Extent,
    watchers: Watchers,
    mut progress: impl FnMut(u64) + Send,
) -> Result<Execution, RunError> {
    let threads = extent.threads(input.blueprint.wiring.switches());
    if watchers.0.is_some() && run.caches == Caches::Warm {
        let rule = "can't be verified: the caches of a design are empty after its reset";
        return RunError::of("/caches", "\"warm\"", rule, "\"cold\"");
    }
    // The whole run is inside of the pool: a loop over switches that is started from outside of it costs a change of
    // threads in every cycle.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    pool.install(|| execute_here(input, run, extent, watchers, &mut progress))
}

/// Not generic, so that this crate holds the code of the network, as fast as its profile makes it.
fn execute_here(
    input: &Input,
    run: &Run,
    extent: Extent,
    (observer, log): Watchers,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Execution, RunError> {
    let mut network = Network::observed(input.blueprint.clone(), run, Switch::new, observer)?;
    extent.series.into_iter().for_each(|step| network.keep_series(step));
    log.into_iter().for_each(|log| network.log_packets(log));
    if extent.details {
        network.keep_queues();
        network.keep_link_series();
    }
    if extent.latency_parts {
        network.keep_latency_parts()?;
    }
    let cycles = extent.cycles;
    let mut notes = [notes::before(&input.blueprint, run), too_late(input, run, cycles)].concat();
    notes.extend(run.packets.iter().flat_map(|packets| notes::of_packets(packets, cycles)));
    let (start, mut done) = (Instant::now(), 0);
    let first = network.now();
    for (cycle, act) in acts(input, run, cycles) {
        let before = done;
        network.run(cycle - done, |here| progress(before + here));
        done = cycle;
        match act {
            Act::Measure => network.measure(),
            Act::TakeOut(link) => network.take_out(link).expect("the file was checked"),
            Act::Break(link) => network.break_link(link).expect("the file was checked"),
            Act::Drain => break,
        }
    }
    if run.packets.is_some() {
        network.generate(false);
        network.run_out();
    }
    let cycles_per_second = (network.now() - first) as f64 / start.elapsed().as_secs_f64();
    let measured = network.report();
    let details = extent.details.then(|| network.details());
    let series = network.series().to_vec();
    network.finish();
    let has_sent_nothing = network.has_sent_nothing();
    if has_sent_nothing {
        notes.push(
            "no node sent a packet or a barrier message: nothing was checked but registers and quiet pins".into(),
        );
    }
    let (mismatches, mismatch_count) = network.scoreboard().mismatches();
    let report = RunReport { mismatches: mismatches.to_vec(), mismatch_count, broken: network.broken(), ..measured };
    notes.extend(notes::after(&report, network.blueprint()));
    Ok(Execution { report, cycles_per_second, has_sent_nothing, notes, details, series })
}

/// Runs a network on one thread until it is steady and fills no more buffers, and measures `cycles` or more. It is not
/// drained.
///
/// # Errors
/// The run does not fit the network.
pub fn execute_until_steady(input: &Input, run: &Run, cycles: u64) -> Result<SteadyRun, RunError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be started");
    pool.install(|| {
        let network = Network::new(input.blueprint.clone(), run, Switch::new)?;
        Ok(network.run_until_settled(cycles))
    })
}

/// What is done when, in order.
fn acts(input: &Input, run: &Run, cycles: u64) -> Vec<(u64, Act)> {
    let InjectedFaults { links_down, links_break, .. } = &input.description.faults;
    let downs = links_down.iter().map(|down| (down.cycle, Act::TakeOut(down.link)));
    let breaks = links_break.iter().map(|broken| (broken.cycle, Act::Break(broken.link)));
    let warm_up = if run.packets.is_some() || run.traffic.graph500.is_some() { 0 } else { cycles / 10 };
    let mut acts = vec![(warm_up, Act::Measure), (cycles, Act::Drain)];
    acts.extend(downs.chain(breaks).filter(|(cycle, _)| *cycle < cycles));
    acts.sort_by_key(|(cycle, _)| *cycle);
    acts
}

/// A note for each link to which nothing happens, and each change of traffic that does not come, because the run is
/// over before.
fn too_late(input: &Input, run: &Run, cycles: u64) -> Vec<String> {
    let InjectedFaults { links_down, links_break, .. } = &input.description.faults;
    let note = |list: &str, (number, event): (usize, &LinkEvent)| {
        let LinkEvent { link, cycle } = event;
        let rule = format!("is not below {cycles}, the cycles of this run: the link at {link} stays");
        (*cycle >= cycles).then(|| format!("/faults/{list}/{number}/cycle: {cycle} {rule}"))
    };
    let downs = links_down.iter().enumerate().filter_map(|event| note("links_down", event));
    let breaks = links_break.iter().enumerate().filter_map(|event| note("links_break", event));
    let changes = run.traffic.changes.iter().enumerate().filter(|(_, change)| change.cycle >= cycles);
    let changes = changes.map(|(number, change)| {
        let cycle = change.cycle;
        format!(
            "/traffic/changes/{number}/cycle: {cycle} is not below {cycles}, the cycles of this run: it does not come"
        )
    });
    downs.chain(breaks).chain(changes).collect()
}
