//! Running Yosys and OpenSTA.

use crate::error::{at, Error};
use std::path::Path;
use std::process::Command;

/// The flow scripts, the same as a user runs.
pub(crate) const SYNTH: &str = include_str!("../../scripts/flow/synth.tcl");
pub(crate) const TIMING: &str = include_str!("../../scripts/flow/timing.tcl");
pub(crate) const HIERARCHY: &str = include_str!("../../scripts/flow/hierarchy.tcl");
pub(crate) const FPGA: &str = include_str!("../../scripts/flow/fpga.tcl");
pub(crate) const FPGA_HARNESS: &str = include_str!("../../scripts/flow/fpga_harness.tcl");

/// Versions of the programs; an error says which is missing.
pub(crate) fn versions() -> Result<[String; 2], Error> {
    Ok([version("yosys", "-V", "yosys")?, format!("OpenSTA {}", version("sta", "-version", "opensta")?)])
}

/// Version of Yosys.
pub(crate) fn yosys_version() -> Result<String, Error> {
    version("yosys", "-V", "yosys")
}

fn version(tool: &str, flag: &str, package: &str) -> Result<String, Error> {
    let missing = |_| Error::MissingTool { tool: tool.into(), package: package.into() };
    let output = Command::new(tool).arg(flag).output().map_err(missing)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Runs a script in a folder with the settings that it reads from its environment; gives what it printed.
pub(crate) fn run(
    tool: &str,
    script: &str,
    work: &Path,
    module: &str,
    settings: &[(&str, String)],
) -> Result<String, Error> {
    let file = work.join(format!("{tool}.tcl"));
    std::fs::write(&file, script).map_err(at(&file))?;
    let mut command = Command::new(tool);
    match tool {
        "yosys" => command.args(["-q", "-c"]),
        _ => command.args(["-no_splash", "-exit"]),
    };
    for (name, _) in std::env::vars_os().filter(|(n, _)| n.to_string_lossy().starts_with("RY_")) {
        command.env_remove(name);
    }
    command.arg(&file).envs(settings.iter().map(|(k, v)| (k, v))).current_dir(work);
    let package = if tool == "sta" { "opensta" } else { tool };
    let missing = |_| Error::MissingTool { tool: tool.into(), package: package.into() };
    let output = command.output().map_err(missing)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let complaint = text.lines().chain(errors.lines()).find(|l| l.starts_with("Error:") || l.starts_with("ERROR:"));
    if !output.status.success() || complaint.is_some() {
        let message = complaint
            .map(String::from)
            .unwrap_or_else(|| text.lines().chain(errors.lines()).last().unwrap_or("no message").to_string());
        return Err(Error::Tool { tool: tool.into(), module: module.into(), message });
    }
    Ok(text)
}
