//! What a design needs beside its Verilog in a chip or FPGA: the files of package managers, tools and drivers.

mod bender;
mod constraints;
mod fuse_soc;
mod instance;
mod link_checker;
mod tool_scripts;

use crate::registers::{MapFormat, RegisterMap};
use railyard_spec::pins::Pin;
use railyard_spec::registers::Register;
use railyard_spec::{Reset, Shape};

/// A design that is packed.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// Name of the design.
    pub name: &'a str,
    /// What it is, in a line.
    pub about: &'a str,
    /// Top module.
    pub top: &'a str,
    /// The Verilog files in their order: a module comes after those that it instantiates.
    pub verilog: &'a [String],
    /// Pins of the top module in order.
    pub pins: &'a [Pin],
    /// Its registers (in a network: of each switch); there may be none.
    pub registers: &'a [Register],
    /// How its registers are reset.
    pub reset: Reset,
    /// The switch, or that of the network.
    pub shape: &'a Shape,
    /// Clock that the constraints ask for, in MHz.
    pub clock_mhz: f64,
}

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFile {
    /// Name in the design's folder.
    pub name: String,
    /// What it is, in a word.
    pub role: &'static str,
    /// Contents.
    pub text: String,
}

impl Package<'_> {
    /// All files of the package but the data sheet.
    pub fn files(&self) -> Vec<PackageFile> {
        let file = |name: String, role, text| PackageFile { name, role, text };
        let named = |ending: &str| format!("{}{ending}", self.name);
        let links = link_checker::text(self).map(|text| file(named("_links.sv"), "link_assertions", text));
        let mut files = vec![
            file(named(".core"), "fusesoc", fuse_soc::text(self, links.as_ref())),
            file("Bender.yml".into(), "bender", bender::text(self)),
            file(named(".sdc"), "sdc", constraints::text(self)),
            file(named(".xdc"), "xdc", constraints::text(self)),
            file(named("_vivado.tcl"), "vivado", tool_scripts::vivado(self)),
            file(named("_quartus.tcl"), "quartus", tool_scripts::quartus(self)),
            file(named("_instance.vh"), "instance", instance::text(self)),
        ];
        files.extend(links);
        if !self.registers.is_empty() {
            let map = RegisterMap { name: self.name, registers: self.registers };
            files.extend(MapFormat::ALL.map(|format| {
                let ending = format!(".{}", format.extension());
                file(named(&ending), format.role(), format.text(&map))
            }));
        }
        files
    }

    /// The Verilog files, one a line.
    fn verilog_lines(&self, before: &str) -> String {
        self.verilog.iter().map(|file| format!("{before}{file}\n")).collect()
    }
}
