//! Tables, multicast trees and barrier trees as a JSON file.
//!
//! `routes` has a list for each switch, in it for each destination a port, `[port, VC]`, or `null` for no way. `layers`
//! has a list of the same form with the VCs on which the switch's nodes send. A tree has its members,
//! its root, and for each of its switches its ports. A barrier tree says of each of its switches which ports are leaves
//! and which one leads to the parent. An example stands on the page `networks` of the book.

use super::entry::{TablesError, TreeEntry};
use super::{Hop, Tables};
use crate::barrier::{BarrierTree, BarrierTreeEntry};
use crate::multicast::Tree;
use crate::wiring::Wiring;
use railyard_model::bits::ones;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TablesFile {
    /// For each switch, for each destination: a port, [port, VC], or null.
    pub routes: Vec<Vec<Option<Entry>>>,
    /// For each switch, for each destination: the VCs on which nodes of the switch send to it. Left out: all for
    /// unicast packets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Vec<Vec<usize>>>,
    /// Multicast trees, for groups 0 and up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeEntry>,
    /// Barrier trees, for barrier groups 0 and up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<BarrierTreeEntry>,
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

impl TablesFile {
    /// A network's tables, to be written.
    pub fn new(tables: &Tables, trees: &[Tree], barriers: &[BarrierTree]) -> TablesFile {
        let entry = |hop: Hop| match hop.vc {
            None => Entry::Port(hop.port),
            Some(vc) => Entry::PortAndVc(hop.port, vc),
        };
        let row = |switch| (0..tables.nodes()).map(|node| tables.hop(switch, node).map(entry)).collect();
        let vcs = |switch| (0..tables.nodes()).map(|node| ones(tables.sending(switch, node)).collect()).collect();
        let layered = 0..if tables.has_layers() { tables.switches() } else { 0 };
        TablesFile {
            routes: (0..tables.switches()).map(row).collect(),
            layers: layered.map(vcs).collect(),
            trees: trees.iter().map(Tree::to_entry).collect(),
            barriers: barriers.iter().map(BarrierTree::to_entry).collect(),
        }
    }

    /// The tables, for that wiring of switches with so many VCs; `next_vc` says whether routes can name one.
    ///
    /// # Errors
    /// A list is too long or too short; a port or VC does not exist.
    pub fn tables(&self, wiring: &Wiring, vcs: usize, next_vc: bool) -> Result<Tables, TablesError> {
        let (switches, nodes) = (wiring.switches(), wiring.nodes().len());
        are_whole("/routes", &self.routes, wiring)?;
        let mut tables = Tables::new(switches, nodes, |_, _| None);
        for (switch, row) in self.routes.iter().enumerate() {
            for (node, entry) in row.iter().enumerate() {
                let hop = entry.map(|entry| match entry {
                    Entry::Port(port) => Hop { port, vc: None },
                    Entry::PortAndVc(port, vc) => Hop { port, vc: Some(vc) },
                });
                let error = |value: usize, rule: String, legal: String| {
                    Err(TablesError::new(format!("/routes/{switch}/{node}"), value, rule, legal))
                };
                let below = |count: usize| format!("0 to {}", count - 1);
                match hop {
                    Some(Hop { port, .. }) if port >= wiring.ports() => {
                        let ports = wiring.ports();
                        return error(port, format!("is no port: there are {ports}"), below(ports));
                    }
                    Some(Hop { vc: Some(vc), port }) if !next_vc => {
                        let rule = "is a VC, and the switch's routes can't name one".into();
                        return error(vc, rule, format!("{port}, the port alone"));
                    }
                    Some(Hop { vc: Some(vc), .. }) if vc >= vcs => {
                        return error(vc, format!("is no VC: there are {vcs}"), below(vcs));
                    }
                    hop => tables.set(switch, node, hop),
                }
            }
        }
        self.read_layers(wiring, vcs, &mut tables)?;
        Ok(tables)
    }

    fn read_layers(&self, wiring: &Wiring, vcs: usize, tables: &mut Tables) -> Result<(), TablesError> {
        if self.layers.is_empty() {
            return Ok(());
        }
        are_whole("/layers", &self.layers, wiring)?;
        for (switch, row) in self.layers.iter().enumerate() {
            for (node, list) in row.iter().enumerate() {
                if let Some((at, vc)) = list.iter().enumerate().find(|(_, vc)| **vc >= vcs) {
                    let path = format!("/layers/{switch}/{node}/{at}");
                    return Err(TablesError::new(
                        path,
                        vc,
                        format!("is no VC: there are {vcs}"),
                        format!("0 to {}", vcs - 1),
                    ));
                }
                tables.send_on(switch, node, list.iter().fold(0, |mask, vc| mask | 1 << vc));
            }
        }
        Ok(())
    }

    /// The trees.
    ///
    /// # Errors
    /// A node, switch or port does not exist, or is not wired.
    pub fn trees(&self, wiring: &Wiring) -> Result<Vec<Tree>, TablesError> {
        let tree = |(i, entry): (usize, &TreeEntry)| {
            Tree::from_entry(entry, wiring).map_err(|error| error.inside(&format!("/trees/{i}")))
        };
        self.trees.iter().enumerate().map(tree).collect()
    }

    /// The barrier trees. Whether they are trees, [`BarrierTree::check`] tells.
    ///
    /// # Errors
    /// A node, switch or port does not exist, is not wired, or stands there twice; there are two roots.
    pub fn barriers(&self, wiring: &Wiring) -> Result<Vec<BarrierTree>, TablesError> {
        let tree = |(i, entry): (usize, &BarrierTreeEntry)| {
            BarrierTree::from_entry(entry, wiring).map_err(|error| error.inside(&format!("/barriers/{i}")))
        };
        self.barriers.iter().enumerate().map(tree).collect()
    }
}

/// Whether there is a list for each switch, with an entry for each node.
fn are_whole<T>(path: &str, lists: &[Vec<T>], wiring: &Wiring) -> Result<(), TablesError> {
    let (switches, nodes) = (wiring.switches(), wiring.nodes().len());
    if lists.len() != switches {
        let rule = format!("lists, but there are {switches} switches");
        return Err(TablesError::new(path, lists.len(), rule, format!("{switches} lists")));
    }
    match lists.iter().enumerate().find(|(_, row)| row.len() != nodes) {
        Some((switch, row)) => {
            let rule = format!("entries, but there are {nodes} nodes");
            Err(TablesError::new(format!("{path}/{switch}"), row.len(), rule, format!("{nodes} entries")))
        }
        None => Ok(()),
    }
}
