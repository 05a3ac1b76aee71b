//! Bit masks: one bit for each port, VC or slot, and loops over the bits that are set.
//!
//! The model spends its time only on what is not idle; these masks say where that is.

use std::ops::{BitAnd, BitOr};

/// Most ports of a switch: a mask over ports is one `u64`.
pub const MAX_PORTS: usize = 64;
/// Most VCs of a link: eight unicast ones and the mixed one.
pub const MAX_VCS: usize = 9;
/// Most candidate ports of an entry.
pub const MAX_CANDIDATES: usize = 4;

/// The positions of the ones of a mask, ascending.
#[derive(Clone, Copy, Debug)]
pub struct Ones(u64);

/// Iterates over the ones of `mask`.
#[inline]
pub fn ones(mask: u64) -> Ones {
    Ones(mask)
}

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}

/// The mask of `n` (1 to 64) ones.
#[inline]
pub fn ones_below(n: usize) -> u64 {
    !0 >> (64 - n)
}

/// A 1-bit pin for each (port, VC): bit `p * k + v`, packed as Verilog packs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VcBits(pub [u64; MAX_VCS]);

impl VcBits {
    /// Bit `element`.
    #[inline]
    pub fn get(&self, element: usize) -> bool {
        self.0[element / 64] >> (element % 64) & 1 == 1
    }

    /// Sets bit `element` to 1.
    #[inline]
    pub fn set(&mut self, element: usize) {
        self.0[element / 64] |= 1 << (element % 64);
    }

    /// Sets bit `element` to `value`.
    #[inline]
    pub fn put(&mut self, element: usize, value: bool) {
        let word = &mut self.0[element / 64];
        *word = *word & !(1 << (element % 64)) | (value as u64) << (element % 64);
    }

    /// All bits to 0.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = [0; MAX_VCS];
    }

    /// Number of ones.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether any bit is 1.
    #[inline]
    pub fn any(&self) -> bool {
        self.0.iter().any(|&word| word != 0)
    }

    /// Takes the positions of the ones, ascending. Where most words are 0, this is faster than [`VcBits::ones`].
    #[inline]
    pub fn each(&self, mut take: impl FnMut(usize)) {
        for (word, &bits) in self.0.iter().enumerate() {
            ones(bits).for_each(|bit| take(word * 64 + bit));
        }
    }

    /// The positions of the ones, ascending.
    #[inline]
    pub fn ones(&self) -> VcOnes {
        VcOnes { words: self.0, word: 0 }
    }
}

/// The positions of the ones of a [`VcBits`].
#[derive(Clone, Copy, Debug)]
pub struct VcOnes {
    words: [u64; MAX_VCS],
    word: usize,
}

impl Iterator for VcOnes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.words[self.word] == 0 {
            if self.word == MAX_VCS - 1 {
                return None;
            }
            self.word += 1;
        }
        let word = &mut self.words[self.word];
        let at = self.word * 64 + word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(at)
    }
}

/// A set of miss slots of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotBits([u64; SlotBits::WORDS]);

impl SlotBits {
    const WORDS: usize = 3;
    /// Most slots: 16 lookups of each VC are 144.
    pub const MOST: usize = 64 * Self::WORDS;

    /// Whether slot `at` is in the set.
    #[inline]
    pub fn get(self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Adds slot `at`.
    #[inline]
    pub fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// Takes slot `at` out.
    #[inline]
    pub fn unset(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    /// The lowest-numbered slot.
    #[inline]
    pub fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// Takes out the lowest-numbered slot.
    #[inline]
    pub fn take_first(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.unset(first);
        Some(first)
    }

    /// Number of slots in the set.
    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The slots of this set that are not in `other`.
    #[inline]
    pub fn without(self, other: SlotBits) -> SlotBits {
        SlotBits(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
}

impl From<u128> for SlotBits {
    fn from(slots: u128) -> Self {
        SlotBits([slots as u64, (slots >> 64) as u64, 0])
    }
}

impl BitAnd for SlotBits {
    type Output = SlotBits;
    #[inline]
    fn bitand(self, other: SlotBits) -> SlotBits {
        SlotBits(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl BitOr for SlotBits {
    type Output = SlotBits;
    #[inline]
    fn bitor(self, other: SlotBits) -> SlotBits {
        SlotBits(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_the_ones() {
        assert_eq!(ones(0).count(), 0);
        assert_eq!(ones(1 << 63 | 0b101).collect::<Vec<_>>(), [0, 2, 63]);
    }

    #[test]
    fn elements_are_packed_as_in_verilog() {
        let mut bits = VcBits::default();
        bits.set(575);
        bits.set(64);
        bits.put(3, true);
        bits.put(575, false);
        assert_eq!(bits.0[..2], [0b1000, 1]);
        assert_eq!(bits.ones().collect::<Vec<_>>(), [3, 64]);
        assert!(bits.get(64) && !bits.get(65) && bits.any() && bits.count() == 2);
        bits.clear();
        assert!(!bits.any());
    }

    #[test]
    fn slot_sets() {
        let mut set = SlotBits::default();
        set.set(143);
        set.set(5);
        assert_eq!((set.first(), set.count(), set.get(143), set.get(79)), (Some(5), 2, true, false));
        assert_eq!(set.take_first(), Some(5));
        assert_eq!(set.take_first(), Some(143));
        assert_eq!(set.take_first(), None);
    }
}
