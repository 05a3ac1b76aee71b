//! Promise counter: how many places of the next buffer of one VC are in use or promised, with output queues, and so
//! whether a packet may start.
//!
//! State: `outstanding` = D - available: flits sent whose places have not been reported free; `promised`: flits for
//! which room was taken, and which have not left; `room`. Absolute credits also count the flits sent. Where places are
//! compared also `in_use`.
//!
//! Each cycle: a report lowers `outstanding` (relative), or says what it is (absolute: flits sent - total). A flit sent
//! goes from `promised` to `outstanding`. A packet takes M places, and gives back what it does not need. `taken` comes
//! late: it selects between values prepared for both cases.
//!
//! Source: switch reference, sections 6.2 (room) and 7.

use crate::units::prelude::*;

/// How many places of the next buffer are in use or promised, and whether a packet has room there.
#[block(shape: &Shape)]
pub struct PromiseCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit of the VC leaves.
    pub sent: Flag<In>,
    /// A packet that leaves on the VC takes room.
    pub taken: Flag<In>,
    /// Places that packets did not need.
    pub returned: Sig<In, { returned_bits(shape) }>,
    /// A credit report arrives.
    pub tx_credit_valid: Flag<In>,
    /// Credit report.
    pub tx_credit: Sig<In, { shape.credit_bits as usize }>,
    /// The next buffer has room for a packet.
    pub room: Flag<Out>,
    /// The report is for flits that were never sent.
    pub error: Flag<Out>,
    /// Places in use of the next buffer, or promised, as counted for `room`.
    pub in_use: Option<Sig<Out, bits>, compared>,

    /// Flits sent and not reported free.
    outstanding: Reg<bits>,
    /// Flits for which room was taken, and which have not left.
    promised: Reg<bits>,
    /// Register of `room`.
    fits: FlagReg<true>,
    /// Register of `in_use`.
    places: Option<Reg<bits>, compared>,
    sent_total: Option<Counter<bits>, absolute>,

    /// Outstanding flits according to the report.
    reported: Sig<Local, bits>,
    /// The report is impossible.
    wrong: Flag<Local>,
    /// Outstanding flits after the report.
    left: Sig<Local, bits>,
    /// Promised flits without those given back.
    kept: Sig<Local, bits>,
    /// Places in use or promised, without the report.
    committed: Sig<Local, bits>,
    /// Promised flits, if no packet takes room.
    promised_after: Sig<Local, bits>,

    limit: Number<{ depth - max_flits }>,
    limit_taken: Number<{ depth.saturating_sub(2 * max_flits) }>,
    has_two: Number<bool, { depth >= 2 * max_flits }>,
    compared: Number<bool, { compares_use(shape) }>,
    bits: Number<{ in_use_bits(shape) }>,
    depth: Param<{ shape.buffer_flits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
    absolute: Param<bool, { shape.flow_control == FlowControl::Absolute }>,
}

#[kernel]
impl PromiseCounter {
    fn update(&mut self) {
        self.read_report();
        self.count();
        self.find_room();
    }

    fn read_report(&mut self) {
        self.reported.next = self.outstanding.q.val() - unsigned_cast(self.tx_credit.val());
        self.wrong.next = self.outstanding.q.val() < unsigned_cast(self.tx_credit.val());
        if let Some(sent_total) = &mut self.sent_total {
            sent_total.step.next = self.sent.val();
            self.reported.next = sent_total.count.val() - unsigned_cast(self.tx_credit.val());
            self.wrong.next = self.reported.val() > self.depth;
        }
        self.error.next = self.tx_credit_valid.val() & self.wrong.val();
        self.left.next = self.outstanding.q.val();
        if self.tx_credit_valid.val() & !self.wrong.val() {
            self.left.next = self.reported.val();
        }
    }

    fn count(&mut self) {
        self.outstanding.d.next = self.left.val();
        if self.sent.val() {
            self.outstanding.d.next = self.left.val() + 1;
        }
        self.kept.next = self.promised.q.val() - unsigned_cast(self.returned.val());
        self.promised_after.next = self.kept.val();
        if self.sent.val() {
            self.promised_after.next = self.kept.val() - 1;
        }
        self.promised.d.next = self.promised_after.val();
        if self.taken.val() {
            self.promised.d.next = self.promised_after.val() + self.max_flits;
        }
    }

    fn find_room(&mut self) {
        self.committed.next = self.outstanding.q.val() + self.kept.val();
        self.fits.d.next = self.committed.val() <= self.limit;
        if self.taken.val() {
            self.fits.d.next = false;
            if self.has_two {
                self.fits.d.next = self.committed.val() <= self.limit_taken;
            }
        }
        self.room.next = self.fits.q.val();
        if let (Some(places), Some(in_use)) = (&mut self.places, &mut self.in_use) {
            places.d.next = self.committed.val();
            if self.taken.val() {
                places.d.next = self.committed.val() + self.max_flits;
            }
            in_use.next = places.q.val();
        }
        // A true neighbour keeps both at D together. A false report can take credit back while D are promised.
        assert!(self.promised.q.val() <= self.depth, "no more is promised than the next buffer holds");
        assert!(self.outstanding.q.val() <= 2 * self.depth, "no more flits are outstanding than buffer and promises");
        if self.sent.val() {
            assert!(self.promised.q.val().any(), "only what was promised is sent");
        }
        assert!(self.promised.q.val() >= unsigned_cast(self.returned.val()), "no more is given back than was promised");
    }
}
