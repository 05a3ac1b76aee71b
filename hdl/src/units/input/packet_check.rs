//! Packet check: decides for each arriving flit whether it is stored, and as what, so that only whole packets of legal
//! length get into the buffers.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `rx_valid`, `rx_vc`, `rx_head`, `rx_tail` | | the arriving flit, straight from the pins |
//! | `almost_full`, `full` | k | the buffer of VC v has at most one free place, none |
//! | `store`, `store_head`, `store_tail` | k, 1, 1 | the flit is stored on this VC (one-hot), with these marks |
//! | `number` | log2 M | its number in its packet (only where a header has several flits) |
//! | `discard` | k | the flit is thrown away and its place given back (one-hot) |
//! | `error_vc`, `error_framing`, `error_overflow`, `error_length` | 1 | what is wrong with it |
//!
//! State, for each VC: `open` (a packet is being stored), `discarding` (the rest of a bad packet is being ignored),
//! `length` (flits of the open packet stored so far).
//!
//! Each cycle: the state of the flit's VC is selected, and the flit is one of three: it *continues* the open packet,
//! it *starts* one, or it is a *stray*. Strays are discarded, a start without room is refused. A packet that would break a rule (a
//! head inside it, no room for its tail, too long) is cut: its flit is stored as a tail.
//!
//! Flits of the barrier VC (number k, if it is built) are not for the input unit, and no error.
//!
//! Source: switch reference, section 3.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// Checks arriving flits; see the head of this file.
#[block]
pub struct PacketCheck {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub rx_valid: Flag<In>,
    pub rx_vc: Sig<In>,
    pub rx_head: Flag<In>,
    pub rx_tail: Flag<In>,
    pub almost_full: Sig<In>,
    pub full: Sig<In>,
    pub store: Sig<Out>,
    pub store_head: Flag<Out>,
    pub store_tail: Flag<Out>,
    pub number: Vec<Sig<Out>>,
    pub discard: Sig<Out>,
    pub error_vc: Flag<Out>,
    pub error_framing: Flag<Out>,
    pub error_overflow: Flag<Out>,
    pub error_length: Flag<Out>,

    open: Reg,
    discarding: Reg,
    length: Regs,

    here: Sig<Local>,
    known: Flag<Local>,
    is_open: Flag<Local>,
    is_discarding: Flag<Local>,
    is_full: Flag<Local>,
    is_almost_full: Flag<Local>,
    place: Sig<Local>,
    continues: Flag<Local>,
    starts: Flag<Local>,
    stray: Flag<Local>,
    refused: Flag<Local>,
    stored: Flag<Local>,
    cut_framing: Flag<Local>,
    cut_overflow: Flag<Local>,
    cut_length: Flag<Local>,
    last: Flag<Local>,
    still_open: Flag<Local>,
    still_discarding: Flag<Local>,

    vcs: Param,
    last_place: Param,
    barriers: Param,
    barrier_vc: Param,
    about: About,
}

/// The check of one port.
pub fn packet_check(shape: &Shape) -> PacketCheck {
    let k = shape.vcs;
    let length_bits = clog2(shape.max_flits as usize).max(1);
    let doc = "Decides for each arriving flit whether it is stored, and as what: only whole packets of legal length \
               get into the buffers.";
    PacketCheck {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        rx_valid: flag().doc("a flit arrives"),
        rx_vc: sig(shape.vc_bits as usize).doc("its virtual channel"),
        rx_head: flag().doc("it is the first of a packet"),
        rx_tail: flag().doc("it is the last of a packet"),
        almost_full: sig(k).doc("the buffer of VC v has at most one free place"),
        full: sig(k).doc("the buffer of VC v has no free place"),
        store: sig(k).doc("the flit is stored on VC v"),
        store_head: flag().doc("as the first of a packet"),
        store_tail: flag().doc("as the last of a packet"),
        number: many(usize::from(shape.header_flits() > 1), || sig(length_bits).doc("as flit number, from 0")),
        discard: sig(k).doc("the flit is thrown away; its place on VC v is given back"),
        error_vc: flag().doc("its VC does not exist"),
        error_framing: flag().doc("head inside a packet, or flit outside one"),
        error_overflow: flag().doc("no room: the sender had no credit"),
        error_length: flag().doc("its packet is too long"),
        open: reg(k, 0u8).doc("a packet of VC v is being stored"),
        discarding: reg(k, 0u8).doc("the rest of a bad packet of VC v is being ignored"),
        length: regs(k, length_bits, 0u8).doc("flits of the open packet stored so far"),
        here: sig(k).doc("VC of the flit, one-hot"),
        known: flag().doc("a flit arrives on a VC that exists"),
        is_open: flag().doc("open, of its VC"),
        is_discarding: flag().doc("discarding, of its VC"),
        is_full: flag().doc("full, of its VC"),
        is_almost_full: flag().doc("almost_full, of its VC"),
        place: sig(length_bits).doc("number of the flit in its packet"),
        continues: flag().doc("it belongs to the open packet"),
        starts: flag().doc("it is the head of a new packet"),
        stray: flag().doc("it belongs to no packet"),
        refused: flag().doc("a new packet, but no room for it"),
        stored: flag().doc("it is stored"),
        cut_framing: flag().doc("the open packet is cut: a head came before its tail"),
        cut_overflow: flag().doc("the open packet is cut: only one place is left"),
        cut_length: flag().doc("the packet is cut: it reached the maximum"),
        last: flag().doc("it is or becomes the last of its packet"),
        still_open: flag().doc("next value of open, of its VC"),
        still_discarding: flag().doc("next value of discarding, of its VC"),
        vcs: param(k),
        last_place: param(shape.max_flits as usize - 1),
        barriers: param(usize::from(shape.barrier.is_some())),
        barrier_vc: param(shape.barrier.map_or(0, |built| built.vc)),
        about: about("packet_check", doc)
            .param("vcs", k)
            .param("max_flits", shape.max_flits as usize)
            .param("header_flits", shape.header_flits() as usize),
    }
}

#[kernel]
impl PacketCheck {
    fn update(&mut self) {
        // The state of the flit's VC.
        self.here.next = 0.into();
        self.place.next = 0.into();
        for v in 0..self.vcs.val() {
            self.here.next = self.here.val().replace_bit(v, self.rx_vc.val() == v);
            if self.rx_vc.val() == v && self.open.q.val().get_bit(v) {
                self.place.next = self.length.q[v].val();
            }
        }
        self.known.next = self.rx_valid.val() & self.here.val().any();
        self.is_open.next = (self.open.q.val() & self.here.val()).any();
        self.is_discarding.next = (self.discarding.q.val() & self.here.val()).any();
        self.is_full.next = (self.full.val() & self.here.val()).any();
        self.is_almost_full.next = (self.almost_full.val() & self.here.val()).any();

        // What the flit is.
        self.continues.next = self.known.val() & self.is_open.val();
        self.starts.next = self.known.val() & !self.is_open.val() & self.rx_head.val();
        self.stray.next = self.known.val() & !self.is_open.val() & !self.rx_head.val();
        self.refused.next =
            self.starts.val() & (self.is_full.val() | (self.is_almost_full.val() & !self.rx_tail.val()));
        self.stored.next = self.continues.val() | (self.starts.val() & !self.refused.val());

        // Whether its packet is cut here.
        self.cut_framing.next = self.continues.val() & self.rx_head.val();
        self.cut_overflow.next =
            self.continues.val() & !self.rx_head.val() & !self.rx_tail.val() & self.is_almost_full.val();
        self.cut_length.next = self.stored.val()
            & !self.cut_framing.val()
            & !self.rx_tail.val()
            & (self.place.val() == self.last_place.val());
        self.last.next = self.rx_tail.val() | self.cut_framing.val() | self.cut_overflow.val() | self.cut_length.val();

        // The new state of its VC.
        self.still_open.next = self.stored.val() & !self.last.val();
        self.still_discarding.next = !self.rx_tail.val()
            & ((self.stray.val() & self.is_discarding.val())
                | self.refused.val()
                | self.cut_framing.val()
                | self.cut_overflow.val()
                | self.cut_length.val());
        if self.known.val() {
            self.open.d.next = self.open.q.val() & !self.here.val();
            if self.still_open.val() {
                self.open.d.next = self.open.q.val() | self.here.val();
            }
            self.discarding.d.next = self.discarding.q.val() & !self.here.val();
            if self.still_discarding.val() {
                self.discarding.d.next = self.discarding.q.val() | self.here.val();
            }
        }
        for v in 0..self.vcs.val() {
            if self.known.val() & self.here.val().get_bit(v) {
                self.length.d[v].next = self.place.val() + 1;
            }
        }

        self.store.next = 0.into();
        self.discard.next = 0.into();
        if self.stored.val() {
            self.store.next = self.here.val();
        }
        if self.stray.val() | self.refused.val() {
            self.discard.next = self.here.val();
        }
        self.store_head.next = self.starts.val();
        self.store_tail.next = self.last.val();
        for n in 0..self.number.len() {
            self.number[n].next = self.place.val();
        }
        self.error_vc.next = self.rx_valid.val() & !self.here.val().any();
        for _barrier in 0..self.barriers.val() {
            if self.rx_vc.val() == self.barrier_vc.val() {
                self.error_vc.next = false;
            }
        }
        self.error_framing.next = self.cut_framing.val()
            | (self.stray.val() & !self.is_discarding.val())
            | (self.starts.val() & self.is_discarding.val());
        self.error_overflow.next = self.refused.val() | self.cut_overflow.val();
        self.error_length.next = self.cut_length.val();
    }
}
