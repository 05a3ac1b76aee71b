//! File lists of Vivado and Quartus. Railyard's tests do not run them.

use super::Package;
use crate::GENERATOR;

/// Reads the files into Vivado, with or without a project.
pub fn vivado(package: &Package) -> String {
    let each = "    read_verilog [file join $folder $file]";
    let last = format!("read_xdc [file join $folder {}.xdc]\n", package.name);
    script(package, "Vivado: source it in a project, or without one", each, &last)
}

/// Adds the files to the open project of Quartus.
pub fn quartus(package: &Package) -> String {
    let each = "    set_global_assignment -name VERILOG_FILE [file join $folder $file]";
    let last = format!("set_global_assignment -name SDC_FILE [file join $folder {}.sdc]\n", package.name);
    script(package, "Quartus: source it with a project open", each, &last)
}

fn script(package: &Package, about: &str, each: &str, last: &str) -> String {
    format!(
        "# The files of {} for {about}. Written by {GENERATOR}. Not run by its tests.\n\
         # Leave the last line out where the design is a part of another.\n\
         set folder [file dirname [file normalize [info script]]]\n\
         foreach file {{\n{}}} {{\n{each}\n}}\n{last}",
        package.top,
        package.verilog_lines("    ")
    )
}
