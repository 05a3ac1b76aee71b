//! A verification in several runs: that which is asked for, directed phases, and mixes of other traffic.

use railyard_testbench::lockstep::{Prepared, Verification, Verify, VerifyError};
use railyard_testbench::stimulus::Scenario;
use std::fmt;

/// Runs of directed phases that come before the mixes.
const DIRECTED: [fn(u64) -> Scenario; 2] = [Scenario::limits, Scenario::faults];

/// Cycles of each of these runs and of each mix, at most.
const SHORT: u64 = 20_000;

/// Mixes, unless told otherwise.
pub const MIXES: u64 = 8;

/// A run, and what follows it as long as all pass.
pub struct Campaign<'a> {
    verify: &'a Verify,
    mixes: u64,
}

/// What it came to.
pub struct CampaignVerdict {
    /// The run that was asked for; or that which failed.
    pub run: Verification,
    /// Runs of directed phases that were made after it and passed.
    pub directed_passed: u64,
    /// Mixes that were run after these and passed.
    pub mixes_passed: u64,
    /// Cycles of each of these.
    short: u64,
}

impl Campaign<'_> {
    /// With so many mixes. Without any, there are no directed phases, too.
    pub fn new(verify: &Verify, mixes: u64) -> Campaign<'_> {
        Campaign { verify, mixes }
    }

    fn directed(&self) -> u64 {
        if self.mixes > 0 {
            DIRECTED.len() as u64
        } else {
            0
        }
    }

    fn short(&self) -> u64 {
        self.verify.cycles.min(SHORT)
    }

    /// Cycles of all runs.
    pub fn cycles(&self) -> u64 {
        self.verify.cycles.saturating_add((self.mixes + self.directed()).saturating_mul(self.short()))
    }

    /// Makes the runs. `progress` gets the cycles that are done.
    ///
    /// # Errors
    /// The built model doesn't load, or a waveform can't be written.
    pub fn run(&self, prepared: &Prepared<'_>, progress: impl Fn(u64)) -> Result<CampaignVerdict, VerifyError> {
        let Campaign { verify, mixes } = self;
        let (directed, short, seed) = (self.directed(), self.short(), verify.scenario.seed);
        let mut run = prepared.run(&progress)?;
        let mut passed = 0;
        while passed < directed + mixes && run.passed() {
            let scenario = match DIRECTED.get(passed as usize) {
                Some(directed) => directed(seed),
                None => Scenario::any(seed.wrapping_add(passed - directed)),
            };
            let before = verify.cycles + passed * short;
            let next = Verify { scenario, cycles: short, packets: None, ..(*verify).clone() };
            let next = next.run(|done| progress(before + done))?;
            if !next.passed() {
                run = next;
                break;
            }
            run.limits.join(&next.limits, before);
            passed += 1;
        }
        let directed_passed = passed.min(directed);
        Ok(CampaignVerdict { run, directed_passed, mixes_passed: passed - directed_passed, short })
    }
}

/// The runs behind the first one, in words:
/// `2 runs of directed phases and 8 mixes of other traffic, 20000 cycles each`.
impl fmt::Display for CampaignVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CampaignVerdict { directed_passed, mixes_passed, short, .. } = self;
        let plural = if *mixes_passed == 1 { "" } else { "es" };
        write!(
            f,
            "{directed_passed} runs of directed phases and {mixes_passed} mix{plural} of other traffic, {short} cycles each"
        )
    }
}
