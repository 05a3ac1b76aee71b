//! Output unit: the register in front of an output's pins, and the credit of the next buffers.
//!
//! State: the output register; a credit counter for each VC, or with output queues a promise counter; the sticky flag.
//!
//! Source: switch reference, sections 6, 6.2, 7, 8, 11.

use crate::units::prelude::*;

/// A barrier message, with barriers only. In its cycle no flit leaves.
#[group(bits: usize)]
pub struct OutgoingMessage {
    /// A barrier message leaves.
    pub message_valid: Flag<In>,
    /// Barrier message that leaves.
    pub message: Sig<In, bits>,
}

/// Room that packets take before they leave, with output queues only.
#[group(shape: &Shape)]
pub struct PromisedRoom {
    /// A packet that leaves on VC v takes room.
    pub taken: Sig<In, { shape.vcs }>,
    /// Places that packets on VC v did not need.
    pub returned: Vec<Sig<In, { returned_bits(shape) }>, { shape.vcs }>,
}

/// The register in front of an output's pins, and the credit of the next buffers.
#[block(shape: &Shape)]
pub struct OutputUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Clears the sticky error flag.
    pub error_clear: Flag<In>,
    /// A flit of VC v leaves.
    pub sent: Sig<In, vcs>,
    /// Flit that leaves: {head, tail, flit}.
    pub beat: Sig<In, { stored_bits + 2 }>,
    pub message: Option<OutgoingMessage<message_bits>, { shape.control_vc().is_some() }>,
    pub promise: Option<PromisedRoom<shape>, queued>,
    /// A packet of VC v has room.
    #[made(sig(vcs).doc(match queued {
        true => "A packet of VC v has room.",
        false => "A packet of VC v has room, if VC v is not sending.",
    }))]
    pub room: Sig<Out>,
    /// A packet of VC v has room, if VC v is sending.
    pub room_sending: Option<Sig<Out, vcs>, { !queued }>,
    /// Two packets of the mixed VC have room.
    pub room_two: Option<Flag<Out>, { shape.multicast.is_some() }>,
    pub tx: LinkFlit<Out, shape, { "A flit leaves." }>,
    /// A wrong bit of the flit was corrected.
    pub corrected: Option<Flag<Out>, { shape.buffer_code.is_some() }>,
    /// A credit report for VC v arrives.
    pub tx_credit_valid: Vec<Flag<In>, vcs>,
    /// Credit report for VC v.
    pub tx_credit: Vec<Sig<In, { shape.credit_bits as usize }>, vcs>,
    /// Sticky: a credit report was for flits that were never sent.
    pub error_credit: Flag<Out>,
    /// A credit report of the current cycle is for flits that were never sent.
    pub wrong_now: Option<Flag<Out>, { shape.events }>,
    /// Places in use of the next buffer of VC v.
    pub in_use: Vec<Sig<Out, { in_use_bits(shape) }>, vcs, { compares_use(shape) }>,

    /// A flit leaves.
    valid: FlagReg,
    /// Virtual channel of the flit.
    vc: Reg<vc_bits, NoReset>,
    /// Flit that leaves: {head, tail, flit}.
    word: Reg<{ stored_bits + 2 }, NoReset>,
    /// The flit is a barrier message.
    is_message: Option<FlagReg<NoReset>, { shape.control_vc().is_some() && shape.buffer_code.is_some() }>,
    #[made(shape.buffer_code.map(|code| flit_decoder(shape, code)))]
    decoder: Option<FlitDecoder>,
    #[made((0..vcs).filter(|_| !queued).map(|v| credit_counter(shape, v)).collect())]
    credits: Vec<CreditCounter>,
    promises: Vec<PromiseCounter<shape>, vcs, queued>,
    errors: StickyFlags<1>,

    /// Number of the VC that sends.
    vc_sent: Sig<Local, vc_bits>,
    /// The report for VC v is impossible.
    wrong: Sig<Local, vcs>,
    /// Value of `room`.
    has_room: Sig<Local, vcs>,
    /// Value of `room_sending`.
    has_room_sending: Option<Sig<Local, vcs>, { !queued }>,
    /// Message as a packet of one flit: {head, tail, flit}.
    message_beat: Option<Sig<Local, { stored_bits + 2 }>, { shape.control_vc().is_some() }>,

    vc_bits: Number<{ shape.vc_bits as usize }>,
    queued: Number<bool, { has_queues(shape) }>,
    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    barrier_vc: Konst<vc_bits, { shape.control_vc().unwrap_or(0) }>,
    message_bits: Number<{ message_bits(shape) }>,
    flit: Field<0, flit_bits>,
    code_word: Field<0, stored_bits>,
    stored_bits: Number<{ shape.stored_bits() as usize }>,
    tail: Number<stored_bits>,
    head: Number<{ tail + 1 }>,
    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl OutputUnit {
    fn update(&mut self) {
        self.count_credits();
        self.count_promises();
        self.send();
        self.decode();
        self.report();
        self.state_properties();
    }

    fn count_credits(&mut self) {
        if let (Some(has_room_sending), Some(room_sending)) = (&mut self.has_room_sending, &mut self.room_sending) {
            self.vc_sent.next = 0.into();
            self.wrong.next = 0.into();
            self.has_room.next = 0.into();
            has_room_sending.next = 0.into();
            for v in 0..self.vcs {
                if self.sent.val().get_bit(v) {
                    self.vc_sent.next = self.vc_sent.val() | v;
                }
                self.credits[v].sent.next = self.sent.val().get_bit(v);
                self.credits[v].tx_credit_valid.next = self.tx_credit_valid[v].val();
                self.credits[v].tx_credit.next = self.tx_credit[v].val();
                self.wrong.set(v, self.credits[v].error.val());
                self.has_room.set(v, self.credits[v].room.val());
                has_room_sending.set(v, self.credits[v].room_sending.val());
            }
            self.room.next = self.has_room.val();
            room_sending.next = has_room_sending.val();
            if let (Some(room_two), Some(of_mixed)) = (&mut self.room_two, &self.credits[self.mixed].room_two) {
                room_two.next = of_mixed.val();
            }
            for v in 0..self.in_use.len() {
                if let Some(in_use) = &self.credits[v].in_use {
                    self.in_use[v].next = in_use.val();
                }
            }
        }
    }

    /// With output queues, room is taken before a flit leaves.
    fn count_promises(&mut self) {
        if let Some(promise) = &self.promise {
            self.vc_sent.next = 0.into();
            self.wrong.next = 0.into();
            self.has_room.next = 0.into();
            for v in 0..self.vcs {
                if self.sent.val().get_bit(v) {
                    self.vc_sent.next = self.vc_sent.val() | v;
                }
                self.promises[v].sent.next = self.sent.val().get_bit(v);
                self.promises[v].taken.next = promise.taken.val().get_bit(v);
                self.promises[v].returned.next = promise.returned[v].val();
                self.promises[v].tx_credit_valid.next = self.tx_credit_valid[v].val();
                self.promises[v].tx_credit.next = self.tx_credit[v].val();
                self.wrong.set(v, self.promises[v].error.val());
                self.has_room.set(v, self.promises[v].room.val());
            }
            self.room.next = self.has_room.val();
            for v in 0..self.in_use.len() {
                if let Some(in_use) = &self.promises[v].in_use {
                    self.in_use[v].next = in_use.val();
                }
            }
        }
    }

    /// The register in front of the pins.
    fn send(&mut self) {
        self.valid.d.next = self.sent.val().any();
        self.vc.d.next = self.vc_sent.val();
        self.word.d.next = self.beat.val();
        if let (Some(barrier), Some(beat)) = (&self.message, &mut self.message_beat) {
            beat.next = unsigned_cast(barrier.message.val());
            beat.set(self.head, true);
            beat.set(self.tail, true);
            if barrier.message_valid.val() {
                self.valid.d.next = true;
                self.vc.d.next = self.barrier_vc.val();
                self.word.d.next = beat.val();
            }
        }
        if self.decoder.is_none() {
            self.tx.valid.next = self.valid.q.val();
            self.tx.vc.next = self.vc.q.val();
            self.tx.head.next = self.word.q.val().get_bit(self.head);
            self.tx.tail.next = self.word.q.val().get_bit(self.tail);
            self.tx.flit.next = self.word.q.val() >> self.flit.val();
        }
    }

    /// With error correction a decoder stands between this register and the pins.
    fn decode(&mut self) {
        if let (Some(is_message), Some(barrier)) = (&mut self.is_message, &self.message) {
            is_message.d.next = barrier.message_valid.val();
        }
        if let (Some(decoder), Some(corrected)) = (&mut self.decoder, &mut self.corrected) {
            decoder.valid.next = self.valid.q.val();
            decoder.vc.next = self.vc.q.val();
            decoder.head.next = self.word.q.val().get_bit(self.head);
            decoder.tail.next = self.word.q.val().get_bit(self.tail);
            decoder.word.next = self.word.q.val() >> self.code_word.val();
            if let (Some(message), Some(is_message)) = (&mut decoder.message, &self.is_message) {
                message.next = is_message.q.val();
            }
            self.tx.link(&mut decoder.tx);
            corrected.next = decoder.corrected.val();
        }
    }

    /// The error flag.
    fn report(&mut self) {
        self.errors.raise.next = self.wrong.val().any().into();
        if let Some(wrong_now) = &mut self.wrong_now {
            wrong_now.next = self.wrong.val().any();
        }
        self.errors.clear.next = self.error_clear.val();
        self.error_credit.next = self.errors.flags.val().any();
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.sent.val() & (self.sent.val() - 1)).any(), "one VC at a time sends a flit");
        if let Some(barrier) = &self.message {
            if barrier.message_valid.val() {
                assert!(!self.sent.val().any(), "a barrier message leaves only while no flit does");
            }
        }
    }
}
