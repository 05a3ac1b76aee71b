//! Link: takes what leaves by a port to the port at its other end, `latency` cycles later; and what can go wrong on the way.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `tx_valid`, `tx_vc`, `tx_head`, `tx_tail`, `tx_flit` | 1, `vc_bits`, 1, 1, W | a flit enters, as it leaves a switch |
//! | `rx_credit_valid`, `rx_credit` | k, k x credit bits | credit reports enter, as they leave a switch |
//! | `rx_valid`, `rx_vc`, `rx_head`, `rx_tail`, `rx_flit` | the same | a flit leaves, as it arrives at a switch |
//! | `tx_credit_valid`, `tx_credit` | the same | credit reports leave, as they arrive at a switch |
//! | `down` | 1 | the link is down: nothing leaves it |
//! | `message_lost`, `message_flip`, `message_bit` | 1, 1, 5 | what happens to a barrier message that leaves (with the barrier VC only) |
//! | `credit_lost` | k | the report of VC v that leaves is lost |
//! | `credit_flip` | k | of the report of VC v that leaves the highest bit is flipped (absolute credits only) |
//! | `credit_repeat` | 1 | the totals of all VCs leave, news or not (absolute credits only) |
//!
//! A link is one direction: the flits that a port sends, and the credit of the flits that it has received. The other direction is another link.
//!
//! State: `latency` ranks of registers. Each cycle: everything moves on by one rank; faults act on what leaves the last one.
//! A repeated total is not lost; it is how a link layer makes good for lost reports. A total whose highest bit is flipped is one of flits that were never
//! sent: a switch ignores it.
//!
//! Source: seed 004 sections 3.2 (absolute credits) and 4.3 (lost and corrupted barrier messages); switch reference, sections 2 and 8.

use crate::rtl::prelude::*;
use railyard_spec::network::MESSAGE_BIT_BITS;
use railyard_spec::{FlowControl, Shape};

/// One direction of a link; see the head of this file.
#[block]
pub struct Link {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub tx_valid: Flag<In>,
    pub tx_vc: Sig<In>,
    pub tx_head: Flag<In>,
    pub tx_tail: Flag<In>,
    pub tx_flit: Sig<In>,
    pub rx_credit_valid: Sig<In>,
    pub rx_credit: Sig<In>,
    pub down: Flag<In>,
    pub message_lost: Vec<Flag<In>>,
    pub message_flip: Vec<Flag<In>>,
    pub message_bit: Vec<Sig<In>>,
    pub credit_lost: Sig<In>,
    pub credit_flip: Vec<Sig<In>>,
    pub credit_repeat: Vec<Flag<In>>,
    pub rx_valid: Flag<Out>,
    pub rx_vc: Sig<Out>,
    pub rx_head: Flag<Out>,
    pub rx_tail: Flag<Out>,
    pub rx_flit: Sig<Out>,
    pub tx_credit_valid: Sig<Out>,
    pub tx_credit: Sig<Out>,

    rank_valid: Regs,
    rank_vc: Regs,
    rank_head: Regs,
    rank_tail: Regs,
    rank_flit: Regs,
    rank_credit_valid: Regs,
    rank_credit: Regs,

    passes: Flag<Local>,
    is_message: Vec<Flag<Local>>,
    flipped: Vec<Sig<Local>>,
    reports: Sig<Local>,
    flipped_credit: Vec<Sig<Local>>,

    ranks: Param,
    vcs: Param,
    credit_bits: Param,
    barrier_vc: Konst,
    all_vcs: Konst,
    about: About,
}

/// A link between switches of that shape, `latency` cycles long, at least one.
pub fn link(shape: &Shape, latency: usize) -> Link {
    assert!(latency > 0, "a link has at least one rank");
    let (k, w, vc_bits) = (shape.vcs, shape.flit_bits as usize, shape.vc_bits as usize);
    let credits = k * shape.credit_bits as usize;
    let barrier = usize::from(shape.barrier.is_some());
    let absolute = usize::from(shape.flow_control == FlowControl::Absolute);
    Link {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        tx_valid: flag().doc("a flit enters"),
        tx_vc: sig(vc_bits).doc("its virtual channel"),
        tx_head: flag().doc("it is the first of a packet"),
        tx_tail: flag().doc("it is the last of a packet"),
        tx_flit: sig(w).doc("its bits"),
        rx_credit_valid: sig(k).doc("a credit report for VC v enters"),
        rx_credit: sig(credits).doc("credit reports"),
        down: flag().doc("the link is down: nothing leaves it"),
        message_lost: many(barrier, || flag().doc("the barrier message that leaves is lost")),
        message_flip: many(barrier, || flag().doc("of the barrier message that leaves a bit is flipped")),
        message_bit: many(barrier, || sig(MESSAGE_BIT_BITS as usize).doc("number of that bit")),
        credit_lost: sig(k).doc("the credit report for VC v that leaves is lost"),
        credit_flip: many(absolute, || {
            sig(k).doc("of the credit report for VC v that leaves the highest bit is flipped")
        }),
        credit_repeat: many(absolute, || flag().doc("the totals of all VCs leave, news or not")),
        rx_valid: flag().doc("a flit leaves"),
        rx_vc: sig(vc_bits).doc("its virtual channel"),
        rx_head: flag().doc("it is the first of a packet"),
        rx_tail: flag().doc("it is the last of a packet"),
        rx_flit: sig(w).doc("its bits"),
        tx_credit_valid: sig(k).doc("a credit report for VC v leaves"),
        tx_credit: sig(credits).doc("credit reports"),
        rank_valid: regs(latency, 1, 0u8).doc("a flit"),
        rank_vc: regs_no_reset(latency, vc_bits).doc("its virtual channel"),
        rank_head: regs_no_reset(latency, 1).doc("first of a packet"),
        rank_tail: regs_no_reset(latency, 1).doc("last of a packet"),
        rank_flit: regs_no_reset(latency, w).doc("its bits"),
        rank_credit_valid: regs(latency, k, 0u8).doc("a credit report for VC v"),
        rank_credit: regs(latency, credits, 0u8).doc("credit reports"),
        passes: flag().doc("the flit is not lost"),
        is_message: many(barrier, || flag().doc("the flit is a barrier message")),
        flipped: many(barrier, || sig(w).doc("its bit that is flipped")),
        reports: sig(k).doc("credit reports that are not lost"),
        flipped_credit: many(absolute, || sig(credits).doc("bits of the credit reports that are flipped")),
        ranks: param(latency),
        vcs: param(k),
        credit_bits: param(shape.credit_bits as usize),
        barrier_vc: konst(vc_bits, shape.barrier.map_or(0, |built| built.vc)),
        all_vcs: konst(k, (1u16 << k) - 1),
        about: about(
            "link",
            "One direction of a link: the flits that a port sends, and the credit of those that it has received.",
        )
        .param("latency", latency)
        .param("vcs", k)
        .param("flit_bits", w)
        .param("credit_bits", shape.credit_bits as usize),
    }
}

#[kernel]
impl Link {
    fn update(&mut self) {
        // Enter.
        self.rank_valid.d[0].next = self.tx_valid.val().into();
        self.rank_vc.d[0].next = self.tx_vc.val();
        self.rank_head.d[0].next = self.tx_head.val().into();
        self.rank_tail.d[0].next = self.tx_tail.val().into();
        self.rank_flit.d[0].next = self.tx_flit.val();
        self.rank_credit_valid.d[0].next = self.rx_credit_valid.val();
        self.rank_credit.d[0].next = self.rx_credit.val();

        // Move on.
        for r in 1..self.ranks.val() {
            self.rank_valid.d[r].next = self.rank_valid.q[r - 1].val();
            self.rank_vc.d[r].next = self.rank_vc.q[r - 1].val();
            self.rank_head.d[r].next = self.rank_head.q[r - 1].val();
            self.rank_tail.d[r].next = self.rank_tail.q[r - 1].val();
            self.rank_flit.d[r].next = self.rank_flit.q[r - 1].val();
            self.rank_credit_valid.d[r].next = self.rank_credit_valid.q[r - 1].val();
            self.rank_credit.d[r].next = self.rank_credit.q[r - 1].val();
        }

        // Leave: the flit, unless it is lost.
        self.passes.next = !self.down.val();
        self.rx_flit.next = self.rank_flit.q[self.ranks.val() - 1].val();
        for m in 0..self.message_lost.len() {
            self.is_message[m].next = self.rank_valid.q[self.ranks.val() - 1].val().any()
                & (self.rank_vc.q[self.ranks.val() - 1].val() == self.barrier_vc.val());
            if self.is_message[m].val() & self.message_lost[m].val() {
                self.passes.next = false;
            }
            self.flipped[m].next = 0.into();
            if self.is_message[m].val() & self.message_flip[m].val() {
                self.flipped[m].next = self.flipped[m].val().replace_bit(self.message_bit[m].val(), true);
            }
            self.rx_flit.next = self.rank_flit.q[self.ranks.val() - 1].val() ^ self.flipped[m].val();
        }
        self.rx_valid.next = self.rank_valid.q[self.ranks.val() - 1].val().any() & self.passes.val();
        self.rx_vc.next = self.rank_vc.q[self.ranks.val() - 1].val();
        self.rx_head.next = self.rank_head.q[self.ranks.val() - 1].val().any();
        self.rx_tail.next = self.rank_tail.q[self.ranks.val() - 1].val().any();

        // Leave: the credit reports, unless they are lost.
        self.reports.next = self.rank_credit_valid.q[self.ranks.val() - 1].val() & !self.credit_lost.val();
        for c in 0..self.credit_repeat.len() {
            if self.credit_repeat[c].val() {
                self.reports.next = self.all_vcs.val();
            }
        }
        if self.down.val() {
            self.reports.next = 0.into();
        }
        self.tx_credit_valid.next = self.reports.val();
        self.tx_credit.next = self.rank_credit.q[self.ranks.val() - 1].val();
        for c in 0..self.credit_flip.len() {
            self.flipped_credit[c].next = 0.into();
            for v in 0..self.vcs.val() {
                self.flipped_credit[c].next = self.flipped_credit[c]
                    .val()
                    .replace_bit((v + 1) * self.credit_bits.val() - 1, self.credit_flip[c].val().get_bit(v));
            }
            self.tx_credit.next = self.rank_credit.q[self.ranks.val() - 1].val() ^ self.flipped_credit[c].val();
        }
    }
}
