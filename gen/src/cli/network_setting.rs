//! What `network run` and `network curve` are told of a run.

use super::value::{up_to, whole, MOST_CYCLES};
use clap::builder::PossibleValuesParser;
use clap::Args;
use railyard_input::InputSource;
use railyard_network::harness::{Caches, Pattern};

/// A network, and what its run is like.
#[derive(Args, Debug)]
pub struct NetworkSetting {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: InputSource,
    /// Clock cycles with traffic. Left out: 10000, or up to the last packet of a file.
    ///
    /// The first tenth is not measured, unless packets come from a file. The network is drained after the last cycle.
    #[arg(long, value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub cycles: Option<u64>,
    /// Seed of all that is random.
    ///
    /// The same seed gives the same run on every machine, with any number of threads.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// Traffic pattern, in place of the file's.
    #[arg(long, alias = "pattern", value_parser = PossibleValuesParser::new(Pattern::OF_NETWORKS))]
    pub traffic: Option<String>,
    /// Mean number of packets of a burst, in place of the file's.
    ///
    /// Packets of a burst follow each other at link rate and have the same destination.
    #[arg(long, value_name = "PACKETS", value_parser = whole::<u32>(1, 1_000_000))]
    pub burst: Option<u32>,
    /// Nodes answer each unicast packet, so that requests and replies together make the load.
    #[arg(long)]
    pub replies: bool,
    /// Length of packets in flits, in place of the file's.
    #[arg(long, value_name = "FLITS", value_parser = whole::<u32>(1, 256))]
    pub length: Option<u32>,
    /// What the routing caches hold when the traffic starts, in place of the file's.
    ///
    /// `cold`: nothing. `warm`: what long traffic leaves in them.
    #[arg(long, value_parser = PossibleValuesParser::new(Caches::NAMES))]
    pub caches: Option<String>,
    /// Chance in a cycle that a node arrives at its group's next barrier.
    ///
    /// In place of the file's. A node does not arrive while it waits at a barrier; 1: back to back. Without groups in
    /// the file there is one of all nodes.
    #[arg(long, value_name = "RATE", value_parser = up_to(1.0))]
    pub barriers: Option<f64>,
    /// Share of credit reports that get lost on each link, in place of the file's; absolute credits only.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.99))]
    pub lost_credits: Option<f64>,
    /// Share of credit reports of which each link flips the highest bit.
    ///
    /// In place of the file's; absolute credits only.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.99))]
    pub corrupt_credits: Option<f64>,
    /// Share of messages that get lost on each link, in place of the file's.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.5))]
    pub lost_messages: Option<f64>,
    /// Share of messages of which each link flips a bit, in place of the file's.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.5))]
    pub corrupt_messages: Option<f64>,
}

impl NetworkSetting {
    /// Cycles of a run, given those up to the last packet of a file, if packets come from one.
    pub fn cycles(&self, of_file: Option<u64>) -> u64 {
        self.cycles.or(of_file).unwrap_or(10_000)
    }
}
