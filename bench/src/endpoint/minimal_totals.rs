//! What sinks count of minimal packets: totals beside those of all flits.

use crate::random::{Chance, Random};
use railyard_model::Outputs;
use railyard_spec::dragonfly::HeaderField;
use railyard_spec::{packet, Shape};

/// The totals of all channels, with some wrong reports among them.
#[derive(Clone, Debug)]
pub(super) struct MinimalTotals {
    /// Where headers say that a packet is minimal.
    field: HeaderField,
    /// Ports whose packet at `tx_*` is minimal, as a mask.
    leaving: u64,
    /// Flits freed, modulo 2^16.
    total: Vec<u16>,
    mask: u16,
    random: Random,
    wrong: Chance,
}

impl MinimalTotals {
    /// Of the sinks of a switch whose reports tell minimal packets apart; `wrong` is the share of wrong reports.
    pub(super) fn new(shape: &Shape, wrong: Chance, seed: u64) -> Option<MinimalTotals> {
        let field = shape.dragonfly()?.header().minimal?;
        Some(MinimalTotals {
            field,
            leaving: 0,
            total: vec![0; shape.ports * shape.vcs],
            mask: (1 << shape.credit_bits) - 1,
            random: Random::new(seed, 6),
            wrong,
        })
    }

    /// Whether the flit at a port's `tx_*` is one of a minimal packet.
    #[inline]
    pub(super) fn see(&mut self, port: usize, outputs: &Outputs) -> bool {
        if outputs.tx_head >> port & 1 == 1 {
            let bit = packet::field(outputs.flit(port), self.field.low, self.field.bits);
            self.leaving = self.leaving & !(1 << port) | bit << port;
        }
        self.leaving >> port & 1 == 1
    }

    /// A flit of a minimal packet is freed.
    #[inline]
    pub(super) fn free(&mut self, channel: usize) {
        self.total[channel] = self.total[channel].wrapping_add(1);
    }

    /// What a report of the channel says.
    #[inline]
    pub(super) fn report(&mut self, channel: usize) -> u16 {
        let is_wrong = self.random.happens(self.wrong);
        let total = if is_wrong { self.random.bits() as u16 } else { self.total[channel] };
        total & self.mask
    }

    /// No wrong reports more.
    pub(super) fn relax(&mut self) {
        self.wrong = Chance::NEVER;
    }

    /// The switch was reset.
    pub(super) fn reset(&mut self) {
        self.total.fill(0);
    }
}
