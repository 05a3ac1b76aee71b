//! Core file of FuseSoC, in its format CAPI2.

use super::Package;

/// The core file.
pub fn text(package: &Package) -> String {
    let Package { name, about, top, .. } = package;
    let version = env!("CARGO_PKG_VERSION");
    let verilog = package.verilog_lines("      - ");
    format!(
        "CAPI=2:\n\
         name: \"railyard:switch:{name}:{version}\"\n\
         description: \"{about}\"\n\
         \n\
         filesets:\n\
         \x20 rtl:\n    file_type: verilogSource\n    files:\n{verilog}\
         \x20 sdc:\n    files:\n      - {name}.sdc: {{file_type: SDC}}\n\
         \x20 xdc:\n    files:\n      - {name}.xdc: {{file_type: xdc}}\n\
         \n\
         targets:\n\
         \x20 # For a design of which this one is a part.\n\
         \x20 default:\n    filesets: [rtl]\n\
         \x20 # This design alone, by a tool of the user's choice.\n\
         \x20 synth:\n    filesets: [rtl, \"tool_vivado ? (xdc)\", \"!tool_vivado ? (sdc)\"]\n    toplevel: {top}\n\
         \x20 lint:\n    flow: lint\n    flow_options:\n      tool: verilator\n      verilator_options: [-Wall]\n\
         \x20   filesets: [rtl]\n    toplevel: {top}\n"
    )
}
