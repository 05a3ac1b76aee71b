//! Options of `railyard bench`.

use super::value::whole;
use super::{DescriptionArgs, TrafficArgs};
use clap::Args;

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The switch.
    #[command(flatten)]
    pub description: DescriptionArgs,
    /// Seconds for each measurement, in five turns with the others.
    #[arg(long, default_value_t = 3, value_parser = whole::<u64>(1, 600))]
    pub seconds: u64,
    /// Seed of all that is random.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// The traffic.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}
