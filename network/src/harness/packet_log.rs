//! The packets of a run one by one, for whoever wants to see more than sums.

use super::packets::Begun;
use super::target::Destination;
use super::Network;
use crate::device::Device;

/// A packet that all its destinations have. Cycles are those of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The node that sent it.
    pub source: usize,
    /// A node, or the group of a multicast packet.
    pub destination: Result<usize, usize>,
    /// Flits.
    pub length: usize,
    /// The VC on which its source sent it.
    pub vc: usize,
    /// It answers another one.
    pub is_reply: bool,
    /// Cycle in which its source had it.
    pub made: u64,
    /// Cycle in which its head left the source.
    pub begun: u64,
    /// Cycle in which its tail was at the last destination.
    pub delivered: u64,
}

/// Takes packets in the order in which they are delivered.
pub type DeliveryLog = Box<dyn FnMut(&Delivered) + Send>;

impl Delivered {
    /// A packet that was begun in that cycle, and delivered in another one.
    pub(super) fn new(packet: &Begun, begun: u64, delivered: u64) -> Delivered {
        let destination = match packet.target {
            Destination::Node(node) => Ok(node),
            Destination::Group { group, .. } => Err(group),
        };
        let Begun { identity, vc, generated, length, is_reply, .. } = *packet;
        Delivered { source: identity.source, destination, length, vc, is_reply, made: generated, begun, delivered }
    }
}

impl<D: Device> Network<D> {
    /// From now on, `log` takes each packet that is delivered.
    pub fn log_packets(&mut self, log: DeliveryLog) {
        self.packet_log = Some(log);
        self.scoreboard.keeps_delivered = true;
    }

    /// Hands over the packets of the last cycles.
    pub(super) fn hand_over_packets(&mut self) {
        let Some(log) = &mut self.packet_log else { return };
        let origin = self.origin.unwrap_or(0);
        for packet in self.scoreboard.kept_delivered.drain(..) {
            let [made, begun, delivered] = [packet.made, packet.begun, packet.delivered].map(|cycle| cycle - origin);
            log(&Delivered { made, begun, delivered, ..packet });
        }
    }
}
