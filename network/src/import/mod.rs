//! Networks from other tools' files.
//!
//! Each format has a file of its own. It gives switches, links and nodes by name to a `Fabric`, which numbers them
//! and finds a port for each link that has none.

mod anynet;
mod fabric;
mod forwarding;
mod graphml;
mod host_list;
mod ibnetdiscover;
mod lines;
mod topology_conf;

#[cfg(test)]
mod tests;

pub use forwarding::Lids;

use crate::description::{named_switch, DescriptionError, NetworkFile};
use crate::tables::TablesFile;
use crate::topology::Links;
use railyard_input::Faults;
use serde_json::{json, Value};
use std::path::Path;

/// A file format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The file of BookSim's topology `anynet`.
    AnyNet,
    /// Output of `ibnetdiscover`.
    IbNetDiscover,
    /// GraphML.
    GraphMl,
    /// Slurm's `topology.conf`, of the plugin `topology/tree`.
    TopologyConf,
}

/// What a file does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extra {
    /// GraphML: nodes that each vertex gets. All vertices are switches then.
    pub nodes_per_switch: Option<usize>,
    /// Slurm: links from a switch to the one above.
    pub uplinks: usize,
}

impl Default for Extra {
    fn default() -> Extra {
        Extra { nodes_per_switch: None, uplinks: 1 }
    }
}

/// A network from another tool's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The wiring.
    pub links: Links,
    /// Cycles of links without a latency of their own, if the file says so.
    pub link_latency: Option<u64>,
    /// Ports that a switch needs.
    pub ports: usize,
    /// Names of the switches, by number.
    pub switches: Vec<String>,
    /// Names of the nodes, by number.
    pub nodes: Vec<String>,
    /// InfiniBand: what forwarding tables are read with.
    pub lids: Option<Lids>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Reads a file.
///
/// # Errors
/// The file is none of that format, or no network. Paths name its lines.
pub fn import(format: Format, text: &str, extra: Extra) -> Result<Imported, Faults> {
    match format {
        Format::AnyNet => anynet::read(text),
        Format::IbNetDiscover => ibnetdiscover::read(text),
        Format::GraphMl => graphml::read(text, extra.nodes_per_switch),
        Format::TopologyConf => topology_conf::read(text, extra.uplinks),
    }
}

impl Imported {
    /// The tables of a dump of forwarding tables, as `dump_lfts.sh`, `dump_fts` and OpenSM write it.
    ///
    /// # Errors
    /// The dump is none, or of another network. Paths name its lines.
    pub fn tables(&self, dump: &str) -> Result<TablesFile, Faults> {
        forwarding::read(dump, self)
    }

    /// Whether a network file in `folder` can name that switch.
    ///
    /// # Errors
    /// It is neither a preset nor a file there, no switch of a network, or has too few ports.
    pub fn check_switch(&self, name: &str, folder: &Path) -> Result<(), DescriptionError> {
        named_switch(name, self.ports, folder).map(drop)
    }

    /// The network file. Without a `switch` it has a description with table routing and as many ports as are needed.
    pub fn network_file(&self, switch: Option<&str>, tables: Option<&str>) -> String {
        let own = json!({ "name": "imported", "ports": self.ports.max(2), "routing": { "kind": "table" } });
        let mut file = json!({ "switch": switch.map_or(own, Value::from) });
        file["topology"] = json!({ "kind": "wiring" });
        let links = serde_json::to_value(&self.links).expect("links are plain data");
        let Value::Object(links) = links else { unreachable!("links are an object") };
        file["topology"].as_object_mut().expect("it is one").extend(links);
        if let Some(latency) = self.link_latency {
            file["link_latency"] = latency.into();
        }
        if let Some(tables) = tables {
            file["tables"] = tables.into();
        }
        debug_assert!(serde_json::from_value::<NetworkFile>(file.clone()).is_ok());
        file.to_string() + "\n"
    }
}
