//! Random numbers that are the same for a seed on every machine: a PCG generator, integer arithmetic, and nothing
//! of the platform's mathematics library.

mod geometric;
mod wheel;

pub use geometric::Geometric;
pub use wheel::Wheel;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The generator behind [`Random::new`], for those who draw from distributions of the crate `rand`.
pub fn generator(seed: u64, stream: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed ^ stream.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// Stream `stream` of a seed. Streams of one seed are independent of each other, so what one part of the
    /// stimulus draws doesn't shift what another sees.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random(generator(seed, stream))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, which is at least 1.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number of `low..=high`.
    #[inline]
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// One of the set bits of a mask that isn't empty.
    #[inline]
    pub fn pick(&mut self, mask: u64) -> u32 {
        let mut rest = mask;
        if rest & (rest - 1) != 0 {
            for _ in 0..self.below(u64::from(rest.count_ones())) {
                rest &= rest - 1;
            }
        }
        rest.trailing_zeros()
    }

    /// Whether something of this chance happens. Draws nothing if it never or always does.
    #[inline]
    pub fn happens(&mut self, chance: Chance) -> bool {
        match chance.0 {
            0 => false,
            u64::MAX => true,
            limit => self.bits() < limit,
        }
    }
}

/// A probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(u64);

impl Chance {
    /// It never happens.
    pub const NEVER: Chance = Chance(0);

    /// It always happens.
    pub const ALWAYS: Chance = Chance(u64::MAX);

    /// From 0.0 (never) to 1.0 (always).
    pub fn new(probability: f64) -> Chance {
        // A float cast saturates: 2^64 becomes the "always" value.
        Chance((probability.clamp(0.0, 1.0) * 18_446_744_073_709_551_616.0) as u64)
    }

    /// From 0.0 to 1.0.
    pub fn probability(self) -> f64 {
        self.0 as f64 / 18_446_744_073_709_551_616.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream is part of what a seed means: a change here changes every recorded run.
    #[test]
    fn the_stream_is_fixed() {
        let mut random = Random::new(7, 3);
        let drawn: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(drawn, FIRST_OF_SEED_7_STREAM_3);
    }
    const FIRST_OF_SEED_7_STREAM_3: [u64; 3] = [4523878981779655959, 7232726465074676696, 8195609405411131236];

    #[test]
    fn chances_are_kept() {
        let mut random = Random::new(1, 0);
        let hits = (0..100_000).filter(|_| random.happens(Chance::new(0.3))).count();
        assert!((29_000..31_000).contains(&hits), "{hits}");
        assert!(!random.happens(Chance::NEVER) && random.happens(Chance::new(1.0)));
    }

    #[test]
    fn picks_only_set_bits_and_all_of_them() {
        let mut random = Random::new(1, 0);
        let mask = 0x8000_0000_0100_0012;
        let seen = (0..200).fold(0u64, |seen, _| seen | 1 << random.pick(mask));
        assert_eq!(seen, mask);
    }
}
