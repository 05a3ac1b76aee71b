//! How long a job takes on a system.

use super::systems::{System, CLOCK, LINK};
use crate::jobs::Job;
use crate::simgrid::{actions, CachedPorts, Misses, PortCaches, ReplaySummary, SimGrid};
use crate::{Error, Organisation};

/// Replays until misses are steady, at most.
const MOST_REPLAYS: usize = 8;

/// A job, as SimGrid replays it: a pass of its main phase, which is passed through so many times.
pub(super) struct Program {
    trace: String,
    passes: u64,
    ranks: usize,
}

/// A job with caches that are empty at the start.
pub(super) struct Cached {
    /// Seconds of all passes.
    pub seconds: f64,
    /// Misses in a hundred lookups of all passes.
    pub miss_percent: f64,
    /// Replays of a pass until its misses were steady, at most; none if they were not.
    pub replays: Option<usize>,
}

/// A pass with misses.
struct Pass {
    seconds: f64,
    misses: Misses,
    replays: Option<usize>,
}

impl Program {
    /// The skeleton of a job.
    pub fn skeleton(job: &Job, ranks: usize) -> Program {
        let phase = job.main_phase();
        Program { trace: actions(phase, ranks), passes: phase.times, ranks }
    }

    /// A whole run, recorded.
    pub fn recorded(trace: String, ranks: usize) -> Program {
        Program { trace, passes: 1, ranks }
    }

    /// A pass with switches that take so many cycles for each header.
    ///
    /// # Errors
    /// SimGrid fails.
    pub fn pass(&self, simgrid: &SimGrid, system: &System, switch_cycles: u64) -> Result<ReplaySummary, Error> {
        simgrid.replay(&system.platform(switch_cycles), &self.trace, self.ranks, &[])
    }

    /// Seconds of all passes, each as this one.
    pub fn seconds(&self, pass: &ReplaySummary) -> f64 {
        pass.seconds * self.passes as f64
    }

    /// With caches that are empty at the start. All passes behind the second are as the second. `hit` is a pass in
    /// which all lookups hit.
    ///
    /// # Errors
    /// SimGrid fails.
    pub fn cached(
        &self,
        simgrid: &SimGrid,
        system: &System,
        cache: Organisation,
        hit: &ReplaySummary,
    ) -> Result<Cached, Error> {
        let mut caches = PortCaches::new();
        let first = self.missing(simgrid, system, cache, hit, &mut caches)?;
        let second = self.missing(simgrid, system, cache, hit, &mut caches)?;
        let others = (self.passes - 1) as f64;
        let misses = first.misses.count() as f64 + others * second.misses.count() as f64;
        Ok(Cached {
            seconds: first.seconds + others * second.seconds,
            miss_percent: 100.0 * misses / (first.misses.lookups * self.passes) as f64,
            replays: first.replays.zip(second.replays).map(|(first, second)| first.max(second)),
        })
    }

    /// A pass with what caches hold at its start. They see the messages of a replay; what misses is late in the next
    /// one, until the same messages miss again. The caches are left as they are at its end.
    fn missing(
        &self,
        simgrid: &SimGrid,
        system: &System,
        cache: Organisation,
        hit: &ReplaySummary,
        caches: &mut PortCaches,
    ) -> Result<Pass, Error> {
        let (cycles, second) = (system.cycles, 1e-6 / CLOCK);
        let lookups = CachedPorts { blueprint: &system.blueprint, cache, hop: (cycles.hit + LINK) as f64 * second };
        let penalty = (cycles.miss - cycles.hit) as f64 * second;
        let start = caches.clone();
        let mut misses = lookups.misses(caches, hit);
        if misses.count() == 0 {
            return Ok(Pass { seconds: hit.seconds, misses, replays: Some(0) });
        }
        let (platform, mut replays, mut is_steady) = (system.platform(cycles.hit), 0, false);
        let mut seconds = hit.seconds;
        while replays < MOST_REPLAYS && !is_steady {
            let replay = simgrid.replay(&platform, &self.trace, self.ranks, &misses.delays(penalty))?;
            caches.clone_from(&start);
            let found = lookups.misses(caches, &replay);
            is_steady = found == misses;
            (misses, seconds, replays) = (found, replay.seconds, replays + 1);
        }
        Ok(Pass { seconds, misses, replays: is_steady.then_some(replays) })
    }
}
