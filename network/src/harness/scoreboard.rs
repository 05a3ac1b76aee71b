//! Every packet once at each of its destinations, as it was sent, and in order.

use super::latency_parts::Journeys;
use super::order::PacketOrder;
use super::packet_log::Delivered;
use super::packets::{Begun, ReceivedPacket};
use super::passages::Passage;
use super::target::Destination;
use crate::blueprint::MulticastGroup;
use railyard_bench::traffic::Identity;
use railyard_bench::Latencies;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// Mismatches that are kept; the others are only counted.
const KEPT: usize = 20;

/// Something that should not have happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mismatch {
    /// A packet arrived that is not as it was sent, or that nobody sent; or once more where it was already.
    Unexpected {
        /// Where.
        node: usize,
        /// Who it says to be.
        packet: String,
    },
    /// A packet arrived at a node that it was not for.
    Misdelivered {
        /// Where.
        node: usize,
        /// The packet.
        packet: String,
    },
    /// A packet arrived before an earlier one of the same source, VC and destination.
    Overtaken {
        /// Where.
        node: usize,
        /// The packet that came first.
        packet: String,
        /// The packet that was sent first.
        before: String,
    },
    /// A packet does not have the age that it should.
    Aged {
        /// Where.
        node: usize,
        /// The packet.
        packet: String,
        /// Its age, as the header says.
        age: u64,
        /// Cycles since it was made, as far as headers count them.
        expected: u64,
    },
    /// A packet is missing after the network was drained.
    Lost {
        /// The packet.
        packet: String,
        /// Destinations that don't have it.
        missing: usize,
    },
    /// A node was told of a completion before all members had arrived.
    BarrierEarly {
        /// The barrier group.
        group: usize,
        /// The barrier, from 0.
        barrier: u64,
        /// The node.
        node: usize,
        /// Members that had not arrived.
        missing: usize,
    },
    /// A node got a barrier message that nobody should have sent.
    BarrierMessage {
        /// The node.
        node: usize,
        /// The message.
        message: String,
    },
    /// A barrier at which nodes have arrived does not complete.
    BarrierIncomplete {
        /// The barrier group.
        group: usize,
        /// The barrier, from 0.
        barrier: u64,
        /// Nodes that have not arrived.
        not_arrived: Vec<usize>,
        /// Nodes that were not told of its completion.
        not_told: Vec<usize>,
    },
    /// Nothing moves, and not all is delivered.
    Stalled {
        /// Cycle of the run in which the last packet was delivered.
        since: u64,
        /// Packets under way.
        packets: usize,
    },
    /// A switch did what it should never do.
    Switch {
        /// What.
        what: String,
    },
    /// The observer has found something.
    Observed {
        /// What.
        what: String,
    },
    /// Something is not as at the start although all traffic is over.
    LeftOver {
        /// What.
        what: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Unexpected { node, packet } => {
                write!(f, "node {node} got {packet}, which is damaged or not expected any more")
            }
            Mismatch::Misdelivered { node, packet } => write!(f, "node {node} got {packet}"),
            Mismatch::Overtaken { node, packet, before } => write!(f, "node {node} got {packet} before {before}"),
            Mismatch::Aged { node, packet, age, expected } => {
                write!(f, "node {node} got {packet} with age {age}; it is {expected}")
            }
            Mismatch::BarrierEarly { group, barrier, node, missing } => {
                write!(f, "barrier {barrier} of group {group} completes at node {node}, and {missing} have not arrived")
            }
            Mismatch::BarrierMessage { node, message } => {
                write!(f, "node {node} got {message}, which no node should have sent")
            }
            Mismatch::BarrierIncomplete { group, barrier, not_arrived, not_told } => {
                write!(f, "barrier {barrier} of group {group} does not complete: ")?;
                match not_arrived[..] {
                    [] => write!(f, "all nodes have arrived; without completion: {}", list(not_told)),
                    _ => write!(f, "nodes that have not arrived: {}", list(not_arrived)),
                }
            }
            Mismatch::Lost { packet, missing } => write!(f, "{packet} did not get to {missing} of its destinations"),
            Mismatch::Stalled { since, packets } => {
                write!(f, "nothing was delivered after cycle {since}, with {packets} packets under way: deadlock")
            }
            Mismatch::Switch { what } | Mismatch::Observed { what } | Mismatch::LeftOver { what } => f.write_str(what),
        }
    }
}

/// The first of some nodes.
fn list(all: &[usize]) -> String {
    const SHOWN: usize = 8;
    let first: Vec<String> = all.iter().take(SHOWN).map(usize::to_string).collect();
    let more = all.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

/// A packet under way.
#[derive(Clone, Debug)]
struct Record {
    packet: Begun,
    /// Cycle in which it was begun.
    begun: u64,
    /// Destinations that don't have it.
    missing: usize,
    /// Group: members that have it, by their place in the group.
    have: Vec<bool>,
}

impl Record {
    fn name(&self, source: usize) -> String {
        let to = match self.packet.target {
            Destination::Node(node) => format!("node {node}"),
            Destination::Group { group, tree } => format!("group {group} by tree {tree}"),
        };
        format!("packet {} of node {source} to {to}", self.packet.identity.serial)
    }
}

/// Latencies of the packets of a kind.
#[derive(Clone, Debug, Default)]
pub struct LatencyClass {
    /// From when its source had a packet to its tail at the destination, at the last one of several.
    pub latencies: Latencies,
}

/// The scoreboard of a network.
#[derive(Clone, Debug)]
pub struct DeliveryBoard {
    /// Packets under way of each source, in the order in which they were begun.
    records: Vec<VecDeque<Record>>,
    begun: u64,
    /// Flits of packets that have got to all their destinations.
    delivered: u64,
    under_way: usize,
    mismatches: Vec<Mismatch>,
    count: u64,
    last_delivery: u64,
    order: PacketOrder,
    /// Unicast packets delivered since the last [`DeliveryBoard::restart`].
    pub unicast: LatencyClass,
    /// Multicast packets.
    pub multicast: LatencyClass,
    /// Unicast packets that answer others.
    pub replies: LatencyClass,
    /// Latencies of all packets since they were asked for, if somebody asks.
    pub recent: Option<Latencies>,
    /// The packets under way with the parts of their latencies, if these are kept.
    pub journeys: Option<Journeys>,
    /// Packets are kept when they are delivered, for a log.
    pub keeps_delivered: bool,
    /// Those that were since the log took them.
    pub kept_delivered: Vec<Delivered>,
}

impl DeliveryBoard {
    /// For so many nodes.
    pub fn new(nodes: usize, order: PacketOrder) -> DeliveryBoard {
        DeliveryBoard {
            records: vec![VecDeque::new(); nodes],
            begun: 0,
            delivered: 0,
            under_way: 0,
            mismatches: Vec::new(),
            count: 0,
            last_delivery: 0,
            order,
            unicast: LatencyClass::default(),
            multicast: LatencyClass::default(),
            replies: LatencyClass::default(),
            recent: None,
            journeys: None,
            keeps_delivered: false,
            kept_delivered: Vec::new(),
        }
    }

    /// Forgets latencies: what follows is measured.
    pub fn restart(&mut self) {
        (self.unicast, self.multicast, self.replies) = Default::default();
        self.recent = self.recent.as_ref().map(|_| Latencies::default());
        self.journeys.iter_mut().for_each(Journeys::restart);
    }

    /// Packets that were begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Flits of packets that have got to all their destinations, each packet counted once.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Packets under way.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// Cycle of the last delivery.
    pub fn last_delivery(&self) -> u64 {
        self.last_delivery
    }

    /// The first mismatches, and how many there are.
    pub fn mismatches(&self) -> (&[Mismatch], u64) {
        (&self.mismatches, self.count)
    }

    /// One more.
    pub fn add(&mut self, mismatch: Mismatch) {
        self.count += 1;
        if self.mismatches.len() < KEPT {
            self.mismatches.push(mismatch);
        }
    }

    /// A packet was begun.
    pub fn begin(&mut self, now: u64, begun: &Begun, groups: &[MulticastGroup]) {
        let have = match begun.target {
            Destination::Node(_) => Vec::new(),
            Destination::Group { group, .. } => vec![false; groups[group].members.len()],
        };
        if self.under_way == 0 {
            self.last_delivery = now;
        }
        (self.begun, self.under_way) = (self.begun + 1, self.under_way + 1);
        self.records[begun.identity.source].push_back(Record {
            packet: *begun,
            begun: now,
            missing: have.len().max(2) - 1,
            have,
        });
    }

    /// The head of a packet left a switch.
    pub fn pass(&mut self, passage: &Passage) {
        if let (Some(at), Some(journeys)) = (self.find(passage.identity), &mut self.journeys) {
            journeys.pass(at, passage);
        }
    }

    /// A packet was received in cycle `now`. Gives the source that gets a reply, if nodes answer: that of a unicast
    /// packet that answers none.
    pub fn receive(&mut self, now: u64, received: &ReceivedPacket, groups: &[MulticastGroup]) -> Option<usize> {
        self.last_delivery = now;
        let node = received.node;
        let (Ok(identity) | Err(identity)) = received.identity;
        let is_whole = |at: &usize| {
            received.identity.is_ok() && received.length == self.records[identity.source][*at].packet.length
        };
        let Some(at) = self.find(identity).filter(is_whole) else {
            let packet =
                format!("packet {} of node {} with {} flits", identity.serial, identity.source, received.length);
            self.add(Mismatch::Unexpected { node, packet });
            return None;
        };
        let records = &self.records[identity.source];
        let Some(place) = place(&records[at], identity.source, node, groups) else {
            let packet = records[at].name(identity.source);
            self.add(Mismatch::Misdelivered { node, packet });
            return None;
        };
        if records[at].missing == 0 || records[at].have.get(place).is_some_and(|have| *have) {
            let packet = records[at].name(identity.source);
            self.add(Mismatch::Unexpected { node, packet });
            return None;
        }
        let Begun { target, vc, is_reply, .. } = records[at].packet;
        let order = self.order;
        let waits_behind = |record: &&Record| match order {
            PacketOrder::All => true,
            PacketOrder::OfClass => record.packet.is_reply == is_reply,
            PacketOrder::Nothing => false,
        };
        let earlier = records.range(..at).filter(waits_behind).find(|record| {
            let has_it = record.have.get(place).map_or(record.missing == 0, |have| *have);
            (record.packet.target, record.packet.vc) == (target, vc) && !has_it
        });
        let is_request = records[at].have.is_empty() && !records[at].packet.is_reply;
        let record = &records[at];
        let age = received.aged.and_then(|aged| {
            let expected = aged.expected(record.packet.generated, record.begun)?;
            Some(Mismatch::Aged { node, packet: record.name(identity.source), age: aged.age, expected })
        });
        let overtaken = earlier.map(|earlier| [&records[at], earlier].map(|record| record.name(identity.source)));
        self.settle(now, identity.source, at, place);
        if let Some([packet, before]) = overtaken {
            self.add(Mismatch::Overtaken { node, packet, before });
        }
        age.into_iter().for_each(|mismatch| self.add(mismatch));
        is_request.then_some(identity.source)
    }

    /// Where the record of a packet under way is.
    fn find(&self, identity: Identity) -> Option<usize> {
        let records = self.records.get(identity.source)?;
        let at = identity.serial.wrapping_sub(records.front()?.packet.identity.serial) as usize;
        (at < records.len()).then_some(at)
    }

    /// One destination more has a packet.
    fn settle(&mut self, now: u64, source: usize, at: usize, place: usize) {
        let records = &mut self.records[source];
        let record = &mut records[at];
        record.missing -= 1;
        if let Some(have) = record.have.get_mut(place) {
            *have = true;
        }
        if record.missing > 0 {
            return;
        }
        let kind = match (record.have.is_empty(), record.packet.is_reply) {
            (true, false) => &mut self.unicast,
            (true, true) => &mut self.replies,
            (false, _) => &mut self.multicast,
        };
        let packet = &record.packet;
        kind.latencies.add(now - packet.generated);
        self.recent.iter_mut().for_each(|recent| recent.add(now - packet.generated));
        (self.under_way, self.delivered) = (self.under_way - 1, self.delivered + packet.length as u64);
        if let Some(journeys) = &mut self.journeys {
            journeys.deliver(source, at, now, packet.length);
        }
        if self.keeps_delivered {
            self.kept_delivered.push(Delivered::new(packet, record.begun, now));
        }
        while records.front().is_some_and(|record| record.missing == 0) {
            records.pop_front();
            self.journeys.iter_mut().for_each(|journeys| journeys.forget_first(source));
        }
    }

    /// Packets under way: their source and target.
    pub fn waiting(&self) -> impl Iterator<Item = (usize, Destination)> + '_ {
        let of = |(source, records): (usize, &'_ VecDeque<Record>)| {
            let missing = records.iter().filter(|record| record.missing > 0);
            missing.map(|record| (source, record.packet.target)).collect::<Vec<_>>()
        };
        self.records.iter().enumerate().flat_map(of)
    }

    /// The network is drained: what is under way still is lost.
    pub fn end(&mut self) {
        let records = std::mem::take(&mut self.records);
        for (source, records) in records.iter().enumerate() {
            for record in records.iter().filter(|record| record.missing > 0) {
                self.add(Mismatch::Lost { packet: record.name(source), missing: record.missing });
            }
        }
        self.records = records;
    }
}

/// The place of a node among a packet's destinations, if it is one.
fn place(record: &Record, source: usize, node: usize, groups: &[MulticastGroup]) -> Option<usize> {
    match record.packet.target {
        Destination::Node(target) => (target == node).then_some(0),
        Destination::Group { .. } if node == source => None,
        Destination::Group { group, .. } => groups[group].members.binary_search(&node).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> (DeliveryBoard, Vec<MulticastGroup>) {
        let mut board = DeliveryBoard::new(4, PacketOrder::All);
        let groups = vec![MulticastGroup { members: vec![0, 1, 3], trees: Vec::new(), first: 0 }];
        for (serial, target) in
            [(0, Destination::Node(2)), (1, Destination::Node(2)), (2, Destination::Group { group: 0, tree: 0 })]
        {
            let identity = Identity { source: 0, serial };
            board.begin(0, &Begun { identity, target, vc: 0, generated: 0, length: 3, is_reply: false }, &groups);
        }
        (board, groups)
    }

    fn receive(
        board: &mut DeliveryBoard,
        groups: &[MulticastGroup],
        node: usize,
        serial: u16,
        length: usize,
    ) -> Option<String> {
        let before = board.mismatches().0.len();
        board.receive(
            9,
            &ReceivedPacket { node, identity: Ok(Identity { source: 0, serial }), length, aged: None },
            groups,
        );
        board.mismatches().0.get(before).map(Mismatch::to_string)
    }

    #[test]
    fn once_each_in_order() {
        let (mut board, groups) = board();
        for (node, serial) in [(2, 0), (1, 2), (2, 1), (3, 2)] {
            assert_eq!(receive(&mut board, &groups, node, serial, 3), None);
        }
        board.end();
        assert_eq!((board.mismatches().1, board.under_way()), (0, 0));
        assert_eq!((board.unicast.latencies.count(), board.multicast.latencies.count()), (2, 1));
    }

    #[test]
    fn each_fault_is_seen() {
        let (mut board, groups) = board();
        let mut see = |node, serial, length, part: &str| {
            let text = receive(&mut board, &groups, node, serial, length).expect(part);
            assert!(text.contains(part), "{text}");
        };
        see(1, 0, 3, "node 1 got packet 0 of node 0 to node 2");
        see(2, 1, 3, "got packet 1 of node 0 to node 2 before packet 0");
        see(2, 1, 3, "not expected any more");
        see(2, 0, 2, "with 2 flits");
        see(2, 7, 3, "packet 7");
        see(0, 2, 3, "node 0 got packet 2");
        assert_eq!(receive(&mut board, &groups, 3, 2, 3), None);
        assert!(receive(&mut board, &groups, 3, 2, 3).unwrap().contains("not expected any more"));
        board.end();
        let lost: Vec<String> = board.mismatches().0.iter().rev().take(2).map(Mismatch::to_string).collect();
        assert!(lost[1].starts_with("packet 0 ") && lost[0].contains("did not get to 1 of"), "{lost:?}");
    }
}
