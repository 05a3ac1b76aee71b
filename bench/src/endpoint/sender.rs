//! The senders: virtual cut-through at the `rx_*` pins.
//!
//! A sender takes the oldest packet of its source's queue as soon as some VC has credit for all of it, and sends it on
//! one of those VCs, picked at random, unless the packet names its own.

use super::{SenderCredits, SourceQueues, REREAD};
use crate::random::{Chance, Random};
use crate::traffic::{Format, LegalTraffic, Packet, ANY_VC};
use railyard_model::{bits::ones, Inputs, Outputs};
use railyard_spec::{FlowControl, Shape};

/// All senders of a switch.
#[derive(Clone, Debug)]
pub struct Senders {
    random: Random,
    vcs: usize,
    all_vcs: u16,
    interleave: bool,
    bubbles: Chance,
    lost: Chance,
    /// Credit of each (port, VC), that of the open packet already taken off.
    credits: SenderCredits,
    /// The first (port, VC) that got an impossible report.
    impossible: Option<usize>,
    /// For each port the VCs with an open packet.
    open: [u16; 64],
    /// Ports with an open packet.
    busy: u64,
    /// The open packet of each (port, VC), and its flits sent.
    packets: Vec<(Packet, u16)>,
    begun: Vec<Packet>,
}

impl Senders {
    /// Senders with full credit; `lost` is the share of credit reports that they don't see (absolute credits only).
    pub fn new(shape: &Shape, traffic: &LegalTraffic, lost: f64, seed: u64) -> Senders {
        let absolute = shape.flow_control == FlowControl::Absolute;
        let channels = shape.ports * shape.vcs;
        Senders {
            random: Random::new(seed, 2),
            vcs: shape.vcs,
            all_vcs: (1 << shape.vcs) - 1,
            interleave: traffic.interleave,
            bubbles: Chance::new(traffic.bubbles),
            lost: if absolute { Chance::new(lost) } else { Chance::NEVER },
            credits: SenderCredits::new(shape, 0..shape.ports),
            impossible: None,
            open: [0; 64],
            busy: 0,
            packets: vec![(Packet::default(), 0); channels],
            begun: Vec::with_capacity(shape.ports),
        }
    }

    /// The switch was reset: open packets are lost, credit is full.
    pub fn reset(&mut self) {
        self.credits.reset();
        self.open = [0; 64];
        self.busy = 0;
        self.begun.clear();
    }

    /// Packets begun in this cycle.
    #[inline]
    pub fn begun(&self) -> &[Packet] {
        &self.begun
    }

    /// The same, to be routed anew.
    pub fn begun_mut(&mut self) -> &mut [Packet] {
        &mut self.begun
    }

    /// Whether all packets that were begun are sent.
    pub fn is_idle(&self) -> bool {
        self.busy == 0
    }

    /// Free places of each (port, VC) as far as the senders know.
    pub fn room(&self) -> &[i32] {
        self.credits.room()
    }

    /// The first (port, VC) that does not have all of its credit.
    pub fn missing_credit(&self) -> Option<usize> {
        self.credits.missing()
    }

    /// The first (port, VC) that got a report of flits that were never sent, if any did.
    pub fn impossible_report(&self) -> Option<usize> {
        self.impossible
    }

    /// One flit more (or less) was sent than the senders meant to.
    pub fn correct(&mut self, channel: usize, flits: i32) {
        self.credits.take(channel, flits);
    }

    /// Reads the credit reports of this cycle.
    #[inline]
    pub fn read_credits(&mut self, now: u64, outputs: &Outputs) {
        let words = self.room().len().div_ceil(64);
        for word in 0..words {
            for bit in ones(outputs.rx_credit_valid.0[word]) {
                if !self.random.happens(self.lost) {
                    self.read_credit(word * 64 + bit, outputs.rx_credit[word * 64 + bit]);
                }
            }
        }
        if self.lost != Chance::NEVER && now % REREAD == 0 {
            (0..self.room().len()).for_each(|channel| self.read_credit(channel, outputs.rx_credit[channel]));
        }
    }

    #[inline]
    fn read_credit(&mut self, channel: usize, value: u16) {
        if !self.credits.report(channel, value) {
            self.impossible.get_or_insert(channel);
            // Flits that no sender has counted, of mischief, free places, too: credit must not run out for ever.
            self.credits.believe(channel, value);
        }
    }

    /// Sends this cycle's flits, at ports that are not taken already.
    #[inline]
    pub fn send(&mut self, queues: &mut SourceQueues, format: &Format, inputs: &mut Inputs) {
        self.begun.clear();
        for port in ones((self.busy | queues.occupied()) & !inputs.rx_valid) {
            if self.bubbles != Chance::NEVER && self.open[port] != 0 && self.random.happens(self.bubbles) {
                continue;
            }
            if (self.open[port] == 0 || self.interleave) && queues.occupied() >> port & 1 == 1 {
                self.begin(port, queues);
            }
            match self.open[port] {
                0 => {}
                open => {
                    let vc = self.random.pick(u64::from(open)) as usize;
                    self.send_flit(port, vc, format, inputs);
                }
            }
        }
    }

    /// Opens the source's oldest packet on its VC, or on a random one, if there is one with room for it.
    #[inline]
    fn begin(&mut self, port: usize, queues: &mut SourceQueues) {
        let front = queues.front(port);
        let length = i32::from(front.length);
        let allowed = if front.vc == ANY_VC { self.all_vcs } else { 1 << front.vc };
        let room = &self.room()[port * self.vcs..(port + 1) * self.vcs];
        let roomy = room.iter().enumerate().fold(0u16, |mask, (vc, &room)| mask | u16::from(room >= length) << vc);
        let candidates = roomy & allowed & !self.open[port];
        if candidates == 0 {
            return;
        }
        let vc = self.random.pick(u64::from(candidates)) as usize;
        let packet = Packet { vc: vc as u8, ..queues.pop(port) };
        let channel = port * self.vcs + vc;
        self.credits.take(channel, length);
        self.packets[channel] = (packet, 0);
        self.open[port] |= 1 << vc;
        self.busy |= 1 << port;
        self.begun.push(packet);
    }

    #[inline]
    fn send_flit(&mut self, port: usize, vc: usize, format: &Format, inputs: &mut Inputs) {
        let (packet, index) = &mut self.packets[port * self.vcs + vc];
        let words = format.words();
        format.flit(packet, *index, &mut inputs.rx_flit[port * words..(port + 1) * words]);
        let (head, tail, bit) = (*index == 0, *index + 1 == packet.length, 1u64 << port);
        *index += 1;
        inputs.rx_valid |= bit;
        inputs.rx_vc[port] = vc as u8;
        inputs.rx_head = inputs.rx_head & !bit | u64::from(head) << port;
        inputs.rx_tail = inputs.rx_tail & !bit | u64::from(tail) << port;
        if tail {
            self.open[port] &= !(1 << vc);
            if self.open[port] == 0 {
                self.busy &= !bit;
            }
        }
    }
}
