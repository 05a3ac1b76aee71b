//! Credit return: tells the sender how many places of a VC's buffer have become free.
//!
//! State: `report` (the output), `fresh` (`credit_valid`).
//!
//! Source: switch reference, section 7 (given to the sender); Cao2016 (absolute credits).

use crate::units::prelude::*;

/// Tells the sender how many places of a buffer have become free.
#[block(shape: &Shape)]
pub struct CreditReturn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves the buffer.
    pub popped: Flag<In>,
    /// An arriving flit is thrown away.
    pub discarded: Flag<In>,
    /// Places became free in the last cycle.
    pub credit_valid: Flag<Out>,
    /// Credit report.
    pub credit: Sig<Out, credit_bits>,

    /// Credit report.
    report: Reg<credit_bits>,
    /// Places became free in the last cycle.
    fresh: FlagReg,

    /// Number of places that become free: 0, 1 or 2.
    freed: Sig<Local, credit_bits>,
    /// Number to which the freed places are added.
    base: Sig<Local, credit_bits>,

    credit_bits: Param<{ shape.credit_bits as usize }>,
    absolute: Param<bool, { shape.flow_control == FlowControl::Absolute }>,
}

#[kernel]
impl CreditReturn {
    fn update(&mut self) {
        self.freed.next = unsigned_cast(self.popped.val());
        if self.discarded.val() {
            self.freed.next = self.freed.val() + 1;
        }
        self.base.next = 0.into();
        if self.absolute {
            self.base.next = self.report.q.val();
        }
        self.report.d.next = self.base.val() + self.freed.val();
        self.fresh.d.next = self.popped.val() | self.discarded.val();
        self.credit_valid.next = self.fresh.q.val();
        self.credit.next = self.report.q.val();
    }
}
