//! What can be wrong, and how it is told.

use super::super::Channel;
use railyard_spec::legal::PacketClass;
use railyard_spec::misrouting::RoutePhase;
use std::fmt;

/// A place in which packets wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingPlace {
    /// A channel between switches.
    Link(Channel),
    /// The VC of a switch's node ports by which packets come.
    FromNodes {
        /// The switch.
        switch: usize,
        /// The VC.
        vc: usize,
    },
    /// The VC of a switch's node ports by which packets leave.
    ToNodes {
        /// The switch.
        switch: usize,
        /// The VC.
        vc: usize,
    },
}

impl fmt::Display for WaitingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitingPlace::Link(channel) => channel.fmt(f),
            WaitingPlace::FromNodes { switch, vc } => write!(f, "nodes of switch {switch} VC {vc}"),
            WaitingPlace::ToNodes { switch, vc } => write!(f, "to nodes of switch {switch} VC {vc}"),
        }
    }
}

/// Packets can wait for ever.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdaptiveFault {
    /// A packet that can get into a state has no VC on its way on.
    #[error("packet {} for switch {destination} in {place}, phase {}, has no way on", word(*.class), *.phase as usize)]
    NoWayOn {
        /// Its class.
        class: PacketClass,
        /// Where it is.
        place: WaitingPlace,
        /// Its phase.
        phase: RoutePhase,
        /// The switch of its destination.
        destination: usize,
    },
    /// There are too many states.
    #[error("{states} states are too many to follow; of a palm tree one group is followed for all")]
    TooLarge {
        /// How many there are, reached or not.
        states: usize,
    },
    /// Places of which each can wait for the next, and the last for the first.
    #[error("deadlock: {}", .0.iter().chain(.0.first()).map(WaitingPlace::to_string).collect::<Vec<_>>().join(" -> "))]
    Ring(Vec<WaitingPlace>),
}

fn word(class: PacketClass) -> &'static str {
    match class {
        PacketClass::Request => "(request)",
        PacketClass::Reply => "(reply)",
    }
}
