//! What is measured of a run: sums since the warm-up, and how they grew.

use super::credit_links::CreditCounts;
use super::messages::MessageCounts;
use super::terminal::FlitCounts;
use super::Network;
use crate::device::Device;

/// Sums over all nodes and switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Flits that nodes received.
    pub received: u64,
    /// Flits that sources made.
    pub made: u64,
    /// Flits that nodes sent into the network.
    pub sent: u64,
    /// Flits that left by links between switches.
    pub carried: u64,
    /// Flits of packets that were delivered to all their destinations, each packet counted once.
    pub delivered: u64,
    /// Lookups that routing caches answered.
    pub hits: u64,
    /// Lookups that they did not.
    pub misses: u64,
}

impl Sums {
    /// What has been added since.
    pub fn since(self, earlier: Sums) -> Sums {
        Sums {
            received: self.received - earlier.received,
            made: self.made - earlier.made,
            sent: self.sent - earlier.sent,
            carried: self.carried - earlier.carried,
            delivered: self.delivered - earlier.delivered,
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
        }
    }

    /// Both together.
    pub fn plus(self, other: Sums) -> Sums {
        Sums {
            received: self.received + other.received,
            made: self.made + other.made,
            sent: self.sent + other.sent,
            carried: self.carried + other.carried,
            delivered: self.delivered + other.delivered,
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
        }
    }
}

/// Sums in steps of equal length: between half of [`Growth::MOST`] and that many, however long a run is.
#[derive(Clone, Debug)]
pub struct Growth {
    /// Cycles of a step.
    step: u64,
    /// At the end of each step.
    sums: Vec<Sums>,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth { step: 8, sums: Vec::new() }
    }
}

impl Growth {
    /// Steps at most.
    const MOST: usize = 64;

    /// Whether a step ends after so many cycles.
    fn is_due(&self, cycles: u64) -> bool {
        cycles == self.next()
    }

    /// Cycles after which the next step ends.
    fn next(&self) -> u64 {
        self.step * (self.sums.len() as u64 + 1)
    }

    /// The end of a step. Where there are too many, each two become one.
    fn add(&mut self, sums: Sums) {
        self.sums.push(sums);
        if self.sums.len() == Growth::MOST {
            self.sums = self.sums.iter().skip(1).step_by(2).copied().collect();
            self.step *= 2;
        }
    }

    /// What each step added.
    pub fn steps(&self) -> Vec<Sums> {
        let before = std::iter::once(Sums::default()).chain(self.sums.iter().copied());
        self.sums.iter().zip(before).map(|(sums, before)| sums.since(before)).collect()
    }
}

/// What is measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Cycle of the run from which on it is.
    pub from: u64,
    /// Sums since then, as of the last time that they were taken.
    pub sums: Sums,
    /// Barrier messages since then.
    pub messages: MessageCounts,
    /// Credit reports since then.
    pub credits: CreditCounts,
    /// How the sums grew.
    pub growth: Growth,
    /// Flits of packets that were delivered before.
    delivered_before: u64,
}

impl<D: Device> Network<D> {
    /// Forgets what was measured so far: the warm-up is over.
    pub fn measure(&mut self) {
        self.take_sums();
        let delivered_before = self.measured.delivered_before + self.measured.sums.delivered;
        self.measured = Measured { from: self.of_run(self.now), delivered_before, ..Measured::default() };
        self.stations.iter_mut().for_each(|station| station.forget_flits());
        self.barriers.forget();
        self.scoreboard.restart();
        self.restart_series();
    }

    /// Brings the sums up to date.
    pub(super) fn take_sums(&mut self) {
        let measured = &mut self.measured;
        for station in &mut self.stations {
            measured.messages += station.take_message_counts();
            measured.credits += station.take_credit_counts();
            let (hits, misses) = station.take_lookups();
            measured.sums = measured.sums.plus(Sums { hits, misses, ..Sums::default() });
            let FlitCounts { received, made, sent } = station.take_node_counts();
            measured.sums = measured.sums.plus(Sums { received, made, sent, ..Sums::default() });
        }
        measured.sums.carried = self.stations.iter().map(|station| station.carried()).sum();
        measured.sums.delivered = self.scoreboard.delivered() - measured.delivered_before;
    }

    /// Cycle of the run in which the next step ends; none if it is over already.
    pub(super) fn next_growth(&self) -> u64 {
        let next = self.measured.from + self.measured.growth.next();
        if next > self.of_run(self.now) {
            next
        } else {
            u64::MAX
        }
    }

    /// Keeps the sums where a step ends.
    pub(super) fn note_growth(&mut self) {
        if self.measured.growth.is_due(self.of_run(self.now) - self.measured.from) {
            self.take_sums();
            self.measured.growth.add(self.measured.sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_equal_and_neither_few_nor_many() {
        for cycles in [8, 100, 511, 512, 513, 10_000, 123_456] {
            let mut growth = Growth::default();
            for cycle in 1..=cycles {
                if growth.is_due(cycle) {
                    growth.add(Sums { made: 3 * cycle, ..Sums::default() });
                }
            }
            let (steps, step) = (growth.steps(), growth.step);
            assert!(steps.iter().all(|sums| sums.made == 3 * step), "{cycles}: {steps:?}");
            assert!(steps.len() < Growth::MOST && (cycles < 512 || steps.len() >= Growth::MOST / 2), "{cycles}");
            assert!(cycles - steps.len() as u64 * step < step, "{cycles}: the rest is shorter than a step");
        }
    }
}
