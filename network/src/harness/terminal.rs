//! A node at its port of a switch: source queue, sender and sink.
//!
//! The source queue is unbounded; latency counts from the cycle in which a packet is made. The sender follows virtual
//! cut-through: it starts the oldest packet when a VC has credit for all of it, on one of those VCs by chance. The sink
//! gives the credit of a flit back in the report after the flit was taken.
//!
//! Under the eyes of an observer, and with error correction of buffers, one flit in 32 says that its packet is bad. The
//! sink takes all packets.

use super::exchange::Lane;
use super::graph500::Process;
use super::link_faults::LinkFaults;
use super::messages::MessageCounts;
use super::packets::{Begun, ReceivedPacket, Waiting};
use super::participant::{BarrierEvent, Participant};
use super::passages::Passage;
use super::setting::Setting;
use super::sink::Sink;
use super::target::Destination;
use crate::barrier::packets::{message_bits, to_packet};
use railyard_bench::endpoint::SenderCredits;
use railyard_bench::random::Random;
use railyard_bench::traffic::{Identity, NodePacket};
use railyard_model::{bits::ones, copy_flit};
use railyard_spec::barrier::Message;
use railyard_spec::FlowControl;
use std::collections::VecDeque;
use std::ops::AddAssign;

/// Of one of so many flits the packet is bad.
const BAD: u64 = 32;

/// What a switch and its terminals did in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Packets begun.
    pub begun: Vec<Begun>,
    /// Packets received.
    pub received: Vec<ReceivedPacket>,
    /// Packets that left the switch, if these are kept.
    pub passed: Vec<Passage>,
    /// What happened of barriers.
    pub barriers: Vec<BarrierEvent>,
    /// The first thing that the switch should never have done.
    pub complaint: Option<String>,
}

impl Events {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.begun.clear();
        self.received.clear();
        self.passed.clear();
        self.barriers.clear();
        self.complaint = None;
    }

    /// Whether nothing happened.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.begun.is_empty()
            && self.received.is_empty()
            && self.passed.is_empty()
            && self.barriers.is_empty()
            && self.complaint.is_none()
    }
}

#[derive(Clone, Debug)]
struct Sending {
    flits: Vec<u32>,
    vc: usize,
    /// Flits sent.
    sent: usize,
}

/// What the node drives in a cycle.
#[derive(Clone, Debug)]
pub struct Drive {
    /// Flit and reports.
    pub lane: Lane,
    /// The flit.
    pub flit: Vec<u32>,
    /// Credit of each VC.
    pub credits: Vec<u16>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Terminal {
    node: usize,
    random: Random,
    /// Draws the packets that are bad, if any are.
    bad: Option<Random>,
    queue: VecDeque<Waiting>,
    /// Replies to send, which go first.
    replies: VecDeque<Waiting>,
    /// Cycle of the next packet; none while nothing is to be made.
    next: Option<u64>,
    /// Packets of the file that it has had, and the cycle at which their cycles begin.
    replayed: usize,
    origin: u64,
    /// It begins a burst; otherwise it goes where the last one went.
    begins_burst: bool,
    last: Option<Result<usize, usize>>,
    /// The packet of `next`, or its burst, is made: a node that sends less than others leaves some out.
    makes: bool,
    /// Packets left of the burst.
    left: u64,
    credits: SenderCredits,
    sending: Option<Sending>,
    participant: Option<Participant>,
    /// Its process of a search, while one is under way, and whether that goes on.
    process: Option<Process>,
    goes_on: bool,
    /// Barrier messages to send, where they are packets.
    messages: VecDeque<Message>,
    serial: u16,
    sink: Sink,
    freed: Vec<u16>,
    /// What it drove in the last cycles, as many as the link has and one more, and the place of the last of them.
    drives: Vec<Drive>,
    slot: usize,
    counts: FlitCounts,
}

/// Flits of a node, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlitCounts {
    /// Received.
    pub received: u64,
    /// Made by its source.
    pub made: u64,
    /// Sent into the network.
    pub sent: u64,
}

impl AddAssign for FlitCounts {
    fn add_assign(&mut self, other: FlitCounts) {
        self.received += other.received;
        self.made += other.made;
        self.sent += other.sent;
    }
}

impl Terminal {
    /// A node that has made nothing yet, at a port of its switch and a link of that latency.
    pub fn new(node: usize, port: usize, latency: u64, setting: &Setting, seed: u64) -> Terminal {
        let vcs = setting.sizes.vcs;
        let random = Random::new(seed, 2 << 32 | node as u64);
        let participant = setting.barriers.as_ref().map(|barriers| Participant::new(node, barriers, random));
        let idle = Drive { lane: Lane::default(), flit: vec![0; setting.sizes.words], credits: vec![0; vcs] };
        Terminal {
            node,
            random: Random::new(seed, node as u64),
            bad: (setting.is_observed && setting.shape().buffer_code.is_some())
                .then(|| Random::new(seed, 4 << 32 | node as u64)),
            queue: VecDeque::new(),
            replies: VecDeque::new(),
            next: None,
            replayed: 0,
            origin: 0,
            begins_burst: true,
            last: None,
            makes: true,
            left: 0,
            credits: SenderCredits::new(setting.shape(), port..port + 1),
            sending: None,
            participant,
            process: None,
            goes_on: false,
            messages: VecDeque::new(),
            serial: 0,
            sink: Sink::new(node, setting),
            freed: vec![0; vcs],
            drives: vec![idle; latency as usize + 1],
            slot: 0,
            counts: FlitCounts::default(),
        }
    }

    /// Lets the source make packets, and the node go on from barrier to barrier, from cycle `now` on; or not any more:
    /// then it arrives at as many barriers of each group as `begun` says. Cycles of packets from a file count from
    /// `origin` on.
    pub fn generate(&mut self, now: Option<u64>, origin: u64, begun: &[u64], setting: &Setting) {
        if let (Some(participant), Some(barriers)) = (&mut self.participant, &setting.barriers) {
            match now {
                Some(now) => participant.go_on(now, barriers),
                None => participant.finish(begun),
            }
        }
        self.goes_on = now.is_some();
        let sends = !setting.only_multicast || !setting.groups_of[self.node].is_empty();
        (self.next, self.origin) = (None, origin);
        if setting.packets.is_some() {
            self.next = now.and_then(|_| self.next_replayed(setting));
            return;
        }
        if let Some(now) = now.filter(|_| sends) {
            self.plan(now, setting);
            self.next = self.next.map(|next| next - 1);
        }
    }

    /// All barrier groups start anew.
    pub fn restart_barriers(&mut self, setting: &Setting) {
        if let (Some(participant), Some(barriers)) = (&mut self.participant, &setting.barriers) {
            participant.restart(barriers);
        }
    }

    /// A barrier message came. To be called before the cycle's [`Terminal::step`].
    pub fn hear(&mut self, now: u64, word: u32, setting: &Setting, events: &mut Events) {
        if let (Some(participant), Some(barriers)) = (&mut self.participant, &setting.barriers) {
            participant.hear(now, word, barriers, &mut events.barriers);
        }
    }

    /// Credit reports came, of VCs as a mask. To be called before the cycle's [`Terminal::step`]. Gives the VCs whose
    /// report is impossible.
    pub fn read_credits(&mut self, reports: u16, credits: &[u16], faults: LinkFaults, credit_bits: u32) -> u16 {
        let refused = |vc: &usize| !self.credits.report(*vc, faults.credit(*vc, credits[*vc], credit_bits));
        ones(u64::from(reports)).filter(refused).fold(0, |mask, vc| mask | 1 << vc)
    }

    /// Barrier messages sent again since the last call.
    pub fn take_message_counts(&mut self) -> MessageCounts {
        self.participant.as_mut().map(Participant::take_counts).unwrap_or_default()
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.node
    }

    /// Whether nothing waits to be sent.
    pub fn is_idle(&self) -> bool {
        self.queued() == 0 && self.messages.is_empty() && self.sending.is_none()
    }

    /// Packets in the source queue.
    pub fn queued(&self) -> usize {
        self.queue.len() + self.replies.len()
    }

    /// Flits since the last call.
    pub fn take_counts(&mut self) -> FlitCounts {
        std::mem::take(&mut self.counts)
    }

    /// A packet of another node came, which the node answers.
    pub fn answer(&mut self, now: u64, to: usize, setting: &Setting) {
        self.replies.push_back(Waiting { node_or_group: Ok(to), generated: now, length: setting.length, vc: None });
        self.counts.made += setting.length as u64;
    }

    /// What credit is not all there.
    pub fn missing_credit(&self) -> Option<String> {
        let vc = self.credits.missing()?;
        let (room, depth) = (self.credits.room()[vc], self.credits.depths()[vc]);
        Some(format!("node {}: VC {vc} has credit for {room} flits of {depth}", self.node))
    }

    /// A cycle: what the switch drives in, what the node drives out (to be seen at the other end after the link's
    /// latency).
    pub fn step(&mut self, now: u64, lane: Lane, flit: &[u32], setting: &Setting, events: &mut Events) {
        self.make(now, setting);
        let slot = self.oldest();
        self.slot = slot;
        self.drives[slot].lane = Lane::default();
        self.receive(now, lane, flit, slot, setting, events);
        self.drives[slot].credits.copy_from_slice(&self.freed);
        if setting.shape().flow_control == FlowControl::Relative {
            self.freed.fill(0);
        }
        if !self.speak(now, slot, setting, events) {
            self.send(now, slot, setting, events);
        }
        let lane = &mut self.drives[slot].lane;
        if let (true, Some(random)) = (lane.valid, &mut self.bad) {
            lane.bad = random.below(BAD) == 0;
        }
    }

    /// What the node drives in this cycle, once it has made its step.
    pub fn driving(&self) -> &Drive {
        &self.drives[self.slot]
    }

    /// What the node drove as many cycles ago as its link has.
    pub fn driven(&self) -> &Drive {
        &self.drives[self.oldest()]
    }

    /// Cycles of its link.
    fn latency(&self) -> u64 {
        self.drives.len() as u64 - 1
    }

    #[inline]
    fn oldest(&self) -> usize {
        if self.slot + 1 == self.drives.len() {
            0
        } else {
            self.slot + 1
        }
    }

    /// Takes part in the next stage of a search.
    pub fn search(&mut self, process: Process) {
        self.process = Some(process);
    }

    /// Whether its process, if it has one, has made and answered all in cycle `now`.
    pub fn has_searched(&self, now: u64) -> bool {
        self.process.as_ref().is_none_or(|process| process.is_done(now))
    }

    fn make(&mut self, now: u64, setting: &Setting) {
        if let (Some(process), Some(all), true) = (&mut self.process, &setting.processes, self.goes_on) {
            self.counts.made += process.make(now, self.node, &mut self.queue, &mut self.random, all);
            return;
        }
        while let Some(next) = self.next.filter(|&next| next <= now) {
            if let Some(packets) = &setting.packets {
                let NodePacket { destination, flits, vc, .. } = packets.nodes[self.node][self.replayed];
                let (node_or_group, length) = (Ok(destination as usize), usize::from(flits));
                self.queue.push_back(Waiting { node_or_group, generated: next, length, vc });
                self.counts.made += length as u64;
                self.replayed += 1;
                self.next = self.next_replayed(setting);
                continue;
            }
            if self.begins_burst {
                self.makes = self.random.happens(setting.share(self.node));
            }
            if self.makes {
                self.make_one(next, setting);
            }
            self.plan(next, setting);
        }
    }

    /// Makes the packet of cycle `now`.
    fn make_one(&mut self, now: u64, setting: &Setting) {
        let node_or_group = match self.last.filter(|_| !self.begins_burst) {
            Some(same) => same,
            None => self.draw(setting),
        };
        self.last = Some(node_or_group);
        self.queue.push_back(Waiting { node_or_group, generated: now, length: setting.length, vc: None });
        self.counts.made += setting.length as u64;
    }

    /// Cycle of the next packet of the file.
    fn next_replayed(&self, setting: &Setting) -> Option<u64> {
        let packet = setting.packets.as_ref()?.nodes[self.node].get(self.replayed)?;
        Some(self.origin.saturating_add(packet.cycle))
    }

    /// Cycle of the next packet that it will make.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// A destination, or a group of several.
    fn draw(&mut self, setting: &Setting) -> Result<usize, usize> {
        let groups = &setting.groups_of[self.node];
        match !groups.is_empty() && self.random.happens(setting.multicast) {
            true => Err(groups[self.random.below(groups.len() as u64) as usize]),
            false => Ok(setting.destinations().draw(self.node, &mut self.random)),
        }
    }

    /// Plans the packet after one of cycle `now`.
    fn plan(&mut self, now: u64, setting: &Setting) {
        self.next = setting.arrivals.as_ref().map(|process| {
            let (wait, begins) = process.draw(setting.length as u64, &mut self.left, &mut self.random);
            self.begins_burst = begins;
            now + wait
        });
    }

    fn receive(&mut self, now: u64, lane: Lane, flit: &[u32], slot: usize, setting: &Setting, events: &mut Events) {
        let is_message = lane.valid && lane.head && lane.tail && setting.barrier_packets == Some(lane.vc);
        let taken = if is_message {
            self.hear(now, message_bits(flit), setting, events);
            1 << lane.vc
        } else {
            let before = events.received.len();
            let taken = self.sink.step(now, lane, flit, setting, &mut events.received);
            if let (Some(process), Some(all)) = (&mut self.process, &setting.processes) {
                events.received[before..].iter().for_each(|packet| process.receive(now, packet.length, all));
            }
            self.counts.received += u64::from(taken.count_ones());
            taken
        };
        let mask = (1u16 << setting.shape().credit_bits) - 1;
        for vc in ones(u64::from(taken)) {
            self.freed[vc] = self.freed[vc].wrapping_add(1) & mask;
        }
        self.drives[slot].lane.reports |= taken;
    }

    /// Sends a barrier message, if there is one: it goes before all else. Where messages are packets, it waits.
    fn speak(&mut self, now: u64, slot: usize, setting: &Setting, events: &mut Events) -> bool {
        let (Some(participant), Some(barriers)) = (&mut self.participant, &setting.barriers) else { return false };
        let Some(message) = participant.speak(now, &mut events.barriers) else { return false };
        if setting.barrier_packets.is_some() {
            self.messages.push_back(message);
            return false;
        }
        let drive = &mut self.drives[slot];
        drive.flit.fill(0);
        drive.flit[0] = message.encode();
        drive.lane = Lane { valid: true, head: true, tail: true, vc: barriers.vc, ..drive.lane };
        true
    }

    fn send(&mut self, now: u64, slot: usize, setting: &Setting, events: &mut Events) {
        if self.sending.is_none() && !self.begin_message(setting) {
            self.begin(now, setting, events);
        }
        let Some(sending) = &mut self.sending else { return };
        let words = setting.sizes.words;
        let drive = &mut self.drives[slot];
        copy_flit(&mut drive.flit, &sending.flits[sending.sent * words..(sending.sent + 1) * words]);
        let tail = (sending.sent + 1) * words == sending.flits.len();
        drive.lane = Lane { valid: true, head: sending.sent == 0, tail, vc: sending.vc as u8, ..drive.lane };
        sending.sent += 1;
        self.counts.sent += 1;
        if tail {
            self.sending = None;
        }
    }

    /// Opens the packet of the oldest barrier message, if there is credit for it: it goes before other packets that are
    /// not begun.
    fn begin_message(&mut self, setting: &Setting) -> bool {
        let Some(vc) = setting.barrier_packets.map(usize::from) else { return false };
        if self.credits.room()[vc] == 0 {
            return false;
        }
        let Some(message) = self.messages.pop_front() else { return false };
        self.credits.take(vc, 1);
        self.sending = Some(Sending { flits: to_packet(message, 0, setting.sizes.words), vc, sent: 0 });
        true
    }

    /// Opens the oldest packet, if there is credit for it: a reply before others.
    fn begin(&mut self, now: u64, setting: &Setting, events: &mut Events) {
        let is_reply = !self.replies.is_empty();
        let queue = if is_reply { &mut self.replies } else { &mut self.queue };
        let Some(front) = queue.front().copied() else { return };
        let allowed = match front.node_or_group {
            Ok(node) => setting.sending(self.node, node, is_reply),
            Err(_) => setting.mixed,
        };
        // Tables after an outage may no longer allow the VC of the file.
        let named = front.vc.map_or(0, |vc| allowed & 1 << vc);
        let allowed = if named != 0 { named } else { allowed };
        let room = self.credits.room();
        let roomy = (0..room.len()).filter(|&vc| room[vc] >= front.length as i32);
        let candidates = roomy.fold(0u64, |mask, vc| mask | 1 << vc) & allowed;
        if candidates == 0 {
            return;
        }
        queue.pop_front();
        if is_reply {
            self.sink.free_place();
        }
        let vc = self.random.pick(candidates) as usize;
        let target = match front.node_or_group {
            Ok(node) => Destination::Node(node),
            Err(group) => Destination::Group { group, tree: setting.selectors[group].select(&mut self.random) },
        };
        let identity = Identity { source: self.node, serial: self.serial };
        self.serial = self.serial.wrapping_add(1);
        self.credits.take(vc, front.length as i32);
        let (header, multicast) = setting.header(self.node, target, is_reply);
        // At the other end of the link.
        let age = now + self.latency() - front.generated;
        let header = header | setting.ages.map_or(0, |ages| ages.header(age));
        let flits = setting.format.packet(identity, front.length, header, multicast);
        self.sending = Some(Sending { flits, vc, sent: 0 });
        let Waiting { generated, length, .. } = front;
        events.begun.push(Begun { identity, target, vc, generated, length, is_reply });
    }
}
