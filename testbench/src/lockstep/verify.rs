//! A verification run from Verilog text to report.

use super::replay::Replay;
use super::{
    command::command, design, history, waveform::Draft, Failure, FailureKind, Found, Isolated, Lockstep, Stop, Subject,
    Verification, Verilog, Waveform, WaveformError,
};
use crate::bench::SwitchBench;
use crate::check::Check;
use crate::packet_log::PacketLog;
use crate::stimulus::Scenario;
use railyard_model::Switch;
use railyard_spec::Shape;
use railyard_verilated::{Build, BuildError, Compiled, ModelError};
use std::path::PathBuf;
use std::time::Instant;

/// Cycles that a window shows after the failure.
const AFTER: u64 = 20;

/// A verification to run.
#[derive(Clone, Debug)]
pub struct Verify {
    /// The switch.
    pub shape: Shape,
    /// The design.
    pub verilog: Verilog,
    /// The stimulus.
    pub scenario: Scenario,
    /// Cycles with traffic: those between the set-up of tables and registers and the drain phase.
    pub cycles: u64,
    /// Words of the command line that name the switch and the design: for the command that reproduces a failure. None
    /// if the run is that of a program of one's own.
    pub arguments: Vec<String>,
    /// What to do before that command, if anything.
    pub preparation: Option<String>,
    /// How to build the model.
    pub build: Build,
    /// Where to write a waveform.
    pub waveform: Option<Waveform>,
    /// Takes the packets that leave the golden model.
    pub packets: Option<PacketLog>,
    /// Checks beside the scoreboard; each run has clones.
    pub checks: Vec<Box<dyn Check>>,
    /// The golden model before its first step, if it has blocks of one's own.
    pub golden: Option<Switch>,
}

/// The run couldn't be made; says nothing of the design but that it doesn't build.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Verilator or the compiler failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The built model doesn't load or lacks a pin.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The waveform has no place.
    #[error(transparent)]
    Waveform(#[from] WaveformError),
}

impl Verify {
    /// A run with the usual build and without waveform.
    pub fn new(shape: &Shape, verilog: Verilog, scenario: Scenario, cycles: u64) -> Verify {
        Verify {
            shape: shape.clone(),
            verilog,
            scenario,
            cycles,
            arguments: Vec::new(),
            preparation: None,
            build: Build::default(),
            waveform: None,
            packets: None,
            checks: Vec::new(),
            golden: None,
        }
    }

    /// Builds and runs; `progress` gets the number of cycles done now and then.
    ///
    /// # Errors
    /// The design doesn't build.
    pub fn run(&self, progress: impl FnMut(u64)) -> Result<Verification, VerifyError> {
        self.prepare()?.run(progress)
    }

    /// Builds the Verilated model, or finds it built.
    ///
    /// # Errors
    /// A waveform can't be written where it is to go, a tool is missing, or the design doesn't build.
    pub fn prepare(&self) -> Result<Prepared<'_>, VerifyError> {
        let target = self.waveform.as_ref().map(Waveform::target).transpose()?;
        let whole = self.waveform.as_ref().filter(|waveform| waveform.window.is_none());
        let build = match whole {
            Some(waveform) => Build { trace: waveform.format(), ..self.build.clone() },
            None => self.build.clone(),
        };
        let compiled = build.compile(&design(&self.shape, &self.verilog))?;
        Ok(Prepared { verify: self, compiled, target })
    }

    /// Runs on a device that is there already; without waveform.
    pub fn run_on<D: Subject>(&self, device: D, progress: &mut dyn FnMut(u64)) -> Verification {
        let mut lockstep = Lockstep::with_golden(self.golden(), &self.scenario, device);
        lockstep.bench_mut().log_packets(self.packets.clone());
        self.checks.iter().for_each(|check| lockstep.bench_mut().add_check(check.clone()));
        let start = Instant::now();
        let found = lockstep.run(self.cycles, progress).err();
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        let rate = lockstep.bench().now() as f64 / seconds;
        match found {
            Some(found) if found.begun() < lockstep.bench().now() => {
                let mut again = Lockstep::with_golden(self.golden(), &self.scenario, Replay(*found));
                let found = again.run(self.cycles, &mut |_| {}).err();
                self.report(&again, found, rate)
            }
            found => self.report(&lockstep, found, rate),
        }
    }

    /// The golden model of a run.
    fn golden(&self) -> Switch {
        self.golden.clone().unwrap_or_else(|| Switch::new(&self.shape))
    }

    fn report<D: Subject>(&self, run: &Lockstep<D>, found: Option<Box<Found>>, cycles_per_second: f64) -> Verification {
        let bench = run.bench();
        let (packets_sent, packets_delivered, packets_dropped, packets_flushed) = bench.packets();
        let failure = found.map(|found| self.failure(*found));
        Verification {
            cycles: bench.now(),
            seed: self.scenario.seed,
            traffic: self.scenario.traffic_name().to_owned(),
            load: self.load(bench),
            mismatches: failure.as_ref().map_or(0, |failure| failure.differences.len() as u64),
            packets_sent,
            packets_delivered,
            packets_dropped,
            packets_dropped_in_change: bench.scoreboard().map_or(0, |board| board.dropped_in_change),
            packets_flushed,
            scoreboard: bench.scoreboard().is_some(),
            hit_rate: bench.hit_rate(&bench.totals()),
            barriers: bench.barrier_counts(),
            cycles_per_second,
            limits: run.limits().clone(),
            notes: if failure.is_none() { notes(bench) } else { Vec::new() },
            failure,
        }
    }

    /// The load asked for; that of a trace or of traffic of one's own is what it had, to four digits.
    fn load(&self, bench: &SwitchBench) -> f64 {
        let traffic = &self.scenario.traffic;
        if self.scenario.own.is_none() && traffic.trace.is_none() {
            return traffic.load;
        }
        let load = bench.stimulus().offered() as f64 / (self.cycles * self.shape.ports as u64) as f64;
        (1e4 * load).round() / 1e4
    }

    fn failure(&self, Found { cycle, stop }: Found) -> Failure {
        let (kind, differences, messages) = match stop {
            Stop::Mismatch(mut differences) => {
                // A packet that leaves wrongly says more than the pins of credit.
                differences.sort_by_key(|difference| !difference.pin.starts_with("tx_"));
                (FailureKind::Mismatch, differences, Vec::new())
            }
            Stop::Packets(messages) => (FailureKind::Packets, Vec::new(), messages),
            Stop::Check(messages) => (FailureKind::Check, Vec::new(), messages),
            Stop::Stopped(reason) => (FailureKind::Stopped, Vec::new(), vec![reason]),
            Stop::Ended(how) => (FailureKind::Ended, Vec::new(), vec![how]),
            Stop::Stalled(how) => (FailureKind::Stalled, Vec::new(), vec![how]),
            Stop::Undrained(rest) => (FailureKind::Undrained, Vec::new(), vec![rest]),
        };
        let history = match differences.first() {
            Some(first) => history(&self.golden(), &self.scenario, self.cycles, cycle, first.port),
            None => Vec::new(),
        };
        // Shorter than the original, unless the drain phase is what it takes.
        let cycles = self.cycles.min(cycle + 1);
        Failure {
            kind,
            cycle,
            differences,
            messages,
            history,
            waveform: None,
            window: None,
            reproduce: self.reproduce(cycles),
            preparation: self.preparation.clone(),
        }
    }

    /// How to see a failure again in so many cycles.
    fn reproduce(&self, cycles: u64) -> String {
        let is_own = self.scenario.own.is_some() || !self.checks.is_empty() || self.golden.is_some();
        if is_own || self.arguments.is_empty() {
            return format!(
                "the same program, with {cycles} cycles: no command has its traffic, checks, blocks or Verilog"
            );
        }
        let mut words = vec!["railyard".to_owned(), "verify".to_owned()];
        words.extend(self.arguments.iter().cloned());
        words.extend(self.scenario.arguments(&self.shape));
        words.extend(["--cycles".to_owned(), cycles.to_string()]);
        command(&words)
    }

    /// Runs again with a model that can write waveforms, to just behind a failure; gives the first and the last cycle
    /// shown. A cycle that the design does not come to the end of is not in it.
    fn trace(&self, waveform: &Waveform, draft: Draft, failure: &Failure) -> Result<Option<(u64, u64)>, VerifyError> {
        let cycle = failure.cycle;
        let first = waveform.window.map_or(0, |before| cycle.saturating_sub(before));
        let end = match failure.kind {
            FailureKind::Ended | FailureKind::Stalled => cycle,
            _ => cycle + 1 + waveform.window.map_or(0, |_| AFTER),
        };
        if first >= end {
            return Ok(None);
        }
        let build = Build { trace: waveform.format(), ..self.build.clone() };
        let compiled = build.compile(&design(&self.shape, &self.verilog))?;
        let recording = draft.recording(first, end);
        let mut device = Isolated::new(&compiled, &self.shape, self.scenario.seed, Some(recording))?;
        let mut golden = self.golden();
        let mut bench = SwitchBench::new(&self.shape, &self.scenario);
        bench.end_after(self.cycles);
        for _ in 0..end {
            let inputs = bench.cycle(golden.outputs());
            golden.step(inputs);
            device.show(inputs);
        }
        if !device.shown() {
            return Ok(None);
        }
        draft.publish()?;
        // A design that didn't settle has no cycles after that one.
        let last = if failure.kind == FailureKind::Unsettled { cycle } else { end - 1 };
        Ok(Some((first, last)))
    }
}

/// Loops that a report names.
const LOOPS: usize = 4;

/// A design that stopped because it doesn't settle: the report says so, and which loops there are.
fn name_loops(failure: &mut Failure, compiled: &Compiled) {
    if failure.kind == FailureKind::Stopped && failure.messages.iter().any(|reason| reason.contains("converge")) {
        failure.kind = FailureKind::Unsettled;
        let loops = compiled.loops();
        if !loops.is_empty() {
            failure.messages = loops.into_iter().take(LOOPS).collect();
        }
    }
}

/// Delays that a report places.
const DELAYS: usize = 3;

/// What a reader should know of delays in the design.
fn delays(compiled: &Compiled) -> Option<String> {
    let delays = compiled.delays();
    let places: Vec<&str> = delays.iter().take(DELAYS).map(String::as_str).collect();
    let more = if delays.len() > DELAYS { ", ..." } else { "" };
    (!delays.is_empty()).then(|| format!("delays (#) are left out: {}{more}", places.join(", ")))
}

fn notes(bench: &SwitchBench) -> Vec<String> {
    bench.nothing_delivered().into_iter().chain(bench.unplayed()).chain(bench.unreached()).collect()
}

/// A verification whose model is built.
#[derive(Debug)]
pub struct Prepared<'a> {
    verify: &'a Verify,
    compiled: Compiled,
    /// The waveform's file.
    target: Option<PathBuf>,
}

impl Prepared<'_> {
    /// Runs; `progress` gets the number of cycles done now and then.
    ///
    /// # Errors
    /// The built model doesn't load, or a waveform can't be written.
    pub fn run(&self, mut progress: impl FnMut(u64)) -> Result<Verification, VerifyError> {
        let verify = self.verify;
        let draft = self.target.as_deref().map(Draft::beside).transpose()?;
        // A whole run is written as it goes. One that fails runs ahead of what was found, and is written again.
        let whole =
            draft.as_ref().filter(|_| verify.waveform.as_ref().is_some_and(|waveform| waveform.window.is_none()));
        let recording = whole.map(|draft| draft.recording(0, u64::MAX));
        let device = Isolated::new(&self.compiled, &verify.shape, verify.scenario.seed, recording)?;
        let mut result = verify.run_on(device, &mut progress);
        result.notes.extend(delays(&self.compiled));
        if let Some(failure) = &mut result.failure {
            name_loops(failure, &self.compiled);
        }
        let Some((waveform, draft)) = verify.waveform.as_ref().zip(draft) else { return Ok(result) };
        match &mut result.failure {
            None if waveform.window.is_none() => draft.publish()?,
            None => {}
            Some(failure) => {
                failure.window = verify.trace(waveform, draft, failure)?;
                failure.waveform = failure.window.map(|_| waveform.path.clone());
            }
        }
        Ok(result)
    }
}
