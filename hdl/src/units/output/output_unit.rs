//! Output unit: the register in front of an output's pins, and the credit of the next buffers.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `sent`, `beat` | k, W + 2 | a flit of VC v leaves (one-hot), and what the crossbar brings: {head, tail, flit} |
//! | `message_valid`, `message` | 1, 32 | a barrier message leaves, and no flit (with the barrier VC only) |
//! | `room`, `room_sending` | k | see the credit counter |
//! | `room_two` | 1 | see the credit counter (with the mixed VC only) |
//! | `in_use` | k x log2 D + 2 | see the credit counter (with candidates only) |
//! | `tx`, `tx_credit*`, `error_credit` | | pins of this port |
//!
//! State: the output register; a credit counter for each VC; the sticky flag.
//!
//! Source: switch reference, sections 6, 7, 8, 11.

use crate::parts::sticky_flags::{sticky_flags, StickyFlags};
use crate::rtl::prelude::*;
use crate::units::input::link_flit::{link_flit, LinkFlit};
use crate::units::output::credit_counter::{credit_counter, in_use_bits, CreditCounter};
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::Shape;

/// One output port; see the head of this file.
#[block]
pub struct OutputUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub error_clear: Flag<In>,
    pub sent: Sig<In>,
    pub beat: Sig<In>,
    pub message_valid: Vec<Flag<In>>,
    pub message: Vec<Sig<In>>,
    pub room: Sig<Out>,
    pub room_sending: Sig<Out>,
    pub room_two: Vec<Flag<Out>>,
    pub tx: LinkFlit<Out>,
    pub tx_credit_valid: Vec<Flag<In>>,
    pub tx_credit: Vec<Sig<In>>,
    pub error_credit: Flag<Out>,
    pub in_use: Vec<Sig<Out>>,

    valid: FlagReg,
    vc: Reg,
    word: Reg,
    credits: Vec<CreditCounter>,
    errors: StickyFlags,

    vc_sent: Sig<Local>,
    wrong: Sig<Local>,
    has_room: Sig<Local>,
    has_room_sending: Sig<Local>,
    message_beat: Vec<Sig<Local>>,

    vcs: Param,
    mixed: Param,
    barrier_vc: Konst,
    flit: Field,
    tail: Param,
    head: Param,
    about: About,
}

/// One output port.
pub fn output_unit(shape: &Shape) -> OutputUnit {
    let (k, w, vc_bits) = (shape.vcs, shape.flit_bits as usize, shape.vc_bits as usize);
    let barrier = usize::from(shape.barrier.is_some());
    OutputUnit {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        error_clear: flag().doc("clears the sticky error flag"),
        sent: sig(k).doc("a flit of VC v leaves"),
        beat: sig(w + 2).doc("it: {head, tail, flit}"),
        message_valid: many(barrier, || flag().doc("a barrier message leaves")),
        message: many(barrier, || sig(MESSAGE_BITS as usize).doc("it")),
        room: sig(k).doc("a packet of VC v has room, if VC v is not sending"),
        room_sending: sig(k).doc("the same if it is sending"),
        room_two: many(usize::from(shape.multicast.is_some()), || flag().doc("two packets of the mixed VC have room")),
        tx: link_flit(shape, "a flit leaves"),
        tx_credit_valid: many(k, || flag().doc("a credit report for VC v arrives")),
        tx_credit: many(k, || sig(shape.credit_bits as usize).doc("credit report for VC v")),
        error_credit: flag().doc("sticky: a credit report for flits that were never sent"),
        in_use: many(usize::from(shape.candidates > 1) * k, || {
            sig(in_use_bits(shape)).doc("places in use of the next buffer of VC v")
        }),
        valid: flag_reg(false).doc("a flit leaves"),
        vc: reg_no_reset(vc_bits).doc("its virtual channel"),
        word: reg_no_reset(w + 2).doc("it: {head, tail, flit}"),
        credits: (0..k).map(|v| credit_counter(shape, v)).collect(),
        errors: sticky_flags(1),
        vc_sent: sig(vc_bits).doc("number of the VC that sends"),
        wrong: sig(k).doc("the report for VC v cannot be"),
        has_room: sig(k).doc("room"),
        has_room_sending: sig(k).doc("room_sending"),
        message_beat: many(barrier, || sig(w + 2).doc("the message as a packet of one flit: {head, tail, flit}")),
        vcs: param(k),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
        barrier_vc: konst(vc_bits, shape.barrier.map_or(0, |built| built.vc)),
        flit: field(0, w),
        tail: param(w),
        head: param(w + 1),
        about: about("output_unit", "The register in front of an output's pins, and the credit of the next buffers.")
            .param("vcs", k)
            .param("flit_bits", w)
            .param("buffer_flits", shape.buffer_flits as usize)
            .param("max_flits", shape.max_flits as usize),
    }
}

#[kernel]
impl OutputUnit {
    fn update(&mut self) {
        self.vc_sent.next = 0.into();
        self.wrong.next = 0.into();
        self.has_room.next = 0.into();
        self.has_room_sending.next = 0.into();
        for v in 0..self.vcs.val() {
            if self.sent.val().get_bit(v) {
                self.vc_sent.next = self.vc_sent.val() | v;
            }
            self.credits[v].sent.next = self.sent.val().get_bit(v);
            self.credits[v].tx_credit_valid.next = self.tx_credit_valid[v].val();
            self.credits[v].tx_credit.next = self.tx_credit[v].val();
            self.wrong.next = self.wrong.val().replace_bit(v, self.credits[v].error.val());
            self.has_room.next = self.has_room.val().replace_bit(v, self.credits[v].room.val());
            self.has_room_sending.next = self.has_room_sending.val().replace_bit(v, self.credits[v].room_sending.val());
        }
        self.room.next = self.has_room.val();
        self.room_sending.next = self.has_room_sending.val();
        for c in 0..self.room_two.len() {
            self.room_two[c].next = self.credits[self.mixed.val()].room_two[c].val();
        }
        for v in 0..self.in_use.len() {
            self.in_use[v].next = self.credits[v].in_use[0].val();
        }

        self.valid.d.next = self.sent.val().any();
        self.vc.d.next = self.vc_sent.val();
        self.word.d.next = self.beat.val();
        for m in 0..self.message.len() {
            self.message_beat[m].next = unsigned_cast(self.message[m].val());
            self.message_beat[m].next = self.message_beat[m].val().replace_bit(self.head.val(), true);
            self.message_beat[m].next = self.message_beat[m].val().replace_bit(self.tail.val(), true);
            if self.message_valid[m].val() {
                self.valid.d.next = true;
                self.vc.d.next = self.barrier_vc.val();
                self.word.d.next = self.message_beat[m].val();
            }
        }
        self.tx.valid.next = self.valid.q.val();
        self.tx.vc.next = self.vc.q.val();
        self.tx.head.next = self.word.q.val().get_bit(self.head.val());
        self.tx.tail.next = self.word.q.val().get_bit(self.tail.val());
        self.tx.flit.next = self.word.q.val() >> self.flit.val();

        self.errors.raise.next = self.wrong.val().any().into();
        self.errors.clear.next = self.error_clear.val();
        self.error_credit.next = self.errors.flags.val().any();
    }
}
