//! Tables and multicast trees as a JSON file.
//!
//! ```json
//! {
//!   "routes": [[0, 1, [2, 1], null], ...],
//!   "trees": [{ "members": [0, 1, 3], "root": 5, "ports": [[0, [1, 4]], [5, [0, 1]]] }]
//! }
//! ```
//!
//! `routes` has a list for each switch, in it for each destination a port, `[port, VC]`, or `null` for no way. A tree has its members,
//! its root, and for each of its switches its ports.

use super::{Hop, Tables};
use crate::multicast::Tree;
use crate::wiring::Wiring;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TablesFile {
    /// For each switch, for each destination: a port, [port, VC], or null.
    pub routes: Vec<Vec<Option<Entry>>>,
    /// Multicast trees, for groups 0 and up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeEntry>,
}

/// A route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Entry {
    /// The port; the packet stays on its VC.
    Port(usize),
    /// The port, and the VC of the next link.
    PortAndVc(usize, usize),
}

/// A multicast tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeEntry {
    /// The nodes that it joins.
    pub members: Vec<usize>,
    /// Its root switch.
    pub root: usize,
    /// Its switches, each with its ports.
    pub ports: Vec<(usize, Vec<usize>)>,
}

/// An entry does not exist in the network: a JSON pointer, the value, and the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} {rule}")]
pub struct TablesError {
    /// Where.
    pub path: String,
    /// What stands there.
    pub value: String,
    /// What is wrong.
    pub rule: String,
}

impl TablesFile {
    /// A network's tables, to be written.
    pub fn new(tables: &Tables, trees: &[Tree]) -> TablesFile {
        let entry = |hop: Hop| match hop.vc {
            None => Entry::Port(hop.port),
            Some(vc) => Entry::PortAndVc(hop.port, vc),
        };
        let row = |switch| (0..tables.nodes()).map(|node| tables.hop(switch, node).map(entry)).collect();
        TablesFile {
            routes: (0..tables.switches()).map(row).collect(),
            trees: trees.iter().map(Tree::to_entry).collect(),
        }
    }

    /// The tables, for that wiring of switches with so many VCs; `next_vc` says whether routes can name one.
    ///
    /// # Errors
    /// A list is too long or too short; a port or VC does not exist.
    pub fn tables(&self, wiring: &Wiring, vcs: usize, next_vc: bool) -> Result<Tables, TablesError> {
        let error = |path: String, value: String, rule: String| Err(TablesError { path, value, rule });
        let (switches, nodes) = (wiring.switches(), wiring.nodes().len());
        if self.routes.len() != switches {
            return error(
                "/routes".into(),
                self.routes.len().to_string(),
                format!("lists, but there are {switches} switches"),
            );
        }
        let mut tables = Tables::new(switches, nodes, |_, _| None);
        for (switch, row) in self.routes.iter().enumerate() {
            if row.len() != nodes {
                let rule = format!("entries, but there are {nodes} nodes");
                return error(format!("/routes/{switch}"), row.len().to_string(), rule);
            }
            for (node, entry) in row.iter().enumerate() {
                let hop = entry.map(|entry| match entry {
                    Entry::Port(port) => Hop { port, vc: None },
                    Entry::PortAndVc(port, vc) => Hop { port, vc: Some(vc) },
                });
                let path = || format!("/routes/{switch}/{node}");
                match hop {
                    Some(Hop { port, .. }) if port >= wiring.ports() => {
                        return error(path(), port.to_string(), format!("is no port: there are {}", wiring.ports()));
                    }
                    Some(Hop { vc: Some(vc), .. }) if !next_vc => {
                        return error(path(), vc.to_string(), "is a VC, and the switch's routes can't name one".into());
                    }
                    Some(Hop { vc: Some(vc), .. }) if vc >= vcs => {
                        return error(path(), vc.to_string(), format!("is no VC: there are {vcs}"));
                    }
                    hop => tables.set(switch, node, hop),
                }
            }
        }
        Ok(tables)
    }

    /// The trees.
    ///
    /// # Errors
    /// A node, switch or port does not exist, or is not wired.
    pub fn trees(&self, wiring: &Wiring) -> Result<Vec<Tree>, TablesError> {
        let tree = |(i, entry): (usize, &TreeEntry)| {
            Tree::from_entry(entry, wiring).map_err(|(value, rule)| TablesError {
                path: format!("/trees/{i}"),
                value,
                rule,
            })
        };
        self.trees.iter().enumerate().map(tree).collect()
    }
}
