//! The switch that a verb is about.

use clap::Args;
use railyard_input::InputSource;

/// A switch description.
#[derive(Args, Debug, Clone)]
pub struct DescriptionArgs {
    /// JSON file, `-` for standard input, or the name of a preset (`railyard presets`).
    #[arg(value_name = "CONFIG")]
    pub config: InputSource,
}
