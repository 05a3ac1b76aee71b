//! Stream out: stores what leaves a port of the switch, and hands it to an AXI4-Stream packet by packet.
//!
//! State: a buffer for each VC, of the depth that the switch counts credit for; the VC whose packet leaves, and whether
//! one does; header flits of it taken off; its padding; an arbiter.
//!
//! Each cycle: a flit from the switch is stored. While no packet leaves, the next VC with a flit begins, in turn. The
//! header is taken off, a flit a cycle. Then each flit is a beat, until the last one is taken: packets never mix. Of a
//! packet without payload the last header flit is a beat without bytes. A place is given back when its flit leaves the
//! buffer. Flits of the barrier VC have no buffer, and are lost.
//!
//! Source: `railyard_spec::chip` (header, pins); switch reference, sections 1 (round robin) and 7 (credits).

use crate::units::prelude::*;
use railyard_spec::chip::StreamShape;

/// Marks of bad packets, with error correction of buffers only.
#[group]
pub struct BadPacketMarks {
    /// The packet has an error that was not corrected, up to this flit.
    pub tx_bad: Flag<In>,
    /// The same of a beat.
    pub tuser: Flag<Out>,
}

/// Stores what leaves a port of the switch, and hands it to an AXI4-Stream packet by packet.
#[block(shape: &Shape, streams: &StreamShape)]
pub struct StreamOut {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves the switch.
    pub tx_valid: Flag<In>,
    /// Virtual channel of the flit.
    pub tx_vc: Sig<In, vc_bits>,
    /// The flit is the last of a packet.
    pub tx_tail: Flag<In>,
    /// Bits of the flit.
    pub tx_flit: Sig<In, flit_bits>,
    pub marks: Bare<Option<BadPacketMarks, { shape.buffer_code.is_some() }>>,
    /// Buffer space of VC v became free, and a credit report enters the switch.
    pub tx_credit_valid: Vec<Flag<Out>, vcs>,
    /// Credit report.
    pub tx_credit: Vec<Sig<Out, { shape.credit_bits as usize }>, vcs>,
    /// A beat is there.
    pub tvalid: Flag<Out>,
    /// The beat is taken.
    pub tready: Flag<In>,
    /// Payload.
    pub tdata: Sig<Out, flit_bits>,
    /// Bytes that count.
    pub tkeep: Sig<Out, flit_bytes>,
    /// The beat is the last of a packet.
    pub tlast: Flag<Out>,
    /// Virtual channel of the packet.
    pub tid: Sig<Out, vc_bits>,

    buffer: Vec<Fifo<{ shape.buffer_flits as usize }, word_bits>, vcs>,
    credit_return: Vec<CreditReturn<shape>, vcs>,
    #[made(arbiter_among(vcs))]
    arbiter: Option<RoundRobinArbiter>,

    /// A packet leaves.
    busy: FlagReg,
    /// VC whose packet leaves, one-hot.
    owner: Reg<vcs, NoReset>,
    /// Header flits taken off.
    step: Reg<step_bits>,
    /// Bytes of the last flit that do not count.
    padding: Option<Reg<padding_bits, NoReset>, stores>,

    /// Flit that leaves the switch, whether it is the last, whether its packet is bad.
    word: Sig<Local, word_bits>,
    /// VC v has a flit.
    ready: Sig<Local, vcs>,
    /// VC whose packet leaves or begins to, one-hot.
    turn: Sig<Local, vcs>,
    /// The VC has a flit.
    valid: Flag<Local>,
    /// Flit of the VC, and its marks.
    front: Sig<Local, word_bits>,
    /// The flit is the last of its packet.
    tail: Flag<Local>,
    /// Number of the VC.
    vc: Sig<Local, vc_bits>,
    /// The flit is one of the header.
    in_header: Flag<Local>,
    /// The flit is a beat.
    beat: Flag<Local>,
    /// The flit leaves the buffer.
    pop: Flag<Local>,
    /// The last beat of the packet is taken.
    ends: Flag<Local>,

    stores: Number<bool, { !streams.cut_through }>,
    bad_bit: Number<{ flit_bits + 1 }>,
    word_bits: Number<{ bad_bit + usize::from(shape.buffer_code.is_some()) }>,
    vc_bits: Number<{ shape.vc_bits as usize }>,
    padding_bits: Number<{ streams.padding_bits as usize }>,
    flit_bytes: Number<{ streams.flit_bytes as usize }>,
    step_bits: Number<{ clog2(header_flits + 1) }>,
    /// Header flit that has the padding.
    padding_flit: Number<{ streams.padding_low as usize / flit_bits }>,
    all_bytes: Konst<flit_bytes, { (num_bigint::BigUint::from(1u8) << flit_bytes) - 1u8 }>,
    padding_field: Field<{ streams.padding_low as usize % flit_bits }, padding_bits>,

    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    header_flits: Param<{ streams.header_flits as usize }>,
}

#[kernel]
impl StreamOut {
    fn update(&mut self) {
        self.store();
        self.find_turn();
        self.find_front();
        self.take_off();
        self.show();
        self.give_back();
    }

    fn store(&mut self) {
        self.word.next = unsigned_cast(self.tx_flit.val());
        self.word.set(self.flit_bits, self.tx_tail.val());
        if let Some(marks) = &self.marks {
            self.word.set(self.bad_bit, marks.tx_bad.val());
        }
        for v in 0..self.vcs {
            self.buffer[v].push.next = self.tx_valid.val() & (self.tx_vc.val() == v);
            self.buffer[v].push_data.next = self.word.val();
        }
    }

    /// Whose packet leaves.
    fn find_turn(&mut self) {
        self.ready.next = 0.into();
        for v in 0..self.vcs {
            self.ready.set(v, self.buffer[v].front_valid.val());
        }
        self.turn.next = self.ready.val();
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.request.next = self.ready.val();
            arbiter.take.next = !self.busy.q.val() & self.ready.val().any();
            self.turn.next = arbiter.grant.val();
        }
        if self.busy.q.val() {
            self.turn.next = self.owner.q.val();
        }
        self.owner.d.next = self.turn.val();
        self.valid.next = (self.turn.val() & self.ready.val()).any();
    }

    /// Its next flit.
    fn find_front(&mut self) {
        self.front.next = 0.into();
        self.vc.next = 0.into();
        for v in 0..self.vcs {
            if self.turn.val().get_bit(v) {
                self.front.next = self.buffer[v].front.val();
                self.vc.next = v.into();
            }
        }
        self.tail.next = self.front.val().get_bit(self.flit_bits);
        self.in_header.next = self.step.q.val() != self.header_flits;
    }

    /// Header flits, and what the last beat leaves behind. The last flit of a header that ends its packet is a beat.
    fn take_off(&mut self) {
        self.beat.next = self.valid.val() & (!self.in_header.val() | self.tail.val());
        self.pop.next = self.valid.val() & (!self.beat.val() | self.tready.val());
        self.ends.next = self.beat.val() & self.tready.val() & self.tail.val();
        if self.valid.val() {
            self.busy.d.next = true;
        }
        if self.pop.val() & self.in_header.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.ends.val() {
            self.busy.d.next = false;
            self.step.d.next = 0.into();
        }
        if let Some(padding) = &mut self.padding {
            if self.step.q.val() == self.padding_flit {
                padding.d.next = self.front.val() >> self.padding_field.val();
            }
        }
    }

    fn show(&mut self) {
        self.tvalid.next = self.beat.val();
        self.tdata.next = unsigned_cast(self.front.val());
        self.tlast.next = self.tail.val();
        self.tid.next = self.vc.val();
        if let Some(marks) = &mut self.marks {
            marks.tuser.next = self.front.val().get_bit(self.bad_bit);
        }
        self.tkeep.next = self.all_bytes.val();
        if let Some(padding) = &self.padding {
            for i in 0..self.flit_bytes {
                self.tkeep.set(i, !self.tail.val() | (padding.q.val() <= (self.flit_bytes - 1 - i)));
            }
        }
        if self.in_header.val() {
            self.tkeep.next = 0.into();
        }
    }

    fn give_back(&mut self) {
        for v in 0..self.vcs {
            self.buffer[v].pop.next = self.pop.val() & self.turn.val().get_bit(v);
            self.credit_return[v].popped.next = self.pop.val() & self.turn.val().get_bit(v);
            self.credit_return[v].discarded.next = false;
            self.tx_credit_valid[v].next = self.credit_return[v].credit_valid.val();
            self.tx_credit[v].next = self.credit_return[v].credit.val();
        }
    }
}
