//! Options of `railyard presets`.

use clap::Args;

/// Arguments of `presets`.
#[derive(Args, Debug)]
pub struct PresetsArgs {
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
