//! Routing of a Dragonfly: digits of the destination name ports through three tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Dragonfly routing: minimal ways by three tables in registers, and virtual channels by a reference
/// sequence (FlexVC: Fuentes2017, 5.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DragonflyRouting {
    /// Ports by the kind of their link. Ports to nodes come first, then those to other switches of the group, then
    /// those to other groups.
    pub port_classes: PortClasses,

    /// Groups for which the group table has entries. Left out: a h + 1, the most that the global links of a group of a
    /// switches reach.
    #[schemars(range(min = 2, max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u32>,

    /// Bits of the destination's group in a header.
    #[schemars(range(min = 1, max = 8))]
    pub group_bits: u32,

    /// Bits of the destination's router in a header.
    #[schemars(range(min = 1, max = 5))]
    pub router_bits: u32,

    /// Bits of the destination's node in a header.
    #[schemars(range(min = 1, max = 5))]
    pub node_bits: u32,

    /// The virtual channels of local and global links, in the order in which minimal ways climb them.
    pub vcs: ReferenceVcs,

    /// Build the rules that choose among the legal virtual channels by their room, beside the one that climbs them.
    pub flexible_vcs: bool,

    /// Build the rule, too, that chooses among those with room by chance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_vcs: bool,

    /// Ways other than the minimal one; `null` builds none.
    pub adaptive: Option<Adaptive>,

    /// Which of the packets that request an output gets it.
    #[serde(skip_serializing_if = "Arbitration::is_default")]
    pub arbitration: Arbitration,

    /// Bits of a packet's age in its header: cycles since it was made, as far as they fit; `null` builds no ages.
    #[schemars(range(min = 4, max = 24))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_bits: Option<u32>,
}

/// How outputs choose among the packets that request them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Arbitration {
    /// Policy of all arbiters.
    pub policy: ArbitrationPolicy,

    /// Build the setting by which packets from other switches go before those from nodes.
    pub transit_first: bool,
}

/// Policy of arbiters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArbitrationPolicy {
    /// The search starts behind the last winner.
    #[default]
    RoundRobin,
    /// The one that has not won for the longest time.
    LeastRecent,
    /// The packet with the greatest age.
    Oldest,
}

/// Ways other than the minimal one that a switch can choose; which of them it does choose is a run-time setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adaptive {
    /// At the source: over a switch drawn by chance (Valiant), always or by the places in use (UGAL-L).
    pub valiant: Option<Via>,

    /// At each switch on the way: around the minimal port, by a local or global link drawn by chance (PAR, OLM).
    pub in_transit: bool,

    /// In transit also by contention counters: how many packets have a port as their minimal one (Fuentes2017, 4.2).
    pub contention: bool,

    /// In transit also by contention counters whose counts are smoothed over time (Fuentes2017, 4.2.1.2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub filter: bool,

    /// Routers of a group tell each other how many packets are for each group. At the source, packets leave their
    /// minimal way by these counts (ECtN: Fuentes2017, 4.2.1.4).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ectn: bool,

    /// Routers of a group tell each other which of their global links are saturated. At the source, packets go to a via
    /// if theirs is (PiggyBack: Fuentes2017, 1.4.2.1.1).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub saturation: bool,

    /// Credit reports also count the flits of packets that have left their minimal way nowhere. Decisions can then go
    /// by the places that these use (FlexVC-minCred: Fuentes2017, 5.2.4).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub min_credits: bool,
}

/// What a packet goes over first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A switch of any group.
    Router,
    /// A group, by any of its switches.
    Group,
}

/// Ports of a Dragonfly's switch, by the kind of their link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortClasses {
    /// Ports to nodes, p of them.
    pub node: PortClass,
    /// Ports to the other switches of the group, a - 1 of them.
    pub local: PortClass,
    /// Ports to other groups, h of them.
    pub global: PortClass,
}

/// A kind of port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortClass {
    /// Number of ports; of local ones at most 31.
    #[schemars(range(min = 1, max = 32))]
    pub ports: u32,

    /// Depth of each virtual channel's input buffer at these ports in flits: a power of two, at least a maximum packet.
    /// Left out: `buffer_flits` of the switch.
    #[schemars(range(min = 2, max = 4096))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_flits: Option<u32>,

    /// Virtual channels that are built at these ports, from VC 0 on; at most as many as `virtual_channels`.`unicast`.
    /// Left out: as many as that.
    #[schemars(range(min = 1, max = 8))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcs: Option<u32>,
}

/// Virtual channels as a sequence of letters: `l` for one of local links, `g` for one of global links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceVcs {
    /// Letters for requests, or for all packets where there is one class. `lgl` is enough for minimal ways, `lgllgl`
    /// for safe ways over any switch between.
    #[schemars(regex(pattern = "^[lg]{1,16}$"))]
    pub requests: String,

    /// Letters for replies, behind those of requests. Empty: all packets are of one class.
    #[schemars(regex(pattern = "^[lg]{0,16}$"))]
    pub replies: String,
}

impl Default for DragonflyRouting {
    /// The switch of a balanced Dragonfly of h = 4: 33 groups of 8 switches with 4 nodes each.
    fn default() -> Self {
        DragonflyRouting {
            port_classes: PortClasses { node: PortClass::new(4), local: PortClass::new(7), global: PortClass::new(4) },
            groups: None,
            group_bits: 6,
            router_bits: 3,
            node_bits: 2,
            vcs: ReferenceVcs::default(),
            flexible_vcs: false,
            random_vcs: false,
            adaptive: None,
            arbitration: Arbitration::default(),
            age_bits: None,
        }
    }
}
impl Default for ReferenceVcs {
    fn default() -> Self {
        ReferenceVcs { requests: "lgl".into(), replies: String::new() }
    }
}
impl Arbitration {
    fn is_default(&self) -> bool {
        *self == Arbitration::default()
    }
}
impl PortClass {
    /// So many ports, with buffers as deep as the switch has them.
    pub fn new(ports: u32) -> PortClass {
        PortClass { ports, buffer_flits: None, vcs: None }
    }
}
impl PortClasses {
    /// All kinds, with their names in a description.
    pub fn all(&self) -> [(&'static str, &PortClass); 3] {
        [("node", &self.node), ("local", &self.local), ("global", &self.global)]
    }

    /// All ports.
    pub fn ports(&self) -> u32 {
        self.node.ports + self.local.ports + self.global.ports
    }
}
impl DragonflyRouting {
    /// Groups of the group table: as given, or a h + 1, and not more than the table can have.
    pub fn most_groups(&self) -> u32 {
        let routers = self.port_classes.local.ports + 1;
        self.groups.unwrap_or((routers * self.port_classes.global.ports + 1).min(256))
    }
}
