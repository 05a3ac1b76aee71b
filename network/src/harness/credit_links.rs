//! Credit reports on links: what happens to them there.

use super::exchange::Lane;
use super::link_faults::LinkFaults;
use super::setting::Setting;
use railyard_bench::endpoint::REREAD;
use railyard_bench::random::Random;
use railyard_model::bits::ones;
use serde::Serialize;
use std::ops::AddAssign;

/// Numbers of reports, of all links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CreditCounts {
    /// Reports lost on links.
    pub lost: u64,
    /// Reports of which the highest bit was flipped.
    pub corrupted: u64,
}

impl AddAssign for CreditCounts {
    fn add_assign(&mut self, other: CreditCounts) {
        self.lost += other.lost;
        self.corrupted += other.corrupted;
    }
}

/// The links that end at a switch and its nodes.
#[derive(Clone, Debug)]
pub struct CreditLinks {
    random: Random,
    counts: CreditCounts,
}

impl CreditLinks {
    /// Links with that randomness.
    pub fn new(random: Random) -> CreditLinks {
        CreditLinks { random, counts: CreditCounts::default() }
    }

    /// What happens to the reports that come out of the link at a port. Now and then it gives all totals, and nothing
    /// happens to those.
    pub fn carry(&mut self, now: u64, port: usize, lane: Lane, setting: &Setting, faults: &mut LinkFaults) {
        if !setting.repeats_credits {
            return;
        }
        faults.credit_repeat = (now + port as u64) % REREAD == 0;
        if faults.credit_repeat {
            return;
        }
        for vc in ones(u64::from(lane.reports)) {
            if self.random.happens(setting.lost_credits) {
                self.counts.lost += 1;
                faults.credits_lost |= 1 << vc;
            } else if self.random.happens(setting.corrupt_credits) {
                self.counts.corrupted += 1;
                faults.credits_flipped |= 1 << vc;
            }
        }
    }

    /// What was lost and corrupted since the last call.
    pub fn take_counts(&mut self) -> CreditCounts {
        std::mem::take(&mut self.counts)
    }
}
