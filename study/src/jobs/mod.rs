//! Jobs: who sends to whom, how often.

mod nas;
pub mod patterns;

pub use nas::jobs;

use crate::Seed;
use patterns::Messages;

/// Messages, sent in this order so many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPhase {
    /// How often.
    pub times: u64,
    /// From rank to rank.
    pub messages: Messages,
}

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    /// What it is.
    pub name: String,
    /// Hit rate that the seed prints for it, in percent.
    pub seed: Seed,
    /// The seed says of it that it has no conflict misses with two ways and more.
    pub is_traced: bool,
    /// What it does.
    pub phases: Vec<JobPhase>,
}

impl Job {
    /// The same where the seed prints no hit rate.
    pub fn without_hits(&self) -> Job {
        Job { seed: Seed::Silent, ..self.clone() }
    }

    /// All messages.
    pub fn messages(&self) -> u64 {
        self.phases.iter().map(|phase| phase.times * phase.messages.len() as u64).sum()
    }
}
