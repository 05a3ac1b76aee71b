//! Yosys and OpenSTA: found, asked for their versions, run.

use crate::error::{at, Error};
use railyard_programs::{ended, find, how, last_lines, output_of, text, ProgramFailure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flow scripts, the same as a user runs.
pub(crate) const SYNTH: &str = include_str!("../../scripts/flow/synth.tcl");
pub(crate) const TIMING: &str = include_str!("../../scripts/flow/timing.tcl");
pub(crate) const HIERARCHY: &str = include_str!("../../scripts/flow/hierarchy.tcl");
pub(crate) const FPGA: &str = include_str!("../../scripts/flow/fpga.tcl");
pub(crate) const FPGA_HARNESS: &str = include_str!("../../scripts/flow/fpga_harness.tcl");

/// A program that runs a Tcl script.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// Its command: `yosys` or `sta`.
    name: &'static str,
    path: PathBuf,
    /// What comes before the script.
    options: &'static [&'static str],
    /// What it is and its version, in one line.
    pub version: String,
}

impl Tool {
    pub fn yosys() -> Result<Tool, Error> {
        let path = find(Path::new("yosys"), "yosys", None)?;
        let version = version(&path, "-V", |said| said.starts_with("Yosys "))?;
        Ok(Tool { name: "yosys", path, options: &["-q", "-c"], version })
    }

    pub fn sta() -> Result<Tool, Error> {
        let path = find(Path::new("sta"), "opensta", None)?;
        // It says no more than a number: 2.0.17.
        let version = version(&path, "-version", |said| said.starts_with(|first: char| first.is_ascii_digit()))?;
        let options = &["-no_splash", "-exit"];
        Ok(Tool { name: "sta", path, options, version: format!("OpenSTA {version}") })
    }

    /// Runs a script on a module in a folder, with the settings that it reads from its environment; gives what it
    /// printed.
    pub fn run(&self, script: &str, work: &Path, module: &str, settings: &[(&str, String)]) -> Result<String, Error> {
        let file = work.join(format!("{}.tcl", self.name));
        std::fs::write(&file, script).map_err(at(&file))?;
        let mut command = Command::new(&self.path);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RY_")) {
            command.env_remove(name);
        }
        command.args(self.options).arg(&file).envs(settings.iter().map(|(k, v)| (k, v))).current_dir(work);
        // What a killed program leaves goes with the folder.
        command.env("TMPDIR", work);
        let output = output_of(&mut command)?;
        let printed = text(&output);
        // OpenSTA goes on after an error, and ends well.
        let complaint = printed.lines().find(|line| line.starts_with("Error:") || line.starts_with("ERROR:"));
        if output.status.success() && complaint.is_none() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = complaint.map_or(String::new(), |line| format!(": {line}"));
        let message = format!("it {}{said}\n{}", how(output.status), last_lines(&printed));
        Err(Error::Tool { tool: self.name.into(), module: module.into(), message })
    }

    /// A file that a script was to write.
    pub fn written(&self, path: &Path, module: &str) -> Result<String, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        std::fs::read_to_string(path).map_err(|error| self.lacks(module, &format!("{name}: {error}")))
    }

    /// The error of a run that ended well without a result that is needed.
    pub fn lacks(&self, module: &str, what: &str) -> Error {
        Error::Result { tool: self.name.into(), module: module.into(), what: what.into() }
    }
}

/// What a program says of its version, if that is the version of what is looked for.
fn version(program: &Path, flag: &str, is_meant: fn(&str) -> bool) -> Result<String, Error> {
    let mut command = Command::new(program);
    let output = output_of(command.arg(flag))?;
    if !output.status.success() {
        return Err(ended(&command, &output).into());
    }
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    match is_meant(&said) {
        true => Ok(said),
        false => {
            Err(Error::NotTheTool { program: program.into(), flag: flag.into(), said: last_lines(&text(&output)) })
        }
    }
}

impl From<ProgramFailure> for Error {
    fn from(failure: ProgramFailure) -> Error {
        match failure {
            ProgramFailure::Missing { .. } => Error::MissingTool(failure),
            _ => Error::Program(failure),
        }
    }
}
