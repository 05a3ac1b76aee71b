//! The arguments of `network`.

use super::{count, up_to, whole, DesignArgs, NetworkCurveArgs, MOST_CYCLES};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use railyard_input::Source;
use railyard_network::harness::{Caches, Pattern};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard network check fat_tree.json                          reachability, deadlock, sizes
  railyard network run fat_tree.json --load 0.7 --cycles 20000  throughput and latency, every packet checked
  railyard network curve fat_tree.json -o curve                 the same at rising load, with pictures
  railyard network run dawning.json --barriers 0.01             barriers of all nodes beside it
  railyard network generate fat_tree.json -o my_network         all of it as Verilog: switches, links, top
  railyard network verify fat_tree.json --cycles 2000           that Verilog in lock-step with the golden models

A network file:
  {
    \"switch\": \"dawning16\",
    \"topology\": { \"kind\": \"fat_tree\", \"ports\": 16, \"levels\": 2 },
    \"link_latency\": 4,
    \"traffic\": { \"pattern\": \"uniform\", \"load\": 0.5 }
  }";

/// Arguments of `network`.
#[derive(Args, Debug)]
pub struct NetworkArgs {
    /// What to do with it.
    #[command(subcommand)]
    pub command: NetworkCommand,
}

/// What can be done with a network.
#[derive(Subcommand, Debug)]
pub enum NetworkCommand {
    /// Check tables, multicast trees and barrier trees: every pair of nodes reached, no ring of channels.
    #[command(after_long_help = "Example: railyard network check fat_tree.json --write-tables tables.json")]
    Check(NetworkCheckArgs),
    /// Run it on the golden model: throughput, latency, every packet checked.
    ///
    /// Every packet must arrive once, as it was sent and in order. Packets that are stranded behind a link that breaks
    /// as the file says are counted, and are no mismatch.
    #[command(
        after_long_help = "Example: railyard network run fat_tree.json --traffic permutation --load 0.7 --cycles 20000"
    )]
    Run(NetworkRunArgs),
    /// Run it at rising load: latency and throughput as table, CSV and curves.
    ///
    /// Every packet is checked, as by `run`. A saturated network is marked, and stops nothing.
    #[command(after_long_help = super::curve::EXAMPLES)]
    Curve(NetworkCurveArgs),
    /// Write it as Verilog: the switch, a link, and a top in which all switches are joined by links.
    #[command(after_long_help = "Example: railyard network generate fat_tree.json -o my_network")]
    Generate(NetworkGenerateArgs),
    /// Hold that Verilog, as one Verilated model, against the network of golden models in every cycle of a run.
    #[command(after_long_help = "Example: railyard network verify fat_tree.json --cycles 2000")]
    Verify(NetworkVerifyArgs),
}

/// Arguments of `network check`.
#[derive(Args, Debug)]
pub struct NetworkCheckArgs {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: Source,
    /// Write tables, multicast trees and barrier trees to this file, a new one.
    ///
    /// A network file can name it as its `tables`.
    #[arg(long, value_name = "FILE")]
    pub write_tables: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A network, and what its run is like.
#[derive(Args, Debug)]
pub struct NetworkSetting {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: Source,
    /// Clock cycles with traffic; the first tenth is not measured, and the network is drained after the last.
    #[arg(long, default_value_t = 10_000, value_parser = whole::<u64>(10, MOST_CYCLES))]
    pub cycles: u64,
    /// Seed of all that is random.
    ///
    /// The same seed gives the same run on every machine, with any number of threads.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// Traffic pattern, in place of the file's.
    #[arg(long, alias = "pattern", value_parser = PossibleValuesParser::new(Pattern::OF_NETWORKS))]
    pub traffic: Option<String>,
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
    /// Share of barrier messages that get lost on each link, in place of the file's.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.5))]
    pub lost_messages: Option<f64>,
    /// Share of barrier messages of which each link flips a bit, in place of the file's.
    #[arg(long, value_name = "SHARE", value_parser = up_to(0.5))]
    pub corrupt_messages: Option<f64>,
}

/// Arguments of `network run`.
#[derive(Args, Debug)]
pub struct NetworkRunArgs {
    /// The network and its traffic.
    #[command(flatten)]
    pub setting: NetworkSetting,
    /// Offered load in flits for each node and cycle, in place of the file's.
    #[arg(long, value_parser = up_to(1.0))]
    pub load: Option<f64>,
    /// Threads that step the switches. Left out: one for each core.
    ///
    /// There are fewer where there are not enough switches for each. The report is the same.
    #[arg(long, value_name = "N", value_parser = count(1024))]
    pub threads: Option<NonZeroUsize>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network generate`.
#[derive(Args, Debug)]
pub struct NetworkGenerateArgs {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: Source,
    /// Folder to write: new, empty, or one that `generate` wrote before (it is replaced as a whole).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Name of the network: the top module is `<name>_network`. Left out: the file's name.
    #[arg(long)]
    pub name: Option<String>,
    /// Replace the folder even if files in it were edited by hand.
    #[arg(long)]
    pub force: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network verify`.
#[derive(Args, Debug)]
pub struct NetworkVerifyArgs {
    /// The run.
    #[command(flatten)]
    pub run: NetworkRunArgs,
    /// A design in place of fresh Verilog.
    #[command(flatten)]
    pub design: DesignArgs,
}
