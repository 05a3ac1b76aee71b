//! Runs, side by side.

use crate::error::Error;
use crate::plan::SweepPlan;
use crate::run::{Failure, Hardware, Metrics, SweepRun};
use crate::store::Store;
use rayon::iter::{ParallelBridge, ParallelIterator};
use serde::Serialize;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

/// One of several equal parts of the work: every `of`-th run, beginning with number `index`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part.
    pub index: usize,
    /// How many parts.
    pub of: usize,
}

/// How to run.
pub struct ExecuteOptions<'a> {
    /// Runs side by side.
    pub jobs: usize,
    /// Where estimates are kept beyond the sweep.
    pub cache: Option<PathBuf>,
    /// Told how many runs are finished.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// A run without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its index in the plan.
    pub run: usize,
    /// Why.
    pub why: String,
}

/// Makes the runs that `todo` lists and keeps their results. Those that fail are returned; the
/// others go on.
///
/// # Errors
/// A tool or library is missing, or results can't be written.
pub fn execute(
    plan: &SweepPlan,
    todo: &[usize],
    store: &Store,
    hardware: &dyn Hardware,
    settings: &ExecuteOptions,
) -> Result<Vec<Failed>, Error> {
    let (failed, fatal) = (Mutex::new(Vec::new()), Mutex::new(None));
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let work = |&index: &usize| {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let run = &plan.runs[index];
        let give_up = |error: Error| {
            stop.store(true, Ordering::Relaxed);
            lock(&fatal).get_or_insert(error);
        };
        match guarded(run, hardware, settings) {
            Ok(metrics) => store.put(run, &metrics).unwrap_or_else(give_up),
            Err(Failure::Machine(why)) => give_up(Error::Machine(why)),
            Err(Failure::Run(why)) => lock(&failed).push(Failed { run: index, why }),
        }
        (settings.progress)(done.fetch_add(1, Ordering::Relaxed) + 1);
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs).build();
    let pool = pool.map_err(|e| Error::Machine(format!("--jobs {}: {e}", settings.jobs)))?;
    // A bridge hands out runs in their order, the long ones first.
    pool.install(|| todo.iter().par_bridge().for_each(work));
    if let Some(error) = lock(&fatal).take() {
        return Err(error);
    }
    let mut failed = std::mem::take(&mut *lock(&failed));
    failed.sort_by_key(|failed: &Failed| failed.run);
    Ok(failed)
}

impl SweepPlan {
    /// Indices of the runs of a shard (or of all) that have no result in the store yet, and how many have.
    pub fn unfinished(&self, store: &Store, shard: Option<Shard>) -> (Vec<usize>, usize) {
        let Shard { index, of } = shard.unwrap_or(Shard { index: 1, of: 1 });
        let ours: Vec<usize> = (index - 1..self.runs.len()).step_by(of).collect();
        let todo: Vec<usize> = ours.iter().copied().filter(|&run| store.get(&self.runs[run]).is_none()).collect();
        let found = ours.len() - todo.len();
        (todo, found)
    }
}

/// A run that panics is a fault of Railyard, but no reason to lose the others.
fn guarded(run: &SweepRun, hardware: &dyn Hardware, settings: &ExecuteOptions) -> Result<Metrics, Failure> {
    let work = || run.execute(hardware, settings.cache.as_deref());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Failure::Run(format!("panicked (please report this): {}", text.unwrap_or("no message"))))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
