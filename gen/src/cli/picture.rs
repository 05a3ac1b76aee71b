//! The arguments of `picture`.

use clap::Args;
use railyard_input::InputSource;
use railyard_picture::kind::KINDS;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard picture --list
      the kinds, with what each is made of
  railyard picture blocks my.json -o my.svg
      the block diagram of a switch
  railyard picture cycles hpc16 -o cycles.svg
      a waveform of the golden model
  railyard picture network my_network.json -o network.svg
      the topology of a network

Pictures are readable in light and dark, and on paper.";

/// Arguments of `picture`.
#[derive(Args, Debug)]
pub struct PictureArgs {
    /// What is to be seen (`--list`).
    #[arg(value_parser = kinds(), hide_possible_values = true, required_unless_present = "list")]
    pub kind: Option<String>,
    /// Switch description or network file, `-` for standard input, or the name of a preset.
    #[arg(value_name = "CONFIG|NETWORK", required_unless_present = "list")]
    pub source: Option<InputSource>,
    /// SVG file to write, over one of that name; left out: standard output.
    #[arg(short, long, value_name = "FILE.svg")]
    pub output: Option<PathBuf>,
    /// List the kinds of pictures instead.
    #[arg(long, conflicts_with_all = ["kind", "source", "output"])]
    pub list: bool,
    /// Answer as JSON: the picture as text, or what was written.
    #[arg(long)]
    pub json: bool,
}

fn kinds() -> clap::builder::PossibleValuesParser {
    KINDS.map(|kind| kind.name).into()
}
