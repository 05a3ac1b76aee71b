//! The arguments of `study`.

use super::value::whole;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use railyard_input::InputSource;
use railyard_study::{DragonflySize, NetworkSize, Ranks, STUDIES};
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard study --list
  railyard study conflict-misses -o figures
      the table; CSV, JSON and SVG in figures/
  railyard study trace --traffic-file packets.txt --torus 8x8x4
      the same for packets of your own
  railyard study unicast-network --nodes 1024
      a network of the published size
  railyard study contention --h 4
      a Dragonfly of 1,056 nodes
  railyard study applications --ranks 256
      MPI applications, by SimGrid

A trace is text, a line a packet: the numbers of its source and its destination node. `#` starts a comment.";

/// Arguments of `study`.
#[derive(Args, Debug)]
pub struct StudyArgs {
    /// The study.
    #[arg(value_name = "NAME", required_unless_present = "list", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(STUDIES.iter().map(|study| study.name)))]
    pub name: Option<String>,
    /// List the studies.
    #[arg(long, conflicts_with_all = ["name", "output", "traffic_file", "nodes", "h", "ranks", "nas"])]
    pub list: bool,
    /// Folder for the tables as CSV and JSON and the pictures as SVG. Files of the same study are replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Seed of all that is random: the same seed gives the same bytes.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: u64,
    /// Study `trace`: packets from this file, or `-` for standard input, in place of communication patterns.
    #[arg(long, alias = "trace", value_name = "FILE")]
    pub traffic_file: Option<InputSource>,
    /// The torus that these packets cross.
    #[arg(long, value_name = "KxKxK", default_value = "4x4x4", requires = "traffic_file")]
    pub torus: String,
    /// Study `applications`: the NAS benchmarks in this folder (NPB3.3-MPI or NPB3.4-MPI), in place of communication
    /// skeletons. They are built in a copy.
    #[arg(long, value_name = "DIR")]
    pub nas: Option<PathBuf>,
    /// Size of the network.
    #[command(flatten)]
    pub size: StudySize,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The size of the network of a study.
#[derive(Args, Debug)]
pub struct StudySize {
    /// Studies that run a fat tree of three levels: its nodes. Left out: 128; the published network has 1024.
    #[arg(long, value_name = "N", value_parser = network_size())]
    pub nodes: Option<NetworkSize>,
    /// Studies that run a Dragonfly: global links of a switch. Left out: 2; 1 is a quick look. The published network
    /// has 8.
    #[arg(long, value_name = "H", value_parser = dragonfly_size())]
    pub h: Option<DragonflySize>,
    /// Study `applications`: ranks, a node each. Left out: 64; 16 is a quick look. The published networks have up
    /// to 256.
    #[arg(long, value_name = "N", value_parser = ranks())]
    pub ranks: Option<Ranks>,
}

/// A parser of sizes of networks.
fn network_size() -> impl TypedValueParser<Value = NetworkSize> {
    let size = |nodes: String| NetworkSize::ALL.into_iter().find(|size| size.nodes().to_string() == nodes);
    PossibleValuesParser::new(NetworkSize::ALL.map(|size| size.nodes().to_string()))
        .map(move |nodes| size(nodes).expect("one of the possible values"))
}

/// A parser of sizes of Dragonflies.
fn dragonfly_size() -> impl TypedValueParser<Value = DragonflySize> {
    let size = |h: String| DragonflySize::ALL.into_iter().find(|size| size.h().to_string() == h);
    PossibleValuesParser::new(DragonflySize::ALL.map(|size| size.h().to_string()))
        .map(move |h| size(h).expect("one of the possible values"))
}

/// A parser of numbers of ranks.
fn ranks() -> impl TypedValueParser<Value = Ranks> {
    let of = |number: String| Ranks::ALL.into_iter().find(|ranks| ranks.number().to_string() == number);
    PossibleValuesParser::new(Ranks::ALL.map(|ranks| ranks.number().to_string()))
        .map(move |number| of(number).expect("one of the possible values"))
}
