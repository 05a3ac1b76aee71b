//! A sweep as a job array of a real Slurm that is started for it: the same bytes as a local run.

use std::path::Path;
use std::process::Command;

/// Whether all of Slurm is on this machine; its daemons are not on everybody's path.
fn slurm_is_here() -> bool {
    let here = |tool: &str| ["/usr/sbin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(tool).exists());
    ["munged", "slurmctld", "slurmd", "sbatch"].iter().all(|tool| here(tool))
}

#[test]
fn a_job_array_gives_the_same_bytes_as_a_local_run() {
    if !slurm_is_here() {
        eprintln!("not run: Slurm is not installed (scripts/setup --slurm)");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/slurm-test");
    let output = Command::new(script).arg(env!("CARGO_BIN_EXE_railyard")).output().expect("the script runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("the same bytes"));
}
