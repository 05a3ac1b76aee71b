//! Core file of FuseSoC, in its format CAPI2.

use super::{Package, PackageFile};

/// The core file. Assertions of `links` belong to the design where the user sets the flag `link_assertions`.
pub fn text(package: &Package, links: Option<&PackageFile>) -> String {
    let Package { name, about, top, .. } = package;
    let version = env!("CARGO_PKG_VERSION");
    let verilog = package.verilog_lines("      - ");
    let (checked, fileset) = match links {
        Some(PackageFile { name, .. }) => (
            "[rtl, \"link_assertions ? (links)\"]",
            format!("\x20 links:\n    file_type: systemVerilogSource\n    files:\n      - {name}\n"),
        ),
        None => ("[rtl]", String::new()),
    };
    format!(
        "CAPI=2:\n\
         name: \"railyard:switch:{name}:{version}\"\n\
         description: \"{about}\"\n\
         \n\
         filesets:\n\
         \x20 rtl:\n    file_type: verilogSource\n    files:\n{verilog}\
         {fileset}\
         \x20 sdc:\n    files:\n      - {name}.sdc: {{file_type: SDC}}\n\
         \x20 xdc:\n    files:\n      - {name}.xdc: {{file_type: xdc}}\n\
         \n\
         targets:\n\
         \x20 # For a design of which this one is a part.\n\
         \x20 default:\n    filesets: {checked}\n\
         \x20 # This design alone, by a tool of the user's choice.\n\
         \x20 synth:\n    filesets: [rtl, \"tool_vivado ? (xdc)\", \"!tool_vivado ? (sdc)\"]\n    toplevel: {top}\n\
         \x20 lint:\n    flow: lint\n    flow_options:\n      tool: verilator\n      verilator_options: [-Wall]\n\
         \x20   filesets: {checked}\n    toplevel: {top}\n"
    )
}
