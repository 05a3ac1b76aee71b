//! Options of `railyard compare`.

use clap::Args;
use railyard_estimate::NamedLibrary;

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Standard-cell library by name, as for `estimate`; Cao2016's chip is always mapped to osu018.
    #[arg(long, default_value = "nangate45", value_name = "NAME", value_parser = library_names())]
    pub library: String,
    /// Blocks of a switch only, no whole switches and no points of curves: seconds in place of minutes, the first time.
    #[arg(long)]
    pub quick: bool,
    /// Answer as CSV, with notes on what makes ours differ.
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub csv: bool,
    /// Answer as a table in Markdown, as in the page of measurements.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Answer as JSON, with notes on what makes ours differ and critical paths.
    #[arg(long)]
    pub json: bool,
}

fn library_names() -> clap::builder::PossibleValuesParser {
    NamedLibrary::all().iter().map(|named| named.name).collect::<Vec<_>>().into()
}
