//! The arguments of `report`.

use super::curve::{loads, Loads};
use super::study::StudySize;
use super::value::{count, whole, MOST_CYCLES};
use clap::Args;
use railyard_input::InputSource;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard report my.json -o my.html
      a switch: diagram, curves, area, verification
  railyard report my.json --no-estimate -o my.html
      the same without Yosys
  railyard report my_network.json -o network.html
      a network: topology, check, curves
  railyard report my_sweep -o sweep.html
      a folder of `railyard explore`
  railyard report lookup-energy -o lookups.html
      a study

The page needs nothing but itself. It has no date and no speeds: the same seed gives the same page.";

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Switch description, network file, folder or CSV of `explore`, `-`, or the name of a preset or study.
    #[arg(value_name = "CONFIG|NETWORK|FOLDER|STUDY")]
    pub source: InputSource,
    /// HTML file to write, over one of that name; left out: standard output.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Switch, network, study: seed of all that is random. Left out: 1. The same seed gives the same page.
    #[arg(long, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: Option<u64>,
    /// Switch: clock cycles with traffic in lock-step with the golden model. Left out: 20000.
    #[arg(long, value_parser = whole::<u64>(1, MOST_CYCLES))]
    pub cycles: Option<u64>,
    /// Switch: leave the verification out.
    #[arg(long)]
    pub no_verify: bool,
    /// Switch: leave area and clock out.
    #[arg(long)]
    pub no_estimate: bool,
    /// Switch: standard-cell library by name, as for `estimate`. Left out: the first that is found.
    #[arg(long, value_name = "NAME", conflicts_with = "no_estimate")]
    pub library: Option<String>,
    /// Switch, network: offered loads of the curves, FROM:TO:STEP or a list with commas. Left out: 0.1:1.0:0.1.
    #[arg(long, value_name = "LOADS", value_parser = loads)]
    pub loads: Option<Loads>,
    /// Switch, network: clock cycles measured at each load. Left out: 20000.
    #[arg(long, value_name = "CYCLES", value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub curve_cycles: Option<u64>,
    /// Switch, network: runs at each load, with a seed each. Left out: 3.
    #[arg(long, value_name = "N", value_parser = count(100))]
    pub runs: Option<NonZeroUsize>,
    /// Size of a study's network.
    #[command(flatten)]
    pub size: StudySize,
    /// Answer as JSON: all that is on the page, and the file that was written.
    #[arg(long)]
    pub json: bool,
}

/// Defaults. An option that is given is told from one that is not, as not all reports follow all of them.
impl ReportArgs {
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Cycles of the verification.
    pub fn cycles(&self) -> u64 {
        self.cycles.unwrap_or(20_000)
    }

    /// Offered loads of the curves.
    pub fn loads(&self) -> Loads {
        self.loads.clone().unwrap_or_else(|| loads("0.1:1.0:0.1").expect("a range of loads"))
    }

    /// Cycles measured at each load.
    pub fn curve_cycles(&self) -> u64 {
        self.curve_cycles.unwrap_or(20_000)
    }

    /// Runs at each load.
    pub fn runs(&self) -> usize {
        self.run_count().get()
    }

    /// As [`ReportArgs::runs`].
    pub fn run_count(&self) -> NonZeroUsize {
        self.runs.unwrap_or(const { NonZeroUsize::new(3).expect("not 0") })
    }
}
