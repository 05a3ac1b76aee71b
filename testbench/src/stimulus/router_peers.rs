//! What other routers of a Dragonfly's group tell the switch: messages of counts and of saturated links, whole or bad.

use crate::random::{Chance, Random};
use railyard_model::bits::ones;
use railyard_model::Inputs;
use railyard_spec::router_message::{RouterMessage, RouterMessageKind, RouterMessages, COUNTER_BITS};
use railyard_spec::Shape;

/// Chances that a port gets a message in a cycle, one of them for each run.
const RATES: [f64; 3] = [0.2, 0.02, 0.002];
/// Share of the messages that are bad.
const BAD: f64 = 0.05;
/// Bits below the index: with barriers, one that is wrong there makes it a message of theirs.
const KIND_BITS: u64 = 8;

/// The routers behind local links.
#[derive(Clone, Debug)]
pub struct RouterPeers {
    sizes: RouterMessages,
    vc: u8,
    /// Mask over local ports.
    locals: u64,
    groups: u64,
    /// Lowest bit of a flit that is turned over.
    first_bit: u64,
    speaks: Chance,
    is_bad: Chance,
    random: Random,
}

impl RouterPeers {
    /// Of a switch with router messages.
    pub fn new(shape: &Shape, seed: u64) -> Option<RouterPeers> {
        let (sizes, built) = (shape.router_messages()?, shape.dragonfly()?);
        let mut random = Random::new(seed, 12);
        let locals = built.node_ports..built.node_ports + built.local_ports;
        Some(RouterPeers {
            sizes,
            vc: shape.control_vc()? as u8,
            locals: locals.fold(0, |mask, port| mask | 1 << port),
            groups: built.groups as u64,
            first_bit: if shape.barrier.is_some() { KIND_BITS } else { 0 },
            speaks: Chance::new(RATES[random.below(RATES.len() as u64) as usize]),
            is_bad: Chance::new(BAD),
            random,
        })
    }

    /// Messages of this cycle, at ports with nothing else.
    pub fn act(&mut self, inputs: &mut Inputs) {
        for port in ones(self.locals & !inputs.rx_valid) {
            if self.random.happens(self.speaks) {
                let message = self.message();
                self.send(port, message, inputs);
            }
        }
    }

    fn message(&mut self) -> RouterMessage {
        let is_of_counts = match (self.sizes.counts, self.sizes.saturation) {
            (true, true) => self.random.below(2) == 0,
            (counts, _) => counts,
        };
        if !is_of_counts {
            return RouterMessage { kind: RouterMessageKind::Saturation, index: 0, payload: self.payload() };
        }
        let index = self.random.below(self.sizes.messages as u64);
        let first = index * self.sizes.counters as u64;
        let payload = match self.random.below(4) {
            0 => 0,
            // Many packets for one group.
            1 => {
                let counters = (self.sizes.counters as u64).min(self.groups - first);
                let high = self.random.within(1, 15);
                high << (u64::from(COUNTER_BITS) * self.random.below(counters))
            }
            _ => self.payload(),
        };
        RouterMessage { kind: RouterMessageKind::Counts, index: index as u8, payload }
    }

    fn payload(&mut self) -> u64 {
        self.random.bits() & ((1 << self.sizes.payload_bits) - 1)
    }

    fn send(&mut self, port: usize, message: RouterMessage, inputs: &mut Inputs) {
        let mut word = self.sizes.encode(message);
        let (mut head, mut tail) = (1, 1);
        if self.random.happens(self.is_bad) {
            match self.random.below(4) {
                0 => (head, tail) = (self.random.below(2), 0),
                1 => word = self.sizes.encode(RouterMessage { index: self.sizes.messages as u8, ..message }),
                _ => word ^= 1 << self.random.within(self.first_bit, u64::from(self.sizes.bits()) - 1),
            }
        }
        let bit = 1u64 << port;
        inputs.rx_valid |= bit;
        inputs.rx_vc[port] = self.vc;
        inputs.rx_head = inputs.rx_head & !bit | head << port;
        inputs.rx_tail = inputs.rx_tail & !bit | tail << port;
        let flit = &mut inputs.rx_flit[port * inputs.words..(port + 1) * inputs.words];
        for (at, part) in flit.iter_mut().enumerate() {
            *part = word.checked_shr(32 * at as u32).unwrap_or(0) as u32;
        }
    }
}
