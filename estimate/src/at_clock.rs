//! The mapping for a clock: not the fastest, but one that meets the clock with less area.

use crate::{estimate_once, Error, GeneratedDesign, Options, SynthesisReport};

/// Mappings for a tighter target, before the fastest is taken.
const TRIES: usize = 3;

/// Estimates for a clock. ABC gets the period less the uncertainty as its target. What it leaves out (set-up, clock to
/// output, and paths through several parts) shows in the timing: while the clock is missed by a path, the target is
/// tightened by as much.
pub(crate) fn estimate(design: &GeneratedDesign, options: &Options, mhz: f64) -> Result<SynthesisReport, Error> {
    let period_ns = 1000.0 / mhz;
    let run = |target_ns: f64| {
        // Below a picosecond ABC has no target.
        let target_ps = (1000.0 * target_ns).max(1.0) as u32;
        estimate_once(design, &Options { target_ps, period_ns, ..options.clone() })
    };
    let mut target_ns = period_ns - options.clock_uncertainty_ns;
    for _ in 0..TRIES {
        let report = run(target_ns)?;
        let missing = report.timing.period_ns.map_or(0.0, |shortest| shortest - period_ns);
        if missing <= 0.0 || report.timing.limited_by != "path" {
            return Ok(report);
        }
        target_ns -= missing;
        if target_ns <= 0.0 {
            break;
        }
    }
    run(0.0)
}
