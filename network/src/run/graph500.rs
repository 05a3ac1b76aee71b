//! Breadth-first searches of Graph500 as traffic.

use super::RunError;
use railyard_bench::traffic::{Graph500Constants, Graph500Graph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search by processes, a node each. It is all the traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Graph500Traffic {
    /// Logarithm of the number of vertices, to base 2.
    #[schemars(range(min = 1, max = 40))]
    pub scale: u32,
    /// Edges for each vertex.
    #[serde(default = "default_edge_factor")]
    #[schemars(range(min = 1, max = 1024))]
    pub edge_factor: u32,
    /// Queries of a message, which is a packet.
    #[serde(default = "default_coalescing")]
    #[schemars(range(min = 1, max = 65_536))]
    pub coalescing: u32,
    /// Cycles that a process needs to make a query, or to answer one.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub query_cycles: f64,
    /// Processes, at the first nodes. Left out: one at each node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 65_536))]
    pub processes: Option<usize>,
    /// Degree of the root. Left out: drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 1e15))]
    pub root_degree: Option<f64>,
    /// What is explored at each level.
    #[serde(default)]
    pub constants: Graph500Constants,
}

fn default_edge_factor() -> u32 {
    16
}

fn default_coalescing() -> u32 {
    256
}

/// Levels of a fit, at the most.
const MOST_LEVELS: usize = 16;

/// Magnitude of a fit's numbers, at the most: powers of e stay numbers.
const GREATEST: f64 = 1e3;

impl Graph500Traffic {
    /// The graph.
    pub fn graph(&self) -> Graph500Graph {
        Graph500Graph { scale: self.scale, edge_factor: self.edge_factor }
    }

    /// Processes in a network with so many nodes.
    pub fn processes(&self, nodes: usize) -> usize {
        self.processes.unwrap_or(nodes)
    }
}

/// Checks a search in a network with so many nodes.
///
/// # Errors
/// The first reason why it can't be.
pub(super) fn check(search: &Graph500Traffic, nodes: usize) -> Result<(), RunError> {
    let processes = search.processes(nodes);
    if !(2..=nodes).contains(&processes) {
        let rule = format!("must be a number of processes from 2 on, a node each: there are {nodes} nodes");
        return RunError::of("/traffic/graph500/processes", processes, rule, nodes.max(2).to_string());
    }
    let Graph500Constants::Fitted(levels) = &search.constants else { return Ok(()) };
    if !(1..=MOST_LEVELS).contains(&levels.len()) {
        let rule = format!("must have a fit for each of 1 to {MOST_LEVELS} levels");
        return RunError::of("/traffic/graph500/constants/fitted", format!("{} levels", levels.len()), rule, "1 level");
    }
    let numbers = levels.iter().flat_map(|level| [level.a, level.b, level.c, level.deviation]);
    match numbers.into_iter().find(|number| !(-GREATEST..=GREATEST).contains(number)) {
        Some(number) => {
            let rule = format!("must be a number of a fit, -{GREATEST} to {GREATEST}");
            RunError::of("/traffic/graph500/constants/fitted", number, rule, "0")
        }
        None => Ok(()),
    }
}
