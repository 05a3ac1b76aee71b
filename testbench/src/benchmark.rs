//! Speeds, measured side by side in one process on the same stimulus.

use crate::bench::Bench;
use crate::lockstep::{design, Device, Hardware, Lockstep, Verify, VerifyError};
use crate::stimulus::Scenario;
use railyard_model::{Inputs, Switch};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Cycles of recorded stimulus, reset included, that are replayed over and over.
const RECORDED: usize = 8_192;

/// Rates of the golden model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRates {
    /// The model alone on recorded inputs, in cycles a second.
    pub model: f64,
    /// The model in its bench: stimulus, scoreboard and statistics too.
    pub bench: f64,
    /// What the bench costs, in nanoseconds for each cycle.
    pub stimulus_ns: f64,
}

/// Rates of the Verilated design beside those of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The golden model.
    pub golden: ModelRates,
    /// The Verilated design alone on recorded inputs: pins written, clock ticked, nothing read.
    pub verilated: f64,
    /// Lock-step: design, model, stimulus, scoreboard, comparison.
    pub lockstep: f64,
    /// `lockstep / verilated`: 0.5 is the bar.
    pub lockstep_share: f64,
    /// `golden.model / verilated`.
    pub model_speedup: f64,
}

/// The first cycles of a scenario's inputs.
pub fn record(shape: &Shape, scenario: &Scenario, cycles: usize) -> Vec<Inputs> {
    let (mut switch, mut bench) = (Switch::new(shape), Bench::new(shape, scenario));
    let mut cycle = || {
        let inputs = bench.cycle(switch.outputs()).clone();
        switch.step(&inputs);
        inputs
    };
    (0..cycles).map(|_| cycle()).collect()
}

/// Replays `recorded` until `time` is over; cycles a second.
fn replay(recorded: &[Inputs], time: Duration, mut step: impl FnMut(&Inputs)) -> f64 {
    recorded.iter().for_each(&mut step);
    let (start, mut cycles) = (Instant::now(), 0);
    while start.elapsed() < time {
        recorded.iter().for_each(&mut step);
        cycles += recorded.len();
    }
    cycles as f64 / start.elapsed().as_secs_f64()
}

/// Measures the golden model, each figure for about `time`.
pub fn model_rates(shape: &Shape, scenario: &Scenario, time: Duration) -> ModelRates {
    let recorded = record(shape, scenario, RECORDED);
    let mut switch = Switch::new(shape);
    let model = replay(&recorded, time, |inputs| {
        switch.step(black_box(inputs));
    });
    let (mut switch, mut bench) = (Switch::new(shape), Bench::new(shape, scenario));
    let bench = measure(time, || {
        switch.step(bench.cycle(switch.outputs()));
    });
    ModelRates { model, bench, stimulus_ns: 1e9 / bench - 1e9 / model }
}

/// Measures all, each figure for about `time`. After a mismatch the rate of lock-step is 0.
pub fn rates(verify: &Verify, time: Duration) -> Result<Rates, VerifyError> {
    let (shape, scenario) = (&verify.shape, &verify.scenario);
    let golden = model_rates(shape, scenario, time);
    let compiled = verify.build.compile(&design(shape, &verify.verilog))?;
    let recorded = record(shape, scenario, RECORDED);
    let mut hardware = Hardware::new(&compiled, shape, scenario.seed)?;
    let verilated = replay(&recorded, time, |inputs| hardware.step(inputs));
    let mut lockstep = Lockstep::new(shape, scenario, Hardware::new(&compiled, shape, scenario.seed)?);
    let mut same = true;
    let lockstep = measure(time, || same = same && lockstep.step().is_ok());
    let lockstep = if same { lockstep } else { 0.0 };
    Ok(Rates {
        golden,
        verilated,
        lockstep,
        lockstep_share: lockstep / verilated,
        model_speedup: golden.model / verilated,
    })
}

/// Calls `cycle` for about `time`, after a warm-up; cycles a second.
fn measure(time: Duration, mut cycle: impl FnMut()) -> f64 {
    (0..RECORDED).for_each(|_| cycle());
    let (start, mut cycles) = (Instant::now(), 0);
    while start.elapsed() < time {
        (0..1_024).for_each(|_| cycle());
        cycles += 1_024;
    }
    cycles as f64 / start.elapsed().as_secs_f64()
}
