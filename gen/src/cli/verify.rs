//! Options of `railyard verify`.

use super::value::{whole, MOST_CYCLES};
use super::{DescriptionArgs, DesignArgs, TrafficArgs};
use clap::Args;
use std::path::PathBuf;

/// Mixes of a verification, at most.
const MOST_MIXES: u64 = 1_000_000;

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Clock cycles with traffic; the switch is drained after them.
    #[arg(long, default_value_t = 100_000, value_parser = whole::<u64>(1, MOST_CYCLES))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Write a waveform of the whole run: `.fst` or `.vcd`.
    #[arg(long, value_name = "FILE", value_parser = waveform_file)]
    pub trace: Option<PathBuf>,
    /// Write only this many cycles before a failure (and a few after it), and nothing if there is none.
    #[arg(long, value_name = "CYCLES", requires = "trace", value_parser = whole::<u64>(0, MOST_CYCLES))]
    pub trace_window: Option<u64>,
    /// Write the packets to this CSV file, a line each: ports, VCs, cycles in and out, address.
    ///
    /// Those of the first run, in the order in which they leave the golden model; not those of the mixes. An existing
    /// file is replaced.
    #[arg(long, value_name = "FILE.csv")]
    pub packets: Option<PathBuf>,
    /// Short runs of other traffic after the first run; 0: none.
    ///
    /// Two runs of directed phases come first (as `--traffic limits` and `--traffic faults`). Then come as many mixes
    /// drawn from the seed (as `--traffic any`): other lengths, gaps, starved credits, a slow CAM, illegal senders,
    /// resets. `--trace` and `--scenario` leave all of them out.
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = whole::<u64>(0, MOST_MIXES))]
    pub mixes: u64,
    /// A design in place of the generated one.
    #[command(flatten)]
    pub design: DesignArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

fn waveform_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("fst" | "vcd") => Ok(path),
        _ if matches!(path.file_name().and_then(|name| name.to_str()), Some(".fst" | ".vcd")) => {
            Err("must have a name before its ending, as in run.fst".into())
        }
        _ => Err("must end in .fst or .vcd".into()),
    }
}
