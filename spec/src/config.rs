//! The configuration: what a user writes in the JSON file.
//!
//! Ranges stated here (`schemars(range)`) are enforced by [`Config::from_json`] through the generated schema; rules
//! that join several fields are in `rules.rs`.

use crate::crc::Crc;
use crate::polynomial::Polynomial;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

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

    /// Depth of each virtual channel's input buffer in flits: a power of two, at least two maximum packets.
    /// Left out: four maximum packets, rounded up to a power of two.
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

    /// How a packet's output port is found.
    #[serde(default)]
    pub routing: Routing,

    /// The APB port and the registers behind it, if the switch has anything to set. Without them every setting keeps its reset value.
    #[serde(default = "default_registers")]
    pub registers: bool,

    /// Event counters of each port and virtual channel, read through the registers; `null` builds none.
    #[serde(default)]
    pub counters: Option<Counters>,
}

/// Event counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Width of a counter in bits; it wraps around.
    #[schemars(range(min = 8, max = 32))]
    #[serde(default = "default_counter_bits")]
    pub bits: u32,
}

/// Virtual channels by kind of traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VirtualChannels {
    /// Virtual channels for unicast packets.
    #[schemars(range(min = 1, max = 8))]
    #[serde(default = "default_unicast")]
    pub unicast: u32,

    /// A further virtual channel for multicast packets, which unicast packets can use as well: 0 or 1.
    #[schemars(range(min = 0, max = 1))]
    #[serde(default)]
    pub mixed: u32,

    /// A further virtual channel for barrier messages, which goes before all others: 0 or 1.
    #[schemars(range(min = 0, max = 1))]
    #[serde(default)]
    pub barrier: u32,
}

/// Multicast, if there is a mixed virtual channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Multicast {
    /// Groups of the group table, which each port has in a memory.
    #[schemars(range(min = 2, max = 4096))]
    #[serde(default = "default_multicast_groups")]
    pub groups: u32,
}

/// Barriers, if there is a barrier virtual channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Barrier groups, each with its own settings and state.
    #[schemars(range(min = 1, max = 64))]
    #[serde(default = "default_barrier_groups")]
    pub groups: u32,
}

/// Packet sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// Longest packet in flits, header included. Virtual cut-through sends a packet on only when the next buffer has
    /// room for one of this size.
    #[schemars(range(min = 1, max = 256))]
    #[serde(default = "default_max_flits")]
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

/// How a packet's output port is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Routing {
    /// By destination address: a routing cache in each input port, in front of an external CAM.
    Table(TableRouting),
    /// By the sender: the header lists one output port for each hop.
    Source(SourceRouting),
    /// By arithmetic on the destination address (node reduction), without table, cache or CAM.
    Algorithmic(AlgorithmicRouting),
}

/// Parameters of table routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableRouting {
    /// Width of a destination address in bits.
    #[schemars(range(min = 8, max = 64))]
    #[serde(default = "default_address_bits")]
    pub address_bits: u32,

    /// Lookups that a virtual channel of a port may have in flight, counting those that wait for the CAM.
    /// Three keep the lookup pipeline full; each one more lets a further miss overlap.
    #[schemars(range(min = 1, max = 16))]
    #[serde(default = "default_lookups_per_vc")]
    pub lookups_per_vc: u32,

    /// The routing cache of each port; `null` sends every lookup to the CAM.
    #[serde(default = "default_cache")]
    pub cache: Option<Cache>,

    /// Node reduction in front of the cache: destinations that leave by the same link share one entry. `null`: each destination has its own.
    #[serde(default)]
    pub node_reduction: Option<NodeReduction>,

    /// A route may name the virtual channel on which the packet leaves; otherwise it is the packet's own.
    #[serde(default)]
    pub next_vc: bool,

    /// Candidate ports of a route: of several, the switch takes the one with the most credit (seed 000 section 4.2.4).
    #[schemars(range(min = 1, max = 4))]
    #[serde(default = "default_candidates")]
    pub candidates: u32,

    /// Groups of links that a route may name in place of a port.
    #[serde(default)]
    pub link_aggregation: Option<LinkAggregation>,

    /// A forwarding table on the chip, which is asked before the external CAM; `null` builds none.
    #[serde(default)]
    pub forwarding_table: Option<ForwardingTable>,

    /// The pins to an external CAM. Without them the forwarding table on the chip is all there is.
    #[serde(default = "default_external_cam")]
    pub external_cam: bool,

    /// A route, in a register, for addresses that neither forwarding table nor CAM knows.
    #[serde(default)]
    pub default_route: bool,
}

/// The forwarding table on the chip: exact match, in memories. Each way has a place of its own for an address, given by a slice of
/// the hash, so that a table can be filled almost to the last entry (d-ary cuckoo hashing: Fotakis and others, 2005).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForwardingTable {
    /// Number of entries: a power of two.
    #[schemars(range(min = 16, max = 65536))]
    #[serde(default = "default_table_entries")]
    pub entries: u32,

    /// Memories, each with its own slice of the hash: 1, 2, 4 or 8.
    #[schemars(range(min = 1, max = 8))]
    #[serde(default = "default_ways")]
    pub ways: u32,

    /// Hash of the address; it must be wide enough for a slice for each way.
    #[schemars(with = "TableHash")]
    #[serde(default = "default_table_hash", deserialize_with = "table_hash")]
    pub hash: Hash,
}

/// Parameters of a port's routing cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Number of entries: a power of two.
    #[schemars(range(min = 16, max = 16384))]
    #[serde(default = "default_entries")]
    pub entries: u32,

    /// Entries of a set: 1, 2, 4, 8 or 16.
    #[schemars(range(min = 1, max = 16))]
    #[serde(default = "default_ways")]
    pub ways: u32,

    /// Which entry of a full set makes room for a new one.
    #[serde(default)]
    pub replacement: Replacement,

    /// Hash of the address; its low bits select the set.
    #[serde(default)]
    pub hash: Hash,
}

/// Replacement policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The least recently used entry: exact order, w (w - 1) / 2 bits a set of w ways.
    #[default]
    Lru,
    /// Tree of bits, each pointing away from the half used last: w - 1 bits a set.
    PseudoLru,
    /// The entries of a set in turn: log2 w bits a set.
    RoundRobin,
    /// Any entry, by a linear feedback shift register.
    Random,
}

/// The CRC that spreads addresses over the sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hash {
    /// Width of the CRC in bits.
    #[schemars(range(min = 1, max = 64))]
    #[serde(default = "default_crc_bits")]
    pub crc_bits: u32,

    /// Generator polynomial in hexadecimal without its leading term: CRC-16/CCITT is `0x1021`.
    #[serde(default = "default_polynomial")]
    pub polynomial: Polynomial,
}

/// [`Hash`] as it is read for a forwarding table, where what is left out has other defaults.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableHash {
    /// Width of the CRC in bits.
    #[schemars(range(min = 1, max = 64))]
    #[serde(default = "default_table_crc_bits")]
    crc_bits: u32,

    /// Generator polynomial in hexadecimal without its leading term.
    #[serde(default = "default_table_polynomial")]
    polynomial: Polynomial,
}

fn table_hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
    TableHash::deserialize(deserializer).map(|TableHash { crc_bits, polynomial }| Hash { crc_bits, polynomial })
}

/// Parameters of source routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceRouting {
    /// Output ports that a header can list. All of them must fit into the first flit.
    #[schemars(range(min = 1, max = 64))]
    #[serde(default = "default_hops")]
    pub hops: u32,
}

/// Parameters of algorithmic routing (seed 000 section 5.5): the key that node reduction makes of a destination names
/// the output port through a map in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlgorithmicRouting {
    /// Width of a destination address in bits.
    #[schemars(range(min = 8, max = 64))]
    #[serde(default = "default_address_bits")]
    pub address_bits: u32,

    /// The node reduction functions built in; which one is at work is a run-time setting.
    #[serde(default)]
    pub node_reduction: NodeReduction,

    /// A route may name the virtual channel on which the packet leaves; otherwise it is the packet's own. With the cube
    /// built in this adds the dateline setting.
    #[serde(default)]
    pub next_vc: bool,

    /// Groups of links that a route may name in place of a port.
    #[serde(default)]
    pub link_aggregation: Option<LinkAggregation>,
}

/// Link aggregation (seed 000 section 5.2.1): parallel links to one neighbour, used as one. Which link a packet takes is decided by
/// the CRC of its destination, by the destination's low bits, or in turn, as set at run time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkAggregation {
    /// Number of groups.
    #[schemars(range(min = 1, max = 16))]
    #[serde(default = "default_groups")]
    pub groups: u32,

    /// Links that a group can have.
    #[schemars(range(min = 2, max = 16))]
    #[serde(default = "default_links")]
    pub links: u32,

    /// Hash of the destination address; its low 8 bits select the link.
    #[serde(default)]
    pub hash: Hash,
}

/// Node reduction (seed 000 section 5.2): destinations that leave a switch by the same link share one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeReduction {
    /// Families of topologies built in.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    #[serde(default = "default_topologies")]
    pub topologies: Vec<Topology>,

    /// Widths built in, in bits, of the chunks into which an address is cut: 2, 3, 4, 6 or 8. A chunk is the coordinate in
    /// one dimension, a digit of a fat-tree node, or one of group, router and node of a Dragonfly.
    #[schemars(length(min = 1), inner(range(min = 2, max = 8)), extend("uniqueItems" = true))]
    #[serde(default = "default_chunk_bits")]
    pub chunk_bits: Vec<u32>,

    /// Pipeline stages, 1 to 3: each takes a cycle.
    #[schemars(range(min = 1, max = 3))]
    #[serde(default = "default_stages")]
    pub stages: u32,

    /// The radixes of a cube's dimensions that are built in.
    #[serde(default)]
    pub radix: Radix,
}

/// Radixes of a cube's dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Radix {
    /// Each dimension has its own, set at run time.
    #[default]
    Any,
    /// In a torus each dimension has as many positions as a chunk has values; in a mesh up to as many. Mesh or torus is set at run time. Mostly
    /// smaller, and faster: there is no second number to compare an address with.
    Full,
}

/// A family of topologies that one node reduction function serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// k-ary n-mesh and k-ary n-torus, dimension-order routing; each dimension has its own k.
    Cube,
    /// k-ary n-tree, up*/down* routing.
    FatTree,
    /// Groups of routers of nodes, minimal routing.
    Dragonfly,
}

fn default_multicast_groups() -> u32 {
    256
}
fn default_barrier_groups() -> u32 {
    32
}
fn default_counter_bits() -> u32 {
    32
}
fn default_external_cam() -> bool {
    true
}
fn default_table_entries() -> u32 {
    1024
}
fn default_table_crc_bits() -> u32 {
    64
}
fn default_table_polynomial() -> Polynomial {
    // CRC-64 of D. T. Jones: addresses in even steps, too, spread over all of each slice.
    Polynomial(0xAD93_D235_94C9_35A9)
}
fn default_table_hash() -> Hash {
    Hash { crc_bits: default_table_crc_bits(), polynomial: default_table_polynomial() }
}
fn default_candidates() -> u32 {
    1
}
fn default_groups() -> u32 {
    4
}
fn default_links() -> u32 {
    4
}
fn default_registers() -> bool {
    true
}
fn default_topologies() -> Vec<Topology> {
    vec![Topology::Cube]
}
fn default_chunk_bits() -> Vec<u32> {
    vec![4]
}
fn default_stages() -> u32 {
    1
}
fn default_ports() -> u32 {
    16
}
fn default_flit_bits() -> u32 {
    64
}
fn default_unicast() -> u32 {
    2
}
fn default_max_flits() -> u32 {
    8
}
fn default_address_bits() -> u32 {
    24
}
fn default_lookups_per_vc() -> u32 {
    4
}
fn default_cache() -> Option<Cache> {
    Some(Cache::default())
}
fn default_entries() -> u32 {
    2048
}
fn default_ways() -> u32 {
    4
}
fn default_crc_bits() -> u32 {
    16
}
fn default_polynomial() -> Polynomial {
    Polynomial(0x1021)
}
fn default_hops() -> u32 {
    3
}

impl Default for VirtualChannels {
    fn default() -> Self {
        VirtualChannels { unicast: default_unicast(), mixed: 0, barrier: 0 }
    }
}
impl Default for Packet {
    fn default() -> Self {
        Packet { max_flits: default_max_flits() }
    }
}
impl Default for Routing {
    fn default() -> Self {
        Routing::Table(TableRouting::default())
    }
}
impl Default for TableRouting {
    fn default() -> Self {
        TableRouting {
            address_bits: default_address_bits(),
            lookups_per_vc: default_lookups_per_vc(),
            cache: default_cache(),
            node_reduction: None,
            next_vc: false,
            candidates: default_candidates(),
            link_aggregation: None,
            forwarding_table: None,
            external_cam: default_external_cam(),
            default_route: false,
        }
    }
}
impl Default for Multicast {
    fn default() -> Self {
        Multicast { groups: default_multicast_groups() }
    }
}
impl Default for Barrier {
    fn default() -> Self {
        Barrier { groups: default_barrier_groups() }
    }
}
impl Default for Counters {
    fn default() -> Self {
        Counters { bits: default_counter_bits() }
    }
}
impl Default for ForwardingTable {
    fn default() -> Self {
        ForwardingTable { entries: default_table_entries(), ways: default_ways(), hash: default_table_hash() }
    }
}
impl Default for Cache {
    fn default() -> Self {
        Cache {
            entries: default_entries(),
            ways: default_ways(),
            replacement: Replacement::default(),
            hash: Hash::default(),
        }
    }
}
impl Default for Hash {
    fn default() -> Self {
        Hash { crc_bits: default_crc_bits(), polynomial: default_polynomial() }
    }
}
impl Hash {
    /// The CRC that this hash describes.
    pub fn crc(&self) -> Crc {
        Crc { bits: self.crc_bits, polynomial: self.polynomial.0 }
    }
}
impl Default for AlgorithmicRouting {
    fn default() -> Self {
        AlgorithmicRouting {
            address_bits: default_address_bits(),
            node_reduction: NodeReduction::default(),
            next_vc: false,
            link_aggregation: None,
        }
    }
}
impl Default for NodeReduction {
    fn default() -> Self {
        NodeReduction {
            topologies: default_topologies(),
            chunk_bits: default_chunk_bits(),
            stages: default_stages(),
            radix: Radix::default(),
        }
    }
}
impl Default for LinkAggregation {
    fn default() -> Self {
        LinkAggregation { groups: default_groups(), links: default_links(), hash: Hash::default() }
    }
}
impl Default for SourceRouting {
    fn default() -> Self {
        SourceRouting { hops: default_hops() }
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
            routing: Routing::default(),
            registers: default_registers(),
            counters: None,
        }
    }
}
