//! Input unit: one input port, from the pins to the crossbar.
//!
//! Joins packet check, header (assembly or route shift), a buffer, a credit return and a connection for each VC, and
//! the drop counter; and the fan-out between the head of the mixed VC's route queue and its connection.
//!
//! Source: switch reference, sections 3, 5.2, 6, 7, 8.

use crate::units::prelude::*;
use railyard_spec::dragonfly::{HeaderField, HeaderLayout};
use railyard_spec::pins::DROP_COUNT_BITS;

/// One input port, from the pins to the crossbar.
#[block(shape: &Shape, from_node: bool)]
pub struct InputUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Clears the sticky error flags.
    pub error_clear: Flag<In>,
    pub rx: LinkFlit<In, shape, { "A flit arrives." }>,
    /// Bits of the code word that are stored inverted.
    pub flip: Option<Sig<In, stored_bits>, { shape.buffer_code.is_some_and(|code| code.fault_pins) }>,
    /// Buffer space of VC v became free.
    pub rx_credit_valid: Vec<Flag<Out>, vcs>,
    /// Credit report of VC v.
    pub rx_credit: Vec<Sig<Out, { shape.credit_bits as usize }>, vcs>,
    /// Flits of minimal packets freed, of VC v.
    pub rx_min_credit: Vec<Sig<Out, { shape.credit_bits as usize }>, vcs, counts_minimal>,
    #[made(in_own_words(header_arrival(shape)))]
    pub arrival: Bare<HeaderArrival<Out>>,
    #[made(RouteHead {
        drop: sig(vcs).doc("The head of the route queue of VC v is drop."),
        request: many(vcs, || sig(ports).doc("Output port at the head of the route queue of VC v, one-hot.")),
        multicast: is_multicast
            .then(|| flag().doc("The head of the route queue of the mixed VC is a multicast packet's result.")),
        group: is_multicast.then(|| sig(group_bits)),
        ..RouteHead::plain()
    })]
    pub head: RouteHead<In>,
    /// The packet of VC v leaves on the mixed VC.
    pub leave_mixed: Option<Sig<In, vcs>, { is_multicast && shape.next_vc }>,
    /// The head of the route queue of VC v is taken.
    pub take: Sig<Out, vcs>,
    #[made(shape.multicast.as_ref().map(|built| multicast_ports(shape, built)))]
    pub multicast: Option<MulticastPorts>,
    /// VC v requests output o.
    pub request: Vec<Sig<Out, ports>, vcs>,
    /// An allocator connects VC v.
    pub granted: Sig<In, vcs>,
    /// The link arbiter lets VC v send.
    pub chosen: Option<Sig<In, vcs>, { shape.link_arbitration == LinkArbitration::Flit }>,
    /// Output o sends a barrier message in the next cycle.
    pub message_next: Option<Sig<In, ports>, barrier>,
    /// The queue of plane v at output o has no place in the next cycle, by plane.
    pub full_next: Vec<Sig<In, ports>, vcs, queued>,
    /// VC v stays held.
    #[made((barrier || queued).then(|| sig(vcs).doc(match queued {
        true => "The output queue to which VC v is connected has no place in the next cycle.",
        false => "An output to which VC v is connected sends a barrier message in the next cycle.",
    })))]
    pub stays_held: Option<Sig<In>>,
    /// The buffer of VC v has a flit to pop.
    pub ready: Sig<Out, vcs>,
    /// The buffer of VC v has a tail to pop.
    pub ending: Sig<Out, vcs>,
    /// Flit to pop of VC v: {head, tail, flit}.
    pub beat: Vec<Sig<Out, { stored_bits + 2 }>, vcs>,
    /// A packet of VC v was dropped.
    pub drop_valid: Sig<Out, vcs>,
    /// Packets dropped since reset.
    pub drop_count: Sig<Out, { DROP_COUNT_BITS as usize }>,
    pub error: InputErrors<Out>,
    /// A flit of VC v is stored.
    pub stored: Option<Sig<Out, vcs>, { shape.counter_bits.is_some() }>,
    #[made(shape.dragonfly().filter(|built| built.adaptive() || built.age_bits.is_some()).map(|built| header_rewrite(shape, built)))]
    pub departure: Option<HeaderRewrite<In>>,
    /// VC v is connected, for contention counters.
    pub active: Option<Sig<Out, vcs>, { shape.dragonfly().is_some_and(|built| built.contention) }>,
    /// Errors of the current cycle: length, overflow, framing, vc.
    pub raised: Option<Sig<Out, 4>, { shape.events }>,

    check: PacketCheck<shape>,
    assembly: Option<HeaderAssembly<shape, address_bits>, { address_bits > flit_bits }>,
    #[made(match &shape.routing {
        RoutingShape::Source(source) => Some(route_shift(shape, source)),
        _ => None,
    })]
    shift: Option<RouteShift>,
    #[made(shape.multicast.as_ref().map(|built| multicast_header(built, mark_bit)))]
    header: Option<MulticastHeader>,
    #[made(shape.multicast.as_ref().map(|built| fan_out(shape, built)))]
    fan_out: Option<FanOut>,
    #[made(shape.buffer_code.map(check_bits))]
    encoder: Option<CheckBits>,
    buffer: Vec<VcBuffer<shape>, vcs>,
    credit_report: Vec<CreditReturn<shape>, vcs>,
    minimal_report: Vec<MinimalReturn<{ shape.credit_bits as usize }>, vcs, counts_minimal>,
    #[made((0..vcs).map(|v| connection(shape, v)).collect())]
    connection: Vec<Connection>,
    drops: DropCounter<shape>,
    errors: StickyFlags<4>,

    /// Arriving flit as stored.
    stored_flit: Sig<Local, flit_bits>,
    /// Flit and bad mark.
    data: Option<Sig<Local, { flit_bits + 1 }>, { shape.buffer_code.is_some() }>,
    /// Code word to store.
    coded: Option<Sig<Local, stored_bits>, { shape.buffer_code.is_some() }>,
    /// The buffer of VC v has at most one free place.
    almost_full: Sig<Local, vcs>,
    /// The buffer of VC v has no free place.
    full: Sig<Local, vcs>,
    /// The buffer of VC v has a flit to pop.
    front_valid: Sig<Local, vcs>,
    /// The flit to pop is a tail.
    front_ending: Sig<Local, vcs>,
    /// The tail of a packet of VC v is thrown away.
    tail_dropped: Sig<Local, vcs>,
    #[made((barrier || queued).then(|| sig(vcs).doc(match queued {
        true => "The output queue of VC v has no place.",
        false => "An output of VC v sends a barrier message.",
    })))]
    held: Option<Sig<Local>>,
    /// The packet ended before its header did.
    malformed: Flag<Local>,
    /// Header with the multicast bit, as received.
    whole_header: Option<Sig<Local, { mark_bit + 1 }>, is_multicast>,
    /// Errors of the current cycle: length, overflow, framing, vc.
    raise: Sig<Local, 4>,

    is_multicast: Number<bool, { shape.multicast.is_some() }>,
    group_bits: Number<{ shape.multicast.map_or(1, |built| built.group_bits as usize) }>,
    address_bits: Number<{ shape.address_bits().map_or(1, |bits| header_bits(shape, bits as usize)) }>,
    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    mark_bit: Number<{ number_bits(shape) }>,
    number_field: Field<0, mark_bit>,
    group_field: Field<0, group_bits>,
    barrier: Number<bool, { shape.control_vc().is_some() && !queued }>,
    queued: Number<bool, { has_queues(shape) }>,
    phase_low: Number<{ header_place(shape, |header| header.phase) }>,
    via_low: Number<{ header_place(shape, |header| header.via_router.or(header.via_group)) }>,
    counts_minimal: Number<bool, { !from_node && shape.dragonfly().is_some_and(|built| built.min_credits) }>,
    minimal_low: Number<{ header_place(shape, |header| header.minimal) }>,
    age_low: Number<{ header_place(shape, |header| header.age) }>,
    check_place: Number<{ flit_bits + 1 }>,
    stored_bits: Number<{ shape.stored_bits() as usize }>,
    is_dragonfly: Number<bool, { shape.dragonfly().is_some() }>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    header_flits: Param<{ shape.header_flits() as usize }>,
}

/// What an input port has for multicast packets, see [`fan_out`](mod@fan_out).
#[group(shape: &Shape, built: &MulticastShape)]
pub struct MulticastPorts {
    pub table: Bare<GroupTable<In, shape, built>>,
    /// Bit of the word that is stored inverted.
    pub group_flip: Option<Sig<In, { group_word_bits(shape, built) }>, { has_group_flip(built) }>,
    /// A packet has read a word with wrong parity.
    pub group_parity: Option<Flag<Out>, { built.parity.is_some() }>,
    /// A multicast packet waits for its outputs.
    pub waiting: Flag<Out>,
    /// Outputs for which the multicast packet waits.
    pub outputs: Sig<Out, { shape.ports }>,
    /// The mixed VC may be connected anew.
    pub may_connect: Flag<Out>,
    /// The multicast packet is connected to all its outputs.
    pub start: Flag<In>,
    /// A unicast packet waits for output o, to leave on the mixed VC.
    pub mixed_waiting: Sig<Out, { shape.ports }>,
}

/// Bits of a header in front of the multicast bit: of its address, or of its list of ports.
fn number_bits(shape: &Shape) -> usize {
    match &shape.routing {
        RoutingShape::Source(source) => source.route_bits as usize,
        _ => shape.address_bits().unwrap_or(1) as usize,
    }
}

/// Lowest bit of a field of a Dragonfly's header; 0 without it.
fn header_place(shape: &Shape, field: impl Fn(&HeaderLayout) -> Option<HeaderField>) -> usize {
    shape.dragonfly().and_then(|built| field(&built.header())).map_or(0, |field| field.low as usize)
}

/// An arrival as the input unit sees it.
fn in_own_words(arrival: HeaderArrival<Out>) -> HeaderArrival<Out> {
    HeaderArrival {
        arrive_malformed: arrival.arrive_malformed.map(|flag| flag.doc("The packet ended before its header did.")),
        arrive_address: arrival.arrive_address.map(|sig| sig.doc("Destination of the packet.")),
        arrive_port: arrival.arrive_port.map(|sig| sig.doc("Lowest field of the packet's route.")),
        ..arrival
    }
}

#[kernel]
impl InputUnit {
    fn update(&mut self) {
        self.check_flit();
        self.read_header();
        self.find_multicast();
        self.encode();
        self.store();
        self.rewrite();
        self.hold();
        self.connect();
        self.spread();
        self.want_mixed();
        self.drops.tail_dropped.next = self.tail_dropped.val();
        self.drop_valid.next = self.drops.drop_valid.val();
        self.drop_count.next = self.drops.drop_count.val();
        self.raise_errors();
    }

    fn check_flit(&mut self) {
        self.check.rx_valid.next = self.rx.valid.val();
        self.check.rx_vc.next = self.rx.vc.val();
        self.check.rx_head.next = self.rx.head.val();
        self.check.rx_tail.next = self.rx.tail.val();
        self.check.almost_full.next = self.almost_full.val();
        self.check.full.next = self.full.val();
        if let Some(stored) = &mut self.stored {
            stored.next = self.check.store.val();
        }
    }

    /// The header has one flit, or several, or is a source route.
    fn read_header(&mut self) {
        self.stored_flit.next = self.rx.flit.val();
        self.malformed.next = false;
        self.arrival.arrive_vc.next = self.rx.vc.val();
        self.arrival.arrive.next = self.check.store.val().any() & self.check.store_head.val();
        if self.is_dragonfly {
            if let Some(header) = &mut self.arrival.arrive_address {
                header.next = unsigned_cast(self.rx.flit.val());
            }
        }
        if let (Some(address), Some(malformed)) = (&mut self.arrival.arrive_address, &mut self.arrival.arrive_malformed)
        {
            address.next = unsigned_cast(self.rx.flit.val());
            malformed.next = false;
            if let (Some(assembly), Some(number)) = (&mut self.assembly, &self.check.number) {
                assembly.store.next = self.check.store.val();
                assembly.number.next = number.val();
                assembly.last.next = self.check.store_tail.val();
                assembly.flit.next = self.rx.flit.val();
                self.arrival.arrive.next = assembly.arrive.val();
                self.malformed.next = assembly.arrive.val() & assembly.malformed.val();
                malformed.next = assembly.malformed.val();
                address.next = assembly.address.val();
            }
        }
        if let (Some(shift), Some(port)) = (&mut self.shift, &mut self.arrival.arrive_port) {
            shift.flit.next = self.rx.flit.val();
            shift.head.next = self.check.store_head.val();
            self.stored_flit.next = shift.stored.val();
            port.next = shift.port.val();
        }
    }

    /// The multicast bit is on the mixed VC only, in headers that are complete. A multicast packet's list of ports
    /// stays as it came.
    fn find_multicast(&mut self) {
        if let (Some(header), Some(whole)) = (&mut self.header, &mut self.whole_header) {
            whole.next = unsigned_cast(self.rx.flit.val());
            if let Some(assembly) = &self.assembly {
                whole.next = assembly.address.val();
            }
            if let Some(number) = &mut header.number {
                number.next = whole.val() >> self.number_field.val();
            }
            header.mark.next = whole.val().get_bit(self.mark_bit);
            header.on_mixed.next = self.rx.vc.val() == self.mixed;
            if let (Some(address), Some(malformed)) =
                (&mut self.arrival.arrive_address, &mut self.arrival.arrive_malformed)
            {
                address.next = whole.val().replace_bit(self.mark_bit, header.multicast.val() & !self.malformed.val());
                malformed.next = self.malformed.val() | header.unknown.val();
            }
            if let (Some(shift), Some(multicast), Some(group), Some(unknown)) = (
                &mut self.shift,
                &mut self.arrival.arrive_multicast,
                &mut self.arrival.arrive_group,
                &mut self.arrival.arrive_unknown,
            ) {
                multicast.next = header.multicast.val();
                group.next = whole.val() >> self.group_field.val();
                unknown.next = header.unknown.val();
                shift.head.next = self.check.store_head.val() & !header.multicast.val() & !header.unknown.val();
            }
        }
    }

    /// The code word of the arriving flit.
    fn encode(&mut self) {
        if let (Some(encoder), Some(data), Some(coded), Some(bad)) =
            (&mut self.encoder, &mut self.data, &mut self.coded, &self.rx.bad)
        {
            data.next = unsigned_cast(self.stored_flit.val());
            data.set(self.flit_bits, bad.val());
            encoder.word.next = data.val();
            coded.next = unsigned_cast(data.val());
            coded.set(self.check_place, encoder.check.val());
            if let Some(flip) = &self.flip {
                coded.next = coded.val() ^ flip.val();
            }
        }
    }

    /// Buffers and their credit.
    fn store(&mut self) {
        self.almost_full.next = 0.into();
        self.full.next = 0.into();
        self.front_valid.next = 0.into();
        self.front_ending.next = 0.into();
        for v in 0..self.vcs {
            self.buffer[v].push.next = self.check.store.val().get_bit(v);
            if let Some(push_head) = &mut self.buffer[v].push_head {
                push_head.next = self.check.store_head.val();
            }
            self.buffer[v].push_tail.next = self.check.store_tail.val();
            if let Some(coded) = &self.coded {
                self.buffer[v].push_flit.next = coded.val();
            } else {
                self.buffer[v].push_flit.next = self.stored_flit.val();
            }
            self.buffer[v].pop.next = self.connection[v].pop.val();
            self.almost_full.set(v, self.buffer[v].almost_full.val());
            self.full.set(v, self.buffer[v].full.val());
            self.front_valid.set(v, self.buffer[v].front_valid.val());
            self.front_ending.set(v, self.buffer[v].ending.val());
            self.beat[v].next = 0.into();
            self.beat[v].set(0, self.buffer[v].front_flit.val());
            self.beat[v].set(self.stored_bits, self.buffer[v].front_tail.val());
            self.beat[v].set(self.stored_bits + 1, self.buffer[v].front_head.val());
            self.credit_report[v].popped.next = self.connection[v].pop.val();
            self.credit_report[v].discarded.next = self.check.discard.val().get_bit(v);
            self.rx_credit_valid[v].next = self.credit_report[v].credit_valid.val();
            self.rx_credit[v].next = self.credit_report[v].credit.val();
        }
        for v in 0..self.minimal_report.len() {
            self.minimal_report[v].popped.next = self.connection[v].pop.val();
            self.minimal_report[v].head.next = self.buffer[v].front_head.val();
            self.minimal_report[v].minimal.next = self.buffer[v].front_flit.val().get_bit(self.minimal_low);
            self.rx_min_credit[v].next = self.minimal_report[v].total.val();
        }
    }

    /// A head leaves with its new phase, mark and age, and with its new via if it gets one.
    fn rewrite(&mut self) {
        if let Some(departure) = &self.departure {
            if !departure.phase.is_empty() {
                for v in 0..self.vcs {
                    if self.buffer[v].front_head.val() {
                        self.beat[v].set(self.phase_low, departure.phase[v].val());
                    }
                }
            }
            for v in 0..departure.turned.len() {
                if self.buffer[v].front_head.val() {
                    self.beat[v].set(self.minimal_low, !departure.turned[v].val());
                    if self.counts_minimal {
                        self.beat[v].set(
                            self.minimal_low,
                            self.buffer[v].front_flit.val().get_bit(self.minimal_low) & !departure.turned[v].val(),
                        );
                    }
                }
            }
            for v in 0..departure.age.len() {
                if self.buffer[v].front_head.val() {
                    self.beat[v].set(self.age_low, departure.age[v].val());
                }
            }
            for v in 0..departure.via.len() {
                if self.buffer[v].front_head.val() & departure.via_set[v].val() {
                    self.beat[v].set(self.via_low, departure.via[v].val());
                }
            }
        }
        if let Some(active) = &mut self.active {
            active.next = 0.into();
            for v in 0..self.vcs {
                if let Some(is_active) = &self.connection[v].is_active {
                    active.set(v, is_active.val());
                }
            }
        }
    }

    /// What a barrier message or a full output queue holds is not ready.
    fn hold(&mut self) {
        self.ready.next = self.front_valid.val();
        self.ending.next = self.front_ending.val();
        if let (Some(held), Some(stays_held)) = (&mut self.held, &self.stays_held) {
            held.next = 0.into();
            for v in 0..self.vcs {
                self.message_next.link(&mut self.connection[v].message_next);
                if let Some(stays) = &mut self.connection[v].stays_held {
                    stays.next = stays_held.val().get_bit(v);
                }
                if let Some(one) = &self.connection[v].held {
                    held.set(v, one.val());
                }
            }
            for v in 0..self.full_next.len() {
                if let Some(full_next) = &mut self.connection[v].full_next {
                    full_next.next = self.full_next[v].val();
                }
            }
            self.ready.next = self.front_valid.val() & !held.val();
            self.ending.next = self.front_ending.val() & !held.val();
        }
    }

    fn connect(&mut self) {
        self.take.next = 0.into();
        self.tail_dropped.next = 0.into();
        for v in 0..self.vcs {
            self.connection[v].head_drop.next = self.head.drop.val().get_bit(v);
            self.connection[v].head_request.next = self.head.request[v].val();
            self.connection[v].ready.next = self.ready.val().get_bit(v);
            self.connection[v].ending.next = self.ending.val().get_bit(v);
            if let Some(ending_next) = &mut self.connection[v].ending_next {
                ending_next.next = self.buffer[v].ending_next.val();
            }
            if let (Some(one), Some(chosen)) = (&mut self.connection[v].chosen, &self.chosen) {
                one.next = chosen.val().get_bit(v);
            }
            self.connection[v].granted.next = self.granted.val().get_bit(v);
            self.request[v].next = self.connection[v].request.val();
            self.take.set(v, self.connection[v].take.val());
            self.tail_dropped.set(v, self.connection[v].tail_dropped.val());
        }
    }

    /// The fan-out of the mixed VC stands in front of its connection.
    fn spread(&mut self) {
        if let (Some(fan_out), Some(ports), Some(multicast), Some(group)) =
            (&mut self.fan_out, &mut self.multicast, &self.head.multicast, &self.head.group)
        {
            let mixed = &mut self.connection[self.mixed];
            fan_out.head_drop.next = self.head.drop.val().get_bit(self.mixed);
            fan_out.head_request.next = self.head.request[self.mixed].val();
            fan_out.head_multicast.next = multicast.val();
            fan_out.head_group.next = group.val();
            fan_out.start.next = ports.start.val();
            ports.table.link(&mut fan_out.table);
            ports.group_flip.link(&mut fan_out.flip);
            ports.group_parity.link(&mut fan_out.group_parity);
            ports.waiting.next = fan_out.waiting.val();
            ports.outputs.next = fan_out.outputs.val();
            ports.mixed_waiting.next = fan_out.request.val();
            mixed.head_drop.next = fan_out.drop_now.val();
            mixed.head_request.next = fan_out.request.val();
            if let (Some(start), Some(take_now), Some(follows), Some(may_connect)) =
                (&mut mixed.start, &mut mixed.take_now, &mut mixed.follows, &mixed.may_connect)
            {
                start.next = ports.start.val();
                take_now.next = fan_out.take_now.val();
                follows.next = fan_out.follows.val();
                fan_out.may_connect.next = may_connect.val();
                ports.may_connect.next = may_connect.val();
            }
            if let Some(outputs) = &mut mixed.outputs {
                outputs.next = 0.into();
                if fan_out.waiting.val() {
                    outputs.next = fan_out.outputs.val();
                }
            }
        }
    }

    /// Which outputs unicast packets wait for that leave on the mixed VC.
    fn want_mixed(&mut self) {
        if let (Some(ports), Some(leave_mixed), Some(fan_out)) = (&mut self.multicast, &self.leave_mixed, &self.fan_out)
        {
            ports.mixed_waiting.next = 0.into();
            if leave_mixed.val().get_bit(self.mixed) {
                ports.mixed_waiting.next = fan_out.request.val();
            }
            for v in 0..self.mixed {
                if leave_mixed.val().get_bit(v) {
                    ports.mixed_waiting.next = ports.mixed_waiting.val() | self.head.request[v].val();
                }
            }
        }
    }

    fn raise_errors(&mut self) {
        self.raise.next = 0.into();
        self.raise.set(0, self.check.error_vc.val());
        self.raise.set(1, self.check.error_framing.val());
        self.raise.set(2, self.check.error_overflow.val());
        self.raise.set(3, self.check.error_length.val() | self.malformed.val());
        self.errors.raise.next = self.raise.val();
        if let Some(raised) = &mut self.raised {
            raised.next = self.raise.val();
        }
        self.errors.clear.next = self.error_clear.val();
        self.error.vc.next = self.errors.flags.val().get_bit(0);
        self.error.framing.next = self.errors.flags.val().get_bit(1);
        self.error.overflow.next = self.errors.flags.val().get_bit(2);
        self.error.length.next = self.errors.flags.val().get_bit(3);
    }
}
