//! The arguments of `network`.

use super::value::{count, up_to, whole, MOST_CYCLES};
use super::{DesignArgs, NetworkCurveArgs, NetworkExportArgs, NetworkImportArgs, NetworkSetting, PackageArgs};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use railyard_input::InputSource;
use railyard_spec::legal::MAX_VCS;
use railyard_spec::misrouting::Policy;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard network check fat_tree.json
      reachability, deadlock, sizes
  railyard network run fat_tree.json --load 0.7 --cycles 20000
      throughput and latency, every packet checked
  railyard network run fat_tree.json --traffic-file app.trace.gz
      packets of a program, from a file
  railyard network curve fat_tree.json -o curve
      the same at rising load, with pictures
  railyard network run dawning.json --barriers 0.01
      barriers of all nodes beside it
  railyard network generate fat_tree.json -o my_network
      all of it as Verilog: switches, links, top
  railyard network verify fat_tree.json --cycles 2000
      that Verilog in lock-step with the golden models
  railyard network vcs lglgl
      VCs of a Dragonfly with adaptive routing
  railyard network import fabric.txt --from ibnetdiscover -o fabric.json
      a network from another tool's file
  railyard network export fat_tree.json --to dot
      the network for another tool

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
    Run(NetworkMeasureArgs),
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
    /// Show which virtual channels the hops of a Dragonfly may use, so that adaptive routing is free of deadlock.
    ///
    /// REQUESTS is the sequence of all VCs by which minimal ways climb: l for a VC of local links, g for one of global
    /// links.
    #[command(
        after_long_help = "Examples:\n  railyard network vcs lglgl\n  railyard network vcs lglgl --replies lgl\n  \
        railyard network vcs lgl --local 4 --global 2\n  railyard network vcs lglgl --network dragonfly.json --in-transit mm"
    )]
    Vcs(NetworkVcsArgs),
    /// Make a network file of another tool's file.
    #[command(after_long_help = super::exchange::IMPORT_EXAMPLES)]
    Import(NetworkImportArgs),
    /// Write it for another tool: as a graph, or as a platform for simulations of programs.
    #[command(after_long_help = super::exchange::EXPORT_EXAMPLES)]
    Export(NetworkExportArgs),
}

/// Arguments of `network vcs`.
#[derive(Args, Debug)]
pub struct NetworkVcsArgs {
    /// Link classes of the VCs of requests, in order.
    #[arg(value_name = "REQUESTS")]
    pub requests: String,
    /// Link classes of the VCs of replies. Left out: all packets are of one class.
    #[arg(long, value_name = "LETTERS", default_value = "")]
    pub replies: String,
    /// VCs of a local link. Left out: as many as there are letters.
    #[arg(long, value_name = "VCS", value_parser = whole::<usize>(1, MAX_VCS as u64))]
    pub local: Option<usize>,
    /// VCs of a global link. Left out: as many as there are letters.
    #[arg(long, value_name = "VCS", value_parser = whole::<usize>(1, MAX_VCS as u64))]
    pub global: Option<usize>,
    /// JSON file of a Dragonfly in which all choices of packets are followed, to look for deadlock.
    #[arg(long, value_name = "FILE")]
    pub network: Option<InputSource>,
    /// Policy of detours in transit.
    ///
    /// `crg`: groups at the switch. `nrg`: groups at other switches of the group. `rrg`: any group. `mm`: `crg` at
    /// the source, then `nrg`. Left out: no detours.
    #[arg(long, value_name = "POLICY", requires = "network", value_parser = PossibleValuesParser::new(Policy::NAMES))]
    pub in_transit: Option<String>,
    /// Where sources may send packets first: to any switch of another group, or to another group.
    #[arg(long, value_name = "VIA", requires = "network", value_parser = PossibleValuesParser::new(["switch", "group"]))]
    pub valiant: Option<String>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network check`.
#[derive(Args, Debug)]
pub struct NetworkCheckArgs {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: InputSource,
    /// Write tables, multicast trees and barrier trees to this file, a new one.
    ///
    /// A network file can name it as its `tables`.
    #[arg(long, value_name = "FILE")]
    pub write_tables: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network run` and `network verify`.
#[derive(Args, Debug)]
pub struct NetworkRunArgs {
    /// The network and its traffic.
    #[command(flatten)]
    pub setting: NetworkSetting,
    /// Offered load in flits for each node and cycle, in place of the file's.
    #[arg(long, value_parser = up_to(1.0))]
    pub load: Option<f64>,
    /// Packets from a file, or `-` for standard input, in place of the file's traffic.
    ///
    /// A line each: `cycle source destination flits [vc]`, with nodes as source and destination. `#` begins a comment.
    /// The file may be packed by gzip. Figures are of all its packets.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "load", "length", "burst", "replies"])]
    pub traffic_file: Option<InputSource>,
    /// Threads that step the switches. Left out: one for each core.
    ///
    /// There are fewer where there are not enough switches for each. The report is the same.
    #[arg(long, value_name = "N", value_parser = count(1024))]
    pub threads: Option<NonZeroUsize>,
    /// Add figures of each link, virtual channel and switch to the JSON answer.
    #[arg(long, requires = "json")]
    pub details: bool,
    /// Show figures for each so many of the measured cycles.
    #[arg(long, value_name = "CYCLES", value_parser = whole::<u64>(1, MOST_CYCLES))]
    pub series: Option<u64>,
    /// Split latencies into the minimal way, misrouting, waits at local and global links, and injection.
    ///
    /// Switches must have Dragonfly routing.
    #[arg(long)]
    pub latency_parts: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network run` alone.
#[derive(Args, Debug)]
pub struct NetworkMeasureArgs {
    /// The run.
    #[command(flatten)]
    pub run: NetworkRunArgs,
    /// Write the packets to this CSV file, a line each: nodes, VC, flits, cycles made, in and out.
    ///
    /// Packets of the warm-up are there, too. `group` in place of `destination` is that of a multicast packet.
    #[arg(long, value_name = "FILE")]
    pub packets: Option<PathBuf>,
}

/// Arguments of `network generate`.
#[derive(Args, Debug)]
pub struct NetworkGenerateArgs {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: InputSource,
    /// Folder to write: new, empty, or one that `generate` wrote before (it is replaced as a whole).
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Name of the network: the top module is `<name>_network`. Left out: the file's name.
    #[arg(long)]
    pub name: Option<String>,
    /// Files beside the Verilog.
    #[command(flatten)]
    pub package: PackageArgs,
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
