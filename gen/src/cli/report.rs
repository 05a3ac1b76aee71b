//! The arguments of `report`.

use super::curve::{loads, Loads};
use super::study::StudySize;
use super::value::{count, whole, MOST_CYCLES};
use clap::Args;
use railyard_input::Source;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard report my.json -o my.html                    a switch: diagram, curves, area, verification
  railyard report my.json --no-estimate -o my.html      the same without Yosys
  railyard report my_network.json -o network.html       a network: topology, check, curves
  railyard report my_sweep -o sweep.html                a folder of `railyard explore`
  railyard report lookup-energy -o lookups.html         a study

The page needs nothing but itself. It has no date and no speeds: the same seed gives the same page.";

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Switch description, network file, folder or CSV of `explore`, `-`, or the name of a preset or study.
    #[arg(value_name = "CONFIG|NETWORK|FOLDER|STUDY")]
    pub source: Source,
    /// HTML file to write, over one of that name; left out: standard output.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Seed of all that is random: the same seed gives the same page.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// Switch: clock cycles with traffic in lock-step with the golden model.
    #[arg(long, default_value_t = 20_000, value_parser = whole::<u64>(1, MOST_CYCLES))]
    pub cycles: u64,
    /// Switch: leave the verification out.
    #[arg(long)]
    pub no_verify: bool,
    /// Switch: leave area and clock out.
    #[arg(long)]
    pub no_estimate: bool,
    /// Switch: standard-cell library by name, as for `estimate`. Left out: the first that is found.
    #[arg(long, value_name = "NAME", conflicts_with = "no_estimate")]
    pub library: Option<String>,
    /// Switch, network: offered loads of the curves, FROM:TO:STEP or a list with commas.
    #[arg(long, default_value = "0.1:1.0:0.1", value_name = "LOADS", value_parser = loads)]
    pub loads: Loads,
    /// Switch, network: clock cycles measured at each load.
    #[arg(long, default_value_t = 20_000, value_name = "CYCLES", value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub curve_cycles: u64,
    /// Switch: runs at each load, with a seed each.
    #[arg(long, default_value = "3", value_name = "N", value_parser = count(100))]
    pub runs: NonZeroUsize,
    /// Size of a study's network.
    #[command(flatten)]
    pub size: StudySize,
    /// Answer as JSON: all that is on the page, and the file that was written.
    #[arg(long)]
    pub json: bool,
}
