//! The arguments of `generate` and `network generate` that say which files there are beside the Verilog.

use super::value::megahertz;
use clap::Args;

/// What `generate --help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard generate my.json -o my_switch
      the Verilog, a file a module
  railyard generate my.json -o my_switch --package --single
      one Verilog file, and all that a chip needs beside it";

/// Files beside the Verilog.
#[derive(Args, Debug)]
pub struct PackageArgs {
    /// Write also what a chip or FPGA needs beside the Verilog.
    ///
    /// For tools: a core file of FuseSoC, a manifest of Bender, SDC and XDC, file lists of Vivado and Quartus. For
    /// people: a data sheet and an instantiation template. For software: the register map in every format of
    /// `railyard registers --format`.
    #[arg(long)]
    pub package: bool,
    /// Write all modules into one file, named after the top module.
    #[arg(long)]
    pub single: bool,
    /// Clock that the constraints of the package ask for: 400, 156.25.
    #[arg(long, value_name = "MHZ", default_value_t = 500.0, requires = "package", value_parser = megahertz(10_000))]
    pub clock: f64,
}
