//! Options of `railyard check`.

use super::DescriptionArgs;
use clap::Args;

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
