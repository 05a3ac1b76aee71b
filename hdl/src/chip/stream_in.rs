//! Stream in: takes packets from an AXI4-Stream, makes their headers, and sends them into a port of the switch.
//!
//! State: a queue of payload flits, each with a mark of the last one; a queue of what is known of whole packets (or,
//! cut through, of packets that have begun): VC, destination, multicast, padding, and whether the packet is bad.
//! Further: of the packet that comes, its first beat's `tid`, `tdest` and `tuser`, and how many flits it has; of the
//! packet that leaves, how many header flits have left; a register of what leaves; credit counters; whether reset
//! ended.
//!
//! Each cycle: a beat is taken if reset has ended and both queues have room, which registers say. A packet leaves when
//! its VC has credit for a packet of any length, first its header, then its payload, a flit a cycle. What is longer
//! than a packet may be is not stored. A bad packet is read out like others, and nothing is sent of it: its VC does not
//! exist, it is too long, or `tkeep` leaves out other bytes than the last ones. A packet cut through that turns out too
//! long ends early.
//!
//! Source: `railyard_spec::chip` (header, pins); switch reference, section 7 (credits).

use crate::units::prelude::*;
use railyard_spec::chip::StreamShape;

/// Packets of which the adapter keeps what it has to know.
const PACKETS: usize = 4;

/// What comes with the whole packets of a store-and-forward stream.
#[group(streams: &StreamShape)]
pub struct Padded {
    /// Bytes of the beat that count.
    pub tkeep: Sig<In, { streams.flit_bytes as usize }>,
    /// A beat of the packet had an illegal `tkeep`.
    ragged: FlagReg,
    /// Bytes of the beat that do not count.
    padding: Sig<Local, { streams.padding_bits as usize }>,
    /// `tkeep` leaves out other bytes than the last ones of the last beat.
    is_ragged: Flag<Local>,
}

/// The multicast bit.
#[group]
pub struct MulticastBit {
    /// The packet goes to the multicast group `tdest`.
    pub tuser: Flag<In>,
    /// The multicast bit of the first beat.
    multicast: FlagReg<NoReset>,
}

/// Takes packets from an AXI4-Stream, makes their headers, and sends them into a port of the switch.
#[block(shape: &Shape, streams: &StreamShape)]
pub struct StreamIn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Clears the error flag.
    pub error_clear: Flag<In>,
    /// A beat is there.
    pub tvalid: Flag<In>,
    /// The beat is taken.
    pub tready: Flag<Out>,
    /// Payload.
    pub tdata: Sig<In, flit_bits>,
    pub padded: Bare<Option<Padded<streams>, stores>>,
    /// The beat is the last of a packet.
    pub tlast: Flag<In>,
    /// Virtual channel of the packet.
    pub tid: Sig<In, vc_bits>,
    /// Destination of the packet.
    pub tdest: Sig<In, destination_bits>,
    pub multicast: Bare<Option<MulticastBit, mixed>>,
    pub rx: LinkFlit<Out, shape, { "A flit enters the switch." }>,
    /// A credit report for VC v leaves the switch.
    pub rx_credit_valid: Vec<Flag<In>, vcs>,
    /// Credit report.
    pub rx_credit: Vec<Sig<In, { shape.credit_bits as usize }>, vcs>,
    /// Sticky: a packet was dropped, or cut off.
    pub error: Flag<Out>,

    queue: Fifo<{ streams.store_flits as usize }, { flit_bits + 1 }>,
    packets: Fifo<PACKETS, { bad_bit + 1 }>,
    #[made((0..vcs).map(|v| credit_counter(shape, v)).collect())]
    credit_counter: Vec<CreditCounter>,

    /// The next beat is the first of a packet.
    first: FlagReg<true>,
    /// The packet that comes is longer than a packet may be.
    too_long: FlagReg,
    /// Flits stored of the packet that comes.
    length: Reg<length_bits>,
    /// Virtual channel in the first beat.
    vc: Reg<vc_bits, NoReset>,
    /// Destination in the first beat.
    destination: Reg<destination_bits, NoReset>,
    /// Reset has ended.
    running: FlagReg,
    /// A packet leaves.
    busy: FlagReg,
    /// Header flits that have left.
    step: Reg<step_bits>,
    /// A flit leaves.
    sent: FlagReg,
    /// Virtual channel of the flit that leaves.
    sent_vc: Reg<vc_bits, NoReset>,
    /// The flit that leaves is the first of a packet.
    sent_head: FlagReg<NoReset>,
    /// The flit that leaves is the last of a packet.
    sent_tail: FlagReg<NoReset>,
    /// Bits of the flit that leaves.
    sent_flit: Reg<flit_bits, NoReset>,
    /// Register of `error`.
    failed: FlagReg,

    /// There is room for a beat.
    open: Flag<Local>,
    /// A beat is taken.
    take: Flag<Local>,
    /// The beat is the last that is stored of its packet.
    last: Flag<Local>,
    /// The beat, and whether it is the last.
    word: Sig<Local, { flit_bits + 1 }>,
    /// The beat makes its packet too long.
    exceeds: Flag<Local>,
    /// Virtual channel of the packet that comes.
    coming_vc: Sig<Local, vc_bits>,
    /// Virtual channel of the packet that comes exists.
    known: Flag<Local>,
    /// The packet that comes is bad.
    bad: Flag<Local>,
    /// What is known of the packet that comes.
    packet: Sig<Local, { bad_bit + 1 }>,
    /// A packet that is bad, or is cut off, was found.
    fails: Flag<Local>,

    /// Virtual channel of the packet at the head of the queue.
    leaving_vc: Sig<Local, vc_bits>,
    /// The packet at the head of the queue is bad.
    leaving_bad: Flag<Local>,
    /// There is credit for a packet.
    room: Flag<Local>,
    /// A packet leaves, or begins to.
    go: Flag<Local>,
    /// Header of the packet at the head of the queue.
    header: Sig<Local, { header_flits * flit_bits }>,
    /// The flit that leaves is one of the header.
    in_header: Flag<Local>,
    /// A flit of the payload leaves.
    pop: Flag<Local>,
    /// The last flit of the packet leaves.
    ends: Flag<Local>,
    /// A flit is sent.
    send: Flag<Local>,

    stores: Number<bool, { !streams.cut_through }>,
    mixed: Number<bool, { shape.multicast.is_some() }>,
    vc_bits: Number<{ shape.vc_bits as usize }>,
    destination_bits: Number<{ streams.destination_bits as usize }>,
    padding_bits: Number<
        {
            if streams.cut_through {
                0
            } else {
                streams.padding_bits as usize
            }
        },
    >,
    flit_bytes: Number<{ streams.flit_bytes as usize }>,
    store_flits: Number<{ streams.store_flits as usize }>,
    length_bits: Number<{ clog2(payload_flits + 1) }>,
    step_bits: Number<{ clog2(header_flits + 1) }>,
    most_packets: Number<PACKETS>,
    /// Places in the word of a packet; its VC is lowest.
    destination_low: Number<vc_bits>,
    multicast_bit: Number<{ destination_low + destination_bits }>,
    padding_place: Number<{ multicast_bit + usize::from(mixed) }>,
    bad_bit: Number<{ padding_place + padding_bits }>,
    /// Place of the padding in the header.
    padding_low: Number<{ streams.padding_low as usize }>,
    last_place: Number<{ payload_flits - 1 }>,
    destination_field: Field<destination_low, destination_bits>,
    padding_field: Field<padding_place, { padding_bits.max(1) }>,

    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    header_flits: Param<{ streams.header_flits as usize }>,
    payload_flits: Param<{ shape.max_flits as usize - header_flits }>,
    #[made(streams.cut_through)]
    cut_through: Param<bool>,
}

#[kernel]
impl StreamIn {
    fn update(&mut self) {
        self.take_beat();
        self.judge();
        self.keep_packet();
        self.find_leaving();
        self.make_header();
        self.leave();
        self.count_credit();
        self.show();
    }

    /// The beat, and what it is in its packet.
    fn take_beat(&mut self) {
        // Reset may go on inside the chip after its pin: a beat taken meanwhile would be lost.
        self.running.d.next = true;
        self.open.next = self.running.q.val()
            & (self.queue.stored.val() != self.store_flits)
            & (self.packets.stored.val() != self.most_packets);
        self.tready.next = self.open.val();
        self.take.next = self.tvalid.val() & self.open.val();
        self.exceeds.next = !self.too_long.q.val() & !self.tlast.val() & (self.length.q.val() == self.last_place);
        self.last.next = self.tlast.val() | self.exceeds.val();
        self.word.next = unsigned_cast(self.tdata.val());
        self.word.set(self.flit_bits, self.last.val());
        self.queue.push_data.next = self.word.val();
        self.queue.push.next = self.take.val() & !self.too_long.q.val();
        self.coming_vc.next = self.vc.q.val();
        if self.first.q.val() {
            self.coming_vc.next = self.tid.val();
        }
        if self.take.val() {
            self.first.d.next = self.tlast.val();
            self.too_long.d.next = (self.too_long.q.val() | self.exceeds.val()) & !self.tlast.val();
            self.length.d.next = self.length.q.val() + 1;
            if self.last.val() | self.too_long.q.val() {
                self.length.d.next = 0.into();
            }
        }
        if self.take.val() & self.first.q.val() {
            self.vc.d.next = self.tid.val();
            self.destination.d.next = self.tdest.val();
        }
        if let Some(multicast) = &mut self.multicast {
            if self.take.val() & self.first.q.val() {
                multicast.multicast.d.next = multicast.tuser.val();
            }
        }
    }

    /// Whether the packet is bad.
    fn judge(&mut self) {
        self.known.next = false;
        for v in 0..self.vcs {
            self.known.next = self.known.val() | (self.coming_vc.val() == v);
        }
        self.bad.next = !self.known.val();
        if !self.cut_through {
            self.bad.next = !self.known.val() | self.too_long.q.val();
        }
        if let Some(padded) = &mut self.padded {
            padded.padding.next = 0.into();
            padded.is_ragged.next = !padded.tkeep.val().get_bit(0) | (!self.tlast.val() & !padded.tkeep.val().all());
            for i in 1..self.flit_bytes {
                if !padded.tkeep.val().get_bit(self.flit_bytes - i) {
                    padded.padding.next = i.into();
                }
                if !padded.tkeep.val().get_bit(i - 1) & padded.tkeep.val().get_bit(i) {
                    padded.is_ragged.next = true;
                }
            }
            if self.take.val() {
                padded.ragged.d.next = (padded.ragged.q.val() | padded.is_ragged.val()) & !self.tlast.val();
            }
            self.bad.next = self.bad.val() | padded.ragged.q.val() | padded.is_ragged.val();
        }
    }

    /// What is known of the packet joins its queue.
    fn keep_packet(&mut self) {
        self.packet.next = unsigned_cast(self.coming_vc.val());
        self.packet.set(self.bad_bit, self.bad.val());
        if self.first.q.val() {
            self.packet.set(self.destination_low, self.tdest.val());
        } else {
            self.packet.set(self.destination_low, self.destination.q.val());
        }
        if let Some(multicast) = &self.multicast {
            if self.first.q.val() {
                self.packet.set(self.multicast_bit, multicast.tuser.val());
            } else {
                self.packet.set(self.multicast_bit, multicast.multicast.q.val());
            }
        }
        if let Some(padded) = &self.padded {
            self.packet.set(self.padding_place, padded.padding.val());
        }
        self.packets.push_data.next = self.packet.val();
        if self.cut_through {
            self.packets.push.next = self.take.val() & self.first.q.val();
            self.fails.next = self.take.val() & ((self.first.q.val() & self.bad.val()) | self.exceeds.val());
        } else {
            self.packets.push.next = self.take.val() & self.tlast.val();
            self.fails.next = self.take.val() & self.tlast.val() & self.bad.val();
        }
        self.failed.d.next = self.fails.val() | (self.failed.q.val() & !self.error_clear.val());
    }

    /// The packet that leaves next, and whether it may begin.
    fn find_leaving(&mut self) {
        self.leaving_vc.next = unsigned_cast(self.packets.front.val());
        self.leaving_bad.next = self.packets.front.val().get_bit(self.bad_bit);
        self.room.next = self.leaving_bad.val();
        for v in 0..self.vcs {
            if self.leaving_vc.val() == v {
                self.room.next = self.room.val() | self.credit_counter[v].room.val();
            }
        }
        self.go.next = self.busy.q.val() | (self.packets.front_valid.val() & self.room.val());
    }

    /// Destination, multicast bit and padding.
    fn make_header(&mut self) {
        self.header.next = 0.into();
        self.header.set(0, self.packets.front.val() >> self.destination_field.val());
        if self.mixed {
            self.header.set(self.destination_bits, self.packets.front.val().get_bit(self.multicast_bit));
        }
        if !self.cut_through {
            self.header.set(self.padding_low, self.packets.front.val() >> self.padding_field.val());
        }
    }

    /// A flit leaves.
    fn leave(&mut self) {
        self.in_header.next = self.step.q.val() != self.header_flits;
        self.pop.next = self.go.val() & !self.in_header.val() & self.queue.front_valid.val();
        self.ends.next = self.pop.val() & self.queue.front.val().get_bit(self.flit_bits);
        self.send.next = !self.leaving_bad.val() & (self.pop.val() | (self.go.val() & self.in_header.val()));
        self.queue.pop.next = self.pop.val();
        self.packets.pop.next = self.ends.val();
        self.busy.d.next = self.go.val() & !self.ends.val();
        if self.go.val() & self.in_header.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.ends.val() {
            self.step.d.next = 0.into();
        }
    }

    /// Credit for what is sent.
    fn count_credit(&mut self) {
        for v in 0..self.vcs {
            self.credit_counter[v].sent.next = self.send.val() & (self.leaving_vc.val() == v);
            self.credit_counter[v].tx_credit_valid.next = self.rx_credit_valid[v].val();
            self.credit_counter[v].tx_credit.next = self.rx_credit[v].val();
        }
    }

    /// The flit that leaves, in registers.
    fn show(&mut self) {
        self.sent.d.next = self.send.val();
        self.sent_vc.d.next = self.leaving_vc.val();
        self.sent_head.d.next = self.step.q.val() == 0;
        self.sent_tail.d.next = self.ends.val();
        self.sent_flit.d.next = unsigned_cast(self.queue.front.val());
        for h in 0..self.header_flits {
            if self.step.q.val() == h {
                self.sent_flit.d.next = unsigned_cast(self.header.val() >> (h * self.flit_bits));
            }
        }
        self.rx.valid.next = self.sent.q.val();
        self.rx.vc.next = self.sent_vc.q.val();
        self.rx.head.next = self.sent_head.q.val();
        self.rx.tail.next = self.sent_tail.q.val();
        self.rx.flit.next = self.sent_flit.q.val();
        if let Some(bad) = &mut self.rx.bad {
            bad.next = false;
        }
        self.error.next = self.failed.q.val();
        if self.send.val() {
            assert!(self.packets.front_valid.val(), "a flit leaves only of a packet that is known");
        }
    }
}
