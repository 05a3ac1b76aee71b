//! A sweep as a job array of Slurm.

use crate::error::Error;
use crate::store::Store;
use railyard_programs::{find, last_lines, run, text, Failure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the script in the sweep's folder.
pub const SCRIPT: &str = "sweep.sbatch";

/// Folder of the tasks' output in the sweep's folder.
pub const LOGS: &str = "slurm";

/// What the script says.
#[derive(Clone, Debug)]
pub struct Array {
    /// The program `railyard`, as the nodes see it.
    pub program: PathBuf,
    /// Tasks of the array.
    pub tasks: usize,
    /// Tasks that may run at the same time.
    pub throttle: Option<usize>,
    /// Cores of a task, each of which does a run.
    pub cores: usize,
    /// Further options of `sbatch`, with their dashes: `--time=1:00:00`.
    pub options: Vec<String>,
}

impl Array {
    /// Writes the script for the sweep that is stored as `sweep`.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, store: &Store, sweep: &Path) -> Result<PathBuf, Error> {
        let logs = store.path(LOGS);
        std::fs::create_dir_all(&logs).map_err(crate::error::at(&logs))?;
        store.write(SCRIPT, &self.script(store.folder(), sweep))
    }

    fn script(&self, folder: &Path, sweep: &Path) -> String {
        let Array { program, tasks, throttle, cores, options } = self;
        let throttle = throttle.map(|most| format!("%{most}")).unwrap_or_default();
        // Slurm puts job numbers in the place of % signs in the name of an output file.
        let logs = folder.join(LOGS).display().to_string().replace('%', "%%");
        let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
        let [program, sweep, folder] = [program, sweep, folder].map(quoted);
        format!(
            "#!/bin/sh\n\
             # Written by `railyard explore --slurm` {version}: a job array that shares out the runs of a sweep.\n\
             # Submit it with sbatch. Finished runs are not made again, so it can be submitted again, too.\n\
             #SBATCH --job-name=railyard-explore\n\
             #SBATCH --array=1-{tasks}{throttle}\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task={cores}\n\
             #SBATCH --output=\"{logs}/%A_%a.log\"\n\
             {options}\n\
             exec {program} explore {sweep} -o {folder} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --jobs {cores}\n",
            version = crate::VERSION,
        )
    }
}

/// Submits a script; the job's number.
///
/// # Errors
/// There is no `sbatch` here, it does not take the job, or it tells no number.
pub fn submit(script: &Path) -> Result<String, Error> {
    let elsewhere = |failure: Failure| {
        let submit = format!("{failure}; or submit {} on a machine of the cluster", script.display());
        Error::Submit(if matches!(failure, Failure::Ended { .. }) { failure.to_string() } else { submit })
    };
    let sbatch = find(Path::new("sbatch"), "slurm-client", None).map_err(elsewhere)?;
    let output = run(Command::new(sbatch).arg("--parsable").arg(script)).map_err(elsewhere)?;
    // With several clusters: number;cluster.
    let said = String::from_utf8_lossy(&output.stdout);
    let job = said.trim().split(';').next().unwrap_or_default();
    match job.parse::<u64>() {
        Ok(_) => Ok(job.to_string()),
        Err(_) => {
            Err(Error::Submit(format!("sbatch ended well, but told no job number:\n{}", last_lines(&text(&output)))))
        }
    }
}

/// A path as one word of the shell.
fn quoted(path: impl AsRef<Path>) -> String {
    format!("'{}'", path.as_ref().display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_says_what_was_asked() {
        let array = Array {
            program: "/opt/bin/railyard".into(),
            tasks: 12,
            throttle: Some(4),
            cores: 2,
            options: vec!["--time=1:00:00".into(), "--partition=short".into()],
        };
        let script = array.script(Path::new("/home/it's mine/50%"), Path::new("/home/it's mine/50%/sweep.json"));
        for line in [
            "#SBATCH --array=1-12%4",
            "#SBATCH --cpus-per-task=2",
            "#SBATCH --output=\"/home/it's mine/50%%/slurm/%A_%a.log\"",
            "#SBATCH --time=1:00:00",
            "#SBATCH --partition=short",
            r#"exec '/opt/bin/railyard' explore '/home/it'\''s mine/50%/sweep.json' -o '/home/it'\''s mine/50%' --shard "$SLURM_ARRAY_TASK_ID/12" --jobs 2"#,
        ] {
            assert!(script.lines().any(|l| l == line), "{line}\n{script}");
        }
    }
}
