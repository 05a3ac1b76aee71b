//! Product of two numbers, or a part of it.
//!
//! No state: one term for each bit of the second number. The sum of all terms is written so that synthesis sees one
//! sum, which it makes a tree.

use crate::rtl::prelude::*;

/// Some bits of the product of two numbers.
#[block(a_bits: usize, b_bits: usize, low: usize, bits: usize)]
pub struct Product {
    /// First number.
    pub a: Sig<In, a_bits>,
    /// Second number.
    pub b: Sig<In, b_bits>,
    /// Bits of their product, from bit `low` on.
    pub part: Sig<Out, bits>,

    /// First number, as wide as the product.
    wide: Sig<Local, { a_bits + b_bits }>,
    /// Part of the product for bit i of the second number.
    term: Vec<Sig<Local, { a_bits + b_bits }>, b_bits>,
    /// Sum of the terms so far.
    sum: Sig<Local, { a_bits + b_bits }>,

    cut: Field<low, bits>,
    a_bits: Param,
    b_bits: Param,
    low: Param,
    bits: Param,
}

#[kernel]
impl Product {
    fn update(&mut self) {
        self.wide.next = unsigned_cast(self.a.val());
        self.sum.next = 0.into();
        for i in 0..self.b_bits {
            self.term[i].next = 0.into();
            if self.b.val().get_bit(i) {
                self.term[i].next = self.wide.val() << i;
            }
            self.sum.next = self.sum.val() + self.term[i].val();
        }
        self.part.next = self.sum.val() >> self.cut.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_product() {
        for (a_bits, b_bits, low, bits) in [(1usize, 1usize, 0, 2), (3, 8, 8, 3), (12, 8, 7, 9)] {
            let mut bench = Bench::combinational(product(a_bits, b_bits, low, bits));
            for k in 0..300u64 {
                let random = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let (a, b) = (random >> 20 & ((1 << a_bits) - 1), random >> 40 & ((1 << b_bits) - 1));
                (bench.a.next, bench.b.next) = (a.into(), b.into());
                bench.settle();
                assert_eq!(bench.part.val().to_u128(), u128::from(a * b >> low & ((1 << bits) - 1)));
            }
        }
    }
}
