//! Lookup issue of a port: header queues, and the choice of the one operation that enters the lookup pipeline in a
//! cycle.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc` | 1, VC bits | a packet arrives at route computation, on this VC |
//! | `arrive_malformed`, `arrive_address` | 1, A | it is malformed; its destination |
//! | `fill_waiting`, `fill_address` | 1, A | an answered miss slot waits for its fill, of this address (with node reduction the slot has the key, and there is no address) |
//! | `fill_ahead` | 1 | a fill was issued in the cycle before: nothing is issued in this one |
//! | `settled` | k | a lookup of the VC resolves as hit, malformed or multicast |
//! | `freed` | k | a miss slot of the VC is freed |
//! | `issue_fill` | 1 | the waiting fill is issued |
//! | `issue_lookup`, `issue_malformed`, `issue_vc` | 1, 1, VC bits | a lookup is issued |
//! | `issue_address` | A | address of what is issued (with node reduction of a lookup only) |
//!
//! State: a header queue of D entries and the counter `used` of lookups in flight for each VC; a round robin pointer
//! over VCs.
//!
//! Each cycle: a waiting fill goes first, then the queued headers of VCs with `used < m` in turn, then a packet that
//! arrives, if its VC's queue is empty and `used < m`. A packet that arrives and is not issued is queued. The address
//! multiplexer selects by who is there, not by who may go, so that hashing starts early.
//!
//! With the mixed VC an address has one bit more, the highest: the mark of a multicast packet. A fill's is 0.
//!
//! Source: switch reference, sections 4.2 and 4.3.

use crate::parts::fifo::{fifo, Fifo};
use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use railyard_spec::{Shape, TableShape};

/// Chooses what enters the lookup pipeline; see the head of this file.
#[block]
pub struct LookupIssue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub arrive_malformed: Flag<In>,
    pub arrive_address: Sig<In>,
    pub fill_waiting: Flag<In>,
    pub fill_address: Vec<Sig<In>>,
    pub fill_ahead: Flag<In>,
    pub settled: Sig<In>,
    pub freed: Sig<In>,
    pub issue_fill: Flag<Out>,
    pub issue_lookup: Flag<Out>,
    pub issue_malformed: Flag<Out>,
    pub issue_vc: Sig<Out>,
    pub issue_address: Sig<Out>,

    used: Regs,

    header_queue: Vec<Fifo>,
    arbiter: RoundRobinArbiter,

    admitted: Sig<Local>,
    ready: Sig<Local>,
    arrived: Sig<Local>,
    direct: Sig<Local>,
    queued_vc: Sig<Local>,
    queued: Sig<Local>,
    issue_queued: Flag<Local>,
    issue_direct: Flag<Local>,
    issued: Sig<Local>,

    address_field: Field,
    malformed_bit: Param,
    vcs: Param,
    lookups: Param,
    about: About,
}

/// The issue logic of a port of a switch of the given shape.
pub fn lookup_issue(shape: &Shape, table: &TableShape) -> LookupIssue {
    let (vcs, vc_bits) = (shape.vcs, shape.vc_bits as usize);
    let address_bits = header_bits(shape, table.address_bits as usize);
    let lookups = table.lookups_per_vc;
    let depth = shape.buffer_flits as usize;
    let doc = "Lookup issue of a port: header queues and the choice of the operation that enters the lookup \
               pipeline. Fills first, then queued headers, VC by VC in turn, then a header just arriving.";
    LookupIssue {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_malformed: flag().doc("it is malformed"),
        arrive_address: sig(address_bits).doc("its destination address"),
        fill_waiting: flag().doc("an answered miss slot waits for its fill"),
        fill_address: many(usize::from(table.reduction.is_none()), || sig(address_bits).doc("its address")),
        fill_ahead: flag().doc("a fill was issued in the cycle before: nothing is issued"),
        settled: sig(vcs).doc("a lookup of the VC resolves as hit or malformed"),
        freed: sig(vcs).doc("a miss slot of the VC is freed"),
        issue_fill: flag().doc("the waiting fill is issued"),
        issue_lookup: flag().doc("a lookup is issued"),
        issue_malformed: flag().doc("its packet is malformed"),
        issue_vc: sig(vc_bits).doc("its VC"),
        issue_address: sig(address_bits).doc("address of the lookup or fill"),
        used: regs(vcs, clog2(lookups + 1), 0u8).doc("lookups in flight, per VC"),
        header_queue: many(vcs, || fifo(depth, address_bits + 1)),
        arbiter: round_robin_arbiter(vcs),
        admitted: sig(vcs).doc("the VC may have one more lookup in flight"),
        ready: sig(vcs).doc("the VC has a queued header that may be issued"),
        arrived: sig(address_bits + 1).doc("header that arrives: malformed, address"),
        direct: sig(vcs).doc("the VC may issue a header that arrives at once"),
        queued_vc: sig(vc_bits).doc("VC whose turn it is"),
        queued: sig(address_bits + 1).doc("its header: malformed, address"),
        issue_queued: flag().doc("that header is issued"),
        issue_direct: flag().doc("the header that arrives is issued"),
        issued: sig(vcs).doc("a lookup of the VC is issued"),
        address_field: field(0, address_bits),
        malformed_bit: param(address_bits),
        vcs: param(vcs),
        lookups: param(lookups),
        about: about("lookup_issue", doc)
            .param("vcs", vcs)
            .param("lookups_per_vc", lookups)
            .param("address_bits", address_bits)
            .param("buffer_flits", depth),
    }
}

#[kernel]
impl LookupIssue {
    fn update(&mut self) {
        // Who is there.
        self.admitted.next = 0.into();
        self.ready.next = 0.into();
        self.direct.next = 0.into();
        for v in 0..self.vcs.val() {
            self.admitted.next = self.admitted.val().replace_bit(v, self.used.q[v].val() < self.lookups.val());
            self.ready.next = self
                .ready
                .val()
                .replace_bit(v, self.header_queue[v].front_valid.val() & self.admitted.val().get_bit(v));
            self.direct.next = self.direct.val().replace_bit(
                v,
                self.header_queue[v].empty.val()
                    & self.admitted.val().get_bit(v)
                    & self.arrive.val()
                    & (self.arrive_vc.val() == v),
            );
        }
        self.arbiter.request.next = self.ready.val();

        // Who goes.
        self.issue_fill.next = self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_queued.next = self.ready.val().any() & !self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_direct.next =
            self.direct.val().any() & !self.ready.val().any() & !self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_lookup.next = self.issue_queued.val() | self.issue_direct.val();
        self.arbiter.take.next = self.issue_queued.val();

        // What goes.
        self.queued_vc.next = 0.into();
        self.queued.next = 0.into();
        for v in 0..self.vcs.val() {
            if self.arbiter.grant.val().get_bit(v) {
                self.queued_vc.next = self.queued_vc.val() | v;
                self.queued.next = self.queued.val() | self.header_queue[v].front.val();
            }
        }
        self.issue_vc.next = self.arrive_vc.val();
        self.issue_malformed.next = self.arrive_malformed.val();
        self.issue_address.next = self.arrive_address.val();
        if self.ready.val().any() {
            self.issue_vc.next = self.queued_vc.val();
            self.issue_malformed.next = self.queued.val().get_bit(self.malformed_bit.val());
            self.issue_address.next = self.queued.val() >> self.address_field.val();
        }
        for f in 0..self.fill_address.len() {
            if self.fill_waiting.val() {
                self.issue_address.next = self.fill_address[f].val();
            }
        }

        // What is kept.
        self.arrived.next = 0.into();
        self.arrived.next = self.arrived.val().replace_bit(self.address_field.val(), self.arrive_address.val());
        self.arrived.next = self.arrived.val().replace_bit(self.malformed_bit.val(), self.arrive_malformed.val());
        self.issued.next = 0.into();
        for v in 0..self.vcs.val() {
            self.header_queue[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v) & !self.issue_direct.val();
            self.header_queue[v].push_data.next = self.arrived.val();
            self.header_queue[v].pop.next = self.issue_queued.val() & self.arbiter.grant.val().get_bit(v);
            self.issued.next = self.issued.val().replace_bit(
                v,
                (self.issue_queued.val() & self.arbiter.grant.val().get_bit(v))
                    | (self.issue_direct.val() & self.direct.val().get_bit(v)),
            );
        }
        for v in 0..self.vcs.val() {
            self.used.d[v].next = self.used.q[v].val() + unsigned_cast(self.issued.val().get_bit(v))
                - unsigned_cast(self.settled.val().get_bit(v))
                - unsigned_cast(self.freed.val().get_bit(v));
        }
    }
}
