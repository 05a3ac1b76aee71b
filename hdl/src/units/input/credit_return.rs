//! Credit return: tells the sender how many places of a VC's buffer have become free.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `popped`, `discarded` | 1 | a flit left the buffer in this cycle; an arriving one was thrown away |
//! | `credit_valid` | 1 | places became free in the last cycle |
//! | `credit` | `credit_bits` | absolute: places freed since reset, modulo its width; relative: in the last cycle |
//!
//! State: `report` (the output), `fresh` (`credit_valid`).
//!
//! Source: switch reference, section 7 (given to the sender); seed 004 (absolute credits).

use crate::rtl::prelude::*;
use railyard_spec::FlowControl;
use railyard_spec::Shape;

/// Gives credit for one VC; see the head of this file.
#[block]
pub struct CreditReturn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub popped: Flag<In>,
    pub discarded: Flag<In>,
    pub credit_valid: Flag<Out>,
    pub credit: Sig<Out>,

    report: Reg,
    fresh: FlagReg,

    freed: Sig<Local>,
    base: Sig<Local>,

    absolute: Param,
    about: About,
}

/// Credit return of one VC.
pub fn credit_return(shape: &Shape) -> CreditReturn {
    let bits = shape.credit_bits as usize;
    let absolute = usize::from(shape.flow_control == FlowControl::Absolute);
    CreditReturn {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        popped: flag().doc("a flit leaves the buffer"),
        discarded: flag().doc("an arriving flit is thrown away"),
        credit_valid: flag().doc("places became free in the last cycle"),
        credit: sig(bits).doc("credit report"),
        report: reg(bits, 0u8).doc("credit report"),
        fresh: flag_reg(false).doc("places became free in the last cycle"),
        freed: sig(bits).doc("places that become free: 0, 1 or 2"),
        base: sig(bits).doc("what they are added to"),
        absolute: param(absolute),
        about: about("credit_return", "Tells the sender how many places of a buffer have become free.")
            .param("credit_bits", bits)
            .param("absolute", absolute),
    }
}

#[kernel]
impl CreditReturn {
    fn update(&mut self) {
        self.freed.next = unsigned_cast(self.popped.val());
        if self.discarded.val() {
            self.freed.next = self.freed.val() + 1;
        }
        self.base.next = 0.into();
        if self.absolute.val() == 1 {
            self.base.next = self.report.q.val();
        }
        self.report.d.next = self.base.val() + self.freed.val();
        self.fresh.d.next = self.popped.val() | self.discarded.val();
        self.credit_valid.next = self.fresh.q.val();
        self.credit.next = self.report.q.val();
    }
}
