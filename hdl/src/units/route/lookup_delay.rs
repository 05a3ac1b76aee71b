//! Lookup delay: operations beside the first stages of node reduction, on their way to the lookup pipeline's read
//! stage.
//!
//! With `next_vc` or output selection each port that goes along is a whole [`route`](super::layout).
//!
//! State: `ranks` ranks of registers.
//!
//! Each cycle: everything moves on by one rank; a flush makes all of it stale, what is issued in its cycle too.
//!
//! Source: switch reference, section 4.2.

use crate::units::prelude::*;

/// Operations beside node reduction, on their way to the routing cache.
#[block(ranks: usize, vc_bits: usize, address_bits: usize, port_bits: usize, number_bits: usize)]
#[requires(ranks > 0, "a delay has at least one rank")]
pub struct LookupDelay {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub issue: Operation<In, vc_bits, address_bits, port_bits>,
    /// The operation is fresh, unless a flush is in the current cycle.
    pub issue_fresh: Flag<In>,
    /// Number of the fill's miss slot.
    pub issue_number: Sig<In, number_bits>,
    /// The cache is flushed in the current cycle.
    pub flush: Flag<In>,
    /// A fill was issued in the cycle before.
    pub fill_ahead: Flag<Out>,
    /// A lookup leaves.
    pub lookup: Flag<Out>,
    /// A fill leaves.
    pub fill: Flag<Out>,
    /// The lookup's packet is malformed.
    pub malformed: Flag<Out>,
    /// The lookup's VC.
    pub vc: Sig<Out, vc_bits>,
    /// The operation's address.
    pub address: Sig<Out, address_bits>,
    /// The fill's result is drop.
    pub drop_result: Flag<Out>,
    /// Output port that is the fill's result.
    pub port: Sig<Out, port_bits>,
    /// The operation is fresh, unless a flush is in the current cycle.
    pub fresh: Flag<Out>,
    /// Number of the fill's miss slot.
    pub number: Sig<Out, number_bits>,

    /// A lookup is in the rank.
    rank_lookup: Regs<ranks, 1>,
    /// A fill is in the rank.
    rank_fill: Regs<ranks, 1>,
    /// The lookup's packet is malformed.
    rank_malformed: Regs<ranks, 1, NoReset>,
    /// VC of the lookup.
    rank_vc: Regs<ranks, vc_bits, NoReset>,
    /// Address of the operation.
    rank_address: Regs<ranks, address_bits, NoReset>,
    /// The fill's result is drop.
    rank_drop: Regs<ranks, 1, NoReset>,
    /// Output port that is the fill's result.
    rank_port: Regs<ranks, port_bits, NoReset>,
    /// No flush came since the operation's issue, or since its lookup's.
    rank_fresh: Regs<ranks, 1, NoReset>,
    /// Number of the fill's miss slot.
    rank_number: Regs<ranks, number_bits, NoReset>,

    /// The operation that is issued is fresh.
    issued_fresh: Flag<Local>,

    ranks: Param,
    vc_bits: Param,
    address_bits: Param,
    port_bits: Param,
    number_bits: Param,
}

#[kernel]
impl LookupDelay {
    fn update(&mut self) {
        // Issue.
        self.issued_fresh.next = self.issue_fresh.val() & !self.flush.val();
        self.rank_lookup.d[0].next = self.issue.lookup.val().into();
        self.rank_fill.d[0].next = self.issue.fill.val().into();
        self.rank_malformed.d[0].next = self.issue.malformed.val().into();
        self.rank_vc.d[0].next = self.issue.vc.val();
        self.rank_address.d[0].next = self.issue.address.val();
        self.rank_drop.d[0].next = self.issue.drop.val().into();
        self.rank_port.d[0].next = self.issue.port.val();
        self.rank_fresh.d[0].next = self.issued_fresh.val().into();
        self.rank_number.d[0].next = self.issue_number.val();
        self.fill_ahead.next = self.rank_fill.q[0].val().any();

        // Move on.
        for r in 1..self.ranks {
            self.rank_lookup.d[r].next = self.rank_lookup.q[r - 1].val();
            self.rank_fill.d[r].next = self.rank_fill.q[r - 1].val();
            self.rank_malformed.d[r].next = self.rank_malformed.q[r - 1].val();
            self.rank_vc.d[r].next = self.rank_vc.q[r - 1].val();
            self.rank_address.d[r].next = self.rank_address.q[r - 1].val();
            self.rank_drop.d[r].next = self.rank_drop.q[r - 1].val();
            self.rank_port.d[r].next = self.rank_port.q[r - 1].val();
            self.rank_fresh.d[r].next = self.rank_fresh.q[r - 1].val();
            if self.flush.val() {
                self.rank_fresh.d[r].next = 0.into();
            }
            self.rank_number.d[r].next = self.rank_number.q[r - 1].val();
        }

        // Leave.
        self.lookup.next = self.rank_lookup.q[self.ranks - 1].val().any();
        self.fill.next = self.rank_fill.q[self.ranks - 1].val().any();
        self.malformed.next = self.rank_malformed.q[self.ranks - 1].val().any();
        self.vc.next = self.rank_vc.q[self.ranks - 1].val();
        self.address.next = self.rank_address.q[self.ranks - 1].val();
        self.drop_result.next = self.rank_drop.q[self.ranks - 1].val().any();
        self.port.next = self.rank_port.q[self.ranks - 1].val();
        self.fresh.next = self.rank_fresh.q[self.ranks - 1].val().any();
        self.number.next = self.rank_number.q[self.ranks - 1].val();
    }
}
