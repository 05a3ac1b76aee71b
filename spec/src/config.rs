//! The configuration: what a user writes in the JSON file.
//!
//! Ranges stated here (`schemars(range)`) are enforced by [`Config::from_json`] through the generated schema; rules
//! that join several fields are in `rules.rs`.

mod chip;
mod dragonfly;
mod routing;

pub use chip::{Chip, RegisterPort, Streams};
pub use dragonfly::{
    Adaptive, Arbitration, ArbitrationPolicy, DragonflyRouting, PortClass, PortClasses, ReferenceVcs, Via,
};
pub use routing::{
    AlgorithmicRouting, Cache, ForwardingTable, Hash, LinkAggregation, NodeReduction, Parity, Radix, Replacement,
    Routing, SourceRouting, TableRouting, Topology,
};

pub(crate) use routing::pipeline_lookups;

use crate::reset::Reset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A switch description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Railyard switch description")]
pub struct Config {
    /// Name of the design. The top module of the generated Verilog is `<name>_switch`.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]{0,39}$"))]
    pub name: String,

    /// Number of bidirectional ports.
    #[schemars(range(min = 2, max = 64))]
    #[serde(default = "default_ports")]
    pub ports: u32,

    /// Width of a flit in bits, without the side-band signals (valid, VC, head, tail).
    #[schemars(range(min = 16, max = 512))]
    #[serde(default = "default_flit_bits")]
    pub flit_bits: u32,

    /// Virtual channels of each link, by the traffic they carry.
    #[serde(default)]
    pub virtual_channels: VirtualChannels,

    /// Multicast, if there is a mixed virtual channel.
    #[serde(default)]
    pub multicast: Multicast,

    /// Barriers, if there is a barrier virtual channel.
    #[serde(default)]
    pub barrier: Barrier,

    /// Packet sizes.
    #[serde(default)]
    pub packet: Packet,

    /// Depth of each virtual channel's input buffer in flits: a power of two, at least two maximum packets, with
    /// Dragonfly routing at least one. Left out: four maximum packets, rounded up to a power of two, and at least 16
    /// flits.
    #[schemars(range(min = 2, max = 4096))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_flits: Option<u32>,

    /// How a receiver tells a sender that buffer space has become free.
    #[serde(default)]
    pub flow_control: FlowControl,

    /// Structure of the crossbar and its arbiters.
    #[serde(default)]
    pub crossbar: Crossbar,

    /// Unit in which the virtual channels of an output share its link.
    #[serde(default)]
    pub link_arbitration: LinkArbitration,

    /// Depth of the output queues in flits: a power of two. Each output has a queue for each plane of the crossbar, so
    /// planes need not wait for the link. Left out: no queues.
    #[schemars(range(min = 2, max = 64))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_queue_flits: Option<u32>,

    /// How a packet's output port is found.
    #[serde(default)]
    pub routing: Routing,

    /// The APB port and the registers behind it, if the switch has anything to set. Without them every setting keeps
    /// its reset value.
    #[serde(default = "default_registers")]
    pub registers: bool,

    /// Event counters of each port and virtual channel, read through the registers; `null` builds none.
    #[serde(default)]
    pub counters: Option<Counters>,

    /// Registers that keep what happened and at which ports, and the pin `event_interrupt`.
    #[serde(default)]
    pub events: bool,

    /// How all registers are reset.
    #[serde(default)]
    pub reset: Reset,

    /// Error correction of the VC buffers; `null` builds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_ecc: Option<BufferEcc>,

    /// Pins that go from the top to each memory, for macros of a memory compiler; `null` builds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_pins: Option<MemoryPins>,

    /// A top module `<name>_chip`, which joins the switch with what stands around it; `null` builds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chip: Option<Chip>,
}

/// Error correction of the VC buffers: one wrong bit of a flit is corrected, two mark its packet as bad.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BufferEcc {
    /// The pin `rx_flip`, which inverts stored bits in tests.
    pub fault_pins: bool,
}

/// Pins of the memories: `memory_sleep`, and `memory_test` for what else a macro has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryPins {
    /// Width of `memory_test`: self-test, margins, repair, or whatever the macros need.
    #[schemars(range(min = 1, max = 64))]
    pub test_bits: u32,
}

/// Event counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Counters {
    /// Width of a counter in bits; it wraps around.
    #[schemars(range(min = 8, max = 32))]
    pub bits: u32,
}

/// Virtual channels by kind of traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VirtualChannels {
    /// Virtual channels for unicast packets.
    #[schemars(range(min = 1, max = 8))]
    pub unicast: u32,

    /// A further virtual channel for multicast packets, which unicast packets can use as well: 0 or 1.
    #[schemars(range(min = 0, max = 1))]
    pub mixed: u32,

    /// A further virtual channel for barrier messages, which goes before all others: 0 or 1.
    #[schemars(range(min = 0, max = 1))]
    pub barrier: u32,
}

/// Multicast, if there is a mixed virtual channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Multicast {
    /// Groups of the group table, which each port has in a memory.
    #[schemars(range(min = 2, max = 4096))]
    pub groups: u32,

    /// Parity of the words of the group tables; `null` builds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parity: Option<GroupParity>,
}

/// Parity of group tables: a packet whose group has a word with a wrong bit is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroupParity {
    /// The pin `group_flip`, which inverts a stored bit in tests.
    pub fault_pins: bool,
}

/// Barriers, if there is a barrier virtual channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Barrier {
    /// Barrier groups, each with its own settings and state.
    #[schemars(range(min = 1, max = 64))]
    pub groups: u32,
}

/// Packet sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Packet {
    /// Longest packet in flits, header included. Virtual cut-through sends a packet on only when the next buffer has
    /// room for one of this size.
    #[schemars(range(min = 1, max = 256))]
    pub max_flits: u32,
}

/// Credit scheme of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// The receiver reports the running total of flits it has freed: a lost report is made good by the next one.
    #[default]
    Absolute,
    /// The receiver reports the number of flits freed in one cycle: a lost report is lost buffer space.
    Relative,
}

/// Structure of the crossbar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Crossbar {
    /// One N x N plane for each virtual channel, with 1:N arbiters; the planes of an output share its link.
    #[default]
    Parallel,
    /// One kN x N plane for all k virtual channels, with 1:kN arbiters.
    Single,
}

/// Unit of link sharing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkArbitration {
    /// A packet keeps the link until its tail has left.
    #[default]
    Packet,
    /// The virtual channels take turns flit by flit (parallel crossbar only).
    Flit,
}

fn default_ports() -> u32 {
    16
}
fn default_flit_bits() -> u32 {
    64
}
fn default_registers() -> bool {
    true
}

impl Default for VirtualChannels {
    fn default() -> Self {
        VirtualChannels { unicast: 2, mixed: 0, barrier: 0 }
    }
}
impl Default for Packet {
    fn default() -> Self {
        Packet { max_flits: 8 }
    }
}
impl Default for Multicast {
    fn default() -> Self {
        Multicast { groups: 256, parity: None }
    }
}
impl Default for Barrier {
    fn default() -> Self {
        Barrier { groups: 32 }
    }
}
impl Default for MemoryPins {
    fn default() -> Self {
        MemoryPins { test_bits: 8 }
    }
}
impl Default for Counters {
    fn default() -> Self {
        Counters { bits: 32 }
    }
}
impl Config {
    /// The default switch (the seeds' 16 ports, table routing) under the given name.
    pub fn named(name: &str) -> Self {
        Config {
            name: name.into(),
            ports: default_ports(),
            flit_bits: default_flit_bits(),
            virtual_channels: VirtualChannels::default(),
            multicast: Multicast::default(),
            barrier: Barrier::default(),
            packet: Packet::default(),
            buffer_flits: None,
            flow_control: FlowControl::default(),
            crossbar: Crossbar::default(),
            link_arbitration: LinkArbitration::default(),
            output_queue_flits: None,
            routing: Routing::default(),
            registers: default_registers(),
            counters: None,
            events: false,
            reset: Reset::default(),
            buffer_ecc: None,
            memory_pins: None,
            chip: None,
        }
    }
}
