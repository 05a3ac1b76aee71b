//! Seed watch: when the seed of the draws has changed.
//!
//! State: the seed of the cycle before.
//!
//! Source: reference of Dragonfly routing, draws.

use crate::units::prelude::*;

/// When the seed of the draws has changed.
#[block(bits: usize)]
pub struct SeedWatch {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Seed.
    pub seed: Sig<In, bits>,
    /// The seed differs from that of the cycle before.
    pub reseed: Flag<Out>,

    /// Seed of the cycle before.
    was_seed: Reg<bits>,

    bits: Param,
}

#[kernel]
impl SeedWatch {
    fn update(&mut self) {
        self.was_seed.d.next = self.seed.val();
        self.reseed.next = self.seed.val() != self.was_seed.q.val();
    }
}
