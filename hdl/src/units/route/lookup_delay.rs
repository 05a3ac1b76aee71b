//! Lookup delay: operations beside the first stages of node reduction, on their way to the lookup pipeline's read stage.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `issue_*` | | an operation is issued in this cycle, see `lookup_pipeline` |
//! | `flush` | 1 | a flush is in this cycle |
//! | `fill_ahead` | 1 | a fill was issued in the cycle before |
//! | `lookup`, `fill`, `malformed`, `vc`, `address`, `drop_result`, `port`, `fresh`, `number` | | `ranks` cycles later: that operation |
//!
//! With `next_vc` or output selection each port that goes along is a whole [`route`](super::layout).
//!
//! State: `ranks` ranks of registers.
//!
//! Each cycle: everything moves on by one rank; a flush makes all of it stale, what is issued in its cycle too.
//!
//! Source: switch reference, section 4.2.

use crate::rtl::prelude::*;

/// Ranks of registers; see the head of this file.
#[block]
pub struct LookupDelay {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub issue_lookup: Flag<In>,
    pub issue_fill: Flag<In>,
    pub issue_malformed: Flag<In>,
    pub issue_vc: Sig<In>,
    pub issue_address: Sig<In>,
    pub issue_drop: Flag<In>,
    pub issue_port: Sig<In>,
    pub issue_fresh: Flag<In>,
    pub issue_number: Sig<In>,
    pub flush: Flag<In>,
    pub fill_ahead: Flag<Out>,
    pub lookup: Flag<Out>,
    pub fill: Flag<Out>,
    pub malformed: Flag<Out>,
    pub vc: Sig<Out>,
    pub address: Sig<Out>,
    pub drop_result: Flag<Out>,
    pub port: Sig<Out>,
    pub fresh: Flag<Out>,
    pub number: Sig<Out>,

    rank_lookup: Regs,
    rank_fill: Regs,
    rank_malformed: Regs,
    rank_vc: Regs,
    rank_address: Regs,
    rank_drop: Regs,
    rank_port: Regs,
    rank_fresh: Regs,
    rank_number: Regs,

    issued_fresh: Flag<Local>,

    ranks: Param,
    about: About,
}

/// A delay of `ranks` cycles, at least one.
pub fn lookup_delay(
    ranks: usize,
    vc_bits: usize,
    address_bits: usize,
    port_bits: usize,
    number_bits: usize,
) -> LookupDelay {
    assert!(ranks > 0, "a delay has at least one rank");
    LookupDelay {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        issue_lookup: flag().doc("a lookup is issued"),
        issue_fill: flag().doc("a fill is issued"),
        issue_malformed: flag().doc("the lookup's packet is malformed"),
        issue_vc: sig(vc_bits).doc("the lookup's VC"),
        issue_address: sig(address_bits).doc("the operation's address"),
        issue_drop: flag().doc("the fill's result: no route"),
        issue_port: sig(port_bits).doc("the fill's result: output port"),
        issue_fresh: flag().doc("the operation is fresh, if no flush is in this cycle"),
        issue_number: sig(number_bits).doc("number of the fill's miss slot"),
        flush: flag().doc("a flush is in this cycle"),
        fill_ahead: flag().doc("a fill was issued in the cycle before"),
        lookup: flag().doc("a lookup leaves"),
        fill: flag().doc("a fill leaves"),
        malformed: flag().doc("the lookup's packet is malformed"),
        vc: sig(vc_bits).doc("the lookup's VC"),
        address: sig(address_bits).doc("the operation's address"),
        drop_result: flag().doc("the fill's result: no route"),
        port: sig(port_bits).doc("the fill's result: output port"),
        fresh: flag().doc("the operation is fresh, if no flush is in this cycle"),
        number: sig(number_bits).doc("number of the fill's miss slot"),
        rank_lookup: regs(ranks, 1, 0u8).doc("a lookup"),
        rank_fill: regs(ranks, 1, 0u8).doc("a fill"),
        rank_malformed: regs_no_reset(ranks, 1).doc("its packet is malformed"),
        rank_vc: regs_no_reset(ranks, vc_bits).doc("its VC"),
        rank_address: regs_no_reset(ranks, address_bits).doc("its address"),
        rank_drop: regs_no_reset(ranks, 1).doc("its result, no route"),
        rank_port: regs_no_reset(ranks, port_bits).doc("its result, output port"),
        rank_fresh: regs_no_reset(ranks, 1).doc("no flush since its issue, or that of its lookup"),
        rank_number: regs_no_reset(ranks, number_bits).doc("number of its miss slot"),
        issued_fresh: flag().doc("what is issued is fresh"),
        ranks: param(ranks),
        about: about("lookup_delay", "Operations beside node reduction, on their way to the routing cache.")
            .param("ranks", ranks)
            .param("vc_bits", vc_bits)
            .param("address_bits", address_bits)
            .param("port_bits", port_bits)
            .param("number_bits", number_bits),
    }
}

#[kernel]
impl LookupDelay {
    fn update(&mut self) {
        // Issue.
        self.issued_fresh.next = self.issue_fresh.val() & !self.flush.val();
        self.rank_lookup.d[0].next = self.issue_lookup.val().into();
        self.rank_fill.d[0].next = self.issue_fill.val().into();
        self.rank_malformed.d[0].next = self.issue_malformed.val().into();
        self.rank_vc.d[0].next = self.issue_vc.val();
        self.rank_address.d[0].next = self.issue_address.val();
        self.rank_drop.d[0].next = self.issue_drop.val().into();
        self.rank_port.d[0].next = self.issue_port.val();
        self.rank_fresh.d[0].next = self.issued_fresh.val().into();
        self.rank_number.d[0].next = self.issue_number.val();
        self.fill_ahead.next = self.rank_fill.q[0].val().any();

        // Move on.
        for r in 1..self.ranks.val() {
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
        self.lookup.next = self.rank_lookup.q[self.ranks.val() - 1].val().any();
        self.fill.next = self.rank_fill.q[self.ranks.val() - 1].val().any();
        self.malformed.next = self.rank_malformed.q[self.ranks.val() - 1].val().any();
        self.vc.next = self.rank_vc.q[self.ranks.val() - 1].val();
        self.address.next = self.rank_address.q[self.ranks.val() - 1].val();
        self.drop_result.next = self.rank_drop.q[self.ranks.val() - 1].val().any();
        self.port.next = self.rank_port.q[self.ranks.val() - 1].val();
        self.fresh.next = self.rank_fresh.q[self.ranks.val() - 1].val().any();
        self.number.next = self.rank_number.q[self.ranks.val() - 1].val();
    }
}
