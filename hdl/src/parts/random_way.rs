//! Random way of a cache's sets: the low bits of a linear feedback shift register, one for all sets.
//!
//! State: 16-bit register x, 0xACE1 after reset; no memory. Its log2 w low bits are the victim's number. With
//! `evicted`, it shifts right by one; what falls out is fed back by 0xB400, the taps of x^16 + x^14 + x^13 + x^11 + 1.
//! It comes back after 65,535 evictions.
//!
//! Source: switch reference, section 4.5.

use crate::rtl::prelude::*;

/// Random way: the low bits of a linear feedback shift register that moves with each eviction.
#[block(ways: usize)]
#[requires(ways > 1 && ways.is_power_of_two(), "low bits number {ways} ways")]
pub struct RandomWay {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A fill overwrites the victim in the current cycle.
    pub evicted: Flag<In>,
    /// Way to overwrite next, one-hot.
    pub victim: Sig<Out, ways>,

    /// Linear feedback shift register.
    state: Reg<16, 0xace1u16>,

    /// Number of the way to overwrite next.
    number: Sig<Local, { clog2(ways) }>,

    taps: Konst<16, 0xb400u16>,

    ways: Param,
}

#[kernel]
impl RandomWay {
    fn update(&mut self) {
        self.number.next = unsigned_cast(self.state.q.val());
        self.victim.next = 0.into();
        for i in 0..self.ways {
            self.victim.set(i, self.number.val() == i);
        }

        if self.evicted.val() {
            self.state.d.next = self.state.q.val() >> 1;
            if self.state.q.val().get_bit(0) {
                self.state.d.next = (self.state.q.val() >> 1) ^ self.taps.val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The register runs through all its states but zero, and stands still without an eviction.
    #[test]
    fn comes_back_after_all_states() {
        let mut x = 0xace1u16;
        let period = (1u32..).find(|_| {
            x = if x & 1 == 1 { x >> 1 ^ 0xb400 } else { x >> 1 };
            x == 0xace1
        });
        assert_eq!(period, Some(65_535));

        let mut bench = Bench::new(random_way(16), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        for step in 0..300 {
            bench.settle();
            assert_eq!(bench.victim.val().to_u128(), 1 << (x & 15));
            bench.evicted.next = step % 3 > 0;
            bench.cycle();
            if step % 3 > 0 {
                x = if x & 1 == 1 { x >> 1 ^ 0xb400 } else { x >> 1 };
            }
        }
    }
}
