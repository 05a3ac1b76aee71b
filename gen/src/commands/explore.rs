//! `railyard explore`.

use crate::cli::ExploreArgs;
use crate::commands::estimate::{cache, design};
use crate::memory::MemoryBits;
use crate::progress::runs_bar;
use crate::table::{columns, two_columns};
use crate::text::read_text;
use crate::{answer, Error, Outcome};
use railyard_estimate::GeneratedDesign;
use railyard_explore::slurm::{self, Array};
use railyard_explore::{execute, ExecuteOptions, Failed, Front, Hardware, Results, Store, Sweep, SweepPlan};
use railyard_input::{FileKind, InputSource};
use railyard_spec::CheckedConfig;
use serde_json::{json, Map, Value};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tasks of a job array, unless told otherwise: clusters take few more (`MaxArraySize` is 1001).
const MOST_TASKS: usize = 1000;

/// Points listed in an answer for people; the rest is in `results.json`.
const LISTED: usize = 12;

/// Runs a sweep, a part of it, or hands it to Slurm.
///
/// # Errors
/// A bad sweep, a foreign folder, a missing tool.
pub fn run(args: &ExploreArgs) -> Result<Outcome, Error> {
    let at_fault = |cause| Error::Sweep { path: args.sweep.to_string(), cause };
    let plan = SweepPlan::new(read(&args.sweep)?).map_err(at_fault)?;
    plan.check_block(&Generated).map_err(at_fault)?;
    let output = match &args.output {
        Some(output) if !args.dry_run => output,
        folder => return dry_run(args, &plan, folder.as_deref()),
    };
    let store = Store::open(output)?;
    if args.shard.is_some() {
        return shard(args, &plan, &store);
    }
    let sweep = store.write("sweep.json", &plan.sweep.to_json())?;
    if args.slurm {
        return array(args, &plan, &store, &sweep);
    }
    let work = if args.collect { Work::default() } else { work(args, &plan, &store)? };
    let results = Results::gather(&plan, &store, &Generated, &work.failed);
    let files: Vec<PathBuf> = results.write(&plan, &store)?.iter().map(|file| store.as_given(file)).collect();
    if args.json {
        let mut all = work.json();
        all.extend([
            ("points".into(), json!(results.len())),
            ("unfinished".into(), json!(results.unfinished)),
            ("skipped".into(), json!(plan.skipped)),
            ("pareto".into(), json!(results.fronts)),
            ("files".into(), answer::paths(&files)),
        ]);
        answer::json(&all)?;
    } else {
        let mut rows = vec![("points", count(results.len(), results.unfinished.len(), plan.skipped.len()))];
        rows.extend((!args.collect).then(|| ("runs", work.text())));
        rows.extend(files.iter().map(|file| ("wrote", file.display().to_string())));
        let unfinished = results.unfinished.iter().map(|point| (&point.values, point.why.clone()));
        let skipped = plan.skipped.iter().map(|point| (&point.values, point.faults.to_string().replace('\n', "; ")));
        let fronts: String = results.fronts.iter().map(front).collect();
        answer::text(&[two_columns(&rows), fronts, list("unfinished", unfinished), list("skipped", skipped)].concat())?;
    }
    Ok(if results.unfinished.is_empty() { Outcome::Fine } else { Outcome::Mismatch })
}

/// The sweep in a file.
fn read(file: &InputSource) -> Result<Sweep, Error> {
    let text = read_text(file, FileKind::Sweep)?;
    Sweep::read(&text, file.folder()).map_err(|cause| Error::Sweep { path: file.to_string(), cause })
}

/// What has been done.
#[derive(Default)]
struct Work {
    found: usize,
    made: usize,
    failed: Vec<Failed>,
}

impl Work {
    fn json(&self) -> Map<String, Value> {
        let runs = json!({"found": self.found, "made": self.made, "failed": self.failed});
        Map::from_iter([("runs".to_string(), runs)])
    }

    fn text(&self) -> String {
        let failed = if self.failed.is_empty() { String::new() } else { format!(", {} failed", self.failed.len()) };
        format!("{} made, {} found finished{failed}", self.made, self.found)
    }
}

/// Makes the runs that are not finished: all of them, or those of a shard.
fn work(args: &ExploreArgs, plan: &SweepPlan, store: &Store) -> Result<Work, Error> {
    let (todo, found) = plan.unfinished(store, args.shard);
    let bar = runs_bar(todo.len());
    let settings = ExecuteOptions {
        jobs: args.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get),
        cache: cache(),
        progress: &|done| bar.set_position(done as u64),
    };
    let failed = execute(plan, &todo, store, &Generated, &settings);
    bar.finish_and_clear();
    let failed = failed?;
    Ok(Work { found, made: todo.len() - failed.len(), failed })
}

fn shard(args: &ExploreArgs, plan: &SweepPlan, store: &Store) -> Result<Outcome, Error> {
    let work = work(args, plan, store)?;
    if args.json {
        answer::json(&work.json())?;
    } else {
        let failed = work.failed.iter().map(|failed| format!("run {}: {}\n", plan.runs[failed.run].key(), failed.why));
        answer::text(&(two_columns(&[("runs", work.text())]) + &failed.collect::<String>()))?;
    }
    Ok(if work.failed.is_empty() { Outcome::Fine } else { Outcome::Mismatch })
}

fn dry_run(args: &ExploreArgs, plan: &SweepPlan, folder: Option<&Path>) -> Result<Outcome, Error> {
    let found = match folder.filter(|folder| Store::is_at(folder)) {
        Some(folder) => plan.unfinished(&Store::open(folder)?, None).1,
        None => 0,
    };
    if args.json {
        let points: Vec<Map<String, Value>> = plan.points.iter().map(|point| plan.values(point)).collect();
        let runs = json!({"all": plan.runs.len(), "found": found});
        answer::json(&json!({"points": points, "skipped": plan.skipped, "runs": runs}))?;
        return Ok(Outcome::Fine);
    }
    let rows = plan.points.iter().map(|point| point.values.iter().map(word).collect());
    let table: Vec<Vec<String>> = std::iter::once(plan.variables.clone()).chain(rows).collect();
    let skipped = plan.skipped.iter().map(|point| (&point.values, point.faults.to_string().replace('\n', "; ")));
    let rows = [
        ("points", count(plan.points.len(), 0, plan.skipped.len())),
        ("runs", format!("{}, {found} of them finished", plan.runs.len())),
    ];
    answer::text(&[columns(&table), "\n".into(), two_columns(&rows), list("skipped", skipped)].concat())?;
    Ok(Outcome::Fine)
}

/// Writes the job array, and submits it if that is asked.
fn array(args: &ExploreArgs, plan: &SweepPlan, store: &Store, sweep: &Path) -> Result<Outcome, Error> {
    let array = Array {
        program: std::env::current_exe().map_err(Error::io("(this program)"))?,
        tasks: args.array.tasks.map_or(MOST_TASKS, NonZeroUsize::get).min(plan.runs.len()),
        throttle: args.array.throttle.map(NonZeroUsize::get),
        cores: args.jobs.map_or(1, NonZeroUsize::get),
        options: args.array.options(),
    };
    let script = array.write(store, sweep)?;
    let job = args.array.submit.then(|| slurm::submit(&script)).transpose()?;
    let [script, sweep, folder] = [&script, sweep, store.folder()].map(|path| store.as_given(path));
    if args.json {
        answer::json(&json!({"script": script, "tasks": array.tasks, "runs": plan.runs.len(), "job": job}))?;
        return Ok(Outcome::Fine);
    }
    let mut rows = vec![
        ("script", script.display().to_string()),
        ("tasks", format!("{}, for {} runs", array.tasks, plan.runs.len())),
    ];
    match &job {
        Some(job) => rows.push(("job", job.clone())),
        None => rows.push(("submit it with", format!("sbatch {}", script.display()))),
    }
    rows.push(("then", format!("railyard explore {} -o {} --collect", sweep.display(), folder.display())));
    answer::text(&two_columns(&rows))?;
    Ok(Outcome::Fine)
}

/// The hardware as Railyard generates it.
pub(super) struct Generated;

impl Hardware for Generated {
    fn design(&self, config: &CheckedConfig) -> Result<GeneratedDesign, String> {
        design(config).map_err(|error| error.to_string())
    }

    fn memory_bits(&self, config: &CheckedConfig) -> u64 {
        MemoryBits::of(&config.shape()).total()
    }
}

fn count(points: usize, unfinished: usize, skipped: usize) -> String {
    let part = |count: usize, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
    format!("{points}{}{}", part(unfinished, "unfinished"), part(skipped, "skipped: they break a rule"))
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// The Pareto front as a table.
fn front(front: &Front) -> String {
    let heads = front.points.first().map(|point| point.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let rows = front.points.iter().take(LISTED).map(|point| point.values().map(word).collect());
    let table: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    let more = front.points.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!("and {more} more: results.csv\n") };
    format!(
        "\nPareto front of {}: {} of {} points\n{}{more}",
        front.plot,
        front.points.len(),
        front.of,
        columns(&table)
    )
}

/// Points and what is the matter with them.
fn list<'a>(what: &str, points: impl ExactSizeIterator<Item = (&'a Map<String, Value>, String)>) -> String {
    let all = points.len();
    let shown = |(values, why): (&Map<String, Value>, String)| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} {}", word(value))).collect();
        format!("  {}: {why}\n", values.join(", "))
    };
    let lines: String = points.take(LISTED).map(shown).collect();
    match all {
        0 => String::new(),
        _ if all > LISTED => format!("\n{what}\n{lines}  and {} more: --json lists them all\n", all - LISTED),
        _ => format!("\n{what}\n{lines}"),
    }
}
