//! A verification run from Verilog text to report.

use super::{
    command::command, design, history, Device, Failure, FailureKind, Hardware, Lockstep, Stop, Verification, Verilog,
    Waveform, WaveformError,
};
use crate::bench::Bench;
use crate::stimulus::Scenario;
use crate::verilated::{Build, BuildError, Compiled, ModelError};
use railyard_spec::Shape;
use std::path::{Path, PathBuf};
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
    /// Words of the command line that name the switch and the design: for the command that reproduces a failure.
    pub arguments: Vec<String>,
    /// What to do before that command, if anything.
    pub preparation: Option<String>,
    /// How to build the model.
    pub build: Build,
    /// Where to write a waveform.
    pub waveform: Option<Waveform>,
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
            arguments: vec!["CONFIG".to_owned()],
            preparation: None,
            build: Build::default(),
            waveform: None,
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
    pub fn run_on<D: Device>(&self, device: D, progress: &mut dyn FnMut(u64)) -> Verification {
        let mut lockstep = Lockstep::new(&self.shape, &self.scenario, device);
        let start = Instant::now();
        let stop = lockstep.run(self.cycles, progress).err();
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        let bench = lockstep.bench();
        let cycle = bench.now();
        let (packets_sent, packets_delivered, packets_dropped, packets_flushed) = bench.packets();
        let failure = stop.map(|stop| self.failure(*stop, cycle));
        Verification {
            cycles: cycle,
            seed: self.scenario.seed,
            traffic: self.scenario.traffic.name().to_owned(),
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
            cycles_per_second: cycle as f64 / seconds,
            limits: lockstep.limits().clone(),
            notes: if failure.is_none() { notes(bench) } else { Vec::new() },
            failure,
        }
    }

    /// The load asked for; that of a trace is what it had, to four digits.
    fn load(&self, bench: &Bench) -> f64 {
        let traffic = &self.scenario.traffic;
        match traffic.trace {
            None => traffic.load,
            Some(_) => {
                let load = bench.stimulus().offered() as f64 / (self.cycles * self.shape.ports as u64) as f64;
                (1e4 * load).round() / 1e4
            }
        }
    }

    fn failure(&self, stop: Stop, now: u64) -> Failure {
        // A mismatch is found before its cycle is stepped, the others after it.
        let (kind, cycle, differences, messages) = match stop {
            Stop::Mismatch(differences) => (FailureKind::Mismatch, now, differences, Vec::new()),
            Stop::Packets(messages) => (FailureKind::Packets, now - 1, Vec::new(), messages),
            Stop::Stopped(reason) => (FailureKind::Stopped, now - 1, Vec::new(), vec![reason]),
            Stop::Undrained(rest) => (FailureKind::Undrained, now - 1, Vec::new(), vec![rest]),
        };
        let history = match differences.first() {
            Some(first) => history(&self.shape, &self.scenario, self.cycles, cycle, first.port),
            None => Vec::new(),
        };
        // Shorter than the original, unless the drain phase is what it takes.
        let cycles = self.cycles.min(cycle + 1);
        let mut words = vec!["railyard".to_owned(), "verify".to_owned()];
        words.extend(self.arguments.iter().cloned());
        words.extend(self.scenario.arguments(&self.shape));
        words.extend(["--cycles".to_owned(), cycles.to_string()]);
        Failure {
            kind,
            cycle,
            differences,
            messages,
            history,
            waveform: None,
            window: None,
            reproduce: command(&words),
            preparation: self.preparation.clone(),
        }
    }

    /// Runs again with a model that can write waveforms, to just behind the failure.
    fn trace(&self, waveform: &Waveform, target: &Path, before: u64, cycle: u64) -> Result<(u64, u64), VerifyError> {
        let build = Build { trace: waveform.format(), ..self.build.clone() };
        let compiled = build.compile(&design(&self.shape, &self.verilog))?;
        let mut hardware = Hardware::new(&compiled, &self.shape, self.scenario.seed)?;
        let mut golden = railyard_model::Switch::new(&self.shape);
        let mut bench = Bench::new(&self.shape, &self.scenario);
        bench.end_after(self.cycles);
        let (first, last) = (cycle.saturating_sub(before), cycle + AFTER);
        for now in 0..=last {
            if now == first {
                hardware.open_trace(target)?;
            }
            let inputs = bench.cycle(golden.outputs());
            golden.step(inputs);
            hardware.step(inputs);
        }
        hardware.model_mut().close_trace();
        Ok((first, last))
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

fn notes(bench: &Bench) -> Vec<String> {
    bench.nothing_delivered().into_iter().chain(bench.unplayed()).collect()
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
        let mut hardware = Hardware::new(&self.compiled, &verify.shape, verify.scenario.seed)?;
        let waveform = verify.waveform.as_ref().zip(self.target.as_ref());
        if let Some((Waveform { window: None, .. }, target)) = waveform {
            hardware.open_trace(target)?;
        }
        let mut result = verify.run_on(hardware, &mut progress);
        if let Some(failure) = &mut result.failure {
            name_loops(failure, &self.compiled);
        }
        if let (Some(failure), Some((waveform, target))) = (&mut result.failure, waveform) {
            let shown = match waveform.window {
                Some(before) => {
                    let (first, last) = verify.trace(waveform, target, before, failure.cycle)?;
                    // A design that didn't settle has no cycles after that one.
                    (first, if failure.kind == FailureKind::Unsettled { failure.cycle } else { last })
                }
                None => (0, failure.cycle),
            };
            failure.window = Some(shown);
            failure.waveform = Some(waveform.path.clone());
        }
        Ok(result)
    }
}
