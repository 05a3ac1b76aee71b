//! How a packet's output port is found: routing by table, source or arithmetic, and what goes with each.

use super::dragonfly::DragonflyRouting;
use crate::crc::Crc;
use crate::polynomial::Polynomial;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

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
    /// By the digits of the destination in a Dragonfly: group, router and node name ports through tables in registers.
    Dragonfly(DragonflyRouting),
}

/// Parameters of table routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableRouting {
    /// Width of a destination address in bits.
    #[schemars(range(min = 8, max = 64))]
    pub address_bits: u32,

    /// Lookups that a virtual channel of a port may have in flight, counting those that wait for the CAM.
    /// Three keep the lookup pipeline full, and s + 2 with s > 1 stages of node reduction; each one more lets a further
    /// miss overlap. Left out: four, or what keeps the pipeline full if that is more.
    #[schemars(range(min = 1, max = 16))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lookups_per_vc: Option<u32>,

    /// The routing cache of each port; `null` sends every lookup to the CAM.
    pub cache: Option<Cache>,

    /// Node reduction in front of the cache: destinations that leave by the same link share one entry. `null`: each
    /// destination has its own.
    pub node_reduction: Option<NodeReduction>,

    /// A route may name the virtual channel on which the packet leaves; otherwise it is the packet's own.
    pub next_vc: bool,

    /// Candidate ports of a route: of several, the switch takes the one with the most credit (Hirasawa2022, 4.2.4).
    #[schemars(range(min = 1, max = 4))]
    pub candidates: u32,

    /// Groups of links that a route may name in place of a port.
    pub link_aggregation: Option<LinkAggregation>,

    /// A forwarding table on the chip, with precedence over the external CAM; `null` builds none.
    pub forwarding_table: Option<ForwardingTable>,

    /// The pins to an external CAM. Without them the forwarding table on the chip is all there is.
    pub external_cam: bool,

    /// A route, in a register, for addresses without a route in forwarding table or CAM.
    pub default_route: bool,

    /// Parity of the words of routing cache and forwarding table; `null` builds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parity: Option<Parity>,
}

/// Parity of memories that hold routes: a word with a wrong bit counts as empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Parity {
    /// The pins `cache_flip` and `table_flip`, which invert a stored bit in tests.
    pub fault_pins: bool,
}

/// The forwarding table on the chip: exact match, in memories. Each way has a place of its own for an address, given by
/// a slice of the hash, so that a table can be filled almost to the last entry (d-ary cuckoo hashing: Fotakis and
/// others, 2005).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ForwardingTable {
    /// Number of entries: a power of two.
    #[schemars(range(min = 16, max = 65536))]
    pub entries: u32,

    /// Memories, each with its own slice of the hash: 1, 2, 4 or 8.
    #[schemars(range(min = 1, max = 8))]
    pub ways: u32,

    /// Hash of the address; it must be wide enough for a slice for each way.
    #[schemars(with = "TableHash")]
    #[serde(deserialize_with = "table_hash")]
    pub hash: Hash,
}

/// Parameters of a port's routing cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Number of entries: a power of two.
    #[schemars(range(min = 16, max = 16384))]
    pub entries: u32,

    /// Entries of a set: 1, 2, 4, 8 or 16.
    #[schemars(range(min = 1, max = 16))]
    pub ways: u32,

    /// Which entry of a full set makes room for a new one.
    pub replacement: Replacement,

    /// Hash of the address; its low bits select the set.
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
#[serde(default, deny_unknown_fields)]
pub struct Hash {
    /// Width of the CRC in bits: at least the bits that select what it spreads over (a set, a link).
    #[schemars(range(min = 1, max = 64))]
    pub crc_bits: u32,

    /// Generator polynomial in hexadecimal without its leading term: CRC-16/CCITT is `0x1021`.
    pub polynomial: Polynomial,
}

/// [`Hash`] as it is read for a forwarding table, where what is left out has other defaults.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TableHash {
    /// Width of the CRC in bits: at least the bits that select an entry, times the ways.
    #[schemars(range(min = 1, max = 64))]
    crc_bits: u32,

    /// Generator polynomial in hexadecimal without its leading term.
    polynomial: Polynomial,
}

fn table_hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
    TableHash::deserialize(deserializer).map(|TableHash { crc_bits, polynomial }| Hash { crc_bits, polynomial })
}

/// Parameters of source routing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SourceRouting {
    /// Output ports that a header can list. All of them must fit into the first flit.
    #[schemars(range(min = 1, max = 64))]
    pub hops: u32,
}

/// Parameters of algorithmic routing (Hirasawa2022, 5.5): the key that node reduction makes of a destination names
/// the output port through a map in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlgorithmicRouting {
    /// Width of a destination address in bits.
    #[schemars(range(min = 8, max = 64))]
    pub address_bits: u32,

    /// The node reduction functions built in; which one is at work is a run-time setting.
    pub node_reduction: NodeReduction,

    /// A route may name the virtual channel on which the packet leaves; otherwise it is the packet's own. With the cube
    /// built in this adds the dateline setting.
    pub next_vc: bool,

    /// Virtual channels 2i and 2i + 1 are a pair, and a packet stays in its own. The lowest bit of the VC that a route
    /// names says which one of the pair. So the ways around the rings of a torus use all VCs.
    pub vc_pairs: bool,

    /// Groups of links that a route may name in place of a port.
    pub link_aggregation: Option<LinkAggregation>,
}

/// Link aggregation (Hirasawa2022, 5.2.1): parallel links to one neighbour, used as one. Which link a packet takes is
/// decided by the CRC of its destination, by the destination's low bits, or in turn, as set at run time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkAggregation {
    /// Number of groups.
    #[schemars(range(min = 1, max = 16))]
    pub groups: u32,

    /// Links that a group can have; `groups` times `links` is at most 512.
    #[schemars(range(min = 2, max = 64))]
    pub links: u32,

    /// Hash of the destination address; its low 8 bits select the link.
    pub hash: Hash,
}

/// Node reduction (Hirasawa2022, 5.2): destinations that leave a switch by the same link share one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NodeReduction {
    /// Families of topologies built in.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    pub topologies: Vec<Topology>,

    /// Widths built in, in bits, of the chunks into which an address is cut: 2, 3, 4, 6 or 8. A chunk is the coordinate
    /// in one dimension, a digit of a fat-tree node, or one of group, router and node of a Dragonfly.
    #[schemars(length(min = 1), inner(range(min = 2, max = 8)), extend("uniqueItems" = true))]
    pub chunk_bits: Vec<u32>,

    /// Pipeline stages, 1 to 3: each takes a cycle.
    #[schemars(range(min = 1, max = 3))]
    pub stages: u32,

    /// The radixes of a cube's dimensions that are built in.
    pub radix: Radix,
}

/// Radixes of a cube's dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Radix {
    /// Each dimension has its own, set at run time.
    #[default]
    Any,
    /// In a torus each dimension has as many positions as a chunk has values; in a mesh up to as many. Mesh or torus is
    /// set at run time. Mostly smaller, and faster: there is no second number to compare an address with.
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

impl Default for Routing {
    fn default() -> Self {
        Routing::Table(TableRouting::default())
    }
}
impl Default for TableRouting {
    fn default() -> Self {
        TableRouting {
            address_bits: 24,
            lookups_per_vc: None,
            cache: Some(Cache::default()),
            node_reduction: None,
            next_vc: false,
            candidates: 1,
            link_aggregation: None,
            forwarding_table: None,
            external_cam: true,
            default_route: false,
            parity: None,
        }
    }
}
impl TableRouting {
    /// Lookups in flight for each VC: as given, or four, or as many as keep the pipeline full if those are more.
    pub fn lookups(&self) -> u32 {
        let stages = self.node_reduction.as_ref().map_or(0, |reduction| reduction.stages);
        self.lookups_per_vc.unwrap_or_else(|| pipeline_lookups(stages).max(4))
    }
}

/// Lookups of a VC that keep a lookup pipeline full, with this many stages of node reduction in front of the cache.
pub(crate) fn pipeline_lookups(stages: u32) -> u32 {
    (stages + 2).max(3)
}

impl Default for ForwardingTable {
    fn default() -> Self {
        let TableHash { crc_bits, polynomial } = TableHash::default();
        ForwardingTable { entries: 1024, ways: 4, hash: Hash { crc_bits, polynomial } }
    }
}
impl Default for Cache {
    fn default() -> Self {
        Cache { entries: 2048, ways: 4, replacement: Replacement::default(), hash: Hash::default() }
    }
}
impl Default for Hash {
    fn default() -> Self {
        Hash { crc_bits: 16, polynomial: Polynomial(0x1021) }
    }
}
impl Default for TableHash {
    /// CRC-64 of D. T. Jones: addresses in even steps, too, spread over all of each slice.
    fn default() -> Self {
        TableHash { crc_bits: 64, polynomial: Polynomial(0xAD93_D235_94C9_35A9) }
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
            address_bits: 24,
            node_reduction: NodeReduction::default(),
            next_vc: false,
            vc_pairs: false,
            link_aggregation: None,
        }
    }
}
impl Default for NodeReduction {
    fn default() -> Self {
        NodeReduction { topologies: vec![Topology::Cube], chunk_bits: vec![4], stages: 1, radix: Radix::default() }
    }
}
impl Default for LinkAggregation {
    fn default() -> Self {
        LinkAggregation { groups: 4, links: 4, hash: Hash::default() }
    }
}
impl Default for SourceRouting {
    fn default() -> Self {
        SourceRouting { hops: 3 }
    }
}
