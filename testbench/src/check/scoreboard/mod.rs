//! The scoreboard: each packet exactly once, at its port, in order per (source, VC, destination), bits intact.
//!
//! It knows what the senders began, and sees the `tx_*` and `drop_*` pins. A packet is recognised by the source's
//! number in its head flit, or by its address, which belongs to one source. (A switch with neither room for the number
//! nor enough addresses has packets that nobody can tell apart: [`Scoreboard::can_watch`].) From there it must be the
//! oldest one of that source and VC that goes to this output; nothing is searched and nothing is hashed while all is
//! well.

use crate::traffic::{AddressMap, Format, Packet};
use railyard_bench::packets_leave;
use railyard_model::{bits::ones, Outputs};
use railyard_spec::Shape;
use std::collections::VecDeque;

mod fault;
mod recognition;

pub use fault::{PacketFault, PacketFaultKind};

/// Faults kept; more are only counted.
const KEPT: usize = 20;
/// Delivered packets of each (source, VC) that a duplicate can be recognised by.
const REMEMBERED: usize = 4;

/// Packets of each (source, VC) that are taken for dropped and may still come: more than output queues hold.
const SUPPOSED: usize = 256;

/// Random bits in a header with which packets of a run are hardly ever alike.
const TELLING_BITS: u32 = 20;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: Packet,
    overtaken: bool,
}

/// A multicast packet of which a flit came out in this cycle.
#[derive(Clone, Copy, Debug)]
struct Copies {
    packet: Packet,
    /// The outputs where it did.
    seen: u64,
    tail: bool,
}

/// Whether outputs have queues, where a packet waits while later ones of its input VC leave by other outputs.
#[derive(Clone, Copy, Debug)]
struct Passing(bool);

impl Passing {
    /// Whether later packets of its input VC may leave before this one by any output that it may take.
    fn lets_pass(self, packet: &Packet) -> bool {
        self.0 && packet.outputs.count_ones() > 1
    }
}

/// What an (output, VC) receives.
#[derive(Clone, Copy, Debug, Default)]
struct Receiver {
    packet: Packet,
    index: u16,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between packets.
    #[default]
    Idle,
    /// The header isn't complete.
    Header,
    /// In a known packet.
    Known,
    /// The rest of a packet that is wrong.
    Wrong,
}

/// Keeps account of packets.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    format: Format,
    map: Option<AddressMap>,
    vcs: usize,
    ports: usize,
    /// Routes may name the VC of the next link.
    next_vc: bool,
    passes: Passing,
    /// Packets that are taken for dropped, where others of their (source, VC) may have been: see [`Passing`].
    supposed: Vec<VecDeque<Packet>>,
    /// Packets on their way by source * k + VC, oldest first.
    travelling: Vec<VecDeque<Entry>>,
    recent: Vec<[Packet; REMEMBERED]>,
    receivers: Vec<Receiver>,
    /// For each (output, VC) the header flits that came before the packet is known.
    stashes: Vec<[u32; 8]>,
    scratch: Vec<u32>,
    /// The multicast packets of which a flit came out in this cycle.
    copies: Vec<Copies>,
    faults: Vec<PacketFault>,
    /// All faults, kept or not.
    pub fault_count: u64,
    /// Packets that senders began.
    pub sent: u64,
    /// Packets that came out whole at the right place.
    pub delivered: u64,
    /// Packets that were dropped, and might be: without a route, or on their way while routes changed.
    pub dropped: u64,
    /// Of these, the latter.
    pub dropped_in_change: u64,
    /// Packets that a reset swept away.
    pub flushed: u64,
    /// Copies of delivered multicast packets beyond the first.
    further_copies: u64,
    /// Packets sent, copies delivered and packets dropped up to the last reset.
    at_reset: [u64; 3],
}

impl Scoreboard {
    /// Whether this switch's packets can be told apart.
    pub fn can_watch(shape: &Shape, format: &Format, map: Option<&AddressMap>) -> bool {
        // Ways are chosen, and headers rewritten.
        if shape.dragonfly().is_some() {
            return false;
        }
        // Bits of packets are inverted.
        if shape.buffer_code.is_some_and(|code| code.fault_pins) {
            return false;
        }
        // Packets that came on different VCs are told apart by their bits alone.
        if shape.next_vc && format.free_bits() < TELLING_BITS {
            return false;
        }
        // A multicast packet has no address to tell its source, nor hops.
        if shape.multicast.is_some() && !format.source_stays() {
            return false;
        }
        format.has_source() || map.is_some_and(AddressMap::has_source)
    }

    /// An empty scoreboard.
    pub fn new(shape: &Shape, format: &Format, map: Option<&AddressMap>) -> Scoreboard {
        let channels = shape.ports * shape.vcs;
        Scoreboard {
            format: format.clone(),
            map: map.cloned(),
            vcs: shape.vcs,
            ports: shape.ports,
            next_vc: shape.next_vc,
            passes: Passing(shape.output_queue_flits.is_some()),
            supposed: vec![VecDeque::new(); channels],
            travelling: vec![VecDeque::with_capacity(16); channels],
            recent: vec![[Packet::default(); REMEMBERED]; channels],
            receivers: vec![Receiver::default(); channels],
            stashes: vec![[0; 8]; channels],
            scratch: vec![0; format.words()],
            copies: Vec::new(),
            faults: Vec::new(),
            fault_count: 0,
            sent: 0,
            delivered: 0,
            further_copies: 0,
            dropped: 0,
            dropped_in_change: 0,
            flushed: 0,
            at_reset: [0; 3],
        }
    }

    /// The first faults.
    pub fn faults(&self) -> &[PacketFault] {
        &self.faults
    }

    /// Packets on their way.
    pub fn in_flight(&self) -> u64 {
        self.sent - self.delivered - self.dropped - self.flushed
    }

    /// A sender begins a packet.
    #[inline]
    pub fn begin(&mut self, packet: &Packet) {
        self.sent += 1;
        let channel = packet.source as usize * self.vcs + packet.vc as usize;
        self.travelling[channel].push_back(Entry { packet: *packet, overtaken: false });
    }

    /// Routes change: what is on its way may leave by any port, and be dropped if `may_drop` says so; if only groups
    /// change, that is said of multicast packets.
    pub fn loosen(&mut self, only_groups: bool, may_drop: impl Fn(&Packet) -> bool) {
        let packets = self.travelling.iter_mut().flatten().map(|entry| &mut entry.packet);
        for packet in packets.filter(|packet| packet.multicast || !only_groups) {
            packet.may_drop = packet.may_be_dropped() || may_drop(packet);
            packet.any_route = true;
        }
    }

    /// Packets sent, copies delivered (of a unicast packet one) and packets dropped.
    fn passages(&self) -> [u64; 3] {
        [self.sent, self.delivered + self.further_copies, self.dropped]
    }

    /// Packets sent, copies delivered (of a unicast packet one) and packets dropped since the last reset.
    pub fn since_reset(&self) -> [u64; 3] {
        let now = self.passages();
        std::array::from_fn(|at| now[at] - self.at_reset[at])
    }

    /// The switch was reset: what was on its way is gone.
    pub fn flush(&mut self) {
        self.flushed = self.sent - self.delivered - self.dropped;
        self.at_reset = self.passages();
        self.travelling.iter_mut().for_each(VecDeque::clear);
        self.supposed.iter_mut().for_each(VecDeque::clear);
        self.receivers.fill(Receiver::default());
    }

    /// Looks at the outputs of a cycle; `leave` gets each packet whose tail is there, with the mask of its output ports
    /// and its virtual channel, and each packet that is dropped, with no port.
    #[inline]
    pub fn watch(&mut self, cycle: u64, outputs: &Outputs, mut leave: impl FnMut(&Packet, u64, usize)) {
        for port in ones(packets_leave(outputs, self.vcs)) {
            let vc = outputs.tx_vc[port] as usize;
            let (head, tail) = (outputs.tx_head >> port & 1 == 1, outputs.tx_tail >> port & 1 == 1);
            if let Some(packet) = self.flit(cycle, port, vc, head, tail, outputs.flit(port)) {
                leave(&packet, 1 << port, vc);
            }
        }
        while let Some(copies) = self.copies.pop() {
            if self.compare_copies(cycle, copies) {
                leave(&copies.packet, copies.seen, copies.packet.vc as usize);
            }
        }
        for word in 0..(self.ports * self.vcs).div_ceil(64) {
            for bit in ones(outputs.drop_valid.0[word]) {
                let channel = word * 64 + bit;
                if let Some(packet) = self.drop(cycle, channel) {
                    leave(&packet, 0, channel % self.vcs);
                }
            }
        }
    }

    /// The run has ended and the switch is empty: what is still on its way is lost.
    pub fn finish(&mut self, cycle: u64) {
        for channel in 0..self.travelling.len() {
            while let Some(entry) = self.travelling[channel].pop_front() {
                let (port, vc) = (channel / self.vcs, channel % self.vcs);
                self.fault(cycle, PacketFaultKind::Lost, port, vc, Some(&entry.packet));
            }
        }
    }

    #[inline]
    fn flit(&mut self, cycle: u64, port: usize, vc: usize, head: bool, tail: bool, flit: &[u32]) -> Option<Packet> {
        let receiver = &mut self.receivers[port * self.vcs + vc];
        // Most flits are payload of a known packet.
        if receiver.state == State::Known && !head && receiver.index >= self.format.header_flits() {
            let (index, ends) = (receiver.index, receiver.index + 1 == receiver.packet.length);
            if self.format.is_payload(&receiver.packet, index, flit) && ends == tail {
                receiver.index += 1;
                if !tail && !receiver.packet.multicast {
                    return None;
                }
                if tail {
                    receiver.state = State::Idle;
                }
                let packet = receiver.packet;
                return self.known_flit(&packet, port, tail);
            }
        }
        self.other_flit(cycle, port, vc, head, tail, flit)
    }

    /// A flit of a packet came out at `port` as it should. Gives the packet, if that was all.
    #[inline]
    fn known_flit(&mut self, packet: &Packet, port: usize, tail: bool) -> Option<Packet> {
        if packet.multicast {
            self.note_copy(packet, port, tail);
            return None;
        }
        tail.then(|| {
            self.delivered += 1;
            self.take(packet);
            *packet
        })
    }

    fn note_copy(&mut self, packet: &Packet, port: usize, tail: bool) {
        match self.copies.iter_mut().find(|copies| copies.packet.key == packet.key) {
            Some(copies) => copies.seen |= 1 << port,
            None => self.copies.push(Copies { packet: *packet, seen: 1 << port, tail }),
        }
    }

    /// Each flit of a multicast packet comes out at all its outputs in one cycle. Gives whether it has come out whole.
    fn compare_copies(&mut self, cycle: u64, copies: Copies) -> bool {
        let Copies { packet, seen, tail } = copies;
        let is_torn = packet.outputs != seen && !packet.any_route;
        if is_torn {
            let port = (packet.outputs ^ seen).trailing_zeros() as usize;
            self.fault(cycle, PacketFaultKind::Torn, port, packet.vc as usize, Some(&packet));
        }
        if tail {
            self.delivered += u64::from(!is_torn);
            self.further_copies += if is_torn { 0 } else { u64::from(seen.count_ones()) - 1 };
            self.take(&packet);
        }
        tail && !is_torn
    }

    /// Takes a packet off the list.
    #[inline]
    fn take(&mut self, packet: &Packet) {
        let channel = packet.source as usize * self.vcs + packet.vc as usize;
        let queue = &mut self.travelling[channel];
        if queue.front().is_some_and(|entry| entry.packet.key == packet.key) {
            queue.pop_front();
        } else if let Some(i) = queue.iter().position(|entry| entry.packet.key == packet.key) {
            queue.remove(i);
        }
        let recent = &mut self.recent[channel];
        recent[(packet.key % REMEMBERED as u64) as usize] = *packet;
    }

    /// While routes change, nobody knows which of the packets of a channel is dropped: some may wait in output queues.
    fn suppose_dropped(&mut self, channel: usize, packet: Packet) {
        let supposed = &mut self.supposed[channel];
        supposed.truncate(SUPPOSED - 1);
        supposed.push_front(packet);
    }

    /// The first packet of a channel that the switch may drop, and that is not coming out.
    fn first_that_may_be_dropped(&self, channel: usize) -> Option<usize> {
        let comes = |packet: &Packet| {
            let mut receivers = self.receivers.iter().filter(|receiver| receiver.state == State::Known);
            self.passes.0 && receivers.any(|receiver| receiver.packet.key == packet.key)
        };
        let mut queue = self.travelling[channel].iter();
        queue.position(|Entry { packet, .. }| packet.may_be_dropped() && !comes(packet))
    }

    /// Packet number `i` of those that are taken for dropped comes out: the next one of its channel that may be dropped
    /// was it, if there is one.
    fn revive(&mut self, channel: usize, i: usize) -> Option<Packet> {
        let other = self.first_that_may_be_dropped(channel)?;
        let dropped = self.travelling[channel].remove(other).expect("it is there").packet;
        let packet = self.supposed[channel].remove(i).expect("it is there");
        self.travelling[channel].push_front(Entry { packet, overtaken: false });
        if dropped.any_route {
            self.suppose_dropped(channel, dropped);
        }
        Some(packet)
    }

    /// The switch drops a packet of a channel. Gives the packet, if it may be dropped.
    #[inline]
    fn drop(&mut self, cycle: u64, channel: usize) -> Option<Packet> {
        let first = self.first_that_may_be_dropped(channel);
        let queue = &mut self.travelling[channel];
        match first {
            Some(i) => {
                let packet = queue.remove(i).expect("it is there").packet;
                self.dropped_in_change += u64::from(packet.any_route);
                self.dropped += 1;
                if self.passes.0 && packet.any_route {
                    self.suppose_dropped(channel, packet);
                }
                Some(packet)
            }
            None => {
                let oldest = queue.front().map(|entry| entry.packet);
                self.fault(cycle, PacketFaultKind::Dropped, channel / self.vcs, channel % self.vcs, oldest.as_ref());
                if let Some(packet) = oldest {
                    self.take(&packet);
                }
                None
            }
        }
    }

    #[cold]
    fn fault(&mut self, cycle: u64, kind: PacketFaultKind, port: usize, vc: usize, packet: Option<&Packet>) {
        self.fault_count += 1;
        if self.faults.len() < KEPT {
            let packet = packet.map_or("an unknown packet".to_owned(), Packet::to_string);
            self.faults.push(PacketFault { cycle, kind, port, vc, packet });
        }
    }
}
