//! Patience timer: the ticks by which packets count how long they wait.
//!
//! State: the cycles since the last tick.
//!
//! Source: reference of Dragonfly routing, patience.

use crate::units::prelude::*;

/// Bits of the number of cycles between ticks.
pub const TICK_BITS: usize = 8;

/// The ticks by which packets count how long they wait.
#[block(bits: usize)]
pub struct PatienceTimer {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Cycles of a tick; 0: never.
    pub cycles: Sig<In, bits>,
    /// A tick.
    pub tick: Flag<Out>,

    /// Cycles since the last tick.
    passed: Reg<bits>,

    /// Cycles with the current one.
    after: Sig<Local, { bits + 1 }>,

    bits: Param,
}

#[kernel]
impl PatienceTimer {
    fn update(&mut self) {
        self.after.next = unsigned_cast(self.passed.q.val());
        self.after.next = self.after.val() + 1;
        self.tick.next = false;
        self.passed.d.next = unsigned_cast(self.after.val());
        if !self.cycles.val().any() {
            self.passed.d.next = 0.into();
        } else if self.after.val() >= unsigned_cast(self.cycles.val()) {
            self.tick.next = true;
            self.passed.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_come_every_so_many_cycles() {
        for cycles in [0usize, 1, 5, 255] {
            let mut bench = Bench::new(patience_timer(TICK_BITS), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.cycles.next = cycles.into();
            for cycle in 1..600 {
                bench.settle();
                assert_eq!(bench.tick.val(), cycles > 0 && cycle % cycles == 0, "cycle {cycle}, {cycles} cycles");
                bench.cycle();
            }
        }
    }
}
