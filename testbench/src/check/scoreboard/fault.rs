//! What the scoreboard finds wrong.

use serde::Serialize;

/// What is wrong with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PacketFaultKind {
    /// It was sent and neither delivered nor dropped.
    Lost,
    /// It came a second time.
    Duplicated,
    /// It came out at a port that isn't its destination, or though it has none.
    Misrouted,
    /// It came out on another VC.
    WrongVc,
    /// Bits differ, or the length.
    Corrupted,
    /// A multicast packet's flit that did not come out at all its outputs in one cycle.
    Torn,
    /// A later packet of the same source and VC to the same output overtook it.
    Reordered,
    /// A packet that nobody sent, or a flit outside a packet, or a packet inside another.
    Unknown,
    /// One was dropped where none should be.
    Dropped,
}

/// A packet that the switch treated wrongly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketFault {
    /// Cycle in which it showed.
    pub cycle: u64,
    /// What is wrong.
    pub kind: PacketFaultKind,
    /// Port where it showed: output, or input for dropped and lost ones.
    pub port: usize,
    /// VC.
    pub vc: usize,
    /// The packet, as far as it is known.
    pub packet: String,
}

impl std::fmt::Display for PacketFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            PacketFaultKind::Lost => "lost",
            PacketFaultKind::Duplicated => "duplicated",
            PacketFaultKind::Misrouted => "misrouted",
            PacketFaultKind::WrongVc => "on the wrong VC",
            PacketFaultKind::Corrupted => "corrupted",
            PacketFaultKind::Torn => "not at all its outputs at once",
            PacketFaultKind::Reordered => "overtaken",
            PacketFaultKind::Unknown => "unknown, or broken into",
            PacketFaultKind::Dropped => "dropped wrongly",
        };
        write!(f, "cycle {}, port {}, VC {}: packet {kind}: {}", self.cycle, self.port, self.vc, self.packet)
    }
}
