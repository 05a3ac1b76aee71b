//! A run until the network is steady.

use super::{Network, RunReport};
use crate::device::Device;

/// Share of what nodes receive by which they can send more, and buffers count as filled: less can be chance.
const FILLS: f64 = 0.02;

/// A run that is not steady is over after so many times the cycles that it measures first.
const LONGEST: u64 = 8;

/// What a run came to, and the cycles before.
#[derive(Clone, Debug)]
pub struct SteadyRun {
    /// Of the measured cycles.
    pub report: RunReport,
    /// Cycles that were not measured.
    pub warm_up: u64,
    /// Flits that the nodes of each switch sent, for each of these nodes and cycle; none of a switch without nodes.
    pub injected: Vec<Option<f64>>,
}

/// Whether nodes send more than arrives. Of multicast packets, more arrives than was sent: those are not judged.
fn fills_buffers(report: &RunReport) -> bool {
    let sent = report.injected.map_or(0.0, |injected| injected.mean);
    report.multicast.packets == 0 && sent > (1.0 + FILLS) * report.throughput
}

impl<D: Device> Network<D> {
    /// Runs until the network is steady and what was measured is enough: `cycles` or more are measured, after half of
    /// them. What was measured of a network that is not steady becomes its warm-up, and it is measured for as long
    /// again as it has run. Every packet that arrives is checked; the network is not drained.
    pub fn run_until_steady(mut self, cycles: u64, is_enough: impl Fn(&RunReport) -> bool) -> SteadyRun {
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
                return SteadyRun { report, warm_up, injected: self.injected() };
            }
            warm_up += measured;
            measured = warm_up;
        }
    }

    /// The same until buffers fill no more, too: as long as they do, nodes send more than they will later.
    pub fn run_until_settled(self, cycles: u64) -> SteadyRun {
        let mut run = self.run_until_steady(cycles, |report| !fills_buffers(report));
        run.report.steady = run.report.steady.map(|steady| steady && !fills_buffers(&run.report));
        run
    }
}
