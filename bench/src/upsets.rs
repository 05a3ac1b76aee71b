//! Wrong bits in memories with error correction or parity, and packets that come as bad ones.
//!
//! In a test of a switch ([`Upsets::new`]):
//!
//! Of a flit in eight one bit is stored inverted, or two, or any. Of one in 32 `rx_bad` is 1. In one cycle of eight a
//! word of a cache, of the forwarding table, or of a group table would be stored with a wrong bit.
//!
//! In a network, whose packets must all arrive ([`Upsets::harmless`]): of a flit in eight one bit, and words of caches
//! and forwarding tables in front of a CAM.

use crate::random::Random;
use railyard_model::{bits::ones, Inputs};
use railyard_spec::{CodeShape, ParityShape, Shape};

/// One flit, or word, of so many has wrong bits; of one of so many flits the packet is bad.
const WRONG: u64 = 8;
const BAD: u64 = 32;

/// Draws what comes beside flits, and beside words of caches and tables.
#[derive(Clone, Debug)]
pub struct Upsets {
    code: Option<CodeShape>,
    cache: Option<ParityShape>,
    table: Option<ParityShape>,
    groups: Option<ParityShape>,
    /// No packet is bad, or is damaged.
    harmless: bool,
    random: Random,
}

impl Upsets {
    /// Those of a switch, if it has such memories. If packets are `watched`, none may be dropped: group tables, and a
    /// forwarding table without a CAM behind it, keep what is written.
    pub fn new(shape: &Shape, watched: bool, seed: u64) -> Option<Upsets> {
        let has_pin = |word: &ParityShape| word.fault_pins;
        let (code, cache) = (shape.buffer_code, shape.cache_parity().filter(has_pin));
        let table = shape.table_parity().filter(has_pin).filter(|_| shape.external_cam() || !watched);
        let groups = shape.group_parity().filter(has_pin).filter(|_| !watched);
        let is_any = code.is_some() || cache.is_some() || table.is_some() || groups.is_some();
        is_any.then(|| Upsets { code, cache, table, groups, harmless: false, random: Random::new(seed, 11) })
    }

    /// Those that no packet suffers from, of a switch whose memories have pins for them.
    pub fn harmless(shape: &Shape, random: Random) -> Option<Upsets> {
        let upsets = Upsets::new(shape, true, 0)?;
        let code = upsets.code.filter(|code| code.fault_pins);
        let is_any = code.is_some() || upsets.cache.is_some() || upsets.table.is_some();
        is_any.then_some(Upsets { code, harmless: true, random, ..upsets })
    }

    /// Draws for a cycle.
    pub fn act(&mut self, inputs: &mut Inputs) {
        if let Some(code) = self.code {
            self.flits(code, inputs);
        }
        if let Some(word) = self.cache {
            inputs.cache_flip.chunks_mut(inputs.cache_flip_words).for_each(|flips| self.flip_one(word, flips));
        }
        if let Some(word) = self.table {
            self.flip_one(word, &mut inputs.table_flip);
        }
        if let Some(word) = self.groups {
            inputs.group_flip.chunks_mut(inputs.group_flip_words).for_each(|flips| self.flip_one(word, flips));
        }
    }

    /// Draws for the flits of a cycle.
    fn flits(&mut self, code: CodeShape, inputs: &mut Inputs) {
        let words = inputs.flip_words;
        for port in ones(inputs.rx_valid) {
            if !self.harmless {
                let bad = u64::from(self.random.below(BAD) == 0);
                inputs.rx_bad = inputs.rx_bad & !(1 << port) | bad << port;
            }
            if code.fault_pins {
                let flips = &mut inputs.rx_flip[port * words..(port + 1) * words];
                flips.fill(0);
                if self.random.below(WRONG) == 0 {
                    self.flip(code, flips);
                }
            }
        }
    }

    /// One bit, two (which may be the same), or many.
    fn flip(&mut self, code: CodeShape, flips: &mut [u32]) {
        let bits = match self.random.below(4) {
            _ if self.harmless => 1,
            0 | 1 => 1,
            2 => 2,
            _ => self.random.within(3, u64::from(code.bits)),
        };
        for _ in 0..bits {
            let bit = self.random.below(u64::from(code.bits)) as usize;
            flips[bit / 32] ^= 1 << (bit % 32);
        }
    }

    /// One bit of a word, or mostly none.
    fn flip_one(&mut self, word: ParityShape, flips: &mut [u32]) {
        flips.fill(0);
        if self.random.below(WRONG) == 0 {
            let bit = self.random.below(u64::from(word.bits)) as usize;
            flips[bit / 32] = 1 << (bit % 32);
        }
    }
}
