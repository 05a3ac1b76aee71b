//! Drop counter: counts the packets of a port that were dropped for want of a route.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `tail_dropped` | k | the tail of a packet of VC v is thrown away |
//! | `drop_valid` | k | it was in the last cycle |
//! | `drop_count` | 16 | packets dropped since reset, modulo 65,536, those of `drop_valid` included |
//!
//! State: `dropped`, `drops`: the two outputs.
//!
//! Source: switch reference, section 6 (drop).

use crate::rtl::prelude::*;
use railyard_spec::{pins::DROP_COUNT_BITS, Shape};

/// Counts dropped packets; see the head of this file.
#[block]
pub struct DropCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub tail_dropped: Sig<In>,
    pub drop_valid: Sig<Out>,
    pub drop_count: Sig<Out>,

    dropped: Reg,
    drops: Reg,

    number: Sig<Local>,

    vcs: Param,
    about: About,
}

/// Drop counter of one port.
pub fn drop_counter(shape: &Shape) -> DropCounter {
    let (k, bits) = (shape.vcs, DROP_COUNT_BITS as usize);
    DropCounter {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        tail_dropped: sig(k).doc("the tail of a packet of VC v is thrown away"),
        drop_valid: sig(k).doc("a packet of VC v was dropped"),
        drop_count: sig(bits).doc("packets dropped since reset"),
        dropped: reg(k, 0u8).doc("a packet of VC v was dropped in the last cycle"),
        drops: reg(bits, 0u8).doc("packets dropped since reset"),
        number: sig(clog2(k + 1).max(1)).doc("packets dropped in this cycle"),
        vcs: param(k),
        about: about("drop_counter", "Counts the packets of a port that were dropped.").param("vcs", k),
    }
}

#[kernel]
impl DropCounter {
    fn update(&mut self) {
        self.number.next = 0.into();
        for v in 0..self.vcs.val() {
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
