//! What `generate --package` writes beside the Verilog, read by the tools that it is for.

mod cocotb;
mod contents;
mod tools;

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn railyard(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_railyard")).args(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a tool in a folder, which must end with exit code 0; what it said.
fn run(folder: &Path, program: impl AsRef<Path>, args: &[&str]) -> String {
    let program = program.as_ref();
    let output = Command::new(program).args(args).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{} {args:?}: {said}", program.display());
    said
}

/// Generates into a folder; its manifest.
fn generate(verb: &[&str], folder: &Path) -> Value {
    let args = [verb, &["-o", folder.to_str().unwrap()]].concat();
    let output = railyard(&args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap()
}

/// The entries of a list of the manifest.
fn entries<'a>(manifest: &'a Value, list: &str) -> &'a [Value] {
    manifest[list].as_array().unwrap()
}

/// The file of a role.
fn file(manifest: &Value, role: &str) -> String {
    let entry = entries(manifest, "files").iter().find(|entry| entry["role"] == role);
    entry.unwrap_or_else(|| panic!("no {role}"))["file"].as_str().unwrap().into()
}

/// The wires and the instance of the template, in a module of their own.
fn compile_instance(folder: &Path, manifest: &Value) {
    let template = file(manifest, "instance");
    let user = tempfile::tempdir().unwrap();
    let module = user.path().join("user.v");
    fs::write(&module, format!("module user;\n`include \"{template}\"\nendmodule\n")).unwrap();
    let args = [
        "-Wall",
        "-Winfloop",
        "-g2005",
        "-f",
        "files.f",
        "-I",
        ".",
        "-s",
        "user",
        "-t",
        "null",
        module.to_str().unwrap(),
    ];
    let said = run(folder, "iverilog", &args);
    assert!(!said.contains("port"), "every pin has its wire: {said}");
}

/// The programs that `scripts/setup --option` put into target/`folder`, if it was run. CI can't do without.
fn installed(option: &str, folder: &str, list: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(folder);
    if !tools.join(list).exists() {
        assert!(std::env::var_os("CI").is_none(), "scripts/setup --{option} did not install its tools");
        eprintln!("not run: what scripts/setup --{option} installs is not here");
        return None;
    }
    Some(tools.canonicalize().unwrap().join("bin"))
}
