//! Directed barriers: what the last group is led through, one stage after the other, to the limits of its numbers,
//! time-outs, counts and faults.

use railyard_model::barrier::barrier_group::GroupSettings;

/// What the last group and its peers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// One barrier after the other, without a pause.
    Sprint,
    /// The parent neither hears nor says anything, with these limits of the time-outs and this scale of ticks.
    Deaf {
        /// Of repeated arrivals and of urges.
        limit: u32,
        /// Of ticks.
        scale: u32,
    },
    /// Messages that raise faults come in the cycle in which faults are cleared. The group takes part or does not.
    Faults(bool),
}

/// Stages, and how many cycles they last. The last one goes on.
const STAGES: [(Stage, u64); 7] = [
    (Stage::Sprint, 8_000),
    (Stage::Deaf { limit: 255, scale: 0 }, 700),
    (Stage::Deaf { limit: 1, scale: 0 }, 700),
    (Stage::Faults(true), 700),
    (Stage::Faults(false), 700),
    (Stage::Deaf { limit: 1, scale: 15 }, 36_000),
    (Stage::Sprint, u64::MAX),
];

/// Cycles between two clears of faults: enough to read what they left.
const STRIKE: u64 = 20;

/// The stage of a run.
#[derive(Clone, Copy, Debug)]
pub struct Drill {
    at: usize,
    /// None before the stage begins.
    ends: Option<u64>,
    /// Strikes so far.
    pub strikes: u64,
}

impl Drill {
    /// The port of the parent, if there is one.
    pub const PARENT: usize = 1;

    /// Before the first stage.
    pub fn new() -> Drill {
        Drill { at: 0, ends: None, strikes: 0 }
    }

    /// The stage.
    #[inline]
    pub fn stage(&self) -> Stage {
        STAGES[self.at].0
    }

    /// The switch was reset: the stage begins again.
    pub fn restart(&mut self) {
        self.ends = None;
    }

    /// Goes on to the next stage if this one is over; gives whether a stage begins.
    pub fn step(&mut self, now: u64) -> bool {
        let is_over = self.ends.is_some_and(|ends| now >= ends) && self.at + 1 < STAGES.len();
        let begins = is_over || self.ends.is_none();
        if begins {
            self.at += usize::from(is_over);
            self.ends = Some(now.saturating_add(STAGES[self.at].1));
        }
        begins
    }

    /// Whether faults are cleared in this cycle, among messages that raise them.
    pub fn strikes(&mut self, now: u64) -> bool {
        let strikes = matches!(self.stage(), Stage::Faults(_)) && now % STRIKE == 0;
        self.strikes += u64::from(strikes);
        strikes
    }

    /// The settings of the group: leaves at the first port, and at the second one, if that is not the parent.
    pub fn settings(&self) -> GroupSettings {
        let root = GroupSettings { leaves: 0b11, enable: true, root: true, parent: 0 };
        match self.stage() {
            Stage::Sprint | Stage::Faults(true) => root,
            Stage::Faults(false) => GroupSettings { enable: false, ..root },
            Stage::Deaf { .. } => GroupSettings { leaves: 0b01, root: false, parent: Drill::PARENT, ..root },
        }
    }

    /// `barrier_timers` in this stage, if it is to be set.
    pub fn timers(&self) -> Option<u32> {
        match self.stage() {
            Stage::Deaf { limit, scale } => Some(limit | limit << 8 | scale << 16),
            Stage::Sprint => Some(8 | 8 << 8 | 3 << 16),
            Stage::Faults(_) => None,
        }
    }
}
