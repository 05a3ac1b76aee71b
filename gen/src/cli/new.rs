//! Options of `railyard new`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// Preset to start from.
    #[arg(long)]
    pub preset: String,
    /// Name of the new design, instead of the preset's.
    #[arg(long)]
    pub name: Option<String>,
    /// File to write, instead of standard output. An existing file is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Answer as JSON: the description itself, or what was written.
    #[arg(long)]
    pub json: bool,
}
