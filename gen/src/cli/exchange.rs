//! The arguments of `network import` and `network export`.

use super::value::{megahertz, whole};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use railyard_input::InputSource;
use railyard_network::import::Format;
use std::path::PathBuf;

/// What `import --help` shows last.
pub const IMPORT_EXAMPLES: &str = "\
Examples:
  railyard network import anynet_file --from anynet -o network.json
  railyard network import fabric.txt --from ibnetdiscover --lid-tables lfts.txt -o fabric.json
  railyard network import zoo.graphml --from graphml --nodes-per-switch 2 -o zoo.json
  railyard network import topology.conf --from topology-conf --uplinks 4 -o cluster.json";

/// What `export --help` shows last.
pub const EXPORT_EXAMPLES: &str = "\
Examples:
  railyard network export fat_tree.json --to dot | dot -Tsvg > fat_tree.svg
  railyard network export fat_tree.json --to simgrid --clock 1000 -o platform.xml";

/// Arguments of `network import`.
#[derive(Args, Debug)]
pub struct NetworkImportArgs {
    /// File of the other tool, or `-` for standard input.
    #[arg(value_name = "FILE")]
    pub file: InputSource,
    /// Its format.
    #[arg(long, value_name = "FORMAT")]
    pub from: ImportFormat,
    /// Network file to write, a new one.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Switch of the network: a preset, or a file beside the network file.
    ///
    /// Left out: a description with table routing and as many ports as the network needs.
    #[arg(long, value_name = "SWITCH")]
    pub switch: Option<String>,
    /// `ibnetdiscover`: dump of the forwarding tables of all switches.
    ///
    /// Its routes go into a file beside the network file: that of `fabric.json` is `fabric_tables.json`.
    #[arg(long, value_name = "FILE")]
    pub lid_tables: Option<InputSource>,
    /// `graphml`: make all vertices switches with so many nodes each.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1, 63))]
    pub nodes_per_switch: Option<usize>,
    /// `topology-conf`: links from a switch to one above.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1, 63), default_value_t = 1)]
    pub uplinks: usize,
    /// Answer as JSON, with the names of switches and nodes by number.
    #[arg(long)]
    pub json: bool,
}

/// A format that can be read, by its name on the command line.
#[derive(Clone, Copy, Debug)]
pub struct ImportFormat(pub Format);

impl ValueEnum for ImportFormat {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [ImportFormat; 4] = [
            ImportFormat(Format::AnyNet),
            ImportFormat(Format::IbNetDiscover),
            ImportFormat(Format::GraphMl),
            ImportFormat(Format::TopologyConf),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Format::AnyNet => "BookSim's file for its topology `anynet`",
            Format::IbNetDiscover => "output of `ibnetdiscover` for an InfiniBand network",
            Format::GraphMl => "GraphML, an undirected graph",
            Format::TopologyConf => "Slurm's topology.conf of the plugin topology/tree",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ImportFormat {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self.0 {
            Format::AnyNet => "anynet",
            Format::IbNetDiscover => "ibnetdiscover",
            Format::GraphMl => "graphml",
            Format::TopologyConf => "topology-conf",
        }
    }
}

/// Arguments of `network export`.
#[derive(Args, Debug)]
pub struct NetworkExportArgs {
    /// JSON file with the network, or `-` for standard input.
    #[arg(value_name = "NETWORK")]
    pub network: InputSource,
    /// Format to write.
    #[arg(long, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// File to write, a new one. Left out: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// `simgrid`: clock in MHz, by which cycles become time.
    #[arg(long, value_name = "MHZ", value_parser = megahertz(100_000), default_value_t = 1000.0)]
    pub clock: f64,
    /// `simgrid`: leave the routes to SimGrid, which takes shortest ways.
    ///
    /// Left out: the routes of the tables, for up to 512 nodes.
    #[arg(long)]
    pub shortest: bool,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A graph in the language of Graphviz
    Dot,
    /// A platform file of SimGrid
    Simgrid,
}
