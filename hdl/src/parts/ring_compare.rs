//! Ring compare: chunks of a word against those of a reference, each a place on a ring of as many positions as it has
//! values.
//!
//! Chunks are w bits wide, and A is a multiple of w. No state.
//!
//! Of two ways of equal length, 2^(w-1) steps, the upward one counts as shorter from an even reference, the downward
//! one from an odd reference. So the shorter way is upward if either the highest bits differ, or the other bits of the
//! word are above those of the reference. In a tie the other bits are equal: there the lowest bit takes the place of
//! their order. It does so as well where only the lowest bits differ: the word is above if its bit is 1.
//!
//! The shorter way leads over the end if either it is upward or the word is above. That is so if the highest bits
//! differ, and the order of the other bits is not the highest bit of the reference.
//!
//! Source: switch reference, section 4.6.

use crate::rtl::prelude::*;

/// Compares chunks of words as places on rings.
#[block]
pub struct RingCompare {
    /// Word.
    pub word: Sig<In, word_bits>,
    /// Reference.
    pub reference: Sig<In, word_bits>,
    /// Chunks in which the word is above the reference. Meaningful where the two differ.
    pub above: Sig<Out, chunks>,
    /// Chunks in which the shorter way leads over the ring's end. Meaningful where the two differ.
    pub over: Sig<Out, chunks>,

    /// The word is above the reference in the chunk without its highest bit. Where the two are equal: the lowest bit of
    /// either.
    low_above: Sig<Local, chunks>,

    chunks: usize,
    low_bits: usize,

    word_bits: Param,
    width: Param,
}

/// Compares words of `word_bits` in chunks of `width` (2 or more), which divides it.
pub fn ring_compare(word_bits: usize, width: usize) -> RingCompare {
    assert_eq!(word_bits % width, 0, "every chunk has all its values");
    let chunks = word_bits / width;
    sized(RingCompare { chunks, low_bits: width - 1, word_bits, width, ..RingCompare::plain() })
}

#[kernel]
impl RingCompare {
    fn update(&mut self) {
        self.low_above.next = 0.into();
        self.above.next = 0.into();
        self.over.next = 0.into();
        for j in 0..self.chunks {
            self.low_above.set(j, self.word.val().get_bit(j * self.width));
            for b in 1..self.low_bits {
                self.low_above.set(
                    j,
                    (self.word.val().get_bit(j * self.width + b) & !self.reference.val().get_bit(j * self.width + b))
                        | ((self.word.val().get_bit(j * self.width + b)
                            | !self.reference.val().get_bit(j * self.width + b))
                            & self.low_above.val().get_bit(j)),
                );
            }
            self.above.set(
                j,
                (self.word.val().get_bit(j * self.width + self.low_bits)
                    & !self.reference.val().get_bit(j * self.width + self.low_bits))
                    | ((self.word.val().get_bit(j * self.width + self.low_bits)
                        | !self.reference.val().get_bit(j * self.width + self.low_bits))
                        & self.low_above.val().get_bit(j)),
            );
            self.over.set(
                j,
                (self.word.val().get_bit(j * self.width + self.low_bits)
                    ^ self.reference.val().get_bit(j * self.width + self.low_bits))
                    & (self.low_above.val().get_bit(j) ^ self.reference.val().get_bit(j * self.width + self.low_bits)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_of_rings_of_all_widths() {
        for width in [2, 3, 4, 6, 8] {
            let positions = 1u32 << width;
            let mut bench = Bench::combinational(ring_compare(2 * width, width));
            for (own, to) in (0..positions).flat_map(|own| (0..positions).map(move |to| (own, to))) {
                // The pair in the low chunk, and the other way round in the high one.
                bench.word.next = (own << width | to).into();
                bench.reference.next = (to << width | own).into();
                bench.settle();
                for (chunk, from, to) in [(0, own, to), (1, to, own)].into_iter().filter(|(_, from, to)| from != to) {
                    // Steps up and down, one at a time.
                    let up = (1..).find(|n| (from + n) % positions == to).unwrap();
                    let upward = if up == positions / 2 { from % 2 == 0 } else { up < positions - up };
                    let over = if upward { from + up >= positions } else { from + up < positions };
                    assert_eq!(bench.above.val().get_bit(chunk), to > from, "{from} to {to} of {positions}");
                    assert_eq!(bench.over.val().get_bit(chunk), over, "{from} to {to} of {positions}");
                }
            }
        }
    }
}
