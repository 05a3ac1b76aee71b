//! The links of the barrier VC: messages on their way to the switch, some lost, repeated, corrupted, or wrong from the
//! start.

use crate::random::{Chance, Random};
use railyard_model::barrier::barrier_group::GroupSettings;
use railyard_model::bits::ones;
use railyard_model::Inputs;
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::Shape;
use std::collections::VecDeque;

/// Most cycles from a peer to the pins, if nothing is in front.
const DELAY: u64 = 12;

/// Messages that wait at a port; more are lost.
const WAITING: usize = 64;

/// What goes wrong on the links.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// Shares of messages, in both directions.
    pub lost: Chance,
    /// Shares of messages to the switch.
    pub repeated: Chance,
    pub corrupted: Chance,
    /// Messages that nobody should send, for each message.
    pub forged: Chance,
}

impl Noise {
    /// None in one of four runs, much in another.
    pub fn draw(random: &mut Random) -> Noise {
        let rate = [0.0, 0.01, 0.05, 0.2][random.below(4) as usize];
        Noise {
            lost: Chance::new(rate),
            repeated: Chance::new(rate),
            corrupted: Chance::new(rate),
            forged: Chance::new(rate),
        }
    }

    /// Good links.
    pub const NONE: Noise =
        Noise { lost: Chance::NEVER, repeated: Chance::NEVER, corrupted: Chance::NEVER, forged: Chance::NEVER };
}

/// A flit on its way.
#[derive(Clone, Copy, Debug)]
struct Flit {
    due: u64,
    word: u32,
    head: bool,
    tail: bool,
}

/// The links to all ports.
#[derive(Clone, Debug)]
pub struct PeerLinks {
    vc: u8,
    ports: usize,
    /// Words of a flit, and bits of the last one.
    words: usize,
    top: u32,
    queues: Vec<VecDeque<Flit>>,
    /// Mask over ports with a flit on its way.
    occupied: u64,
}

impl PeerLinks {
    /// Empty links of a switch with barrier VC `vc`.
    pub fn new(shape: &Shape, vc: usize) -> PeerLinks {
        let words = shape.flit_bits.div_ceil(32) as usize;
        PeerLinks {
            vc: vc as u8,
            ports: shape.ports,
            words,
            top: if shape.flit_bits % 32 == 0 { u32::MAX } else { (1 << (shape.flit_bits % 32)) - 1 },
            queues: vec![VecDeque::new(); shape.ports],
            occupied: 0,
        }
    }

    /// Nothing is on its way any more.
    pub fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.occupied = 0;
    }

    /// Whether nothing is on its way.
    pub fn are_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Nothing of a group is on its way any more.
    pub fn forget(&mut self, group: u8) {
        for port in ones(self.occupied) {
            // What is corrupted is nobody's.
            self.queues[port].retain(|flit| (flit.word >> 8) as u8 != group);
            self.occupied = self.occupied & !(1 << port) | u64::from(!self.queues[port].is_empty()) << port;
        }
    }

    /// A peer at `port` sends a message in cycle `now`.
    pub fn send(&mut self, now: u64, port: usize, message: Message, noise: &Noise, random: &mut Random) {
        if random.happens(noise.lost) {
            return;
        }
        let word = message.encode();
        let due = now + random.below(DELAY);
        let whole = Flit { due, word, head: true, tail: true };
        let repeated = random.happens(noise.repeated);
        for _ in 0..1 + u32::from(repeated) {
            let flit = match random.happens(noise.corrupted) {
                true => PeerLinks::corrupt(whole, random),
                false => whole,
            };
            self.push(port, flit);
        }
    }

    /// One to three wrong bits, which the CRC finds for certain, or a mark that is missing.
    fn corrupt(flit: Flit, random: &mut Random) -> Flit {
        match random.below(4) {
            0 => Flit { head: random.below(2) == 0, tail: false, ..flit },
            1 => Flit { head: false, ..flit },
            _ => {
                let wrong = (0..3).fold(1u32 << random.below(32), |mask, _| match random.below(2) {
                    0 if mask.count_ones() < 3 => mask | 1 << random.below(32),
                    _ => mask,
                });
                Flit { word: flit.word ^ wrong, ..flit }
            }
        }
    }

    /// A message that nobody should send is on its way to the switch, about a group with these settings of which all
    /// nodes have completed so many barriers.
    pub fn forge(
        &mut self,
        now: u64,
        group: usize,
        groups: usize,
        settings: &GroupSettings,
        completed: u64,
        random: &mut Random,
    ) {
        let port = random.below(self.ports as u64) as usize;
        let message = forged(port, group, groups, settings, completed, random);
        self.push(port, Flit { due: now, word: message.encode(), head: true, tail: true });
    }

    /// All ports get messages in this cycle that raise faults: corrupt ones, those of groups that are not built, and a
    /// forged one about a group, as in [`PeerLinks::forge`].
    pub fn strike(
        &mut self,
        now: u64,
        group: usize,
        groups: usize,
        settings: &GroupSettings,
        completed: u64,
        random: &mut Random,
    ) {
        let any = random.below(self.ports as u64) as usize;
        let about_group = match settings.leaves {
            leaves @ 1.. if random.below(2) == 0 => random.pick(leaves) as usize,
            _ => any,
        };
        for port in 0..self.ports {
            let of_none =
                Message { kind: MessageKind::Urge, group: random.within(groups as u64, 255) as u8, sequence: 0 };
            let forged = forged(port, group, groups, settings, completed, random);
            let message = if port == about_group { forged } else { of_none };
            let whole = Flit { due: now, word: message.encode(), head: true, tail: true };
            let flit = match random.below(2) {
                0 if port != about_group => PeerLinks::corrupt(whole, random),
                _ => whole,
            };
            self.queues[port].push_front(flit);
            self.occupied |= 1 << port;
        }
    }

    /// A peer at `port` sends a message that comes in cycle `now`, unless others are in front.
    pub fn send_at_once(&mut self, now: u64, port: usize, message: Message) {
        self.push(port, Flit { due: now, word: message.encode(), head: true, tail: true });
    }

    fn push(&mut self, port: usize, flit: Flit) {
        if self.queues[port].len() < WAITING {
            self.queues[port].push_back(flit);
            self.occupied |= 1 << port;
        }
    }

    /// Puts what is due to the pins; `sent` gets the whole messages. Bits of a flit above the message are noise.
    #[inline]
    pub fn drive(&mut self, now: u64, inputs: &mut Inputs, random: &mut Random, mut sent: impl FnMut(usize, Message)) {
        for port in ones(self.occupied) {
            let queue = &mut self.queues[port];
            let Some(&flit) = queue.front().filter(|flit| flit.due <= now) else { continue };
            queue.pop_front();
            if queue.is_empty() {
                self.occupied &= !(1 << port);
            }
            let bit = 1u64 << port;
            inputs.rx_valid |= bit;
            inputs.rx_vc[port] = self.vc;
            inputs.rx_head = inputs.rx_head & !bit | u64::from(flit.head) << port;
            inputs.rx_tail = inputs.rx_tail & !bit | u64::from(flit.tail) << port;
            let pins = &mut inputs.rx_flit[port * self.words..(port + 1) * self.words];
            pins.iter_mut().for_each(|word| *word = random.bits() as u32);
            pins[self.words - 1] &= self.top;
            pins[0] = flit.word;
            if let Some(message) = Message::decode(flit.word).filter(|_| flit.head && flit.tail) {
                sent(port, message);
            }
        }
    }
}

/// A message by `port` that nobody should send. It can do nothing but raise a fault: it is of a group that is not
/// built, has a number that is far away or that of a barrier before the first, or comes by a port by which its kind
/// does not come.
fn forged(
    port: usize,
    group: usize,
    groups: usize,
    settings: &GroupSettings,
    completed: u64,
    random: &mut Random,
) -> Message {
    let kind = [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge]
        [random.below(4) as usize];
    let sequence = completed as u8;
    let message = Message { kind, group: group as u8, sequence };
    let comes = match kind {
        MessageKind::Arrival | MessageKind::Urge => settings.leaves >> port & 1 == 1,
        MessageKind::Acknowledgement | MessageKind::Completion => !settings.root && settings.parent == port,
    };
    match random.below(3) {
        0 => Message { group: random.within(groups as u64, 255) as u8, ..message },
        1 if !comes => message,
        1 if completed == 0 => Message { sequence: u8::MAX, ..message },
        _ => Message { sequence: sequence.wrapping_add(random.within(64, 192) as u8), ..message },
    }
}
