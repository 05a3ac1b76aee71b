//! Output queues: the flits that the planes of the crossbar have delivered to one output, and the link that takes them
//! packet by packet.
//!
//! State: a queue for each plane; `link`, k bits (the plane whose packet is on the link, one-hot; zero if none); the
//! pointers of two arbiters; what the packets took of room and do not need.
//!
//! Each cycle: the plane on the link sends its oldest flit, or the flit that it pops if its queue is empty. If no
//! packet is on the link, one of the planes with a flit in its queue begins; if all queues are empty, one of those that
//! pop a flit. So the choice among queues depends on registers only. A message keeps all flits.
//!
//! Source: switch reference, section 6.2.

use crate::units::prelude::*;

/// The flits that the planes have delivered to one output, and the link that takes them packet by packet.
#[block(shape: &Shape, depth: usize)]
pub struct OutputQueues {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A packet is connected to the output on plane v.
    pub started: Sig<In, vcs>,
    /// A flit of plane v is popped.
    pub popped: Sig<In, vcs>,
    /// The flit of plane v that is popped is a tail.
    pub finished: Sig<In, vcs>,
    /// Flit of plane v that is popped: {head, tail, flit}.
    pub beat: Vec<Sig<In, beat_bits>, vcs>,
    /// VC on which the connected packet of plane v leaves, one-hot.
    pub leaving: Vec<Sig<In, vcs>, vcs, next_vc>,
    /// A message leaves.
    pub message_valid: Option<Flag<In>, { shape.control_vc().is_some() }>,
    /// The queue of plane v has no place in the next cycle.
    pub full_next: Sig<Out, vcs>,
    /// A packet waits behind the one on the link.
    pub waits: Option<Flag<Out>, { takes_detours(shape) }>,
    /// A flit leaves on VC u.
    pub sent: Sig<Out, vcs>,
    /// Flit that leaves: {head, tail, flit}.
    pub out: Sig<Out, beat_bits>,
    /// Places that are given back, of packets that leave on VC u.
    pub returned: Vec<Sig<Out, { returned_bits(shape) }>, vcs>,

    /// Plane whose packet is on the link, one-hot; zero if none.
    link: Reg<vcs>,
    queue: Vec<PlaneQueue<depth, word_bits>, vcs>,
    stored: Option<RoundRobinArbiter<vcs>, { vcs > 1 }>,
    fresh: Option<RoundRobinArbiter<vcs>, { vcs > 1 }>,
    room_return: RoomReturn<shape>,

    /// The queue of plane v has a flit.
    filled: Sig<Local, vcs>,
    /// No packet is on the link, and no message leaves.
    is_free: Flag<Local>,
    /// No message leaves.
    may_send: Flag<Local>,
    /// The oldest flit in the queue of plane v leaves.
    takes: Sig<Local, vcs>,
    /// The flit that plane v pops leaves.
    passes: Sig<Local, vcs>,
    /// Word of plane v: {VC on which the flit leaves, head, tail, flit}.
    word: Vec<Sig<Local, word_bits>, vcs>,
    /// Word that leaves.
    leaves: Sig<Local, word_bits>,

    beat_field: Field<0, beat_bits>,
    vc_field: Field<beat_bits, vcs>,
    tail: Number<{ shape.stored_bits() as usize }>,
    beat_bits: Number<{ shape.stored_bits() as usize + 2 }>,
    word_bits: Number<{ beat_bits + if next_vc { vcs } else { 0 } }>,
    next_vc: Number<bool, { shape.next_vc }>,
    vcs: Param<{ shape.vcs }>,
    depth: Param,
    max_flits: Param<{ shape.max_flits as usize }>,
}

#[kernel]
impl OutputQueues {
    fn update(&mut self) {
        self.gather();
        self.choose();
        self.store();
        self.send();
        self.give_back();
        self.state_properties();
    }

    fn gather(&mut self) {
        self.filled.next = 0.into();
        for v in 0..self.vcs {
            self.filled.set(v, self.queue[v].filled.val());
            self.word[v].next = unsigned_cast(self.beat[v].val());
        }
        for v in 0..self.leaving.len() {
            self.word[v].set(self.vc_field.val(), self.leaving[v].val());
        }
        self.may_send.next = true;
        if let Some(message_valid) = &self.message_valid {
            self.may_send.next = !message_valid.val();
        }
        self.is_free.next = self.may_send.val() & !self.link.q.val().any();
        if let Some(waits) = &mut self.waits {
            waits.next = (self.filled.val() & !self.link.q.val()).any();
        }
    }

    /// The plane whose flit leaves: out of its queue, or past it.
    fn choose(&mut self) {
        self.takes.next = self.link.q.val() & self.filled.val();
        self.passes.next = self.link.q.val() & !self.filled.val() & self.popped.val();
        if let (Some(stored), Some(fresh)) = (&mut self.stored, &mut self.fresh) {
            stored.request.next = self.filled.val();
            stored.take.next = self.is_free.val() & self.filled.val().any();
            fresh.request.next = self.popped.val();
            fresh.take.next = self.is_free.val() & !self.filled.val().any() & self.popped.val().any();
            if self.is_free.val() {
                self.takes.next = stored.grant.val();
                if !self.filled.val().any() {
                    self.passes.next = fresh.grant.val();
                }
            }
        } else {
            if self.is_free.val() {
                self.takes.next = self.filled.val();
                self.passes.next = self.popped.val() & !self.filled.val();
            }
        }
        if !self.may_send.val() {
            self.takes.next = 0.into();
            self.passes.next = 0.into();
        }
    }

    fn store(&mut self) {
        self.full_next.next = 0.into();
        for v in 0..self.vcs {
            self.queue[v].arrives.next = self.popped.val().get_bit(v);
            self.queue[v].passes.next = self.passes.val().get_bit(v);
            self.queue[v].arriving.next = self.word[v].val();
            self.queue[v].pop.next = self.takes.val().get_bit(v);
            self.full_next.set(v, self.queue[v].full_next.val());
        }
    }

    fn send(&mut self) {
        self.leaves.next = 0.into();
        for v in 0..self.vcs {
            if self.takes.val().get_bit(v) {
                self.leaves.next = self.leaves.val() | self.queue[v].front.val();
            }
            if self.passes.val().get_bit(v) {
                self.leaves.next = self.leaves.val() | self.word[v].val();
            }
        }
        self.out.next = self.leaves.val() >> self.beat_field.val();
        self.sent.next = self.takes.val() | self.passes.val();
        if self.next_vc {
            self.sent.next = self.leaves.val() >> self.vc_field.val();
        }
        if (self.takes.val() | self.passes.val()).any() {
            self.link.d.next = self.takes.val() | self.passes.val();
            if self.leaves.val().get_bit(self.tail) {
                self.link.d.next = 0.into();
            }
        }
    }

    fn give_back(&mut self) {
        self.room_return.started.next = self.started.val();
        self.room_return.popped.next = self.popped.val();
        self.room_return.finished.next = self.finished.val();
        self.leaving.link(&mut self.room_return.leaving);
        self.returned.link(&mut self.room_return.returned);
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.link.q.val() & (self.link.q.val() - 1)).any(), "one plane at a time has the link");
        assert!(!(self.sent.val() & (self.sent.val() - 1)).any(), "one flit at a time leaves");
        assert!(!(self.finished.val() & !self.popped.val()).any(), "a packet ends with a flit that is popped");
        if self.link.q.val().any() {
            assert!(
                !((self.takes.val() | self.passes.val()) & !self.link.q.val()).any(),
                "the packet on the link is sent to its tail"
            );
        }
    }
}
