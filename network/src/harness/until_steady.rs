//! A run until the network is steady.

use super::{Network, Report};
use crate::device::Device;

/// Share of what nodes receive by which they can send more, and buffers count as filled: less can be chance.
const FILLS: f64 = 0.02;

/// A run that is not steady is over after so many times the cycles that it measures first.
const LONGEST: u64 = 8;

/// What a run came to, and the cycles before.
#[derive(Clone, Debug)]
pub struct SteadyRun {
    /// Of the measured cycles.
    pub report: Report,
    /// Cycles that were not measured.
    pub warm_up: u64,
}

impl SteadyRun {
    /// The same run; not steady if buffers fill, so that nodes send at another rate later.
    pub fn judged_by_buffers(mut self) -> SteadyRun {
        self.report.steady = self.report.steady.map(|steady| steady && !fills_buffers(&self.report));
        self
    }
}

/// Whether nodes send more than arrives. Of multicast packets, more arrives than was sent: those are not judged.
pub(crate) fn fills_buffers(report: &Report) -> bool {
    let sent = report.injected.map_or(0.0, |injected| injected.mean);
    report.multicast.packets == 0 && sent > (1.0 + FILLS) * report.throughput
}

impl<D: Device> Network<D> {
    /// Runs until the network is steady and what was measured is enough: `cycles` or more are measured, after half of
    /// them. What was measured of a network that is not steady becomes its warm-up, and it is measured for as long
    /// again as it has run. Every packet that arrives is checked; the network is not drained.
    pub fn run_until_steady(mut self, cycles: u64, is_enough: impl Fn(&Report) -> bool) -> SteadyRun {
        let (mut warm_up, mut measured) = (cycles / 2, cycles);
        self.run(warm_up, |_| ());
        loop {
            self.measure();
            self.run(measured, |_| ());
            if self.stands_still() {
                self.report_standstill();
            }
            let report = self.report();
            let is_done = report.steady != Some(false) && is_enough(&report);
            if is_done || report.mismatch_count > 0 || warm_up + measured > LONGEST * cycles {
                return SteadyRun { report, warm_up };
            }
            warm_up += measured;
            measured = warm_up;
        }
    }
}
