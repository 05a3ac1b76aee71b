//! Minimal return: tells the sender how many flits of minimal packets have left a VC's buffer.
//!
//! State: the running total (the output); whether the packet whose head left last is minimal.
//!
//! Source: reference of Dragonfly routing, minimal packets; Fuentes2017, 5.2.4 (FlexVC-minCred).

use crate::units::prelude::*;

/// Tells the sender how many flits of minimal packets have left a buffer.
#[block(credit_bits: usize)]
pub struct MinimalReturn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves the buffer.
    pub popped: Flag<In>,
    /// The flit is the first of a packet.
    pub head: Flag<In>,
    /// The header of that packet came with the mark of minimal ones.
    pub minimal: Flag<In>,
    /// Flits of minimal packets since reset.
    pub total: Sig<Out, credit_bits>,

    counter: Counter<credit_bits>,
    /// The packet whose head left last is minimal.
    is_minimal: FlagReg,

    /// The flit counts.
    counts: Flag<Local>,

    credit_bits: Param,
}

#[kernel]
impl MinimalReturn {
    fn update(&mut self) {
        self.counts.next = self.is_minimal.q.val();
        if self.head.val() {
            self.counts.next = self.minimal.val();
        }
        if self.popped.val() {
            self.is_minimal.d.next = self.counts.val();
        }
        self.counter.step.next = self.popped.val() & self.counts.val();
        self.total.next = self.counter.count.val();
    }
}
