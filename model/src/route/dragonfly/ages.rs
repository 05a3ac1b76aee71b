//! Ages of packets: cycles since they were made, from the header in which they came to that in which they leave.
//!
//! Hardware has registers that count up to the greatest age. Here a packet has the cycle in which its age would have
//! been 0. Source: reference page of Dragonfly routing, "Ages".

use super::header_field::{get, put};
use railyard_spec::dragonfly::HeaderField;
use railyard_spec::{DragonflyShape, Shape};
use std::collections::VecDeque;

/// When the packets of one VC were made.
#[derive(Clone, Debug, Default)]
struct AgeVc {
    /// Those that are not in their selection register yet, modulo twice the range of ages.
    waiting: VecDeque<u32>,
    /// That of the selection register.
    selected: i64,
    /// That of the departure register: earlier by the link that the packet takes.
    departing: i64,
}

/// The ages of all packets in a switch.
#[derive(Clone, Debug)]
pub struct AgeRegisters {
    ages: Ages,
    field: HeaderField,
    /// At `port * vcs + vc`.
    slots: Vec<AgeVc>,
}

impl AgeRegisters {
    /// Of a switch of that shape, if packets have ages.
    pub fn new(shape: &Shape, built: &DragonflyShape) -> Option<Self> {
        let field = built.header().age?;
        Some(AgeRegisters {
            ages: Ages { bits: field.bits },
            field,
            slots: vec![AgeVc::default(); shape.ports * shape.vcs],
        })
    }

    /// A packet of slot `at` arrives in cycle `now`, of which the route queue will have a result.
    #[inline]
    pub fn arrive(&mut self, now: u64, at: usize, header: u64) {
        let age = get(header, self.field) as u32;
        self.slots[at].waiting.push_back(self.ages.made(now, age));
    }

    /// The packet is in its selection register from cycle `new` on. Gives the cycle in which it would have had age 0.
    #[inline]
    pub fn select(&mut self, new: u64, at: usize) -> i64 {
        let slot = &mut self.slots[at];
        let made = slot.waiting.pop_front().expect("it has arrived");
        slot.selected = self.ages.made_before(new, made);
        slot.selected
    }

    /// The packet is taken, to an output on whose link it ages by so many cycles.
    #[inline]
    pub fn depart(&mut self, at: usize, delay: u32) {
        let slot = &mut self.slots[at];
        slot.departing = slot.selected - i64::from(delay);
    }

    /// Rewrites a head that is popped in cycle `now`.
    #[inline]
    pub fn rewrite(&self, now: u64, at: usize, flit: &mut [u32]) {
        put(flit, self.field, self.ages.age(now, self.slots[at].departing));
    }
}

/// Arithmetic of ages of so many bits.
#[derive(Clone, Copy, Debug)]
struct Ages {
    bits: u32,
}

impl Ages {
    /// The age from which on a packet does not age.
    fn greatest(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The cycle in which a packet was made that arrives in cycle `now` with an age: modulo twice the range of ages, as
    /// the route queue has it.
    #[inline]
    fn made(self, now: u64, age: u32) -> u32 {
        now.wrapping_sub(age.into()) as u32 & self.mask()
    }

    /// The same of a packet that is in its selection register from cycle `new` on. Its age is the greatest at most.
    #[inline]
    fn made_before(self, new: u64, made: u32) -> i64 {
        let age = u64::from((new as u32).wrapping_sub(made) & self.mask()).min(self.greatest());
        new as i64 - age as i64
    }

    /// The age in cycle `now` of a packet made in cycle `made`.
    #[inline]
    fn age(self, now: u64, made: i64) -> u32 {
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
        let ages = Ages { bits: 4 };
        for (age, stored) in [(0, 3), (5, 100), (9, 6), (9, 7), (15, 16), (15, 17)] {
            let in_register = ages.made_before(100, ages.made(100 - stored, age));
            let sum = (u64::from(age) + stored) % 32;
            assert_eq!(u64::from(ages.age(100, in_register)), sum.min(15), "{age} + {stored}");
            assert_eq!(u64::from(ages.age(103, in_register)), (sum.min(15) + 3).min(15));
        }
        let wide = Ages { bits: 24 };
        assert_eq!(wide.age(1 << 40, wide.made_before(1 << 40, 0)), 0);
    }
}
