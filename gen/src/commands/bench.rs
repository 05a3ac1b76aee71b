//! `railyard bench`.

use crate::cli::BenchArgs;
use crate::commands::verify::generated;
use crate::progress::spinner;
use crate::table::columns;
use crate::{answer, Error, Outcome};
use railyard_testbench::benchmark::{rates, Rates, Spread};
use railyard_testbench::lockstep::Verify;
use serde_json::json;
use std::time::{Duration, Instant};

/// Measures the speed of generation and simulation.
///
/// # Errors
/// A bad description or scenario, or a missing tool.
pub fn run(args: &BenchArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let scenario = args.traffic.measured_scenario(args.seed, &config.shape())?;
    let start = Instant::now();
    let verilog = generated(&config)?;
    let generation = start.elapsed().as_secs_f64();
    let verify = Verify::new(&config.shape(), verilog, scenario, 1);
    let working = spinner("building and measuring");
    let rates = rates(&verify, Duration::from_secs(args.seconds));
    working.finish_and_clear();
    let rates = rates.map_err(|e| Error::Testbench(e.to_string()))?;
    if args.json {
        let mut report = json!(rates);
        report["generation_seconds"] = json!(generation);
        answer::json(&report)?;
    } else {
        answer::text(&[format!("description to Verilog: {generation:.2} s\n\n"), columns(&rows(&rates))].concat())?;
    }
    Ok(Outcome::Fine)
}

/// The figures, heads first.
fn rows(rates: &Rates) -> Vec<Vec<String>> {
    let row = |name: &str, digits: usize, Spread { min, median, max }: Spread| {
        let figures = [min, median, max].map(|figure| format!("{figure:.digits$}"));
        [vec![name.to_string()], figures.to_vec()].concat()
    };
    let Rates { golden, verilated, lockstep, lockstep_share, model_speedup } = *rates;
    vec![
        ["", "minimum", "median", "maximum"].map(String::from).to_vec(),
        row("Verilated model alone, cycles/s", 0, verilated),
        row("lock-step, cycles/s", 0, lockstep),
        row("lock-step over Verilated model", 2, lockstep_share),
        row("golden model alone, cycles/s", 0, golden.model),
        row("golden model over Verilated model", 1, model_speedup),
        row("golden model, stimulus and scoreboard, cycles/s", 0, golden.bench),
    ]
}
