//! Options of `railyard generate`.

use super::{DescriptionArgs, PackageArgs};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Folder to write: new, empty, or one that `generate` wrote before (it is replaced as a whole).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Files beside the Verilog.
    #[command(flatten)]
    pub package: PackageArgs,
    /// Replace the folder even if files in it were edited by hand.
    #[arg(long)]
    pub force: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
