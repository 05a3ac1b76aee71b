//! What the sources send: where to, how long, how often, to which addresses, and with which bits.

mod address;
mod arrival;
mod dragonfly;
pub mod graph500;
mod identity;
mod length;
mod mixture;
mod multicast;
mod node_trace;
mod on_chip;
mod packet;
mod packet_line;
mod pattern;
mod place;
mod route;
mod table;
mod trace;
mod weighted;

pub use address::AddressMap;
pub use arrival::{ArrivalProcess, Arrivals, Burst};
pub use dragonfly::DragonflyPlace;
pub use graph500::{Graph500Constants, Graph500Graph, Graph500Level};
pub use identity::{Identity, IdentityFormat};
pub use length::{LengthSource, Lengths};
pub use mixture::Mixture;
pub use multicast::Groups;
pub use node_trace::{NodePacket, NodeTrace};
pub use on_chip::OnChip;
pub use packet::{Format, Packet, ANY_VC, DROP};
pub use pattern::{Destinations, NodeGroups, Pattern, Surroundings};
pub use place::PlacedSwitch;
pub use route::RouteKinds;
pub use table::{AddressTable, Addresses, Refill};
pub use trace::{Arrival, Trace, SAVED_TRACE};
pub use weighted::Weighted;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The legal traffic of all sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Traffic")]
pub struct LegalTraffic {
    /// Where packets go.
    #[schemars(transform = Pattern::keep_those_of_switches)]
    pub pattern: Pattern,
    /// Offered load in flits for each port and cycle, up to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub load: f64,
    /// How long packets are.
    pub lengths: Lengths,
    /// Packets come in bursts.
    pub burst: Option<Burst>,
    /// Chance in each cycle that a sender pauses inside a packet.
    #[schemars(range(min = 0.0, max = 0.95))]
    pub bubbles: f64,
    /// Flits of packets on different VCs take turns on a link; else a packet is sent in one piece.
    pub interleave: bool,
    /// Table routing: addresses of each destination port in regular use. With the cache's size this sets the hit rate.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub addresses_per_port: u64,
    /// Table routing: share of packets that go to an address picked from all that have a route instead: mostly misses.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fresh: f64,
    /// Table routing: share of packets whose address is changed in one bit: near neighbours meet in the cache.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub twins: f64,
    /// Share of packets without a route: an unknown address or group, or a port that doesn't exist. They are dropped.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub unroutable: f64,
    /// Switches with a mixed VC: share of packets that are multicast packets, to groups drawn by chance.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub multicast: f64,
    /// Packets that a source can queue; while its queue is full, what it would send is counted and forgotten.
    #[schemars(range(min = 1, max = 65_536))]
    pub queue: usize,
    /// Packets from a file, in place of pattern, load, lengths and bursts. No part of the JSON: a file is named beside
    /// it.
    #[serde(skip)]
    pub trace: Option<Arc<Trace>>,
}

impl LegalTraffic {
    /// What the packets follow: the name of a pattern, or `trace`.
    pub fn name(&self) -> &'static str {
        match self.trace {
            Some(_) => "trace",
            None => self.pattern.name(),
        }
    }
}

impl Default for LegalTraffic {
    fn default() -> LegalTraffic {
        LegalTraffic {
            pattern: Pattern::Uniform,
            load: 0.5,
            lengths: Lengths::Longest,
            burst: None,
            bubbles: 0.0,
            interleave: false,
            addresses_per_port: 4,
            fresh: 0.0,
            twins: 0.0,
            unroutable: 0.0,
            multicast: 0.0,
            queue: 64,
            trace: None,
        }
    }
}
