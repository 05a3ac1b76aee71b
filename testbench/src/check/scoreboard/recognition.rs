//! Recognition of a packet by its header, and by its payload where headers are alike.

use super::{Entry, PacketFaultKind, Receiver, Scoreboard, State};
use crate::traffic::Packet;
use std::collections::VecDeque;

impl Scoreboard {
    /// A flit of a header, or one that is wrong.
    pub(super) fn other_flit(
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
        // Packets of one VC leave in order: of those that go this way, the oldest, and those before it that can go
        // another way.
        let passes = self.passes;
        let first = move |queue: &VecDeque<Entry>| {
            let ways = queue.iter().map(|entry| entry.packet);
            let mut same = ways.filter(|other| other.any_route || other.is_for(port, vc)).collect::<Vec<_>>();
            let last = same.iter().position(|other| !passes.lets_pass(other));
            same.truncate(last.map_or(same.len(), |last| last + 1));
            same
        };
        let mut others = queues.flat_map(first);
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
                    let passes = self.passes;
                    let queue = self.travelling[channel].iter_mut().take(i);
                    let same = queue.filter(|entry| entry.packet.is_for(port, vc) && !passes.lets_pass(&entry.packet));
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
            let supposed = self.supposed[channel].clone();
            let alike = supposed
                .iter()
                .position(|packet| (self.next_vc || packet.vc as usize == vc) && self.matches(packet, last, part));
            if let Some(packet) = alike.and_then(|i| self.revive(channel, i)) {
                receiver.packet = packet;
                return State::Known;
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
}
