//! Speeds, measured side by side in one process on the same stimulus.

use crate::bench::Bench;
use crate::lockstep::{design, Device, Hardware, Isolated, Lockstep, Verify, VerifyError};
use crate::stimulus::Scenario;
use railyard_model::{Inputs, Switch};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Cycles of a pass, its reset included. All figures are of the same passes: what is compared did the same work.
const PASS: usize = 32_768;

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
    /// Lock-step as `verify` runs it, the design in a process of its own: design, model, stimulus, scoreboard,
    /// comparison.
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

/// Passes until `time` is over, or a pass says that it failed: cycles a second, 0 after a failure. `start` isn't timed.
fn passes<T>(time: Duration, mut start: impl FnMut() -> T, mut pass: impl FnMut(&mut T) -> bool) -> f64 {
    let (mut spent, mut cycles) = (Duration::ZERO, 0);
    while spent < time {
        let mut subject = start();
        let begin = Instant::now();
        if !pass(&mut subject) {
            return 0.0;
        }
        spent += begin.elapsed();
        cycles += PASS;
        black_box(&subject);
    }
    cycles as f64 / spent.as_secs_f64()
}

/// Measures the golden model, each figure for about `time`.
pub fn model_rates(shape: &Shape, scenario: &Scenario, time: Duration) -> ModelRates {
    let recorded = record(shape, scenario, PASS);
    let (switch, bench) = (Switch::new(shape), Bench::new(shape, scenario));
    let model = passes(
        time,
        || switch.clone(),
        |switch| {
            recorded.iter().for_each(|inputs| switch.step(inputs));
            true
        },
    );
    let bench = passes(
        time,
        || (switch.clone(), bench.clone()),
        |(switch, bench)| {
            (0..PASS).for_each(|_| switch.step(bench.cycle(switch.outputs())));
            true
        },
    );
    ModelRates { model, bench, stimulus_ns: 1e9 / bench - 1e9 / model }
}

/// Measures all, each figure for about `time`. After a mismatch the rate of lock-step is 0.
pub fn rates(verify: &Verify, time: Duration) -> Result<Rates, VerifyError> {
    let (shape, scenario) = (&verify.shape, &verify.scenario);
    let golden = model_rates(shape, scenario, time);
    let compiled = verify.build.compile(&design(shape, &verify.verilog))?;
    let recorded = record(shape, scenario, PASS);
    let mut running = Hardware::new(&compiled, shape, scenario.seed)?;
    let verilated = passes(
        time,
        || (),
        |()| {
            recorded.iter().for_each(|inputs| running.step(inputs));
            true
        },
    );
    let isolated = || Isolated::new(&compiled, shape, scenario.seed, None);
    // One that fails to start fails here, with its reason.
    drop(isolated()?);
    let fresh = || isolated().map(|device| Lockstep::new(shape, scenario, device));
    let lockstep = passes(time, fresh, |lockstep| match lockstep {
        Ok(lockstep) => (0..PASS).all(|_| lockstep.step().is_ok()) && lockstep.device_mut().catch_up().is_ok(),
        Err(_) => false,
    });
    Ok(Rates {
        golden,
        verilated,
        lockstep,
        lockstep_share: lockstep / verilated,
        model_speedup: golden.model / verilated,
    })
}
