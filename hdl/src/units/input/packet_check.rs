//! Packet check: decides for each arriving flit whether it is stored, and as what, so that only whole packets of legal
//! length get into the buffers.
//!
//! State, for each VC: `open` (a packet is being stored), `discarding` (the rest of a bad packet is being ignored),
//! `length` (flits of the open packet stored so far).
//!
//! Each cycle: the state of the flit's VC is selected, and the flit is one of three: it *continues* the open packet,
//! it *starts* one, or it is a *stray*. Strays are discarded, a start without room is refused. A packet that would
//! break a rule (a head inside it, no room for its tail, too long) is cut: its flit is stored as a tail.
//!
//! Flits of the barrier VC (number k, if it is built) are not for the input unit, and no error.
//!
//! Source: switch reference, section 3.

use crate::units::prelude::*;

/// Decides for each arriving flit whether it is stored, and as what: only whole packets of legal length get into the
/// buffers.
#[block(shape: &Shape)]
pub struct PacketCheck {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit arrives.
    pub rx_valid: Flag<In>,
    /// Virtual channel of the flit.
    pub rx_vc: Sig<In, { shape.vc_bits as usize }>,
    /// The flit is the first of a packet.
    pub rx_head: Flag<In>,
    /// The flit is the last of a packet.
    pub rx_tail: Flag<In>,
    /// The buffer of VC v has at most one free place.
    pub almost_full: Sig<In, vcs>,
    /// The buffer of VC v has no free place.
    pub full: Sig<In, vcs>,
    /// The flit is stored on VC v.
    pub store: Sig<Out, vcs>,
    /// The flit is stored as the first of a packet.
    pub store_head: Flag<Out>,
    /// The flit is stored as the last of a packet.
    pub store_tail: Flag<Out>,
    /// Number of the flit in its packet, from 0.
    pub number: Option<Sig<Out, length_bits>, { shape.header_flits() > 1 }>,
    /// The flit is thrown away, and its place on VC v is given back.
    pub discard: Sig<Out, vcs>,
    /// The flit's VC does not exist.
    pub error_vc: Flag<Out>,
    /// A head came inside a packet, or a flit outside one.
    pub error_framing: Flag<Out>,
    /// A flit came without credit, and the buffer has no room.
    pub error_overflow: Flag<Out>,
    /// The flit's packet is too long.
    pub error_length: Flag<Out>,

    /// A packet of VC v is being stored.
    open: Reg<vcs>,
    /// The rest of a bad packet of VC v is being ignored.
    discarding: Reg<vcs>,
    /// Flits of the open packet stored so far.
    length: Regs<vcs, length_bits>,

    /// VC of the flit, one-hot.
    here: Sig<Local, vcs>,
    /// A flit arrives on a VC that exists.
    known: Flag<Local>,
    /// State `open` of the flit's VC.
    is_open: Flag<Local>,
    /// State `discarding` of the flit's VC.
    is_discarding: Flag<Local>,
    /// State `full` of the flit's VC.
    is_full: Flag<Local>,
    /// State `almost_full` of the flit's VC.
    is_almost_full: Flag<Local>,
    /// Number of the flit in its packet.
    place: Sig<Local, length_bits>,
    /// The flit belongs to the open packet.
    continues: Flag<Local>,
    /// The flit is the head of a new packet.
    starts: Flag<Local>,
    /// The flit belongs to no packet.
    stray: Flag<Local>,
    /// A new packet arrives, and the buffer has no room.
    refused: Flag<Local>,
    /// The flit is stored.
    stored: Flag<Local>,
    /// The open packet is cut because a head came before its tail.
    cut_framing: Flag<Local>,
    /// The open packet is cut because only one place is left.
    cut_overflow: Flag<Local>,
    /// The packet is cut at the maximum length.
    cut_length: Flag<Local>,
    /// The flit is or becomes the last of its packet.
    last: Flag<Local>,
    /// Next value of `open` of the flit's VC.
    still_open: Flag<Local>,
    /// Next value of `discarding` of the flit's VC.
    still_discarding: Flag<Local>,

    length_bits: Number<{ clog2(shape.max_flits as usize).max(1) }>,
    last_place: Number<{ shape.max_flits as usize - 1 }>,
    barriers: Number<bool, { shape.control_vc().is_some() }>,
    barrier_vc: Number<{ shape.control_vc().unwrap_or(0) }>,

    vcs: Param<{ shape.vcs }>,
    max_flits: Param<{ shape.max_flits as usize }>,
    header_flits: Param<{ shape.header_flits() as usize }>,
}

#[kernel]
impl PacketCheck {
    fn update(&mut self) {
        self.find_state();
        self.find_kind();
        self.cut();
        self.keep_state();
        self.show();
        self.state_properties();
    }

    /// The state of the flit's VC.
    fn find_state(&mut self) {
        self.here.next = 0.into();
        self.place.next = 0.into();
        for v in 0..self.vcs {
            self.here.set(v, self.rx_vc.val() == v);
            if self.rx_vc.val() == v && self.open.q.val().get_bit(v) {
                self.place.next = self.length.q[v].val();
            }
        }
        self.known.next = self.rx_valid.val() & self.here.val().any();
        self.is_open.next = (self.open.q.val() & self.here.val()).any();
        self.is_discarding.next = (self.discarding.q.val() & self.here.val()).any();
        self.is_full.next = (self.full.val() & self.here.val()).any();
        self.is_almost_full.next = (self.almost_full.val() & self.here.val()).any();
    }

    /// What the flit is.
    fn find_kind(&mut self) {
        self.continues.next = self.known.val() & self.is_open.val();
        self.starts.next = self.known.val() & !self.is_open.val() & self.rx_head.val();
        self.stray.next = self.known.val() & !self.is_open.val() & !self.rx_head.val();
        self.refused.next =
            self.starts.val() & (self.is_full.val() | (self.is_almost_full.val() & !self.rx_tail.val()));
        self.stored.next = self.continues.val() | (self.starts.val() & !self.refused.val());
    }

    /// Whether its packet is cut here.
    fn cut(&mut self) {
        self.cut_framing.next = self.continues.val() & self.rx_head.val();
        self.cut_overflow.next =
            self.continues.val() & !self.rx_head.val() & !self.rx_tail.val() & self.is_almost_full.val();
        self.cut_length.next =
            self.stored.val() & !self.cut_framing.val() & !self.rx_tail.val() & (self.place.val() == self.last_place);
        self.last.next = self.rx_tail.val() | self.cut_framing.val() | self.cut_overflow.val() | self.cut_length.val();
    }

    /// The new state of its VC.
    fn keep_state(&mut self) {
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
        for v in 0..self.vcs {
            if self.known.val() & self.here.val().get_bit(v) {
                self.length.d[v].next = self.place.val() + 1;
            }
        }
    }

    fn show(&mut self) {
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
        if let Some(number) = &mut self.number {
            number.next = self.place.val();
        }
        self.error_vc.next = self.rx_valid.val() & !self.here.val().any();
        if self.barriers {
            if self.rx_vc.val() == self.barrier_vc {
                self.error_vc.next = false;
            }
        }
        self.error_framing.next = self.cut_framing.val()
            | (self.stray.val() & !self.is_discarding.val())
            | (self.starts.val() & self.is_discarding.val());
        self.error_overflow.next = self.refused.val() | self.cut_overflow.val();
        self.error_length.next = self.cut_length.val();
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.stored.val() {
            assert!(!self.is_full.val(), "a flit is stored only while its buffer has a place");
        }
        assert!(!(self.open.q.val() & self.discarding.q.val()).any(), "no packet is both stored and thrown away");
    }
}
