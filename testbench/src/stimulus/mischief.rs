//! Illegal senders: what the contract calls errors, and noise at all pins.
//!
//! Mischief changes the pins after the legal parts drove them, and tells the senders how many flits went out in truth,
//! so that their count of credit stays right. Packets that it touched don't arrive as they were sent: the scoreboard is
//! off while there is mischief, and only the golden model judges.

use crate::random::{Geometric, Random, Wheel};
use railyard_bench::endpoint::Senders;
use railyard_model::{Apb, Inputs, Outputs};
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::registers::address::EVENTS;
use railyard_spec::registers::{events, registers};
use railyard_spec::Shape;

/// Where mischief is done.
#[derive(Clone, Debug)]
pub struct Mischief {
    random: Random,
    gap: Geometric,
    wheel: Wheel,
    shape: Shape,
    /// Last cycle + 1 of noise at all pins.
    noise_until: u64,
    /// A port that sends what it likes, its VC, and until when.
    babbler: Option<Babbler>,
    running: bool,
    /// An act was due in this cycle.
    struck: bool,
    /// What all ports do at once, if phases are directed.
    raids: Option<Raids>,
}

#[derive(Clone, Copy, Debug)]
struct Babbler {
    port: usize,
    vc: usize,
    until: u64,
    /// One in so many flits is a head, and a tail; 0 for none.
    heads: u64,
    tails: u64,
}

/// What all ports send without looking at credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flood {
    /// Packets over the maximum, while there is room.
    Overlong,
    /// The same without room: the next buffers give no credit.
    Overfull,
}

/// Directed illegal senders: all at once, while flags are cleared.
#[derive(Clone, Copy, Debug)]
struct Raids {
    /// Cycles of a turn at which its parts end: overlong packets, noise, single acts, packets without room, single
    /// acts.
    ends: [u64; 5],
}

/// Packets over the maximum in a row, at each port.
const OVERLONG: u64 = 4;

/// Cycles of noise, and of single acts between raids.
const NOISE: u64 = 64;
const CALM: u64 = 200;

impl Raids {
    fn new(shape: &Shape) -> Raids {
        let packet = u64::from(shape.max_flits) + 2;
        let parts = [OVERLONG * packet, NOISE, CALM, 2 * u64::from(shape.buffer_flits) + 4 * packet, 2 * CALM];
        let mut sum = 0;
        Raids {
            ends: parts.map(|part| {
                sum += part;
                sum
            }),
        }
    }

    fn turn(&self) -> u64 {
        self.ends[4]
    }

    /// The part of the turn.
    fn part(&self, now: u64) -> usize {
        self.ends.iter().position(|&end| now % self.turn() < end).unwrap_or(0)
    }
}

/// Noise at all pins but the clock and reset: values fit their pins, nothing else is sure.
pub(crate) fn noise(shape: &Shape, random: &mut Random, inputs: &mut Inputs) {
    let (ports, words) = (u64::MAX >> (64 - shape.ports), inputs.words);
    inputs.error_clear = random.below(16) == 0;
    inputs.rx_valid = random.bits() & ports;
    inputs.rx_head = random.bits() & ports;
    inputs.rx_tail = random.bits() & ports;
    for port in 0..shape.ports {
        inputs.rx_vc[port] = random.below(1 << shape.vc_bits) as u8;
        random_flit(shape, random, &mut inputs.rx_flit[port * words..(port + 1) * words]);
    }
    inputs.tx_credit_valid.clear();
    for channel in 0..shape.ports * shape.vcs {
        if random.below(4) == 0 {
            inputs.credit(channel, random.below(1 << shape.credit_bits) as u16);
            if !inputs.tx_min_credit.is_empty() {
                inputs.min_credit(channel, random.below(1 << shape.credit_bits) as u16);
            }
        }
    }
    if !registers(shape).is_empty() {
        let bits = random.bits();
        let (psel, penable, pwrite) = (bits & 1 == 1, bits & 2 != 0, bits & 4 != 0);
        inputs.apb = Apb { psel, penable, pwrite, paddr: (bits >> 8) as u16, pwdata: (bits >> 32) as u32 };
        if shape.events && random.below(2) == 0 {
            let built = events(shape).iter().fold(0, |mask, event| mask | 1 << event.number);
            (inputs.apb.paddr, inputs.apb.pwdata) = (EVENTS as u16, inputs.apb.pwdata & built);
        }
    }
    if let Some(table) = shape.table().filter(|table| table.external_cam) {
        let bits = random.bits();
        inputs.cam_request_ready = bits & 1 == 1;
        inputs.cam_response_valid = bits & 2 != 0;
        inputs.cam_response_hit = bits & 12 != 0;
        inputs.cam_response_tag = random.below(1 << table.tag_bits) as u32;
        inputs.cam_response_port = random.below(1 << shape.port_bits) as u8;
        random_options(shape, random, inputs);
    }
}

/// Whatever an answer of the CAM can say beyond a port, things that don't exist among it.
fn random_options(shape: &Shape, random: &mut Random, inputs: &mut Inputs) {
    if shape.next_vc {
        inputs.cam_response_vc_set = random.below(2) == 0;
        inputs.cam_response_vc = random.below(1 << shape.vc_bits) as u8;
    }
    if let Some(groups) = &shape.link_aggregation {
        inputs.cam_response_group_set = random.below(3) == 0;
        inputs.cam_response_group = random.below(1 << groups.group_bits) as u8;
    }
    if shape.candidates > 1 {
        inputs.cam_response_candidates = random.below(1 << shape.candidates_bits()) as u8;
        inputs.cam_response_in_order = random.below(2) == 0;
        for candidate in &mut inputs.cam_response_candidate[..shape.candidates - 1] {
            *candidate = random.below(1 << shape.port_bits) as u8;
        }
    }
}

/// A barrier message of one of so many groups, mostly with a small number.
fn random_message(groups: usize, random: &mut Random) -> Message {
    let kind = [MessageKind::Arrival, MessageKind::Acknowledgement, MessageKind::Completion, MessageKind::Urge]
        [random.below(4) as usize];
    let numbers = if random.below(4) == 0 { 256 } else { 4 };
    Message { kind, group: random.below(groups as u64) as u8, sequence: random.below(numbers) as u8 }
}

fn random_flit(shape: &Shape, random: &mut Random, flit: &mut [u32]) {
    flit.iter_mut().for_each(|word| *word = random.bits() as u32);
    if let (Some(last), used @ 1..) = (flit.last_mut(), shape.flit_bits % 32) {
        *last &= (1 << used) - 1;
    }
    // Small numbers are groups, if this is a head on the mixed VC.
    if shape.multicast.is_some() && random.below(2) == 0 {
        let kept = random.below(u64::from(shape.flit_bits)) as u32;
        let number_bits = shape.multicast.map_or(0, |built| built.group_bits);
        (number_bits..kept).for_each(|bit| flit[bit as usize / 32] &= !(1 << (bit % 32)));
    }
}

impl Mischief {
    /// `rate` acts for each cycle of the whole switch; if `directed`, raids of all ports beside them.
    pub fn new(shape: &Shape, rate: f64, directed: bool, seed: u64) -> Mischief {
        let (mut random, gap) = (Random::new(seed, 5), Geometric::new(rate));
        let mut wheel = Wheel::new(1);
        wheel.plan(0, 0, gap.draw(&mut random));
        Mischief {
            random,
            gap,
            wheel,
            shape: shape.clone(),
            noise_until: 0,
            babbler: None,
            running: true,
            struck: false,
            raids: directed.then(|| Raids::new(shape)),
        }
    }

    /// No act more.
    pub fn stop(&mut self) {
        self.running = false;
        self.noise_until = 0;
        self.babbler = None;
        self.raids = None;
    }

    /// Whether the legal parts drive nothing in this cycle, because noise does.
    #[inline]
    pub fn is_noisy(&self, now: u64) -> bool {
        now < self.noise_until || self.raids.is_some_and(|raids| raids.part(now) == 1)
    }

    /// What all ports send in this cycle without looking at credit, if they do.
    #[inline]
    pub fn flood_at(&self, now: u64) -> Option<Flood> {
        match self.raids?.part(now) {
            0 => Some(Flood::Overlong),
            3 => Some(Flood::Overfull),
            _ => None,
        }
    }

    /// Whether this cycle's act goes on at the register port, too.
    #[inline]
    pub fn strikes(&self) -> bool {
        self.struck
    }

    /// Changes this cycle's pins. To be called in every cycle.
    pub fn act(&mut self, now: u64, outputs: &Outputs, inputs: &mut Inputs, senders: &mut Senders) {
        let due = self.wheel.due(now) != 0;
        self.struck = due && self.running;
        if due {
            self.wheel.plan(0, now, now + self.gap.draw(&mut self.random));
        }
        let flood = self.flood_at(now);
        let clears = self.raids.is_some() && (flood == Some(Flood::Overlong) || self.random.below(2) == 0);
        if self.is_noisy(now) {
            noise(&self.shape, &mut self.random, inputs);
            for port in railyard_model::bits::ones(inputs.rx_valid) {
                self.count(port, inputs.rx_vc[port] as usize, 1, senders);
            }
            inputs.error_clear |= clears;
            return;
        }
        self.flood(now, inputs, senders);
        inputs.error_clear |= clears && flood.is_some();
        self.babble(now, inputs, senders);
        if due && self.running {
            self.one_act(now, outputs, inputs, senders);
        }
    }

    /// A flit more (or less) on a VC, if the switch has it.
    fn count(&self, port: usize, vc: usize, flits: i32, senders: &mut Senders) {
        if vc < self.shape.vcs_at(port) {
            senders.correct(port * self.shape.vcs + vc, flits);
        }
    }

    /// A VC of the switch, the control VC among them.
    fn any_vc(&mut self) -> usize {
        self.random.below((self.shape.vcs + usize::from(self.shape.control_vc().is_some())) as u64) as usize
    }

    fn one_act(&mut self, now: u64, outputs: &Outputs, inputs: &mut Inputs, senders: &mut Senders) {
        let port = self.random.below(self.shape.ports as u64) as usize;
        let channel = self.random.below((self.shape.ports * self.shape.vcs) as u64) as usize;
        let valid = inputs.rx_valid >> port & 1 == 1;
        match self.random.below(14) {
            // Another VC, maybe one that doesn't exist.
            0 if valid => {
                self.count(port, inputs.rx_vc[port] as usize, -1, senders);
                inputs.rx_vc[port] = self.random.below(1 << self.shape.vc_bits) as u8;
                self.count(port, inputs.rx_vc[port] as usize, 1, senders);
            }
            // A VC that doesn't exist, if the pin can say so.
            1 if self.shape.vcs < 1 << self.shape.vc_bits => {
                if valid {
                    self.count(port, inputs.rx_vc[port] as usize, -1, senders);
                }
                // The first of these is the control VC, if there is one.
                let vc = self.random.within(self.shape.vcs as u64, (1 << self.shape.vc_bits) - 1) as usize;
                self.stray(port, vc, inputs);
            }
            // A head where none should be, or none where one should: packets without tails and flits without packets.
            2 => inputs.rx_head ^= 1 << port,
            // The same with tails: packets run on, or end early, maybe inside their header.
            3 => inputs.rx_tail ^= 1 << port,
            // A flit is missing.
            4 if valid => {
                self.count(port, inputs.rx_vc[port] as usize, -1, senders);
                inputs.rx_valid &= !(1 << port);
            }
            // A flit too many.
            0 | 1 | 4 | 5 if !valid => {
                let vc = self.any_vc();
                self.stray(port, vc, inputs);
                self.count(port, vc, 1, senders);
            }
            // For a while a port sends without looking at credit: packets without end, heads without tails, both, or
            // packets.
            6 | 7 if self.babbler.is_none() => {
                let cycles = self.random.within(2, 3 * u64::from(self.shape.buffer_flits));
                let (heads, tails) = (self.random.below(5), self.random.below(5));
                let vc = self.any_vc();
                self.babbler = Some(Babbler { port, vc, until: now + cycles, heads, tails });
            }
            // Credit for flits that were never sent.
            8 | 9 if !inputs.tx_credit_valid.get(channel) => {
                inputs.credit(channel, self.random.below(1 << self.shape.credit_bits) as u16);
            }
            // Answers of the CAM: to no request (maybe to the one that is shown), or with a port that doesn't exist.
            10 | 11 if !inputs.cam_response_valid => {
                if let Some(table) = self.shape.table().filter(|table| table.external_cam) {
                    let any = self.random.below(1 << table.tag_bits) as u32;
                    let tag = if self.random.below(3) == 0 { outputs.cam_request_tag } else { any };
                    let port = self.random.below(1 << self.shape.port_bits) as u8;
                    inputs.cam_answer(tag, (self.random.below(4) > 0).then_some(port));
                    random_options(&self.shape, &mut self.random, inputs);
                }
            }
            // A real answer gets another port.
            10 | 11 => inputs.cam_response_port = self.random.below(1 << self.shape.port_bits) as u8,
            12 => inputs.error_clear = true,
            13 => self.noise_until = now + self.random.within(1, 8),
            _ => {}
        }
    }

    /// A random flit on an idle or busy port, in place of its own. On the barrier VC it is often a message, perhaps of
    /// a group at work.
    fn stray(&mut self, port: usize, vc: usize, inputs: &mut Inputs) {
        let words = inputs.words;
        let mut bits = self.random.bits();
        random_flit(&self.shape, &mut self.random, &mut inputs.rx_flit[port * words..(port + 1) * words]);
        if let Some(built) = self.shape.barrier.filter(|built| built.vc == vc && bits >> 2 & 3 != 0) {
            inputs.rx_flit[port * words] = random_message(built.groups, &mut self.random).encode();
            bits |= 3;
        }
        inputs.rx_valid |= 1 << port;
        inputs.rx_vc[port] = vc as u8;
        inputs.rx_head = inputs.rx_head & !(1 << port) | (bits & 1) << port;
        inputs.rx_tail = inputs.rx_tail & !(1 << port) | (bits >> 1 & 1) << port;
    }

    /// Packets over the maximum at each port that has nothing else, all on one VC.
    fn flood(&mut self, now: u64, inputs: &mut Inputs, senders: &mut Senders) {
        let Some(raids) = self.raids.filter(|_| self.flood_at(now).is_some()) else { return };
        let vc = (now / raids.turn()) as usize % self.shape.vcs;
        let length = u64::from(self.shape.max_flits) + 2;
        for port in (0..self.shape.ports).filter(|port| inputs.rx_valid >> port & 1 == 0).collect::<Vec<_>>() {
            self.stray(port, vc, inputs);
            let (place, bit) = ((now + port as u64) % length, 1u64 << port);
            let (head, tail) = (u64::from(place == 0) << port, u64::from(place == length - 1) << port);
            inputs.rx_head = inputs.rx_head & !bit | head;
            inputs.rx_tail = inputs.rx_tail & !bit | tail;
            self.count(port, vc, 1, senders);
        }
    }

    fn babble(&mut self, now: u64, inputs: &mut Inputs, senders: &mut Senders) {
        let Some(babbler) = self.babbler else { return };
        if now >= babbler.until {
            self.babbler = None;
            return;
        }
        if inputs.rx_valid >> babbler.port & 1 == 1 {
            return;
        }
        self.stray(babbler.port, babbler.vc, inputs);
        let mut one_in = |n: u64| u64::from(n > 0 && self.random.below(n) == 0);
        let (head, tail, bit) = (one_in(babbler.heads), one_in(babbler.tails), 1u64 << babbler.port);
        inputs.rx_head = inputs.rx_head & !bit | head << babbler.port;
        inputs.rx_tail = inputs.rx_tail & !bit | tail << babbler.port;
        self.count(babbler.port, babbler.vc, 1, senders);
    }
}
