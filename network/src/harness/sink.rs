//! The receiving side of a node: packets are put together from flits, whose places in the node's buffer are given back.
//!
//! A node takes every flit at once, but for requests. Where requests and replies are classes of packets, a node that
//! answers takes a request only if it has a place for the reply. The reply keeps the place until it is begun. A request
//! without a place waits in its buffer, and so does what comes behind it on its VC.

use super::ages::Aged;
use super::exchange::Lane;
use super::packets::ReceivedPacket;
use super::setting::Setting;
use railyard_spec::dragonfly::HeaderField;
use railyard_spec::packet;
use std::collections::VecDeque;

/// What a node receives.
#[derive(Clone, Debug)]
pub struct Sink {
    node: usize,
    /// By VC.
    vcs: Vec<SinkVc>,
    places: Option<ReplyPlaces>,
}

/// One VC.
#[derive(Clone, Debug, Default)]
struct SinkVc {
    /// The packet that is being taken, and its age.
    packet: Vec<u32>,
    aged: Option<Aged>,
    /// Flits that wait: those of a request without a place, and those behind it.
    waiting: VecDeque<(SinkFlit, Vec<u32>)>,
}

/// A flit that came, without its bits.
#[derive(Clone, Copy, Debug)]
struct SinkFlit {
    lane: Lane,
    /// The age of its packet, if it is the head.
    aged: Option<Aged>,
}

/// Places for replies.
#[derive(Clone, Copy, Debug)]
struct ReplyPlaces {
    free: u32,
    /// Where the class of a packet stands.
    class: HeaderField,
}

impl ReplyPlaces {
    /// Takes a place if a flit needs one. Gives whether the flit can be taken.
    fn admit(&mut self, lane: Lane, flit: &[u32]) -> bool {
        let is_request = lane.head && packet::field(flit, self.class.low, self.class.bits) == 0;
        if is_request && self.free == 0 {
            return false;
        }
        self.free -= u32::from(is_request);
        true
    }
}

impl SinkVc {
    /// Takes a flit. Gives its packet if it is the last one.
    fn take(
        &mut self,
        node: usize,
        SinkFlit { lane, aged }: SinkFlit,
        flit: &[u32],
        setting: &Setting,
    ) -> Option<ReceivedPacket> {
        if lane.head {
            self.aged = aged;
        }
        self.packet.extend_from_slice(flit);
        if !lane.tail {
            return None;
        }
        let (length, aged) = (self.packet.len() / setting.sizes.words, self.aged);
        let identity = setting.format.recognise(&mut self.packet);
        self.packet.clear();
        Some(ReceivedPacket { node, identity, length, aged })
    }
}

impl Sink {
    /// Of a node that has received nothing yet.
    pub fn new(node: usize, setting: &Setting) -> Sink {
        let class = setting.shape().dragonfly().and_then(|built| built.header().class);
        Sink {
            node,
            vcs: vec![SinkVc::default(); setting.sizes.vcs],
            places: setting.reply_places.zip(class).map(|(free, class)| ReplyPlaces { free, class }),
        }
    }

    /// A reply was begun: its place is free.
    pub fn free_place(&mut self) {
        if let Some(places) = &mut self.places {
            places.free += 1;
        }
    }

    /// A cycle in which `flit` comes if `lane` is valid. Gives the VCs of which a flit is taken, as a mask.
    pub fn step(
        &mut self,
        now: u64,
        lane: Lane,
        flit: &[u32],
        setting: &Setting,
        received: &mut Vec<ReceivedPacket>,
    ) -> u16 {
        let mut taken = if self.places.is_some() { self.take_waiting(setting, received) } else { 0 };
        if !lane.valid {
            return taken;
        }
        let aged = setting.ages.filter(|_| lane.head).map(|ages| ages.arrival(now, flit));
        let (bit, vc) = (1 << lane.vc, &mut self.vcs[lane.vc as usize]);
        // One flit of a VC in a cycle.
        let waits = taken & bit != 0
            || !vc.waiting.is_empty()
            || self.places.as_mut().is_some_and(|places| !places.admit(lane, flit));
        if waits {
            vc.waiting.push_back((SinkFlit { lane, aged }, flit.to_vec()));
        } else {
            received.extend(vc.take(self.node, SinkFlit { lane, aged }, flit, setting));
            taken |= bit;
        }
        taken
    }

    /// Takes a flit of each VC on which one waits, if there is a place for the reply to its request.
    fn take_waiting(&mut self, setting: &Setting, received: &mut Vec<ReceivedPacket>) -> u16 {
        let Some(places) = &mut self.places else { return 0 };
        let mut taken = 0;
        for (number, vc) in self.vcs.iter_mut().enumerate() {
            if !vc.waiting.front().is_some_and(|(front, flit)| places.admit(front.lane, flit)) {
                continue;
            }
            let Some((front, flit)) = vc.waiting.pop_front() else { continue };
            received.extend(vc.take(self.node, front, &flit, setting));
            taken |= 1 << number;
        }
        taken
    }
}
