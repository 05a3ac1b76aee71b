//! What the sources send in a phase: packets that fit the room that is left, so that buffers are filled to the last
//! flit.

use super::PhasePackets;
use crate::random::Random;
use crate::traffic::{Groups, Packet, DROP};
use railyard_spec::Shape;

/// How long packets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthChoice {
    /// The longest ones, and before them such that the next buffers become exactly full; behind them, what fits.
    Exact,
    /// The header alone.
    Shortest,
    /// Any length that fits.
    Any,
}

/// Which addresses packets have. Where senders say the way, only the last one is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressChoice {
    /// Those in regular use.
    Used,
    /// Any that has a route: mostly misses.
    Fresh,
    /// Any, but the same for some packets in a row: a miss, and others that join it.
    Bursts,
    /// Those of one set of the routing cache, more than it has ways.
    Crowd,
    /// Those in the last entries of the forwarding table.
    Edge,
    /// Without a route.
    Lost,
}

/// Draws of a packet for an output and VC whose next buffer is not planned full, and how often they may be in vain:
/// some VC may have no route.
const DRAWS: usize = 32;
const ATTEMPTS: u32 = 64;

/// The sources' choices.
#[derive(Clone, Debug)]
pub struct DirectedSource {
    vcs: usize,
    ports: u64,
    /// Places of the next buffers behind each output.
    depths: Vec<u32>,
    header: u32,
    longest: u32,
    /// Ports from a source to its destination, so that no two sources share one.
    shift: u64,
    /// The source that sends alone, in its turn.
    leader: u64,
    /// Flits planned for each (output, VC) of the next buffers since they were empty, until they are full.
    planned: Vec<u32>,
    /// By source: how often in a row no packet was found for a next buffer that is not planned full.
    fruitless: Vec<u32>,
    random: Random,
}

impl DirectedSource {
    /// At the first phase of a turn; `leader` sends alone in this one.
    pub fn new(shape: &Shape, leader: u64, mut random: Random) -> DirectedSource {
        DirectedSource {
            vcs: shape.vcs,
            ports: shape.ports as u64,
            depths: (0..shape.ports).map(|port| shape.depth_at(port)).collect(),
            header: shape.header_flits(),
            longest: shape.max_flits,
            shift: random.below(shape.ports as u64),
            leader: leader % shape.ports as u64,
            planned: vec![0; shape.ports * shape.vcs],
            fruitless: vec![0; shape.ports],
            random,
        }
    }

    /// A phase begins, perhaps the first of a turn.
    pub fn begin_phase(&mut self, is_first: bool) {
        self.planned.fill(0);
        self.fruitless.fill(0);
        if is_first {
            self.shift = self.random.below(self.ports);
            self.leader = (self.leader + 1) % self.ports;
        }
    }

    /// The next packet of `port`, `room` being the free places of its VCs; none if there is no room for any. `unicast`
    /// makes a packet to that output, its length to be set; `groups` are those of multicast packets, if there are any.
    pub fn packet(
        &mut self,
        port: usize,
        order: &PhasePackets,
        room: &[i32],
        groups: Option<&Groups>,
        mut unicast: impl FnMut(u8) -> Packet,
    ) -> Option<Packet> {
        let roomy = |vc: &usize| room[*vc] >= self.header as i32;
        let vcs = (0..room.len()).filter(roomy).fold(0, |mask, vc| mask | 1u64 << vc);
        if vcs == 0 || order.alone && port as u64 != self.leader {
            return None;
        }
        let vc = self.random.pick(vcs) as u8;
        let left = room[vc as usize] as u32;
        let shift = if order.scattered { self.random.below(self.ports) } else { self.shift };
        let to = ((port as u64 + shift) % self.ports) as u8;
        let groups = groups.filter(|groups| groups.vc == vc);
        let is_lost = order.addresses == AddressChoice::Lost;
        let packet = match groups.filter(|_| is_lost || order.multicast && self.random.below(2) == 0) {
            Some(groups) if is_lost => groups.lost_packet(port as u8, &mut self.random),
            Some(groups) => groups.packet(port as u8, &mut self.random),
            None if order.lengths == LengthChoice::Exact && self.is_to_fill(port, to) => {
                return self.exact(port, left, || Packet { vc, ..unicast(to) });
            }
            None => unicast(to),
        };
        Some(Packet { vc, length: self.fitting(order, left), ..packet })
    }

    /// Whether a source is to fill the next buffers behind an output. What it sends when they are planned full could
    /// overtake nothing of that, and must come behind.
    fn is_to_fill(&self, port: usize, to: u8) -> bool {
        let (to, depth) = (to as usize, self.depths[to as usize]);
        let buffers = &self.planned[to * self.vcs..(to + 1) * self.vcs];
        self.fruitless[port] < ATTEMPTS && buffers.iter().any(|&planned| planned < depth)
    }

    /// A packet for a next buffer that is not planned full, if one is found and what is `left` of its own VC's room is
    /// enough.
    fn exact(&mut self, port: usize, left: u32, mut draw: impl FnMut() -> Packet) -> Option<Packet> {
        for _ in 0..DRAWS {
            let packet = draw();
            let length = self.planned_length(&packet);
            if length > 0 {
                self.fruitless[port] = 0;
                return (length <= left).then(|| {
                    let channel = self.next_buffer(&packet);
                    self.planned[channel] += length;
                    Packet { length: length as u16, ..packet }
                });
            }
        }
        self.fruitless[port] += 1;
        None
    }

    fn next_buffer(&self, packet: &Packet) -> usize {
        packet.destination as usize * self.vcs + packet.leaves_on() as usize
    }

    /// A length that leaves room for a whole packet or none.
    fn fitting(&mut self, order: &PhasePackets, left: u32) -> u16 {
        let most = left.min(self.longest);
        let drawn = match order.lengths {
            LengthChoice::Exact => most,
            LengthChoice::Shortest => self.header,
            LengthChoice::Any => self.random.within(self.header.into(), most.into()) as u32,
        };
        let rest = left - drawn;
        match rest > 0 && rest < self.header && drawn + rest <= self.longest {
            true => (drawn + rest) as u16,
            false => drawn as u16,
        }
    }

    /// The length by which the next buffer of a packet comes closer to being exactly full: longest packets, behind one
    /// or two that are as long as what does not divide. 0 if it is planned full, or the packet has none.
    fn planned_length(&self, packet: &Packet) -> u32 {
        if packet.destination == DROP {
            return 0;
        }
        let left = self.depths[packet.destination as usize] - self.planned[self.next_buffer(packet)];
        match left % self.longest {
            _ if left == 0 => 0,
            0 => self.longest,
            odd => odd.max(self.header),
        }
    }
}
