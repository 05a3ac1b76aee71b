//! Wrong bits in the buffers of a switch with error correction, and packets that come as bad ones.
//!
//! Of a flit in eight one bit is stored inverted, or two, or any. Of one in 32 `rx_bad` is 1.

use crate::random::Random;
use railyard_model::{bits::ones, Inputs};
use railyard_spec::{CodeShape, Shape};

/// One flit of so many has wrong bits; of one of so many the packet is bad.
const WRONG: u64 = 8;
const BAD: u64 = 32;

/// Draws what comes beside flits.
#[derive(Clone, Debug)]
pub struct Upsets {
    code: CodeShape,
    random: Random,
}

impl Upsets {
    /// Those of a switch, if it has error correction.
    pub fn new(shape: &Shape, seed: u64) -> Option<Upsets> {
        Some(Upsets { code: shape.buffer_code?, random: Random::new(seed, 11) })
    }

    /// Draws for the flits of a cycle.
    pub fn act(&mut self, inputs: &mut Inputs) {
        let words = inputs.flip_words;
        for port in ones(inputs.rx_valid) {
            let bad = u64::from(self.random.below(BAD) == 0);
            inputs.rx_bad = inputs.rx_bad & !(1 << port) | bad << port;
            if self.code.fault_pins {
                let flips = &mut inputs.rx_flip[port * words..(port + 1) * words];
                flips.fill(0);
                if self.random.below(WRONG) == 0 {
                    self.flip(flips);
                }
            }
        }
    }

    /// One bit, two (which may be the same), or many.
    fn flip(&mut self, flips: &mut [u32]) {
        let bits = match self.random.below(4) {
            0 | 1 => 1,
            2 => 2,
            _ => self.random.within(3, u64::from(self.code.bits)),
        };
        for _ in 0..bits {
            let bit = self.random.below(u64::from(self.code.bits)) as usize;
            flips[bit / 32] ^= 1 << (bit % 32);
        }
    }
}
