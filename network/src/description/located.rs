//! Where in the network file, or in a file that it names, the reason stands why a network can't be built.

use super::{DescriptionError, NetworkFile, Sets};
use crate::algorithm::AlgorithmError;
use crate::barrier::BarrierTreeError;
use crate::blueprint::{Algorithm, BlueprintError};
use crate::check::Unreachable;
use crate::multicast::TreeError;
use crate::placement::PlacementError;
use crate::tables::{TablesFile, TooFewVcs};
use crate::topology::{Links, Topology};
use railyard_input::Fault;
use railyard_spec::Routing;
use serde_json::{json, Value};
use std::path::PathBuf;

/// Most virtual channels for unicast packets of a switch.
const MAX_VCS: usize = 8;

/// What was read.
pub(super) struct Sources<'a> {
    /// The network file, a wiring file put in its place.
    pub description: &'a NetworkFile,
    /// How the switches route.
    pub routing: &'a Routing,
    /// Where the wiring was read from, if not from the network file.
    pub wiring: Option<PathBuf>,
    /// Where the tables were read from, and what stands there.
    pub tables: Option<(PathBuf, TablesFile)>,
    /// Number of nodes, once there is a wiring.
    pub nodes: usize,
}

impl Sources<'_> {
    /// The fault by path, value, rule and legal value.
    pub fn locate(&self, error: BlueprintError) -> DescriptionError {
        match error {
            BlueprintError::Topology(faults) => {
                let prefix = if self.wiring.is_some() { "" } else { "/topology" };
                let inside = |fault: Fault| Fault { path: format!("{prefix}{}", fault.path), ..fault };
                DescriptionError { file: self.wiring.clone(), faults: faults.map(inside) }
            }
            BlueprintError::Algorithm(error) => self.algorithm(&error),
            BlueprintError::Unreachable(error) => self.unreachable(&error),
            BlueprintError::Member { tree, error } => {
                let (rule, legal) = (format!("leaves {error}"), "a tree that joins each member to the others once");
                match self.tables.as_ref().filter(|(_, read)| !read.trees.is_empty()) {
                    Some((file, read)) => {
                        DescriptionError::of(&format!("/trees/{tree}"), json!(read.trees[tree]), rule, legal)
                            .inside(file)
                    }
                    None => DescriptionError::of("/multicast/sets", self.written("/multicast/sets"), rule, legal),
                }
            }
            BlueprintError::Deadlock(error) => {
                let rule = format!("can {error}");
                match &self.tables {
                    Some((file, _)) => {
                        DescriptionError::of("/routes", "routes and trees", rule, "no ring of channels").inside(file)
                    }
                    None => DescriptionError::of("/tables", self.written("/tables"), rule, self.without_ring()),
                }
            }
            BlueprintError::Choices(error) => {
                let rule = format!("does not keep the network free of deadlock: {error}");
                let legal = "masks as after reset and a `patience` above 0; with `allow_deadlock` it runs all the same";
                DescriptionError::of("/adaptive", self.written("/adaptive"), rule, legal)
            }
            BlueprintError::NoVc { switch, node } => {
                let (path, rule) = (format!("/layers/{switch}/{node}"), "names no virtual channel of unicast packets");
                let listed = self.tables.as_ref().and_then(|(_, read)| read.layers.get(switch)?.get(node));
                let error = DescriptionError::of(&path, json!(listed), rule, "[0]");
                self.tables.iter().fold(error, |error, (file, _)| error.inside(file))
            }
            BlueprintError::Tree { group, error } => {
                let legal = match error {
                    TreeError::NoNode(_) => self.all_nodes(),
                    TreeError::Alone => "[0, 1]".into(),
                    TreeError::NoWay { .. } => "nodes below the same switch of the top level".into(),
                };
                let sets = self.description.multicast.as_ref().and_then(|multicast| multicast.sets.as_ref());
                self.set("/multicast/sets", sets, group, error.to_string(), legal)
            }
            BlueprintError::BarrierTree { group, error } => self.barrier_tree(group, error),
            BlueprintError::NoBarrier => self.barriers("needs a switch with a barrier virtual channel", "leave it out"),
            BlueprintError::BarrierGroups { needed, groups } => {
                let rule = format!("makes {needed} groups, and the switch has {groups}");
                self.barriers(&rule, &format!("up to {groups} groups"))
            }
            BlueprintError::NoMulticast => {
                self.trees("needs a switch with a mixed virtual channel and registers", "leave it out")
            }
            BlueprintError::NoMixed => {
                let rule = "needs a switch with a mixed virtual channel";
                DescriptionError::of("/unicast_on_mixed", "true", rule, "false")
            }
            BlueprintError::Groups { needed, groups } => {
                let rule = format!("makes {needed} trees, and the switch has {groups} groups");
                self.trees(&rule, &format!("up to {groups} trees, which are `roots` for each group"))
            }
            BlueprintError::TooFar { hops, .. } => {
                self.switch(&error, format!("`routing.hops` of {hops} or more, or table routing"))
            }
            BlueprintError::NoRoom(error) => {
                self.switch(&error, format!("a forwarding table for {} routes, or an external CAM", error.routes))
            }
            BlueprintError::Addresses { nodes, needed, bits } => {
                let rule = format!("{nodes} nodes need addresses of {needed} bits, and they have {bits}");
                self.switch(rule, format!("`routing.address_bits` of {needed} or more"))
            }
            BlueprintError::Placement(error @ PlacementError::OtherTables) if self.tables.is_some() => {
                DescriptionError::of("/tables", self.written("/tables"), error.to_string(), "\"computed\"")
            }
            BlueprintError::Placement(error @ PlacementError::OtherTables)
                if self.description.algorithm != Algorithm::ByTopology =>
            {
                DescriptionError::of("/algorithm", self.written("/algorithm"), error.to_string(), "\"by_topology\"")
            }
            BlueprintError::Placement(PlacementError::Fault(fault)) => {
                DescriptionError { file: None, faults: fault.into() }
            }
            BlueprintError::Placement(error) => self.switch(error, "a switch with source or table routing"),
            BlueprintError::NoLink(_) => {
                DescriptionError::of("/topology", self.written("/topology"), error.to_string(), "a link")
            }
        }
    }

    /// What of the network file or the switch leaves no ring of channels.
    fn without_ring(&self) -> &'static str {
        let is_ring = matches!(self.description.topology, Topology::Torus(_) | Topology::Dragonfly(_))
            && self.description.algorithm == Algorithm::ByTopology;
        match self.routing {
            Routing::Source(_) if is_ring => {
                "\"algorithm\": \"up_down\", or \"shortest\" with 2 or more unicast VCs, or tables without a ring from a file"
            }
            Routing::Table(_) if is_ring => {
                "a switch with `routing.next_vc` and 2 unicast VCs, or \"algorithm\": \"up_down\", or \"shortest\" with 2 or \
                 more unicast VCs"
            }
            Routing::Algorithmic(_) if is_ring => "a switch with `routing.next_vc` and 2 unicast VCs",
            _ => "tables from a file without a ring of channels",
        }
    }

    fn algorithm(&self, error: &AlgorithmError) -> DescriptionError {
        let legal = match error {
            AlgorithmError::TooFewVcs(TooFewVcs { needed, .. }) if *needed <= MAX_VCS => {
                format!("\"up_down\", or a switch with `virtual_channels.unicast` of {needed}")
            }
            _ => "\"up_down\"".into(),
        };
        let rule = match error {
            AlgorithmError::NoGrid(error) => error.to_string(),
            AlgorithmError::TooFewVcs(error) => format!("does not do: {error}"),
        };
        DescriptionError::of("/algorithm", self.written("/algorithm"), rule, legal)
    }

    fn unreachable(&self, error: &Unreachable) -> DescriptionError {
        let rule = format!("leaves {error}");
        if let Some((file, read)) = &self.tables {
            let (switch, node) = (error.switch, error.destination);
            let (path, value) = (format!("/routes/{switch}/{node}"), json!(read.routes[switch][node]));
            return DescriptionError::of(&path, value, rule, format!("a port on a way to node {node}")).inside(file);
        }
        let Topology::Wiring(Links { roots: Some(roots), .. }) = &self.description.topology else {
            let value = self.written("/topology/kind");
            return DescriptionError::of("/topology/kind", value, rule, "links that join all switches");
        };
        let legal = "roots of which one has ways down to all nodes; left out, they are found";
        match &self.wiring {
            Some(file) => DescriptionError::of("/roots", json!(roots), rule, legal).inside(file),
            None => DescriptionError::of("/topology/roots", json!(roots), rule, legal),
        }
    }

    /// What stands at a path of the network file.
    fn written(&self, path: &str) -> String {
        json!(self.description).pointer(path).unwrap_or(&Value::Null).to_string()
    }

    fn all_nodes(&self) -> String {
        format!("nodes 0 to {}", self.nodes.saturating_sub(1))
    }

    /// The switch is too small for the network.
    fn switch(&self, rule: impl ToString, legal: impl Into<String>) -> DescriptionError {
        let rule = format!("does not suffice: {}", rule.to_string());
        DescriptionError::of("/switch", self.written("/switch"), rule, legal)
    }

    /// A group has no tree.
    fn set(&self, path: &str, sets: Option<&Sets>, group: usize, why: String, legal: String) -> DescriptionError {
        let path = match sets {
            Some(Sets::Lists(_)) => format!("{path}/{group}"),
            _ => path.into(),
        };
        let value = self.written(&path);
        let value = if value == "null" { "\"all\"".into() } else { value };
        DescriptionError::of(&path, value, format!("has no tree: {why}"), legal)
    }

    fn barrier_tree(&self, group: usize, error: BarrierTreeError) -> DescriptionError {
        if let Some((file, read)) = self.tables.as_ref().filter(|(_, read)| !read.barriers.is_empty()) {
            let (path, value) = (format!("/barriers/{group}"), json!(read.barriers[group]));
            let legal = "a tree from the root to each member, whose leaves lead to members alone";
            return DescriptionError::of(&path, value, format!("is no tree: {error}"), legal).inside(file);
        }
        let legal = match error {
            BarrierTreeError::NoNode(_) => self.all_nodes(),
            _ => "[0, 1]".into(),
        };
        let sets = self.description.barriers.as_ref().and_then(|barriers| barriers.sets.as_ref());
        self.set("/barriers/sets", sets, group, error.to_string(), legal)
    }

    /// All barrier groups.
    fn barriers(&self, rule: &str, legal: &str) -> DescriptionError {
        match self.tables.as_ref().filter(|(_, read)| !read.barriers.is_empty()) {
            Some((file, read)) => DescriptionError::of("/barriers", json!(read.barriers), rule, legal).inside(file),
            None => DescriptionError::of("/barriers", self.written("/barriers"), rule, legal),
        }
    }

    /// All multicast groups.
    fn trees(&self, rule: &str, legal: &str) -> DescriptionError {
        match self.tables.as_ref().filter(|(_, read)| !read.trees.is_empty()) {
            Some((file, read)) => DescriptionError::of("/trees", json!(read.trees), rule, legal).inside(file),
            None => DescriptionError::of("/multicast", self.written("/multicast"), rule, legal),
        }
    }
}
