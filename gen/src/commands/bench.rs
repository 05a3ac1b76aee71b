//! `railyard bench`.

use crate::cli::BenchArgs;
use crate::commands::verify::generated;
use crate::progress::spinner;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_testbench::benchmark::rates;
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
        answer::text(&two_columns(&[
            ("description to Verilog", format!("{generation:.2} s")),
            ("Verilated model alone", format!("{:.0} cycles/s", rates.verilated)),
            ("lock-step", format!("{:.0} cycles/s = {:.2} x", rates.lockstep, rates.lockstep_share)),
            ("golden model alone", format!("{:.0} cycles/s = {:.1} x", rates.golden.model, rates.model_speedup)),
            ("golden model, stimulus and scoreboard", format!("{:.0} cycles/s", rates.golden.bench)),
        ]))?;
    }
    Ok(Outcome::Fine)
}
