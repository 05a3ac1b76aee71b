//! The ways of a packet through a Dragonfly, as route computation finds them.
//!
//! Source: reference page of Dragonfly routing, "Route computation".

use railyard_spec::legal::PacketClass;
use railyard_spec::misrouting::RoutePhase;

/// An output port and the case of the hop over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Output port.
    pub port: u8,
    /// What lies behind it.
    pub case: u8,
}

/// Result of route computation of a packet that is not dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflyRoute {
    /// Minimal way to the target.
    pub minimal: Way,
    /// Minimal way to the destination.
    pub escape: Way,
    /// Acting phase.
    pub phase: RoutePhase,
    /// Class of the packet.
    pub class: PacketClass,
    /// Group of the destination, which is one of the table.
    pub group: u8,
    /// Number of the global link to that group, at the switch that has it.
    pub link: u8,
}
