//! The command line: answers, errors and exit codes of every verb that needs no simulator.

mod descriptions;
mod errors;
mod generate;
mod pages;
mod registers;
mod report;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn railyard(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_railyard")).args(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must succeed; its standard output.
fn answer(args: &[&str]) -> String {
    let output = railyard(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that must end with exit code 2; its standard error.
fn refusal(args: &[&str]) -> String {
    let output = railyard(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
    let error = text(&output.stderr);
    assert!(error.starts_with("error: "), "{error}");
    assert!(!error.contains("panicked"), "{error}");
    error
}

fn write(folder: &Path, name: &str, contents: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, contents).expect("a temporary file");
    path.to_str().expect("UTF-8").to_string()
}
