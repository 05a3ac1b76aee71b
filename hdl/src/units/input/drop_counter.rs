//! Drop counter: counts the packets of a port that were dropped for want of a route.
//!
//! State: `dropped`, `drops`: the two outputs.
//!
//! Source: switch reference, section 6 (drop).

use crate::units::prelude::*;
use railyard_spec::pins::DROP_COUNT_BITS;

/// Counts the packets of a port that were dropped.
#[block(shape: &Shape)]
pub struct DropCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The tail of a packet of VC v is thrown away.
    pub tail_dropped: Sig<In, vcs>,
    /// A packet of VC v was dropped.
    pub drop_valid: Sig<Out, vcs>,
    /// Packets dropped since reset.
    pub drop_count: Sig<Out, bits>,

    /// A packet of VC v was dropped in the last cycle.
    dropped: Reg<vcs>,
    /// Packets dropped since reset.
    drops: Reg<bits>,

    /// Packets dropped in the current cycle.
    number: Sig<Local, { clog2(vcs + 1).max(1) }>,

    bits: Number<{ DROP_COUNT_BITS as usize }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl DropCounter {
    fn update(&mut self) {
        self.number.next = 0.into();
        for v in 0..self.vcs {
            if self.tail_dropped.val().get_bit(v) {
                self.number.next = self.number.val() + 1;
            }
        }
        self.dropped.d.next = self.tail_dropped.val();
        self.drops.d.next = self.drops.q.val() + unsigned_cast(self.number.val());
        self.drop_valid.next = self.dropped.q.val();
        self.drop_count.next = self.drops.q.val();
    }
}
