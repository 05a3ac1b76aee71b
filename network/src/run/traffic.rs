//! What nodes send.

use super::{Graph500Traffic, Matrix};
use railyard_bench::traffic::{Burst, Pattern};
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replies that a node holds if nothing is said.
const REPLY_PLACES: u32 = 4;

/// The traffic of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Traffic {
    /// Where packets go.
    pub pattern: Pattern,
    /// Further patterns, each with its share of the packets; the other packets follow `pattern`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mix: Vec<Part>,
    /// Other patterns from a cycle of the run on, in the order of the cycles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Phase>,
    /// Who sends how much to whom, in place of patterns and rates: a file, or a list of [source, destination, weight].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Matrix>,
    /// A weight for each node: nodes send in proportion to them, and `load` is the mean of all. Empty: all alike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<f64>,
    /// Packets from a file beside the network file, in place of all other traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A breadth-first search of Graph500, in place of all other traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph500: Option<Graph500Traffic>,
    /// Offered load in flits for each node and cycle.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub load: f64,
    /// Packets come in bursts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Burst>,
    /// A node answers each unicast packet by one to its source. Both together make the offered load.
    pub replies: bool,
    /// With requests and replies as classes of packets: how many replies a node holds. It takes a request only if it
    /// has a place for the reply, which the reply keeps until the node begins to send it. Left out: 4.
    #[schemars(range(min = 1, max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_places: Option<u32>,
    /// Length of packets in flits. Left out: the longest that the switch takes.
    #[schemars(range(min = 1, max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// Share of the packets that are multicast packets, of nodes in a set (pattern `multicast`: all).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub multicast: f64,
}

/// A pattern among others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Where its packets go.
    pub pattern: Pattern,
    /// Its share of the packets.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
}

/// Patterns from a cycle on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Cycle of the run.
    pub cycle: u64,
    /// Where packets go from then on.
    pub pattern: Pattern,
    /// Further patterns, each with its share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mix: Vec<Part>,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic {
            pattern: Pattern::Uniform,
            mix: Vec::new(),
            changes: Vec::new(),
            matrix: None,
            rates: Vec::new(),
            file: None,
            graph500: None,
            load: 0.5,
            burst: None,
            replies: false,
            reply_places: None,
            length: None,
            multicast: 0.0,
        }
    }
}

impl Traffic {
    /// Share of the packets that are multicast packets, by whichever field.
    pub fn multicast_share(&self) -> f64 {
        if self.pattern == Pattern::Multicast {
            1.0
        } else {
            self.multicast
        }
    }

    /// Replies that a node of switches of that shape holds; none: however many, or there are none.
    pub(crate) fn reply_places(&self, shape: &Shape) -> Option<u32> {
        let has_classes = shape.dragonfly().is_some_and(|built| built.reference().has_replies());
        (self.replies && has_classes).then(|| self.reply_places.unwrap_or(REPLY_PLACES))
    }

    /// The patterns from the first cycle on, and those after each change.
    pub fn phases(&self) -> Vec<Phase> {
        let first = Phase { cycle: 0, pattern: self.pattern, mix: self.mix.clone() };
        std::iter::once(first).chain(self.changes.iter().cloned()).collect()
    }
}
