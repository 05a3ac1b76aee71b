//! Link: takes what leaves by a port to the port at its other end, `latency` cycles later; and what can go wrong on the
//! way.
//!
//! A link is one direction: the flits that a port sends, and the credit of the flits that it has received. The other
//! direction is another link.
//!
//! State: `latency` ranks of registers. Each cycle: everything moves on by one rank; faults act on what leaves the last
//! one. A repeated total is not lost; it is how a link layer makes good for lost reports. A total whose highest bit is
//! flipped is one of flits that were never sent: a switch ignores it.
//!
//! Source: Cao2016, 3.2 (absolute credits) and 4.3 (lost and corrupted barrier messages); switch reference, sections 2
//! and 8.

use crate::rtl::prelude::*;
use crate::units::input::link_flit::{link_flit, LinkFlit};
use railyard_spec::network::MESSAGE_BIT_BITS;
use railyard_spec::{FlowControl, Shape};

/// What happens to a barrier message that leaves, with barriers only.
#[group]
pub struct MessageFaults {
    /// The barrier message that leaves is lost.
    pub message_lost: Flag<In>,
    /// A bit of the barrier message that leaves is flipped.
    pub message_flip: Flag<In>,
    /// Number of the bit that is flipped.
    pub message_bit: Sig<In, { MESSAGE_BIT_BITS as usize }>,
}

/// What happens to totals that leave, with absolute credits only.
#[group(vcs: usize)]
pub struct TotalFaults {
    /// The highest bit of the credit report for VC v that leaves is flipped.
    pub credit_flip: Sig<In, vcs>,
    /// The totals of all VCs leave, news or not.
    pub credit_repeat: Flag<In>,
}

/// A barrier message that leaves.
#[group(flit_bits: usize)]
struct LeavingMessage {
    /// The flit is a barrier message.
    is_message: Flag<Local>,
    /// Number of the flit's bit that is flipped.
    flipped: Sig<Local, flit_bits>,
}

/// One direction of a link: the flits that a port sends, and the credit of those that it has received.
#[block(shape: &Shape, latency: usize)]
#[requires(latency > 0, "a link has at least one rank")]
pub struct Link {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub tx: LinkFlit<In, shape, { "A flit enters." }>,
    /// A credit report for VC v enters.
    pub rx_credit_valid: Sig<In, vcs>,
    /// Credit reports.
    pub rx_credit: Sig<In, credits>,
    /// Credit reports, of minimal packets.
    pub rx_min_credit: Option<Sig<In, credits>, min_credits>,
    /// The link is down, and nothing leaves the link.
    pub down: Flag<In>,
    pub message: Option<MessageFaults, { shape.control_vc().is_some() }>,
    /// The credit report for VC v that leaves is lost.
    pub credit_lost: Sig<In, vcs>,
    pub totals: Option<TotalFaults<vcs>, absolute>,
    pub rx: LinkFlit<Out, shape, { "A flit leaves." }>,
    /// A credit report for VC v leaves.
    pub tx_credit_valid: Sig<Out, vcs>,
    /// Credit reports.
    pub tx_credit: Sig<Out, credits>,
    /// Credit reports, of minimal packets.
    pub tx_min_credit: Option<Sig<Out, credits>, min_credits>,

    /// A flit is in the rank.
    rank_valid: Regs<latency, 1>,
    /// Virtual channel of the flit.
    rank_vc: Regs<latency, { shape.vc_bits as usize }, NoReset>,
    /// The flit is the first of a packet.
    rank_head: Regs<latency, 1, NoReset>,
    /// The flit is the last of a packet.
    rank_tail: Regs<latency, 1, NoReset>,
    /// Bits of the flit.
    rank_flit: Regs<latency, flit_bits, NoReset>,
    /// The packet of the flit has an error that was not corrected.
    rank_bad: Option<Regs<latency, 1, NoReset>, { shape.buffer_code.is_some() }>,
    /// A credit report for VC v is in the rank.
    rank_credit_valid: Regs<latency, vcs>,
    /// Credit reports in the rank.
    rank_credit: Regs<latency, credits>,
    /// Credit reports in the rank, of minimal packets.
    rank_min_credit: Option<Regs<latency, credits>, min_credits>,

    /// The flit is not lost.
    passes: Flag<Local>,
    leaving: Option<LeavingMessage<flit_bits>, { shape.control_vc().is_some() }>,
    /// Credit reports that are not lost.
    reports: Sig<Local, vcs>,
    /// Bits of the credit reports that are flipped.
    flipped_credit: Option<Sig<Local, credits>, absolute>,

    min_credits: Number<bool, { shape.dragonfly().is_some_and(|built| built.min_credits) }>,
    absolute: Number<bool, { shape.flow_control == FlowControl::Absolute }>,
    barrier_vc: Konst<{ shape.vc_bits as usize }, { shape.control_vc().unwrap_or(0) }>,
    all_vcs: Konst<vcs, { (1u16 << vcs) - 1 }>,
    credits: Number<{ vcs * shape.credit_bits as usize }>,

    latency: Param,
    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    credit_bits: Param<{ shape.credit_bits as usize }>,
}

#[kernel]
impl Link {
    fn update(&mut self) {
        self.enter();
        self.move_on();
        self.leave();
        self.pass_on_bad();
        self.report();
        self.report_minimal();
    }

    fn enter(&mut self) {
        self.rank_valid.d[0].next = self.tx.valid.val().into();
        self.rank_vc.d[0].next = self.tx.vc.val();
        self.rank_head.d[0].next = self.tx.head.val().into();
        self.rank_tail.d[0].next = self.tx.tail.val().into();
        self.rank_flit.d[0].next = self.tx.flit.val();
        self.rank_credit_valid.d[0].next = self.rx_credit_valid.val();
        self.rank_credit.d[0].next = self.rx_credit.val();
    }

    fn move_on(&mut self) {
        for r in 1..self.latency {
            self.rank_valid.d[r].next = self.rank_valid.q[r - 1].val();
            self.rank_vc.d[r].next = self.rank_vc.q[r - 1].val();
            self.rank_head.d[r].next = self.rank_head.q[r - 1].val();
            self.rank_tail.d[r].next = self.rank_tail.q[r - 1].val();
            self.rank_flit.d[r].next = self.rank_flit.q[r - 1].val();
            self.rank_credit_valid.d[r].next = self.rank_credit_valid.q[r - 1].val();
            self.rank_credit.d[r].next = self.rank_credit.q[r - 1].val();
        }
    }

    /// The flit leaves, unless it is lost.
    fn leave(&mut self) {
        self.passes.next = !self.down.val();
        self.rx.flit.next = self.rank_flit.q[self.latency - 1].val();
        if let (Some(faults), Some(leaving)) = (&self.message, &mut self.leaving) {
            leaving.is_message.next = self.rank_valid.q[self.latency - 1].val().any()
                & (self.rank_vc.q[self.latency - 1].val() == self.barrier_vc.val());
            if leaving.is_message.val() & faults.message_lost.val() {
                self.passes.next = false;
            }
            leaving.flipped.next = 0.into();
            if leaving.is_message.val() & faults.message_flip.val() {
                leaving.flipped.set(faults.message_bit.val(), true);
            }
            self.rx.flit.next = self.rank_flit.q[self.latency - 1].val() ^ leaving.flipped.val();
        }
        self.rx.valid.next = self.rank_valid.q[self.latency - 1].val().any() & self.passes.val();
        self.rx.vc.next = self.rank_vc.q[self.latency - 1].val();
        self.rx.head.next = self.rank_head.q[self.latency - 1].val().any();
        self.rx.tail.next = self.rank_tail.q[self.latency - 1].val().any();
    }

    /// With error correction of buffers a bad packet stays one.
    fn pass_on_bad(&mut self) {
        if let (Some(rank), Some(tx), Some(rx)) = (&mut self.rank_bad, &self.tx.bad, &mut self.rx.bad) {
            rank.d[0].next = tx.val().into();
            for r in 1..self.latency {
                rank.d[r].next = rank.q[r - 1].val();
            }
            rx.next = rank.q[self.latency - 1].val().any();
        }
    }

    /// The credit reports leave, unless they are lost.
    fn report(&mut self) {
        self.reports.next = self.rank_credit_valid.q[self.latency - 1].val() & !self.credit_lost.val();
        if let Some(totals) = &self.totals {
            if totals.credit_repeat.val() {
                self.reports.next = self.all_vcs.val();
            }
        }
        if self.down.val() {
            self.reports.next = 0.into();
        }
        self.tx_credit_valid.next = self.reports.val();
        self.tx_credit.next = self.rank_credit.q[self.latency - 1].val();
        if let (Some(totals), Some(flipped)) = (&self.totals, &mut self.flipped_credit) {
            flipped.next = 0.into();
            for v in 0..self.vcs {
                flipped.set((v + 1) * self.credit_bits - 1, totals.credit_flip.val().get_bit(v));
            }
            self.tx_credit.next = self.rank_credit.q[self.latency - 1].val() ^ flipped.val();
        }
    }

    /// With each report leaves that of minimal packets.
    fn report_minimal(&mut self) {
        if let (Some(rank), Some(rx), Some(tx)) =
            (&mut self.rank_min_credit, &self.rx_min_credit, &mut self.tx_min_credit)
        {
            rank.d[0].next = rx.val();
            for r in 1..self.latency {
                rank.d[r].next = rank.q[r - 1].val();
            }
            tx.next = rank.q[self.latency - 1].val();
        }
    }
}
