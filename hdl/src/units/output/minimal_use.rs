//! Minimal use: how many flits of minimal packets are in the next buffers of an output.
//!
//! State: for each VC the flits sent, and those that were not reported free; whether the packet that is being sent is
//! minimal. It looks at the pins, a cycle behind the [credit counters](mod@crate::units::output::credit_counter).
//!
//! Each cycle: a report says how many of the flits sent are still there. An impossible one is ignored.
//!
//! Source: reference of Dragonfly routing, minimal packets; Fuentes2017, 5.2.4 (FlexVC-minCred).

use crate::units::prelude::*;

/// How many flits of minimal packets are in the next buffers of an output.
#[block(shape: &Shape)]
pub struct MinimalUse {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves.
    pub tx_valid: Flag<In>,
    /// Virtual channel of the flit.
    pub tx_vc: Sig<In, { shape.vc_bits as usize }>,
    /// The flit is the first of a packet.
    pub tx_head: Flag<In>,
    /// The header of that packet has the mark of minimal ones.
    pub minimal: Flag<In>,
    /// A credit report for VC v arrives.
    pub tx_credit_valid: Vec<Flag<In>, vcs>,
    /// Flits of minimal packets that were freed, for VC v.
    pub tx_min_credit: Vec<Sig<In, bits>, vcs>,
    /// Flits of minimal packets in the next buffer of VC v.
    pub in_use: Vec<Sig<Out, bits>, vcs>,

    sent: Vec<Counter<bits>, vcs>,
    /// Flits of minimal packets sent and not reported free.
    outstanding: Regs<vcs, bits>,
    /// The packet whose head was sent last is minimal.
    is_minimal: FlagReg,

    /// The flit counts, if there is one.
    counts: Flag<Local>,
    /// Flits that are left according to the report for VC v.
    reported: Vec<Sig<Local, bits>, vcs>,
    /// Flits that are left of VC v.
    left: Vec<Sig<Local, bits>, vcs>,

    bits: Number<{ in_use_bits(shape) }>,
    vcs: Param<{ shape.vcs }>,
    depth: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl MinimalUse {
    fn update(&mut self) {
        self.counts.next = self.is_minimal.q.val();
        if self.tx_head.val() {
            self.counts.next = self.minimal.val();
        }
        for v in 0..self.vcs {
            self.sent[v].step.next = false;
            self.reported[v].next = self.sent[v].count.val() - self.tx_min_credit[v].val();
            self.left[v].next = self.outstanding.q[v].val();
            if self.tx_credit_valid[v].val() & (self.reported[v].val() <= self.depth) {
                self.left[v].next = self.reported[v].val();
            }
            self.outstanding.d[v].next = self.left[v].val();
            if self.tx_valid.val() & (self.tx_vc.val() == v) {
                self.is_minimal.d.next = self.counts.val();
                self.sent[v].step.next = self.counts.val();
                if self.counts.val() {
                    self.outstanding.d[v].next = self.left[v].val() + 1;
                }
            }
            self.in_use[v].next = self.outstanding.q[v].val();
        }
    }
}
