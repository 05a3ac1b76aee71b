//! `railyard network verify`.

use super::{extent, generate, mismatches, paragraphs, read, rows, run_of_file};
use crate::cli::NetworkVerifyArgs;
use crate::commands::verify::read_design;
use crate::progress::{spinner, CyclesBar};
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_network::Execution;
use railyard_testbench::network::{NetworkVerify, NetworkVerifyError};
use railyard_verilated::Build;
use serde::Serialize;

/// Name of a network that nobody sees.
const NAME: &str = "verified";

/// What a verification came to.
#[derive(Serialize)]
struct Answer {
    /// Whether Verilog and golden models were equal in every cycle, and nothing else went wrong.
    passed: bool,
    #[serde(flatten)]
    execution: Execution,
}

/// Holds a network's Verilog against the golden models.
///
/// # Errors
/// A bad network file, options that don't fit it, a missing tool, Verilog that doesn't compile.
pub fn run(args: &NetworkVerifyArgs) -> Result<Outcome, Error> {
    let setting = &args.run.setting;
    let file = &setting.network;
    let input = read(file)?;
    let run = run_of_file(&args.run, &input)?;
    let extent = extent(&args.run, &run);
    let guard = args.design.guard()?;
    let verilog = match &args.design.design {
        Some(folder) => read_design(folder, &input.config)?,
        None => generate::generated(file, &input, NAME)?,
    };
    let building = spinner("building the Verilated network (kept for the next run)");
    let prepared = NetworkVerify::prepare(&input, &verilog, &Build { guard, ..Build::default() });
    building.finish_and_clear();
    let prepared = prepared.map_err(|error| Error::Testbench(error.to_string()))?;
    let bar = CyclesBar::new(extent.cycles);
    let execution = prepared.run(&run, extent, |done| bar.at(done));
    bar.clear();
    let execution = execution.map_err(|error| match error {
        NetworkVerifyError::Run(error) => Error::network_run(&file.to_string(), &error),
        NetworkVerifyError::Model(error) => Error::Testbench(error.to_string()),
    })?;
    let answer = Answer { passed: execution.report.mismatch_count == 0, execution };
    if args.run.json {
        answer::json(&answer)?;
    } else {
        let verdict = match (answer.passed, answer.execution.has_sent_nothing) {
            (true, false) => "passed: Verilog and golden models equal in every cycle",
            (true, true) => "equal, but nothing was sent",
            (false, _) => "FAILED",
        };
        let rows = [vec![("verdict", verdict.to_string())], rows(&answer.execution)].concat();
        answer::text(
            &[two_columns(&rows), paragraphs(&answer.execution.notes), mismatches(&answer.execution)].concat(),
        )?;
    }
    Ok(if answer.passed { Outcome::Fine } else { Outcome::Mismatch })
}
