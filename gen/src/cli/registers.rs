//! The arguments of `registers`.

use super::DescriptionArgs;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use railyard_exports::registers::MapFormat;
use railyard_input::InputSource;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard registers my.json
      the register map of this switch
  railyard registers my.json --format c > my.h
      the same for a driver in C
  railyard registers table16 --table routes.txt
      the writes that fill its forwarding table

A table is text, a line an entry: `address ports [vc=V] [in_order]`. Ports are a port, candidates as in 1,2,3, or group=G; the address
`default` is that of the default route; `#` starts a comment.";

/// Arguments of `registers`.
#[derive(Args, Debug)]
pub struct RegistersArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Print the APB writes that bring this forwarding table into the switch.
    ///
    /// They are in their order. `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub table: Option<InputSource>,
    /// Print the register map as a file of this format.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["table", "json"])]
    pub format: Option<FormatName>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A format by its name on the command line.
#[derive(Clone, Copy, Debug)]
pub struct FormatName(pub MapFormat);

impl ValueEnum for FormatName {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FormatName; 4] = [
            FormatName(MapFormat::SystemRdl),
            FormatName(MapFormat::CHeader),
            FormatName(MapFormat::RustModule),
            FormatName(MapFormat::Svd),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            MapFormat::SystemRdl => ("rdl", "SystemRDL 2.0, for PeakRDL and other register tools"),
            MapFormat::CHeader => ("c", "C header: offsets, shifts, masks, values after reset"),
            MapFormat::RustModule => ("rust", "Rust module with the same constants"),
            MapFormat::Svd => ("svd", "CMSIS-SVD, for debuggers and `svd2rust`"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
