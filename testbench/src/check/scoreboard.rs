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
use serde::Serialize;
use std::collections::VecDeque;

/// Faults kept; more are only counted.
const KEPT: usize = 20;
/// Delivered packets of each (source, VC) that a duplicate can be recognised by.
const REMEMBERED: usize = 4;

/// Random bits in a header with which packets of a run are hardly ever alike.
const TELLING_BITS: u32 = 20;

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

    /// A flit of a header, or one that is wrong.
    fn other_flit(
        &mut self,
        cycle: u64,
        port: usize,
        vc: usize,
        head: bool,
        tail: bool,
        flit: &[u32],
    ) -> Option<Packet> {
        let at = port * self.vcs + vc;
        let mut receiver = self.receivers[at];
        let inside = matches!(receiver.state, State::Known | State::Header);
        if head == inside && receiver.state != State::Wrong {
            let packet = (receiver.state == State::Known).then_some(receiver.packet);
            self.fault(cycle, PacketFaultKind::Unknown, port, vc, packet.as_ref());
            self.receivers[at].state = if tail { State::Idle } else { State::Wrong };
            return None;
        }
        if head {
            receiver.state = State::Header;
            receiver.index = 0;
        }
        match receiver.state {
            State::Header => receiver.state = self.header(cycle, port, vc, &mut receiver, flit, tail),
            State::Known => self.format.forwarded(&receiver.packet, receiver.index, &mut self.scratch),
            _ => {}
        }
        if receiver.state == State::Known {
            let ends = receiver.index + 1 == receiver.packet.length;
            let wrong = self.scratch[..] != *flit || ends != tail;
            let twin = if wrong { self.twin(&receiver.packet, receiver.index, port, vc, flit, tail) } else { None };
            if let Some(twin) = twin {
                receiver.packet = twin;
            } else if wrong {
                self.fault(cycle, PacketFaultKind::Corrupted, port, vc, Some(&receiver.packet));
                self.take(&receiver.packet);
                receiver.state = State::Wrong;
            }
        }
        receiver.index += 1;
        let is_known = receiver.state == State::Known;
        if tail {
            receiver.state = State::Idle;
        }
        self.receivers[at] = receiver;
        if is_known {
            self.known_flit(&receiver.packet, port, tail)
        } else {
            None
        }
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

    /// Finds the packet once its header is complete; its flit is then in `scratch`.
    #[inline]
    fn header(
        &mut self,
        cycle: u64,
        port: usize,
        vc: usize,
        receiver: &mut Receiver,
        flit: &[u32],
        tail: bool,
    ) -> State {
        let (index, last) = (receiver.index, self.format.header_flits() - 1);
        if last > 0 && index < last {
            // Headers of several flits are those of narrow ones: at most two words each.
            self.stashes[port * self.vcs + vc][2 * index as usize..][..flit.len()].copy_from_slice(flit);
            if tail {
                self.fault(cycle, PacketFaultKind::Corrupted, port, vc, None);
            }
            return State::Header;
        }
        let stash = if last > 0 { self.stashes[port * self.vcs + vc] } else { [0; 8] };
        let words = flit.len();
        let part = |i: u16| if i == last { flit } else { &stash[2 * i as usize..][..words] };
        let source = match self.format.source(part(0)) {
            Some(source) => Some(source),
            None => {
                let address = (0..=last).fold(0, |address, i| address | self.format.header_part(i, part(i)));
                self.map.as_ref().and_then(|map| map.source(address))
            }
        };
        let source = source.map(usize::from).filter(|&source| source < self.ports);
        for came_on in if self.next_vc { 0..self.vcs } else { vc..vc + 1 } {
            let oldest = source.and_then(|source| {
                let queue = &self.travelling[source * self.vcs + came_on];
                queue.iter().find(|entry| entry.packet.any_route || entry.packet.is_for(port, vc)).copied()
            });
            let Some(Entry { packet, overtaken }) = oldest else { continue };
            if self.matches(&packet, last, part) {
                if overtaken {
                    self.fault(cycle, PacketFaultKind::Reordered, port, vc, Some(&packet));
                }
                receiver.packet = packet;
                return State::Known;
            }
        }
        self.search(cycle, port, vc, source, last, part, receiver)
    }

    /// Another packet of the same source that looks the same up to flit `index` and has that flit: where VCs of the
    /// next link are given by routes, packets that came on different VCs can meet with equal headers.
    #[cold]
    fn twin(
        &mut self,
        packet: &Packet,
        index: u16,
        port: usize,
        vc: usize,
        flit: &[u32],
        tail: bool,
    ) -> Option<Packet> {
        if !self.next_vc {
            return None;
        }
        let flits = |packet: &Packet, i: u16| {
            let mut bits = vec![0; flit.len()];
            self.format.forwarded(packet, i, &mut bits);
            bits
        };
        let queues = self.travelling[packet.source as usize * self.vcs..][..self.vcs].iter();
        // Packets of one VC leave in order: of those that go this way, the oldest.
        let oldest = |queue: &'_ VecDeque<Entry>| {
            queue.iter().map(|entry| entry.packet).find(|other| other.any_route || other.is_for(port, vc))
        };
        let mut others = queues.filter_map(oldest);
        others.find(|other| {
            let alike = |i: u16| flits(other, i) == flits(packet, i);
            other.key != packet.key
                && (index + 1 == other.length) == tail
                && flits(other, index) == flit
                && (0..index).all(alike)
        })
    }

    /// Whether the header flits are those of a packet; leaves the last of them in `scratch`.
    #[inline]
    fn matches<'a>(&mut self, packet: &Packet, last: u16, part: impl Fn(u16) -> &'a [u32]) -> bool {
        (0..=last).all(|i| {
            self.format.forwarded(packet, i, &mut self.scratch);
            self.scratch[..] == *part(i)
        })
    }

    /// The packet isn't the one expected: what is it?
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn search<'a>(
        &mut self,
        cycle: u64,
        port: usize,
        vc: usize,
        source: Option<usize>,
        last: u16,
        part: impl Fn(u16) -> &'a [u32] + Copy,
        receiver: &mut Receiver,
    ) -> State {
        let sources = source.map_or(0..self.ports, |source| source..source + 1);
        let vcs = self.vcs;
        let mut channels: Vec<usize> = sources.flat_map(|s| (0..vcs).map(move |v| s * vcs + v)).collect();
        channels.sort_by_key(|channel| channel % vcs != vc);
        for &channel in &channels {
            for i in 0..self.travelling[channel].len() {
                let Entry { packet, overtaken } = self.travelling[channel][i];
                if !self.matches(&packet, last, part) {
                    continue;
                }
                let may_leave = packet.any_route && (self.next_vc || packet.vc as usize == vc);
                if may_leave || packet.is_for(port, vc) {
                    // Whether the ones before it are late or lost, time will tell.
                    let queue = self.travelling[channel].iter_mut().take(i);
                    let same = queue.filter(|entry| entry.packet.is_for(port, vc));
                    same.for_each(|entry| entry.overtaken = true);
                    if overtaken {
                        self.fault(cycle, PacketFaultKind::Reordered, port, vc, Some(&packet));
                    }
                    receiver.packet = packet;
                    return State::Known;
                }
                let wrong_vc = packet.leaves_on() as usize != vc;
                let kind = if wrong_vc { PacketFaultKind::WrongVc } else { PacketFaultKind::Misrouted };
                self.fault(cycle, kind, port, vc, Some(&packet));
                // The other copies of a multicast packet may be as they should.
                if !packet.multicast {
                    self.take(&packet);
                }
                return State::Wrong;
            }
        }
        for &channel in &channels {
            for packet in self.recent[channel] {
                if packet.length > 0 && self.matches(&packet, last, part) {
                    self.fault(cycle, PacketFaultKind::Duplicated, port, vc, Some(&packet));
                    return State::Wrong;
                }
            }
        }
        let oldest = source.and_then(|source| {
            let mut queue = self.travelling[source * self.vcs..][..self.vcs].iter().flatten();
            queue.find(|entry| entry.packet.is_for(port, vc)).map(|entry| entry.packet)
        });
        let kind = if oldest.is_some() { PacketFaultKind::Corrupted } else { PacketFaultKind::Unknown };
        self.fault(cycle, kind, port, vc, oldest.as_ref());
        if let Some(packet) = oldest {
            self.take(&packet);
        }
        State::Wrong
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

    /// The switch drops a packet of a channel. Gives the packet, if it may be dropped.
    #[inline]
    fn drop(&mut self, cycle: u64, channel: usize) -> Option<Packet> {
        let queue = &mut self.travelling[channel];
        match queue.iter().position(|entry| entry.packet.may_be_dropped()) {
            Some(i) => {
                let packet = queue.remove(i).expect("it is there").packet;
                self.dropped_in_change += u64::from(packet.any_route);
                self.dropped += 1;
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
