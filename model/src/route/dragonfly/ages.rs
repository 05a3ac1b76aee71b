//! Ages of packets: cycles since they were made, from the header in which they came to that in which they leave.
//!
//! Hardware has registers that count up to the greatest age. Here a packet has the cycle in which its age would have
//! been 0. Source: reference page of Dragonfly routing, "Ages".

/// Arithmetic of ages of so many bits.
#[derive(Clone, Copy, Debug)]
pub struct Ages {
    bits: u32,
}

impl Ages {
    /// Of that width.
    pub fn new(bits: u32) -> Self {
        Ages { bits }
    }

    /// The age from which on a packet does not age.
    fn greatest(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The cycle in which a packet was made that arrives in cycle `now` with an age: modulo twice the range of ages, as
    /// the route queue has it.
    #[inline]
    pub fn made(self, now: u64, age: u32) -> u32 {
        now.wrapping_sub(age.into()) as u32 & self.mask()
    }

    /// The same of a packet that is in its selection register from cycle `new` on. Its age is the greatest at most.
    #[inline]
    pub fn made_before(self, new: u64, made: u32) -> i64 {
        let age = u64::from((new as u32).wrapping_sub(made) & self.mask()).min(self.greatest());
        new as i64 - age as i64
    }

    /// The age in cycle `now` of a packet made in cycle `made`.
    #[inline]
    pub fn age(self, now: u64, made: i64) -> u32 {
        (now as i64 - made).clamp(0, self.greatest() as i64) as u32
    }

    fn mask(self) -> u32 {
        u32::MAX >> (31 - self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_stay_at_the_greatest_and_stored_ones_wrap() {
        let ages = Ages::new(4);
        for (age, stored) in [(0, 3), (5, 100), (9, 6), (9, 7), (15, 16), (15, 17)] {
            let in_register = ages.made_before(100, ages.made(100 - stored, age));
            let sum = (u64::from(age) + stored) % 32;
            assert_eq!(u64::from(ages.age(100, in_register)), sum.min(15), "{age} + {stored}");
            assert_eq!(u64::from(ages.age(103, in_register)), (sum.min(15) + 3).min(15));
        }
        assert_eq!(Ages::new(24).age(1 << 40, Ages::new(24).made_before(1 << 40, 0)), 0);
    }
}
