//! Counts of hops by what they are. No hardware has them: they are for reports on networks.

use super::decision::Choice;
use crate::route::route_queue::PacketRoute;
use railyard_spec::misrouting::{HopKind, PortKind, RoutePhase};
use railyard_spec::DragonflyShape;

/// Packets that were granted an output, by where they came from and where they go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopCounts {
    /// From a node.
    pub started: u64,
    /// From a node, on the way to a via.
    pub to_via: u64,
    /// Over a local link, off the minimal way, in the source's group.
    pub local_at_home: u64,
    /// Over a global link, off the minimal way, without such a local link before.
    pub global: u64,
    /// Over a local link, off the minimal way, in a later group.
    pub local_behind: u64,
    /// To another switch, after a wait that left nothing but the escape.
    pub escapes: u64,
}

impl HopCounts {
    /// A packet from `port` gets what it chose.
    pub(super) fn count(&mut self, choice: &Choice, port: usize, built: &DragonflyShape) {
        let from_node = built.kind(port) == PortKind::Node && choice.route != PacketRoute::Drop;
        self.started += u64::from(from_node);
        match choice.hop {
            HopKind::Minimal => {}
            HopKind::ToVia => self.to_via += 1,
            HopKind::Detour(PortKind::Local) if choice.departure.phase == RoutePhase::Detoured => {
                self.local_at_home += 1
            }
            HopKind::Detour(PortKind::Local) => self.local_behind += 1,
            // Behind a local link at home it is that detour's second hop.
            HopKind::Detour(_) => self.global += u64::from(choice.departure.phase == RoutePhase::Home),
            HopKind::Escape => self.escapes += 1,
        }
    }

    /// Share of the packets that left the minimal way in their source's group.
    pub fn misrouted(self) -> f64 {
        (self.to_via + self.local_at_home + self.global) as f64 / self.started.max(1) as f64
    }

    /// The counts since earlier ones.
    pub fn since(self, earlier: HopCounts) -> HopCounts {
        self.with(earlier, |now, before| now - before)
    }

    /// Both together.
    pub fn plus(self, other: HopCounts) -> HopCounts {
        self.with(other, |one, other| one + other)
    }

    fn with(self, other: HopCounts, of: impl Fn(u64, u64) -> u64) -> HopCounts {
        HopCounts {
            started: of(self.started, other.started),
            to_via: of(self.to_via, other.to_via),
            local_at_home: of(self.local_at_home, other.local_at_home),
            global: of(self.global, other.global),
            local_behind: of(self.local_behind, other.local_behind),
            escapes: of(self.escapes, other.escapes),
        }
    }
}
