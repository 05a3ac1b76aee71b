//! Lowest set bit of a vector, one-hot.
//!
//! No state. A prefix OR of log2 N levels tells each bit whether one below it is set.

use crate::rtl::prelude::*;

/// Lowest set bit of a vector, one-hot.
#[block(width: usize)]
pub struct LowestBit {
    /// Vector to search.
    pub bits: Sig<In, width>,
    /// Lowest set bit of the vector alone.
    pub lowest: Sig<Out, width>,

    /// Prefix OR: bit i, a set bit at i or below (level by level).
    upto: Vec<Sig<Local, width>, { levels + 1 }>,

    levels: Number<{ width.next_power_of_two().trailing_zeros() as usize }>,

    width: Param,
}

#[kernel]
impl LowestBit {
    fn update(&mut self) {
        self.upto[0].next = self.bits.val();
        for l in 0..self.levels {
            self.upto[l + 1].next = self.upto[l].val() | (self.upto[l].val() << (1 << l));
        }
        self.lowest.next = self.bits.val() & !(self.upto[self.levels].val() << 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_x_and_minus_x() {
        for width in [1usize, 2, 5, 8, 33] {
            let mut block = lowest_bit(width);
            block.connect_all();
            for k in 0..200u64 {
                let x =
                    k.wrapping_mul(0x9e37_79b9_7f4a_7c15) & k.wrapping_mul(0xbf58_476d_1ce4_e5b9) & ((1 << width) - 1);
                block.bits.next = x.into();
                assert!(rust_hdl_core::prelude::simulate(&mut block, 10));
                assert_eq!(block.lowest.val().to_u128(), (x & x.wrapping_neg()) as u128);
            }
        }
    }
}
