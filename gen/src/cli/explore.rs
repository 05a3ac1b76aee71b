//! The arguments of `explore`.

use super::value::count;
use clap::Args;
use railyard_explore::Shard;
use railyard_input::InputSource;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard explore cache.json --dry-run
      the points, and what is to be run for them
  railyard explore cache.json -o cache
      run them; stopped at any time, it goes on where it was
  railyard explore cache.json -o cache --slurm --submit
      the same as a job array
  railyard explore cache.json -o cache --collect
      what the array has finished, as CSV and plots

A sweep file:
  {
    \"base\": \"hpc16\",
    \"vary\": { \"routing.cache.entries\": [256, 1024, 4096] },
    \"simulate\": { \"load\": [0.5, 0.9], \"cycles\": 20000 },
    \"plots\": [{
      \"x\": \"memory_bits\", \"y\": \"hit_rate\", \"pareto\": { \"x\": \"min\", \"y\": \"max\" }
    }]
  }";

/// Runs side by side on one machine, and tasks of an array, at most.
const MOST_JOBS: u64 = 1_024;
const MOST_TASKS: u64 = 1_000_000;

/// Arguments of `explore`.
#[derive(Args, Debug)]
pub struct ExploreArgs {
    /// JSON file with the sweep, or `-` for standard input; `railyard schema --sweep` prints its JSON Schema.
    #[arg(value_name = "SWEEP")]
    pub sweep: InputSource,
    /// Folder of results: a new one, or one of a sweep before. Runs that are finished there are not made again.
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,
    /// Runs side by side. Left out: as many as there are cores, or one a task with `--slurm`.
    #[arg(short, long, value_name = "N", value_parser = count(MOST_JOBS))]
    pub jobs: Option<NonZeroUsize>,
    /// List the points and run nothing.
    #[arg(long, group = "mode")]
    pub dry_run: bool,
    /// Do the I-th of N equal parts of the runs, and write no table: for several machines with one folder.
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, value_parser = shard, group = "mode")]
    pub shard: Option<Shard>,
    /// Run nothing; make table and plots of what is finished, and list what is missing (exit code 1).
    #[arg(long, group = "mode")]
    pub collect: bool,
    /// Run nothing; write `DIR/sweep.sbatch`, a Slurm job array that does it.
    #[arg(long, group = "mode")]
    pub slurm: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// How the job array is.
    #[command(flatten)]
    pub array: ArrayArgs,
}

/// Options of `--slurm`.
#[derive(Args, Debug)]
#[command(next_help_heading = "With --slurm")]
pub struct ArrayArgs {
    /// Submit the script, too.
    #[arg(long, requires = "slurm")]
    pub submit: bool,
    /// Tasks of the array. Left out: one a run, but at most 1000.
    #[arg(long, value_name = "N", requires = "slurm", value_parser = count(MOST_TASKS))]
    pub tasks: Option<NonZeroUsize>,
    /// Tasks that may run at the same time.
    #[arg(long, value_name = "N", requires = "slurm", value_parser = count(MOST_TASKS))]
    pub throttle: Option<NonZeroUsize>,
    /// Time limit of a task, as `sbatch` takes it: `90` minutes, `1:30:00`, `2-12` (days and hours), `UNLIMITED`.
    #[arg(long, requires = "slurm", value_parser = time_limit)]
    pub time: Option<String>,
    /// Memory of a task, as `sbatch` takes it: `4G`.
    #[arg(long, requires = "slurm", value_parser = memory)]
    pub mem: Option<String>,
    /// Partition, as `sbatch` takes it.
    #[arg(long, requires = "slurm", value_parser = word)]
    pub partition: Option<String>,
    /// Any other option of `sbatch`: `--sbatch=--account=net`. Can be given several times.
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true, value_parser = option)]
    pub sbatch: Vec<String>,
}

impl ArrayArgs {
    /// The options for `sbatch`.
    pub fn options(&self) -> Vec<String> {
        let named = [("time", &self.time), ("mem", &self.mem), ("partition", &self.partition)];
        let named = named.into_iter().filter_map(|(name, value)| Some(format!("--{name}={}", value.as_ref()?)));
        named.chain(self.sbatch.iter().cloned()).collect()
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
        _ => Err("must be I/N with I from 1 to N: 3/8 is the third of eight parts".into()),
    }
}

/// A time limit of Slurm.
fn time_limit(text: &str) -> Result<String, String> {
    let is_number = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    // With days in front the first part is hours; else one or two parts are minutes and seconds.
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let is_time = days.is_none_or(is_number) && rest.split(':').count() <= 3 && rest.split(':').all(is_number);
    match is_time || ["UNLIMITED", "INFINITE"].contains(&text.to_uppercase().as_str()) {
        true => Ok(text.into()),
        false => Err("must be minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, \
                      days-hours:minutes:seconds or UNLIMITED"
            .into()),
    }
}

/// A size of memory of Slurm.
fn memory(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['K', 'M', 'G', 'T', 'k', 'm', 'g', 't']).unwrap_or(text);
    match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(text.into()),
        false => Err("must be a whole number with K, M, G or T, or without (megabytes): 4G".into()),
    }
}

/// A value that stays one word in a script.
fn word(text: &str) -> Result<String, String> {
    match text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Err("must be one word".into()),
        false => Ok(text.into()),
    }
}

/// An option that stays one line of a script.
fn option(text: &str) -> Result<String, String> {
    match text.starts_with('-') && !text.contains(char::is_control) {
        true => Ok(text.into()),
        false => Err("must be an option of sbatch with its dashes: --sbatch=--account=net".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{memory, time_limit};

    #[test]
    fn times_and_sizes_are_those_of_slurm() {
        for time in ["10", "10:30", "1:00:00", "2-12", "2-12:30", "2-12:30:15", "0", "unlimited", "INFINITE"] {
            assert!(time_limit(time).is_ok(), "{time}");
        }
        for time in ["", "soon", "1h", "10:", ":30", "1:2:3:4", "2-", "-5", "2-1-1", "1.5", "1 0", "10\n--mem=1"] {
            assert!(time_limit(time).is_err(), "{time}");
        }
        for size in ["4G", "512", "100m", "0"] {
            assert!(memory(size).is_ok(), "{size}");
        }
        for size in ["", "G", "4GB", "-1", "1.5G", "4 G"] {
            assert!(memory(size).is_err(), "{size}");
        }
    }
}
