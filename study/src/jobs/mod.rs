//! Jobs: who sends to whom, how often, how much, and what ranks compute in between.

mod nas;
pub mod patterns;

pub use nas::{applications, jobs, Class};

use crate::Seed;
use patterns::{Messages, Rounds};

/// Messages of one size. Each rank sends all that it sends, then waits for all that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// From rank to rank, in the order in which they are sent.
    pub messages: Messages,
    /// Bytes of a message.
    pub bytes: u64,
}

/// The rounds of a pattern with messages of one size.
fn sized(rounds: Rounds, bytes: u64) -> Vec<Round> {
    rounds.into_iter().map(|messages| Round { messages, bytes }).collect()
}

/// Rounds, passed through so many times.
#[derive(Clone, Debug, PartialEq)]
pub struct JobPhase {
    /// How often.
    pub times: u64,
    /// What a pass is.
    pub rounds: Vec<Round>,
    /// Operations of a pass, of all ranks together.
    pub operations: f64,
}

impl JobPhase {
    /// Rounds without computation.
    pub fn new(times: u64, rounds: Vec<Round>) -> JobPhase {
        JobPhase { times, rounds, operations: 0.0 }
    }

    /// The messages of a pass, from rank to rank.
    pub fn messages(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.rounds.iter().flat_map(|round| round.messages.iter().copied())
    }

    /// All messages of all passes.
    fn count(&self) -> u64 {
        self.times * self.rounds.iter().map(|round| round.messages.len() as u64).sum::<u64>()
    }
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
    /// Its size, if it is a benchmark.
    pub class: Class,
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
        self.phases.iter().map(JobPhase::count).sum()
    }

    /// The phase with the most messages: what a benchmark takes the time of.
    pub fn main_phase(&self) -> &JobPhase {
        self.phases.iter().max_by_key(|phase| phase.count()).expect("a job has a phase")
    }

    /// Ranks that it needs.
    pub fn ranks(&self) -> u64 {
        let ranks = self.phases.iter().flat_map(JobPhase::messages).map(|(from, to)| from.max(to) + 1);
        ranks.max().unwrap_or(0)
    }
}
