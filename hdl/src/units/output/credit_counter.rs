//! Credit counter: how many flits of one VC may be in the next buffer, and so whether a packet may start.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `sent` | 1 | a flit of this VC is popped to this output |
//! | `tx_credit_valid`, `tx_credit` | 1, `credit_bits` | report of the next buffer, from the pins |
//! | `room` | 1 | a packet of maximum length has room, if this VC is not sending |
//! | `room_sending` | 1 | the same if it is sending: one flit more is on its way |
//! | `room_two` | 1 | two packets of maximum length have room (of the mixed VC only) |
//! | `error` | 1 | the report is for flits that were never sent |
//! | `in_use` | log2 D + 2 | D - x, x as it is where `room` comes from (with candidates only) |
//!
//! State: `outstanding` = D - available: flits sent whose places have not been reported free; `room`, `room_sending`; absolute
//! credits also count the flits sent. With candidates also `in_use`, of the mixed VC also `room_two`.
//!
//! Each cycle: a report lowers `outstanding` (relative), or says what it is (absolute: flits sent - total). A flit sent raises
//! it. `sent` comes late: it selects between values prepared for both cases.
//!
//! Source: switch reference, section 7 (got from the next buffer, room).

use crate::parts::counter::{counter, Counter};
use crate::rtl::prelude::*;
use railyard_spec::FlowControl;
use railyard_spec::Shape;

/// Credit of one VC of one output; see the head of this file.
#[block]
pub struct CreditCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub sent: Flag<In>,
    pub tx_credit_valid: Flag<In>,
    pub tx_credit: Sig<In>,
    pub room: Flag<Out>,
    pub room_sending: Flag<Out>,
    pub room_two: Vec<Flag<Out>>,
    pub error: Flag<Out>,
    pub in_use: Vec<Sig<Out>>,

    outstanding: Reg,
    fits: FlagReg,
    fits_sending: FlagReg,
    fits_two: Vec<FlagReg>,
    places: Vec<Reg>,
    sent_total: Vec<Counter>,

    reported: Sig<Local>,
    wrong: Flag<Local>,
    left: Sig<Local>,
    one_more: Sig<Local>,

    depth: Param,
    limit: Param,
    limit_two: Param,
    about: About,
}

/// Bits of the number of places in use of the next buffer; there is time for it to be more than there are, section 7.
pub fn in_use_bits(shape: &Shape) -> usize {
    shape.buffer_bits as usize + 2
}

/// Credit counter of VC `vc` of one output.
pub fn credit_counter(shape: &Shape, vc: usize) -> CreditCounter {
    let mixed = usize::from(shape.multicast.is_some_and(|built| built.vc == vc));
    let (bits, depth) = (in_use_bits(shape), shape.buffer_flits as usize);
    let compared = usize::from(shape.candidates > 1);
    let absolute = usize::from(shape.flow_control == FlowControl::Absolute);
    let max_flits = shape.max_flits as usize;
    CreditCounter {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        sent: flag().doc("a flit of this VC leaves"),
        tx_credit_valid: flag().doc("a credit report arrives"),
        tx_credit: sig(shape.credit_bits as usize).doc("credit report"),
        room: flag().doc("a packet has room, if this VC is not sending"),
        room_sending: flag().doc("a packet has room behind the flit that is being sent"),
        room_two: many(mixed, || flag().doc("two packets have room")),
        error: flag().doc("the report is for flits that were never sent"),
        in_use: many(compared, || sig(bits).doc("places in use of the next buffer, as room knows of them")),
        outstanding: reg(bits, 0u8).doc("flits sent and not reported free"),
        fits: flag_reg(true).doc("room"),
        fits_sending: flag_reg(true).doc("room_sending"),
        fits_two: many(mixed, || flag_reg(true).doc("room_two")),
        places: many(compared, || reg(bits, 0u8).doc("in_use")),
        sent_total: many(absolute, || counter(bits)),
        reported: sig(bits).doc("outstanding flits according to the report"),
        wrong: flag().doc("the report cannot be"),
        left: sig(bits).doc("outstanding flits after the report"),
        one_more: sig(bits).doc("outstanding flits if one is sent, without the report"),
        depth: param(depth),
        limit: param(depth - max_flits),
        limit_two: param(depth - 2 * max_flits),
        about: about("credit_counter", "How many flits are in the next buffer, and whether a packet has room there.")
            .param("depth", depth)
            .param("max_flits", max_flits)
            .param("absolute", absolute),
    }
}

#[kernel]
impl CreditCounter {
    fn update(&mut self) {
        self.reported.next = self.outstanding.q.val() - unsigned_cast(self.tx_credit.val());
        self.wrong.next = self.outstanding.q.val() < unsigned_cast(self.tx_credit.val());
        for t in 0..self.sent_total.len() {
            self.sent_total[t].step.next = self.sent.val();
            self.reported.next = self.sent_total[t].count.val() - unsigned_cast(self.tx_credit.val());
            self.wrong.next = self.reported.val() > self.depth.val();
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

        self.one_more.next = self.outstanding.q.val() + 1;
        self.fits.d.next = self.outstanding.q.val() <= self.limit.val();
        self.fits_sending.d.next = self.outstanding.q.val() < self.limit.val();
        if self.sent.val() {
            self.fits.d.next = self.one_more.val() <= self.limit.val();
            self.fits_sending.d.next = self.one_more.val() < self.limit.val();
        }
        self.room.next = self.fits.q.val();
        self.room_sending.next = self.fits_sending.q.val();
        for c in 0..self.fits_two.len() {
            self.fits_two[c].d.next = self.outstanding.q.val() <= self.limit_two.val();
            if self.sent.val() {
                self.fits_two[c].d.next = self.one_more.val() <= self.limit_two.val();
            }
            self.room_two[c].next = self.fits_two[c].q.val();
        }
        for c in 0..self.places.len() {
            self.places[c].d.next = self.outstanding.q.val();
            if self.sent.val() {
                self.places[c].d.next = self.one_more.val();
            }
            self.in_use[c].next = self.places[c].q.val();
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
            let shape = config.shape();
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
                assert_eq!(bench.room_two[0].val(), x >= 4, "cycle {cycle}");
                assert_eq!(bench.in_use[0].val().to_u128() as i64, depth - x, "cycle {cycle}");
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
