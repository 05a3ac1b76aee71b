//! A sweep as a job array of Slurm.

use crate::error::{at, Error};
use crate::store::Store;
use railyard_programs::{find, last_lines, run, text, ProgramFailure};
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
    /// It can't be written; a path is not UTF-8, as a script is.
    pub fn write(&self, store: &Store, sweep: &Path) -> Result<PathBuf, Error> {
        if let Some(path) = [&self.program, store.folder(), sweep].into_iter().find(|path| path.to_str().is_none()) {
            let why = "has a name that is not UTF-8, which can't stand in a job script";
            return Err(at(path)(std::io::Error::new(std::io::ErrorKind::InvalidInput, why)));
        }
        let logs = store.path(LOGS);
        std::fs::create_dir_all(&logs).map_err(at(&logs))?;
        store.write(SCRIPT, &self.script(store.folder(), sweep))
    }

    fn script(&self, folder: &Path, sweep: &Path) -> String {
        let Array { program, tasks, throttle, cores, options } = self;
        let throttle = throttle.map(|most| format!("%{most}")).unwrap_or_default();
        let (output, redirection) = output(&folder.join(LOGS));
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
             #SBATCH --output={output}\n\
             {options}\n\
             {redirection}\
             exec {program} explore {sweep} -o {folder} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --jobs {cores}\n",
            version = crate::VERSION,
        )
    }
}

/// Where a task's output goes: the word for Slurm, and a line of the script. A word for Slurm is in one line; with a
/// line break in the folder's name the script itself sends its output there.
fn output(logs: &Path) -> (String, String) {
    let folder = logs.display().to_string();
    match folder.contains(char::is_control) {
        true => {
            let task = "\"$SLURM_ARRAY_JOB_ID\"_\"$SLURM_ARRAY_TASK_ID\".log";
            ("/dev/null".into(), format!("exec >{}/{task} 2>&1\n", quoted(logs)))
        }
        false => {
            // Slurm puts job numbers in the place of % signs in the name of an output file.
            let folder = folder.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
            (format!("\"{folder}/%A_%a.log\""), String::new())
        }
    }
}

/// Submits a script; the job's number.
///
/// # Errors
/// There is no `sbatch` here, it does not take the job, or it tells no number.
pub fn submit(script: &Path) -> Result<String, Error> {
    let elsewhere = |failure: ProgramFailure| {
        let submit = format!("{failure}; or submit {} on a machine of the cluster", script.display());
        Error::Submit(if matches!(failure, ProgramFailure::Ended { .. }) { failure.to_string() } else { submit })
    };
    let sbatch = find(Path::new("sbatch"), "slurm-client", None).map_err(elsewhere)?;
    let output = run(Command::new(sbatch).arg("--parsable").arg(script)).map_err(elsewhere)?;
    // With several clusters: number;cluster.
    let said = String::from_utf8_lossy(&output.stdout);
    let job = said.trim().split(';').next().unwrap_or_default();
    match job.parse::<u64>() {
        Ok(_) => Ok(job.to_string()),
        Err(_) => {
            Err(Error::Submit(format!("sbatch ended well, but printed no job number:\n{}", last_lines(&text(&output)))))
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
    use std::os::unix::fs::PermissionsExt;

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

    /// A line break, quotes and backslashes in the folder's name: the script is one of the shell all the same, and each
    /// word reaches the program whole.
    #[test]
    fn any_folder_can_stand_in_a_script() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("pro'gram\n");
        std::fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let array = Array { program, tasks: 2, throttle: None, cores: 1, options: vec![] };
        for name in ["line\nbreak", "line\r\n#SBATCH --array=1-9", "\"quo'tes\" and \\ and $HOME", "100%"] {
            let folder = place.path().join(name);
            std::fs::create_dir_all(folder.join(LOGS)).unwrap();
            let script = array.script(&folder, &folder.join("sweep.json"));
            assert_eq!(script.matches("#SBATCH").count() - name.matches("#SBATCH").count() * 3, 5, "{script}");
            let directives = script.lines().take_while(|line| line.starts_with('#')).count();
            assert_eq!(directives, 8, "all directives stand before the first command: {script}");
            let shell = &mut Command::new("sh");
            shell.args(["-c", &script]).env("SLURM_ARRAY_JOB_ID", "7").env("SLURM_ARRAY_TASK_ID", "1");
            let output = run(shell).unwrap();
            let log = folder.join(LOGS).join("7_1.log");
            let said = match name.contains('\n') {
                true => std::fs::read_to_string(log).unwrap(),
                false => String::from_utf8(output.stdout).unwrap(),
            };
            let (folder, sweep) = (folder.display(), folder.join("sweep.json"));
            assert_eq!(said, format!("<explore><{}><-o><{folder}><--shard><1/2><--jobs><1>", sweep.display()));
        }
        assert_eq!(output(Path::new(r#"/a "b\"#)).0, r#""/a \"b\\/%A_%a.log""#);
    }
}
