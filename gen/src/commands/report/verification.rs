//! The Verilog of a switch in lock-step with the golden model.

use crate::campaign::{Campaign, CampaignVerdict, MIXES};
use crate::cli::ReportArgs;
use crate::commands::verify::generated;
use crate::needs::Need;
use crate::progress::{spinner, CyclesBar};
use crate::Error;
use railyard_report::{SectionPart, Verdict};
use railyard_spec::CheckedConfig;
use railyard_testbench::limits::Limit;
use railyard_testbench::lockstep::{Verify, VerifyError};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;
use serde_json::json;

/// Load of the run, in flits for each port and cycle: that of `verify`.
const LOAD: f64 = 0.7;

/// What a run came to, or what is missing for one.
///
/// # Errors
/// The Verilog doesn't build.
pub(super) fn verification(args: &ReportArgs, config: &CheckedConfig) -> Result<Vec<SectionPart>, Error> {
    if args.no_verify {
        return Ok(vec![SectionPart::Text("Not verified: left out (--no-verify).".into())]);
    }
    let missing = Need::missing("verify");
    if !missing.is_empty() {
        return Ok(vec![SectionPart::Text("Not verified:".into()), SectionPart::Notes(missing)]);
    }
    let scenario = Scenario::new(args.seed(), Pattern::Uniform, LOAD);
    let mut verify = Verify::new(&config.shape(), generated(config)?, scenario, args.cycles());
    verify.arguments = vec![args.source.again("input.json")];
    let failed = |error: VerifyError| Error::Testbench(error.to_string());
    let building = spinner("building the Verilated model (kept for the next run)");
    let prepared = verify.prepare();
    building.finish_and_clear();
    let campaign = Campaign::new(&verify, MIXES);
    let bar = CyclesBar::new(campaign.cycles());
    let verdict = campaign.run(&prepared.map_err(failed)?, |done| bar.at(done));
    bar.clear();
    Ok(parts(&verdict.map_err(failed)?))
}

fn parts(verdict: &CampaignVerdict) -> Vec<SectionPart> {
    let run = &verdict.run;
    let is_good = run.passed() && run.packets_delivered > 0;
    let text = match (run.passed(), is_good) {
        (false, _) => "FAILED: the Verilog and the golden model differ, or packets went wrong.",
        (true, false) => "Equal, but nothing was delivered.",
        (true, true) => "Passed: every output of the Verilog was that of the golden model in every cycle.",
    };
    let mut facts = vec![
        ("cycles compared", run.cycles.to_string()),
        ("traffic", format!("{}, offered load {}", run.traffic, run.load)),
        (
            "packets",
            format!(
                "{} sent, {} delivered, {} dropped, {} lost to resets",
                run.packets_sent, run.packets_delivered, run.packets_dropped, run.packets_flushed
            ),
        ),
    ];
    facts.extend(run.hit_rate.map(|rate| ("routing cache hits", format!("{:.2} %", 100.0 * rate))));
    facts.extend(run.barriers.as_ref().map(|barriers| ("barriers", barriers.to_string())));
    facts.extend(run.passed().then(|| ("and after it", format!("{verdict}: passed"))));
    let mut parts = vec![SectionPart::Verdict(Verdict { is_good, text: text.into() }), SectionPart::facts(facts)];
    parts.extend(run.failure.as_ref().map(|failure| SectionPart::Lines(failure.to_string())));
    let heads = ["limit", "elements", "reached", "first in cycle"];
    let row =
        |limit: &Limit| vec![json!(limit.name), json!(limit.elements), json!(limit.reached), json!(limit.first_cycle)];
    if run.passed() && !run.limits.0.is_empty() {
        let rows = run.limits.0.iter().map(row).collect();
        parts.push(SectionPart::table("Limits of the switch that the runs led it to", heads, rows));
        parts.extend((!run.notes.is_empty()).then(|| SectionPart::Notes(run.notes.clone())));
    }
    parts
}
