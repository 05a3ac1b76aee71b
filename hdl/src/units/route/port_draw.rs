//! Port draw: a port of a range, by chance.
//!
//! State: the port that was drawn.
//!
//! Source: reference of Dragonfly routing, draws.

use crate::units::prelude::*;

/// Bits of the random number.
const RANDOM_BITS: usize = 8;

/// A port of a range, by chance.
#[block(port_bits: usize, lowest: usize, count: usize)]
pub struct PortDraw {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Random number.
    pub random: Sig<In, RANDOM_BITS>,
    /// Port drawn in the cycle before.
    pub port: Sig<Out, port_bits>,

    /// Port drawn.
    drawn: Reg<port_bits>,
    scaled: Product<count_bits, RANDOM_BITS, RANDOM_BITS, count_bits>,

    number: Konst<count_bits, count>,
    count_bits: Number<{ clog2(count + 1) }>,
    port_bits: Param,
    lowest: Param,
    count: Param,
}

#[kernel]
impl PortDraw {
    fn update(&mut self) {
        self.scaled.a.next = self.number.val();
        self.scaled.b.next = self.random.val();
        self.drawn.d.next = unsigned_cast(self.scaled.part.val()) + self.lowest;
        self.port.next = self.drawn.q.val();
    }
}
