//! The network file: what a user writes.

mod error;
mod links;
mod located;
mod matrix;
mod read;

pub use error::DescriptionError;
pub(crate) use read::named_switch;
pub use read::Input;

use crate::adaptive::AdaptiveSettings;
use crate::multicast::{LoadMessages, Selection};
use crate::plan::Algorithm;
use crate::run::{BarrierTimers, Caches, Traffic};
use crate::topology::Topology;
use crate::wiring::Port;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A network of equal switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Railyard network")]
pub struct NetworkFile {
    /// The switch: a preset, a file (beside the network file), or the description itself.
    pub switch: SwitchChoice,

    /// How the switches are wired, and where the nodes are.
    pub topology: Topology,

    /// Cycles from one end of a link to the other, links to nodes too. 0: the pins are wired to each other.
    #[schemars(range(max = 1000))]
    #[serde(default = "default_link_latency")]
    pub link_latency: u64,

    /// Table routing: cycles from a switch's request to the answer of its CAM.
    #[schemars(range(max = 1000))]
    #[serde(default = "default_cam_latency")]
    pub cam_latency: u64,

    /// Table routing: what the routing caches hold when the traffic starts.
    #[serde(default)]
    pub caches: Caches,

    /// `computed`, or a JSON file (beside the network file) with routing tables, multicast trees and barrier trees.
    #[serde(default = "default_tables")]
    pub tables: String,

    /// How tables are computed; also those after a link is taken out.
    #[serde(default)]
    pub algorithm: Algorithm,

    /// Unicast packets use the mixed VC, too.
    #[serde(default)]
    pub unicast_on_mixed: bool,

    /// Dragonfly routing: run-time settings of all switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<AdaptiveSettings>,

    /// Multicast groups, if there are any.
    #[serde(default)]
    pub multicast: Option<MulticastGroups>,

    /// Barrier groups. Left out: one of all nodes, if the switch has a barrier virtual channel.
    #[serde(default)]
    pub barriers: Option<Barriers>,

    /// What the nodes send.
    #[serde(default)]
    pub traffic: Traffic,

    /// What goes wrong.
    #[serde(default)]
    pub faults: InjectedFaults,
}

/// A switch description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SwitchChoice {
    /// Name of a preset or file.
    Name(String),
    /// The description itself.
    Inline(Map<String, Value>),
}

/// Multicast groups and the selection of their roots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Multicast")]
pub struct MulticastGroups {
    /// Members of the groups. Left out: those of the trees in the tables' file.
    #[serde(default)]
    pub sets: Option<Sets>,

    /// Candidate roots of a group, at most: each is a tree, and an entry of the switches' group tables.
    #[schemars(range(min = 1, max = 4096))]
    #[serde(default = "default_roots")]
    pub roots: usize,

    /// How a packet's root is selected.
    #[serde(default)]
    pub selection: Selection,

    /// What the selection knows of the load.
    #[serde(default)]
    pub load_messages: LoadMessages,
}

/// Barrier groups, and how often their nodes arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Barriers {
    /// Members of the groups. Left out: those of the barrier trees in the tables' file, or one group of all nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Sets>,
    /// Chance in a cycle that a node that waits at no barrier of a group arrives at its next one; 0: no barriers, 1:
    /// back to back.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rate: f64,
    /// Time-outs of switches and nodes.
    pub timers: BarrierTimers,
}

impl Default for Barriers {
    fn default() -> Barriers {
        Barriers { sets: None, rate: 0.0, timers: BarrierTimers::default() }
    }
}

/// Members of the groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Sets {
    /// One group of all nodes.
    All(All),
    /// A list of nodes for each group.
    Lists(Vec<Vec<usize>>),
    /// Groups drawn by chance.
    Drawn(Drawn),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum All {
    /// All nodes.
    All,
}

/// Groups drawn by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Number of groups.
    #[schemars(range(min = 1, max = 4096))]
    pub groups: usize,
    /// Members of each.
    #[schemars(range(min = 2))]
    pub members: usize,
    /// Seed.
    #[serde(default)]
    pub seed: u64,
}

/// Injected faults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InjectedFaults {
    /// Share of the credit reports that get lost, on all links, in both directions; absolute credits only.
    #[schemars(range(min = 0.0, max = 0.99))]
    pub lost_credits: f64,
    /// Share of the other credit reports of which a link flips the highest bit; absolute credits only.
    #[schemars(range(min = 0.0, max = 0.99))]
    pub corrupt_credits: f64,
    /// Share of the messages, of barriers and between routers, that get lost on a link, on all links, in both
    /// directions.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub lost_messages: f64,
    /// Share of the other messages of which a link flips a bit.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub corrupt_messages: f64,
    /// Links that are taken out of service in an orderly way, each in a cycle: nothing is lost.
    pub links_down: Vec<LinkEvent>,
    /// Links that break under load, each in a cycle: nothing crosses them any more, and what waits for them waits for
    /// ever.
    pub links_break: Vec<LinkEvent>,
}

/// Something happens to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEvent {
    /// One of its ends, whichever: [switch, port].
    pub link: Port,
    /// Cycle of the run, below its number of cycles.
    pub cycle: u64,
}

fn default_link_latency() -> u64 {
    1
}
fn default_cam_latency() -> u64 {
    25
}
fn default_tables() -> String {
    COMPUTED.into()
}
fn default_roots() -> usize {
    1
}

/// What `tables` says if they are computed.
pub(crate) const COMPUTED: &str = "computed";

/// JSON Schema (draft 2020-12) of [`NetworkFile`], generated from its types.
pub fn json_schema() -> Value {
    schemars::schema_for!(NetworkFile).to_value()
}
