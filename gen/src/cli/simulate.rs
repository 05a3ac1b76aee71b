//! Options of `railyard simulate`.

use super::value::{whole, MOST_CYCLES};
use super::{DescriptionArgs, TrafficArgs};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Clock cycles measured.
    ///
    /// Before them the switch is set up, and warms up until its figures stay the same (not with `--traffic-file`).
    #[arg(long, default_value_t = 100_000, value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub cycles: u64,
    /// Seed of all that is random: the same seed gives the same run on every machine.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Write the packets to this CSV file, a line each: ports, VCs, cycles in and out, address.
    ///
    /// In the order in which they leave, those of the warm-up first. An existing file is replaced.
    #[arg(long, value_name = "FILE.csv")]
    pub packets: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
