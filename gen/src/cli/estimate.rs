//! Options of `railyard estimate`.

use super::value::{megahertz, up_to, whole};
use super::DescriptionArgs;
use clap::Args;
use railyard_input::InputSource;
use std::path::PathBuf;

/// Arguments of `estimate`.
#[derive(Args, Debug)]
pub struct EstimateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Standard-cell library by name: nangate45, sky130hd, sg13g2, gt2n or osu018.
    ///
    /// All but osu018 are looked for in the folder that RAILYARD_LIBERTY_DIR names.
    #[arg(long, default_value = "nangate45", value_name = "NAME")]
    pub library: String,
    /// Standard-cell library by file, `.lib` or `.lib.gz`; `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "library")]
    pub liberty: Option<InputSource>,
    /// Feature size of `--liberty` in nm, for the memories that go with it.
    #[arg(long, value_name = "NM", requires = "liberty", value_parser = whole::<u32>(1, 1_000))]
    pub node: Option<u32>,
    /// Only this module of the design and what is in it.
    #[arg(long, value_name = "MODULE")]
    pub block: Option<String>,
    /// Also synthesise each module on its own, for a table of area and longest path by block.
    #[arg(long, conflicts_with = "block")]
    pub by_block: bool,
    /// Flatten the whole before logic is optimised, instead of linking its units: hours for a large switch.
    #[arg(long)]
    pub flat: bool,
    /// What mapping aims at.
    #[arg(long, value_enum, default_value_t = MappingRecipe::Speed)]
    pub recipe: MappingRecipe,
    /// Map for this clock instead of the fastest: less area where the clock leaves time. Power is at this clock.
    ///
    /// A clock that is missed is mapped for again, up to three times, and at last for the shortest path.
    #[arg(long, value_name = "MHZ", value_parser = megahertz(100_000))]
    pub clock: Option<f64>,
    /// Clock uncertainty (jitter and skew) in ns, added to every path that ends at a register or an output.
    #[arg(long, value_name = "NS", default_value_t = 0.0, value_parser = up_to(1000.0))]
    pub clock_uncertainty: f64,
    /// Loads of wires: the default wire load of the library, if it has one, or none.
    #[arg(long, value_enum, default_value_t = WireLoads::Library)]
    pub wires: WireLoads,
    /// VCD of the design at work, for power, or `-` for standard input.
    ///
    /// `verify --trace run.vcd` writes one. The whole is flattened.
    #[arg(long, value_name = "FILE")]
    pub activity: Option<InputSource>,
    /// Your own table of memories (JSON), or `-` for standard input, in place of the built-in one.
    #[arg(long, value_name = "FILE")]
    pub memories: Option<InputSource>,
    /// Liberty file of memory macros, for area and times of the memories; once for each file.
    ///
    /// A macro has the words and bits of the memory. There must be one for each memory.
    #[arg(long, value_name = "FILE")]
    pub macros: Vec<InputSource>,
    /// Keep the Verilog, the netlist, memory macros and their Liberty view in this folder, which is new or empty.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Count the primitives of an FPGA instead (and its clock, if nextpnr is installed).
    #[arg(
        long,
        value_name = "FAMILY",
        conflicts_with_all = [
            "library", "liberty", "by_block", "flat", "recipe", "clock", "clock_uncertainty", "wires", "activity", "memories", "macros", "keep"
        ]
    )]
    pub fpga: Option<FpgaFamily>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What ABC is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MappingRecipe {
    /// The shortest path.
    Speed,
    /// In between.
    Balanced,
    /// The least area.
    Area,
    /// Yosys' own script, `abc -D 100 -constr`: to compare with figures of other designs.
    Yosys,
}

/// Whose loads of wires timing reckons with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum WireLoads {
    /// Those of the library's default wire load.
    Library,
    /// None.
    None,
}

/// A family of FPGAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FpgaFamily {
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
    /// Xilinx series 7: counts, no clock.
    Xilinx7,
}
