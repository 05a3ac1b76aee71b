//! Numbers as the design packs them, brought up to date where they change.

use railyard_model::VcBits;
use railyard_verilated::write_field;

/// A vector of numbers as the design packs it.
#[derive(Debug)]
pub struct PackedTotals {
    /// The packed words.
    pub words: Vec<u32>,
    /// Bits of a number.
    pub bits: usize,
    /// Elements that can change back in this cycle.
    pub recent: VcBits,
}

impl PackedTotals {
    /// So many numbers of so many bits, all zero.
    pub fn new(count: usize, bits: u32) -> PackedTotals {
        let words = vec![0; (count * bits as usize).div_ceil(32)];
        PackedTotals { words, bits: bits as usize, recent: VcBits::default() }
    }

    /// Packs all numbers afresh.
    pub fn repack(&mut self, values: &[u16]) {
        for (element, &value) in values.iter().enumerate() {
            write_field(&mut self.words, element * self.bits, self.bits, u64::from(value));
        }
    }

    /// Sets one number.
    #[inline]
    pub fn put(&mut self, element: usize, value: u16) {
        write_field(&mut self.words, element * self.bits, self.bits, u64::from(value));
    }
}
