//! Credit counter: how many flits of one VC may be in the next buffer, and so whether a packet may start.
//!
//! State: `outstanding` = D - available: flits sent whose places have not been reported free; `room`, `room_sending`;
//! absolute credits also count the flits sent. Where places are compared also `in_use`, of the mixed VC `room_two`.
//!
//! Each cycle: a report lowers `outstanding` (relative), or says what it is (absolute: flits sent - total). A flit sent
//! raises it. `sent` comes late: it selects between values prepared for both cases.
//!
//! Source: switch reference, section 7 (got from the next buffer, room).

use crate::units::prelude::*;

/// How many flits are in the next buffer, and whether a packet has room there.
#[block(shape: &Shape, vc: usize)]
pub struct CreditCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit of the VC leaves.
    pub sent: Flag<In>,
    /// A credit report arrives.
    pub tx_credit_valid: Flag<In>,
    /// Credit report.
    pub tx_credit: Sig<In, { shape.credit_bits as usize }>,
    /// The next buffer has room for a packet, if the VC is not sending.
    pub room: Flag<Out>,
    /// The next buffer has room for a packet behind the flit that is being sent.
    pub room_sending: Flag<Out>,
    /// The next buffer has room for two packets.
    pub room_two: Option<Flag<Out>, mixed>,
    /// The report is for flits that were never sent.
    pub error: Flag<Out>,
    /// Places in use of the next buffer, as counted for `room`.
    pub in_use: Option<Sig<Out, bits>, compared>,

    /// Flits sent and not reported free.
    outstanding: Reg<bits>,
    /// Register of `room`.
    fits: FlagReg<true>,
    /// Register of `room_sending`.
    fits_sending: FlagReg<true>,
    /// Register of `room_two`.
    fits_two: Option<FlagReg<true>, mixed>,
    /// Register of `in_use`.
    places: Option<Reg<bits>, compared>,
    sent_total: Option<Counter<bits>, absolute>,

    /// Outstanding flits according to the report.
    reported: Sig<Local, bits>,
    /// The report is impossible.
    wrong: Flag<Local>,
    /// Outstanding flits after the report.
    left: Sig<Local, bits>,
    /// Outstanding flits with one more sent, without the report.
    one_more: Sig<Local, bits>,

    mixed: Number<bool, { shape.multicast.is_some_and(|built| built.vc == vc) }>,
    compared: Number<bool, { compares_use(shape) }>,
    limit: Number<{ depth - max_flits }>,
    limit_two: Number<{ depth.saturating_sub(2 * max_flits) }>,
    bits: Number<{ in_use_bits(shape) }>,
    depth: Param<{ shape.buffer_flits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
    absolute: Param<bool, { shape.flow_control == FlowControl::Absolute }>,
}

/// Whether outputs show how many places of the next buffers are in use: some block compares these numbers.
pub fn compares_use(shape: &Shape) -> bool {
    shape.candidates > 1 || shape.dragonfly().is_some_and(|built| built.flexible_vcs || built.adaptive())
}

/// Bits of the number of places in use of the next buffer; there is time for it to be more than there are, section 7.
pub fn in_use_bits(shape: &Shape) -> usize {
    shape.buffer_bits as usize + 2
}

#[kernel]
impl CreditCounter {
    fn update(&mut self) {
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
        self.outstanding.d.next = self.left.val();
        if self.sent.val() {
            self.outstanding.d.next = self.left.val() + 1;
        }

        // A true neighbour keeps it at D. A false report can take credit back: the count is then D, and one more for a
        // flit that leaves in that cycle. The next packet may start before `room` follows, behind another such flit.
        assert!(
            self.outstanding.q.val() <= self.depth + self.max_flits + 2,
            "no more flits are outstanding than buffer, packet and two flits on their way"
        );
        self.one_more.next = self.outstanding.q.val() + 1;
        self.fits.d.next = self.outstanding.q.val() <= self.limit;
        self.fits_sending.d.next = self.outstanding.q.val() < self.limit;
        if self.sent.val() {
            self.fits.d.next = self.one_more.val() <= self.limit;
            self.fits_sending.d.next = self.one_more.val() < self.limit;
        }
        self.room.next = self.fits.q.val();
        self.room_sending.next = self.fits_sending.q.val();
        if let (Some(fits_two), Some(room_two)) = (&mut self.fits_two, &mut self.room_two) {
            fits_two.d.next = self.outstanding.q.val() <= self.limit_two;
            if self.sent.val() {
                fits_two.d.next = self.one_more.val() <= self.limit_two;
            }
            room_two.next = fits_two.q.val();
        }
        if let (Some(places), Some(in_use)) = (&mut self.places, &mut self.in_use) {
            places.d.next = self.outstanding.q.val();
            if self.sent.val() {
                places.d.next = self.one_more.val();
            }
            in_use.next = places.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, Routing, TableRouting};

    /// Section 7 with signed numbers, for both schemes.
    #[test]
    fn follows_the_reference() {
        for flow_control in [FlowControl::Absolute, FlowControl::Relative] {
            let mut config = Config::named("test");
            config.packet.max_flits = 2;
            (config.buffer_flits, config.virtual_channels.mixed) = (Some(4), 1);
            config.flow_control = flow_control;
            config.routing = Routing::Table(TableRouting { candidates: 2, ..Default::default() });
            let shape = config.check().unwrap().shape();
            let absolute = flow_control == FlowControl::Absolute;
            let mut bench = Bench::new(credit_counter(&shape, shape.vcs - 1), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let (depth, modulus) = (4i64, 1i64 << shape.credit_bits);
            let (mut sent_total, mut accepted, mut available, mut x) = (0i64, 0i64, depth, depth);
            let mut random = 0x1234_5678_9abc_def1u64;
            for cycle in 0..1000 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let sent = available > 0 && random >> 40 & 1 == 1;
                let valid = random >> 42 & 3 == 0;
                let noise = (random >> 50 & 3) as i64;
                let report = if absolute { (sent_total - noise * 2 + 1).rem_euclid(modulus) } else { noise };
                bench.sent.next = sent;
                bench.tx_credit_valid.next = valid;
                bench.tx_credit.next = (report as u64).into();
                bench.settle();
                assert_eq!(bench.room.val(), x >= 2, "cycle {cycle}");
                assert_eq!(bench.room_sending.val(), x >= 3, "cycle {cycle}");
                assert_eq!(bench.room_two.as_ref().expect("of the mixed VC").val(), x >= 4, "cycle {cycle}");
                assert_eq!(
                    bench.in_use.as_ref().expect("with candidates").val().to_u128() as i64,
                    depth - x,
                    "cycle {cycle}"
                );
                let wrong = valid
                    && if absolute {
                        (sent_total - report).rem_euclid(modulus) > depth
                    } else {
                        available + report > depth
                    };
                assert_eq!(bench.error.val(), wrong, "cycle {cycle}");
                bench.cycle();
                x = available - sent as i64;
                if absolute {
                    if valid && !wrong {
                        accepted = report;
                    }
                    sent_total = (sent_total + sent as i64).rem_euclid(modulus);
                    available = depth - (sent_total - accepted).rem_euclid(modulus);
                } else {
                    available = x + if valid && !wrong { report } else { 0 };
                }
            }
        }
    }
}
