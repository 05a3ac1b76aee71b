//! `railyard explore`: sweeps from file to table.

mod estimates;
mod faults;
mod job_array;
mod kept_results;
mod networks;
mod sweep;

use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

fn railyard(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.args(args);
    command
}

fn explore(args: &[&str], status: i32) -> Output {
    let output = railyard(&[&["explore"], args].concat()).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer(args: &[&str]) -> String {
    let output = explore(args, 0);
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A temporary folder with a sweep in it.
struct Place {
    folder: tempfile::TempDir,
    sweep: String,
}

impl Place {
    fn new(sweep: &Value) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sweep.json");
        fs::write(&file, sweep.to_string()).unwrap();
        Place { sweep: file.to_str().unwrap().into(), folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().into()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn small() -> Value {
    json!({
        "base": "tiny",
        "vary": { "/routing/cache/entries": [16, 32], "routing.cache.ways": [1, 2, 3] },
        "simulate": { "cycles": 2000, "load": [0.3, 0.9], "seed": [1, 2] },
        "plots": [{
            "x": "memory_bits", "y": "accepted_load", "series": "routing.cache.ways", "where": { "load": 0.9 }, "log": ["x"],
            "pareto": { "x": "min", "y": "max" }
        }]
    })
}

/// Finished runs and when each was written.
fn runs(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let results = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json"));
    results.map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap())).collect()
}
