//! What nodes send.

use railyard_bench::traffic::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The traffic of all nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Traffic {
    /// Where packets go.
    pub pattern: Pattern,
    /// Offered load in flits for each node and cycle.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub load: f64,
    /// Length of packets in flits. Left out: the longest that the switch takes.
    #[schemars(range(min = 1, max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// Share of the packets that are multicast packets, of nodes in a set (pattern `multicast`: all).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub multicast: f64,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic { pattern: Pattern::Uniform, load: 0.5, length: None, multicast: 0.0 }
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
}
