//! What stands around the switch in `<name>_chip`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands around the switch in the top module `<name>_chip`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Chip {
    /// A reset synchronizer: the reset pin acts at once, and ends two rising edges of the clock after it was released.
    pub reset_synchronizer: bool,

    /// What reaches the registers of the switch.
    pub register_port: RegisterPort,

    /// AXI4-Streams at ports, in place of flits and credits; `null` builds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<Streams>,
}

/// What reaches the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegisterPort {
    /// The APB port of the switch.
    #[default]
    Apb,
    /// An AXI4-Lite port.
    AxiLite,
    /// Nothing: every setting keeps its reset value. Events, counters, groups, and tables and settings of routes need
    /// a port.
    None,
}

/// AXI4-Streams into and out of ports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Streams {
    /// The ports that are streams, ascending. Left out: all.
    #[schemars(length(min = 1, max = 64), inner(range(max = 63)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u32>>,

    /// A packet enters the switch with its first beat, and not only when it is whole. Its source must not pause inside
    /// a packet: the pause would hold an output of the switch.
    pub cut_through: bool,
}
