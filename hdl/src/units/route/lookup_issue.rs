//! Lookup issue of a port: header queues, and the choice of the one operation that enters the lookup pipeline in a
//! cycle.
//!
//! State: a header queue of D entries and the counter `used` of lookups in flight for each VC; a round robin pointer
//! over VCs.
//!
//! Each cycle: a waiting fill goes first, then the queued headers of VCs with `used < m` in turn, then a packet that
//! arrives, if its VC's queue is empty and `used < m`. A packet that arrives and is not issued is queued. The address
//! multiplexer selects by presence alone, not by permission to enter, so that hashing starts early.
//!
//! With the mixed VC an address has one bit more, the highest: the mark of a multicast packet. A fill's is 0.
//!
//! Source: switch reference, sections 4.2 and 4.3.

use crate::units::prelude::*;

/// Lookup issue of a port: header queues and the choice of the operation that enters the lookup pipeline. Fills first,
/// then queued headers, VC by VC in turn, then a header just arriving.
#[block(shape: &Shape, table: &TableShape)]
pub struct LookupIssue {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A packet arrives at route computation.
    pub arrive: Flag<In>,
    /// VC of the packet.
    pub arrive_vc: Sig<In, vc_bits>,
    /// The packet is malformed.
    pub arrive_malformed: Flag<In>,
    /// Destination address of the packet.
    pub arrive_address: Sig<In, address_bits>,
    /// An answered miss slot waits for its fill.
    pub fill_waiting: Flag<In>,
    /// Address of the waiting miss slot.
    pub fill_address: Option<Sig<In, address_bits>, { table.reduction.is_none() }>,
    /// A fill was issued in the cycle before, so no operation is issued.
    pub fill_ahead: Flag<In>,
    /// A lookup of the VC resolves as hit or malformed.
    pub settled: Sig<In, vcs>,
    /// A miss slot of the VC is freed.
    pub freed: Sig<In, vcs>,
    /// The waiting fill is issued.
    pub issue_fill: Flag<Out>,
    /// A lookup is issued.
    pub issue_lookup: Flag<Out>,
    /// The lookup's packet is malformed.
    pub issue_malformed: Flag<Out>,
    /// VC of the lookup.
    pub issue_vc: Sig<Out, vc_bits>,
    /// Address of the lookup or fill.
    pub issue_address: Sig<Out, address_bits>,

    /// Lookups in flight, per VC.
    used: Regs<vcs, { clog2(lookups_per_vc + 1) }>,

    header_queue: Vec<Fifo<buffer_flits, { address_bits + 1 }>, vcs>,
    arbiter: Option<RoundRobinArbiter<vcs>, { vcs > 1 }>,

    /// The VC may have one more lookup in flight.
    admitted: Sig<Local, vcs>,
    /// The VC has a queued header that may be issued.
    ready: Sig<Local, vcs>,
    /// Ready VC whose turn it is, one-hot.
    granted: Sig<Local, vcs>,
    /// Header that arrives: malformed, address.
    arrived: Sig<Local, { address_bits + 1 }>,
    /// The VC may issue a header that arrives at once.
    direct: Sig<Local, vcs>,
    /// VC of the queued header that is next.
    queued_vc: Sig<Local, vc_bits>,
    /// Queued header that is next: malformed, address.
    queued: Sig<Local, { address_bits + 1 }>,
    /// The queued header that is next is issued.
    issue_queued: Flag<Local>,
    /// The header that arrives is issued.
    issue_direct: Flag<Local>,
    /// A lookup of the VC is issued.
    issued: Sig<Local, vcs>,

    address_field: Field<0, address_bits>,
    malformed_bit: Number<address_bits>,
    lookups: Number<lookups_per_vc>,
    vc_bits: Number<{ shape.vc_bits as usize }>,

    vcs: Param<{ shape.vcs }>,
    lookups_per_vc: Param<{ table.lookups_per_vc }>,
    address_bits: Param<{ header_bits(shape, table.address_bits as usize) }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl LookupIssue {
    fn update(&mut self) {
        self.find_ready();
        self.choose();
        self.issue();
        self.keep();
        self.state_properties();
    }

    /// Who is there.
    fn find_ready(&mut self) {
        self.admitted.next = 0.into();
        self.ready.next = 0.into();
        self.direct.next = 0.into();
        for v in 0..self.vcs {
            self.admitted.set(v, self.used.q[v].val() < self.lookups);
            self.ready.set(v, self.header_queue[v].front_valid.val() & self.admitted.val().get_bit(v));
            self.direct.set(
                v,
                self.header_queue[v].empty.val()
                    & self.admitted.val().get_bit(v)
                    & self.arrive.val()
                    & (self.arrive_vc.val() == v),
            );
        }
    }

    fn choose(&mut self) {
        self.issue_fill.next = self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_queued.next = self.ready.val().any() & !self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_direct.next =
            self.direct.val().any() & !self.ready.val().any() & !self.fill_waiting.val() & !self.fill_ahead.val();
        self.issue_lookup.next = self.issue_queued.val() | self.issue_direct.val();
        self.granted.next = self.ready.val();
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.request.next = self.ready.val();
            arbiter.take.next = self.issue_queued.val();
            self.granted.next = arbiter.grant.val();
        }
    }

    fn issue(&mut self) {
        self.queued_vc.next = 0.into();
        self.queued.next = 0.into();
        for v in 0..self.vcs {
            if self.granted.val().get_bit(v) {
                self.queued_vc.next = self.queued_vc.val() | v;
                self.queued.next = self.queued.val() | self.header_queue[v].front.val();
            }
        }
        self.issue_vc.next = self.arrive_vc.val();
        self.issue_malformed.next = self.arrive_malformed.val();
        self.issue_address.next = self.arrive_address.val();
        if self.ready.val().any() {
            self.issue_vc.next = self.queued_vc.val();
            self.issue_malformed.next = self.queued.val().get_bit(self.malformed_bit);
            self.issue_address.next = self.queued.val() >> self.address_field.val();
        }
        if let Some(fill_address) = &self.fill_address {
            if self.fill_waiting.val() {
                self.issue_address.next = fill_address.val();
            }
        }
    }

    /// What is kept.
    fn keep(&mut self) {
        self.arrived.next = 0.into();
        self.arrived.set(self.address_field.val(), self.arrive_address.val());
        self.arrived.set(self.malformed_bit, self.arrive_malformed.val());
        self.issued.next = 0.into();
        for v in 0..self.vcs {
            self.header_queue[v].push.next = self.arrive.val() & (self.arrive_vc.val() == v) & !self.issue_direct.val();
            self.header_queue[v].push_data.next = self.arrived.val();
            self.header_queue[v].pop.next = self.issue_queued.val() & self.granted.val().get_bit(v);
            self.issued.set(
                v,
                (self.issue_queued.val() & self.granted.val().get_bit(v))
                    | (self.issue_direct.val() & self.direct.val().get_bit(v)),
            );
        }
        for v in 0..self.vcs {
            self.used.d[v].next = self.used.q[v].val() + unsigned_cast(self.issued.val().get_bit(v))
                - unsigned_cast(self.settled.val().get_bit(v))
                - unsigned_cast(self.freed.val().get_bit(v));
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        for v in 0..self.vcs {
            assert!(self.used.q[v].val() <= self.lookups, "a VC has no more lookups than slots");
        }
    }
}
