//! Speeds, measured side by side in one process on the same stimulus.

use crate::bench::SwitchBench;
use crate::lockstep::{design, Isolated, Lockstep, PromptDevice, Verify, VerifyError, VerilatedSwitch};
use crate::stimulus::Scenario;
use railyard_model::{Inputs, Switch};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Cycles of a pass, its reset included. All figures are of the same passes: what is compared did the same work.
const PASS: usize = 32_768;

/// Turns: in each, every figure is taken once. A machine that is busy for a while slows all of a turn.
const TURNS: usize = 5;

/// A figure of several turns. A ratio is taken within a turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The middle one.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    fn of(figures: impl IntoIterator<Item = f64>) -> Spread {
        let mut all: Vec<f64> = figures.into_iter().collect();
        all.sort_by(f64::total_cmp);
        Spread { min: all[0], median: all[all.len() / 2], max: all[all.len() - 1] }
    }

    /// Of two figures, turn by turn.
    fn of_pairs(a: &[f64], b: &[f64], figure: impl Fn(f64, f64) -> f64) -> Spread {
        Spread::of(a.iter().zip(b).map(|(a, b)| figure(*a, *b)))
    }
}

/// Rates of the golden model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRates {
    /// The model alone on recorded inputs, in cycles a second.
    pub model: Spread,
    /// The model in its bench: stimulus, scoreboard and statistics too.
    pub bench: Spread,
    /// What the bench costs, in nanoseconds for each cycle.
    pub stimulus_ns: Spread,
}

/// Rates of the Verilated design beside those of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The golden model.
    pub golden: ModelRates,
    /// The Verilated design alone on recorded inputs: pins written, clock ticked, nothing read.
    pub verilated: Spread,
    /// Lock-step as `verify` runs it, the design in a process of its own: design, model, stimulus, scoreboard,
    /// comparison.
    pub lockstep: Spread,
    /// `lockstep / verilated`: 0.5 is the bar.
    pub lockstep_share: Spread,
    /// `golden.model / verilated`.
    pub model_speedup: Spread,
}

/// The first cycles of a scenario's inputs.
pub fn record(shape: &Shape, scenario: &Scenario, cycles: usize) -> Vec<Inputs> {
    let (mut switch, mut bench) = (Switch::new(shape), SwitchBench::new(shape, scenario));
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

/// Something whose rate is taken, for about a time.
type Subject<'a> = &'a mut dyn FnMut(Duration) -> f64;

/// The rates of subjects that take turns, each for about `time` in all; by subject and turn.
fn turns(time: Duration, subjects: &mut [Subject<'_>]) -> Vec<Vec<f64>> {
    let mut rates = vec![Vec::new(); subjects.len()];
    for _ in 0..TURNS {
        for (subject, rates) in subjects.iter_mut().zip(&mut rates) {
            rates.push(subject(time / TURNS as u32));
        }
    }
    rates
}

/// The golden model, and what stands around it.
struct Golden {
    recorded: Vec<Inputs>,
    switch: Switch,
    bench: SwitchBench,
}

impl Golden {
    fn new(shape: &Shape, scenario: &Scenario) -> Golden {
        let (switch, bench) = (Switch::new(shape), SwitchBench::new(shape, scenario));
        Golden { recorded: record(shape, scenario, PASS), switch, bench }
    }

    fn model(&self, time: Duration) -> f64 {
        let pass = |switch: &mut Switch| {
            self.recorded.iter().for_each(|inputs| switch.step(inputs));
            true
        };
        passes(time, || self.switch.clone(), pass)
    }

    fn bench(&self, time: Duration) -> f64 {
        let pass = |(switch, bench): &mut (Switch, SwitchBench)| {
            (0..PASS).for_each(|_| switch.step(bench.cycle(switch.outputs())));
            true
        };
        passes(time, || (self.switch.clone(), self.bench.clone()), pass)
    }
}

impl ModelRates {
    fn new(model: &[f64], bench: &[f64]) -> ModelRates {
        let stimulus_ns = Spread::of_pairs(model, bench, |model, bench| 1e9 / bench - 1e9 / model);
        ModelRates { model: Spread::of(model.to_vec()), bench: Spread::of(bench.to_vec()), stimulus_ns }
    }
}

/// Measures the golden model, each figure for about `time`.
pub fn model_rates(shape: &Shape, scenario: &Scenario, time: Duration) -> ModelRates {
    let golden = Golden::new(shape, scenario);
    let rates = turns(time, &mut [&mut |time| golden.model(time), &mut |time| golden.bench(time)]);
    ModelRates::new(&rates[0], &rates[1])
}

/// Measures all in turns, each figure for about `time`. After a mismatch the rate of lock-step is 0.
pub fn rates(verify: &Verify, time: Duration) -> Result<Rates, VerifyError> {
    let (shape, scenario) = (&verify.shape, &verify.scenario);
    let golden = Golden::new(shape, scenario);
    let compiled = verify.build.compile(&design(shape, &verify.verilog))?;
    let mut running = VerilatedSwitch::new(&compiled, shape, scenario.seed)?;
    let isolated = || Isolated::new(&compiled, shape, scenario.seed, None);
    // One that fails to start fails here, with its reason.
    drop(isolated()?);
    let mut verilated = |time| {
        let pass = |(): &mut ()| {
            golden.recorded.iter().for_each(|inputs| running.step(inputs));
            true
        };
        passes(time, || (), pass)
    };
    let mut lockstep = |time| {
        let fresh = || isolated().map(|device| Lockstep::new(shape, scenario, device));
        passes(time, fresh, |lockstep| match lockstep {
            Ok(lockstep) => (0..PASS).all(|_| lockstep.step().is_ok()) && lockstep.device_mut().catch_up().is_ok(),
            Err(_) => false,
        })
    };
    let subjects: &mut [Subject<'_>] =
        &mut [&mut |time| golden.model(time), &mut |time| golden.bench(time), &mut verilated, &mut lockstep];
    let rates = turns(time, subjects);
    let (model, verilated, lockstep) = (&rates[0], &rates[2], &rates[3]);
    let over = |a: f64, b: f64| a / b;
    Ok(Rates {
        golden: ModelRates::new(model, &rates[1]),
        verilated: Spread::of(verilated.to_vec()),
        lockstep: Spread::of(lockstep.to_vec()),
        lockstep_share: Spread::of_pairs(lockstep, verilated, over),
        model_speedup: Spread::of_pairs(model, verilated, over),
    })
}
