//! Stalls: something stands still now and then.

use crate::random::{Geometric, Random, Wheel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often and how long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// Share of the time spent standing still, below 1.
    #[schemars(range(min = 0.0, max = 0.95))]
    pub share: f64,
    /// Mean cycles of a stall.
    #[schemars(range(min = 1.0, max = 1e6))]
    pub cycles: f64,
}

/// Which of up to 64 things stand still.
#[derive(Clone, Debug)]
pub struct StallProcess {
    wheel: Wheel,
    standing: u64,
    lengths: Option<(Geometric, Geometric)>,
}

impl StallProcess {
    /// All running; `None` for ever.
    pub fn new(things: usize, stalls: Option<Stalls>, random: &mut Random) -> StallProcess {
        let lengths = stalls.filter(|stalls| stalls.share > 0.0).map(|Stalls { share, cycles }| {
            let (share, cycles) = (share.min(0.99), cycles.max(1.0));
            (Geometric::with_mean(cycles), Geometric::with_mean(cycles * (1.0 - share) / share))
        });
        let mut wheel = Wheel::new(things);
        if let Some((_, running)) = &lengths {
            (0..things).for_each(|thing| wheel.plan(thing, 0, running.draw(random)));
        }
        StallProcess { wheel, standing: 0, lengths }
    }

    /// Those that stand still in cycle `now`, as a mask. To be asked in every cycle.
    #[inline]
    pub fn standing(&mut self, now: u64, random: &mut Random) -> u64 {
        if let Some((standing, running)) = &self.lengths {
            let mut due = self.wheel.due(now);
            self.standing ^= due;
            while due != 0 {
                let thing = due.trailing_zeros() as usize;
                due &= due - 1;
                let length = if self.standing >> thing & 1 == 1 { standing } else { running };
                self.wheel.plan(thing, now, now + length.draw(random));
            }
        }
        self.standing
    }

    /// All run from now on.
    pub fn end(&mut self) {
        self.lengths = None;
        self.standing = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_kept() {
        for (share, cycles) in [(0.1, 20.0), (0.5, 1.0), (0.8, 100.0)] {
            let mut random = Random::new(1, 0);
            let mut stalls = StallProcess::new(16, Some(Stalls { share, cycles }), &mut random);
            let standing: u32 = (1..=100_000).map(|now| stalls.standing(now, &mut random).count_ones()).sum();
            let got = f64::from(standing) / 1.6e6;
            // A stall and a run last a cycle or more: half of the time at most for stalls of one cycle.
            assert!((got - share).abs() < 0.03, "{share}: {got}");
        }
    }
}
