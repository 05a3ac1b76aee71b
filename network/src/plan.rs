//! What is to be built of a network.

use crate::adaptive::AdaptiveSettings;
use crate::barrier::BarrierTree;
use crate::multicast::Tree;
use crate::tables::Tables;
use crate::topology::Topology;
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How routing tables are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Tori, meshes and HyperX: dimension order. Dragonflies: minimal. Fat trees and wirings: up*/down*.
    #[default]
    ByTopology,
    /// Up zero or more links, then down: free of rings on one virtual channel.
    UpDown,
    /// Shortest ways. Nodes send on those virtual channels on which their ways close no ring.
    Shortest,
    /// Meshes, tori, wirings that are such, and HyperX: one dimension after the other.
    DimensionOrder,
}

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The switch.
    pub shape: Shape,
    /// The topology, any file read.
    pub topology: Topology,
    /// How tables are computed.
    pub algorithm: Algorithm,
    /// Tables in place of computed ones.
    pub tables: Option<Tables>,
    /// Trees in place of computed ones, each a group of its own.
    pub trees: Option<Vec<Tree>>,
    /// Members of each group whose trees are computed.
    pub sets: Vec<Vec<usize>>,
    /// Candidate roots of a group, at most.
    pub candidates: usize,
    /// Unicast packets use the mixed VC, too.
    pub unicast_on_mixed: bool,
    /// Members of each barrier group whose tree is computed.
    pub barriers: Vec<Vec<usize>>,
    /// Barrier trees in place of computed ones, each of a group of its own.
    pub barrier_trees: Option<Vec<BarrierTree>>,
    /// Settings of Dragonfly routing.
    pub adaptive: AdaptiveSettings,
}

impl Plan {
    /// Switches wired in a topology, with all computed by it, and without groups.
    pub fn new(shape: Shape, topology: Topology) -> Plan {
        Plan {
            shape,
            topology,
            algorithm: Algorithm::ByTopology,
            tables: None,
            trees: None,
            sets: Vec::new(),
            candidates: 1,
            unicast_on_mixed: false,
            barriers: Vec::new(),
            barrier_trees: None,
            adaptive: AdaptiveSettings::default(),
        }
    }
}
