//! The ideal switch: the saturation throughput that buffers and virtual channels allow when arbitration costs nothing.
//!
//! Independent of the golden model, and far simpler. Time goes in slots of one packet; all packets have the same
//! length. In each slot every source sends its next packet to a random VC of those that have room, every output takes
//! one of the packets at the heads of VCs that want it (any VC of any input, several of one input in one slot: a
//! plane for each VC), and a packet's space is free again when it has left. Sources are never empty; destinations are
//! uniform over all ports, the packet's own included.

use crate::random::Random;
use std::collections::VecDeque;

/// What the ideal switch looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ideal {
    /// Ports.
    pub ports: usize,
    /// Virtual channels of each input.
    pub vcs: usize,
    /// Packets that a VC's buffer holds.
    pub packets_per_vc: usize,
}

impl Ideal {
    /// Accepted load at saturation: packets for each output and slot, over `slots` slots after a tenth as many of
    /// warm-up.
    pub fn saturation(&self, slots: u64, seed: u64) -> f64 {
        let mut random = Random::new(seed, 0x1dea1);
        let mut buffers = vec![VecDeque::with_capacity(self.packets_per_vc); self.ports * self.vcs];
        let mut waiting: Vec<u64> = (0..self.ports).map(|_| random.below(self.ports as u64)).collect();
        let mut requests: Vec<Vec<usize>> = vec![Vec::new(); self.ports];
        let (warm_up, mut served) = (slots / 10, 0u64);
        for slot in 0..warm_up + slots {
            requests.iter_mut().for_each(Vec::clear);
            for (channel, buffer) in buffers.iter().enumerate() {
                if let Some(&output) = buffer.front() {
                    requests[output as usize].push(channel);
                }
            }
            // A source sends beside the packets that leave: it sees the room of the slot's beginning.
            for (source, destination) in waiting.iter_mut().enumerate() {
                let channels = source * self.vcs..(source + 1) * self.vcs;
                let room = channels.clone().filter(|&channel| buffers[channel].len() < self.packets_per_vc);
                let room = room.fold(0u64, |mask, channel| mask | 1 << (channel - channels.start));
                if room != 0 {
                    buffers[channels.start + random.pick(room) as usize].push_back(*destination);
                    *destination = random.below(self.ports as u64);
                }
            }
            for wanting in requests.iter().filter(|wanting| !wanting.is_empty()) {
                let winner = wanting[random.below(wanting.len() as u64) as usize];
                buffers[winner].pop_front();
                served += u64::from(slot >= warm_up);
            }
        }
        served as f64 / (slots as f64 * self.ports as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures printed for 16 ports; see `docs/`.
    #[test]
    fn gives_the_printed_throughput() {
        for (vcs, printed) in [(1, 0.60), (2, 0.775), (3, 0.845), (4, 0.88)] {
            let got = Ideal { ports: 16, vcs, packets_per_vc: 4 }.saturation(20_000, 1);
            println!("{vcs} VCs: {got:.4} (printed {printed})");
            assert!((got / printed - 1.0).abs() < 0.01, "{vcs} VCs: {got}, printed {printed}");
        }
    }

    /// One VC and many ports: the head-of-line limit 2 - sqrt 2.
    #[test]
    fn tends_to_the_head_of_line_limit() {
        let got = Ideal { ports: 64, vcs: 1, packets_per_vc: 8 }.saturation(5_000, 1);
        assert!((got - 0.586).abs() < 0.01, "{got}");
    }
}
