//! Input unit: one input port, from the pins to the crossbar.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `rx`, `rx_credit*`, `drop_*`, `error` | | pins of this port |
//! | `arrive*` | | to the route unit: a packet arrives at route computation |
//! | `head`, `take` | | from and to the route unit: results, and which are taken |
//! | `request`, `granted`, `chosen` | k x N, k, k | to and from the allocators |
//! | `message_next` | N | output o sends a barrier message in the next cycle, in which no flit is popped to it (with the barrier VC only) |
//! | `stays_held` | k | so does an output to which the VC is connected (with the barrier VC only) |
//! | `stored` | k | a flit of the VC is stored (with counters only) |
//! | `ready`, `ending` | k | the VC's buffer has a flit to pop; it is a tail |
//! | `beat` | k x (W + 2) | that flit for the crossbar: {head, tail, flit} |
//!
//! With the mixed VC:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive_address` | A + 1 | its highest bit is the mark of a multicast packet; `arrive_malformed` says, too, that there is no such group |
//! | `arrive_multicast`, `arrive_group`, `arrive_unknown` | 1, group bits, 1 | the same for source routing |
//! | `head.multicast`, `head.group` | 1, group bits | at the head of the mixed VC's route queue is a multicast packet's group |
//! | `leave_mixed` | k | the packet at the head of VC v leaves on the mixed VC (with `next_vc` only) |
//! | `own_port`, `write*`, `sweeping` | | group table, see [`fan_out`](crate::units::multicast::fan_out) |
//! | `waiting`, `outputs` | 1, N | a multicast packet waits for these outputs |
//! | `may_connect` | 1 | the mixed VC is not active or is finishing: it may start |
//! | `start` | 1 | it is connected to all its outputs |
//! | `mixed_waiting` | N | an output that a unicast packet at a head waits for, to leave on the mixed VC |
//!
//! Joins packet check, header (assembly or route shift), a buffer, a credit return and a connection for each VC, and the drop counter;
//! and the fan-out between the head of the mixed VC's route queue and its connection.
//!
//! Source: switch reference, sections 3, 5.2, 6, 7, 8.

use crate::parts::sticky_flags::{sticky_flags, StickyFlags};
use crate::rtl::prelude::*;
use crate::units::input::connection::{connection, Connection};
use crate::units::input::credit_return::{credit_return, CreditReturn};
use crate::units::input::drop_counter::{drop_counter, DropCounter};
use crate::units::input::header_assembly::{header_assembly, HeaderAssembly};
use crate::units::input::input_errors::{input_errors, InputErrors};
use crate::units::input::link_flit::{link_flit, LinkFlit};
use crate::units::input::packet_check::{packet_check, PacketCheck};
use crate::units::input::route_shift::{route_shift, RouteShift};
use crate::units::input::vc_buffer::{vc_buffer, VcBuffer};
use crate::units::multicast::fan_out::{fan_out, FanOut};
use crate::units::multicast::multicast_header::{header_bits, multicast_header, MulticastHeader};
use crate::units::route::route_head::RouteHead;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::LinkArbitration;
use railyard_spec::{RoutingShape, Shape};

/// One input port; see the head of this file.
#[block]
pub struct InputUnit {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub error_clear: Flag<In>,
    pub rx: LinkFlit<In>,
    pub rx_credit_valid: Vec<Flag<Out>>,
    pub rx_credit: Vec<Sig<Out>>,
    pub arrive: Flag<Out>,
    pub arrive_vc: Sig<Out>,
    pub arrive_malformed: Vec<Flag<Out>>,
    pub arrive_address: Vec<Sig<Out>>,
    pub arrive_port: Vec<Sig<Out>>,
    pub arrive_multicast: Vec<Flag<Out>>,
    pub arrive_group: Vec<Sig<Out>>,
    pub arrive_unknown: Vec<Flag<Out>>,
    pub head: RouteHead<In>,
    pub leave_mixed: Vec<Sig<In>>,
    pub take: Sig<Out>,
    pub own_port: Vec<Sig<In>>,
    pub write: Vec<Flag<In>>,
    pub write_group: Vec<Sig<In>>,
    pub write_entry: Vec<Sig<In>>,
    pub sweeping: Vec<Flag<Out>>,
    pub waiting: Vec<Flag<Out>>,
    pub outputs: Vec<Sig<Out>>,
    pub may_connect: Vec<Flag<Out>>,
    pub start: Vec<Flag<In>>,
    pub mixed_waiting: Vec<Sig<Out>>,
    pub request: Vec<Sig<Out>>,
    pub granted: Sig<In>,
    pub chosen: Vec<Sig<In>>,
    pub message_next: Vec<Sig<In>>,
    pub stays_held: Vec<Sig<In>>,
    pub ready: Sig<Out>,
    pub ending: Sig<Out>,
    pub beat: Vec<Sig<Out>>,
    pub drop_valid: Sig<Out>,
    pub drop_count: Sig<Out>,
    pub error: InputErrors<Out>,
    pub stored: Vec<Sig<Out>>,

    check: PacketCheck,
    assembly: Vec<HeaderAssembly>,
    shift: Vec<RouteShift>,
    header: Vec<MulticastHeader>,
    fan_out: Vec<FanOut>,
    buffer: Vec<VcBuffer>,
    credit_report: Vec<CreditReturn>,
    connection: Vec<Connection>,
    drops: DropCounter,
    errors: StickyFlags,

    stored_flit: Sig<Local>,
    almost_full: Sig<Local>,
    full: Sig<Local>,
    front_valid: Sig<Local>,
    front_ending: Sig<Local>,
    tail_dropped: Sig<Local>,
    held: Vec<Sig<Local>>,
    malformed: Flag<Local>,
    whole_header: Vec<Sig<Local>>,
    raise: Sig<Local>,

    vcs: Param,
    flit_bits: Param,
    ahead: Param,
    mixed_held: Param,
    mixed: Param,
    mark_bit: Param,
    numbers: Param,
    number_field: Field,
    group_field: Field,
    about: About,
}

/// One input port.
pub fn input_unit(shape: &Shape) -> InputUnit {
    let (n, k, w) = (shape.ports, shape.vcs, shape.flit_bits as usize);
    let (vc_bits, port_bits) = (shape.vc_bits as usize, shape.port_bits as usize);
    let flit_wise = usize::from(shape.link_arbitration == LinkArbitration::Flit);
    let (address_bits, shift) = match &shape.routing {
        RoutingShape::Table(table) => (Some(table.address_bits as usize), vec![]),
        RoutingShape::Algorithmic(algorithmic) => (Some(algorithmic.address_bits as usize), vec![]),
        RoutingShape::Source(source) => (None, vec![route_shift(shape, source)]),
    };
    let by_address = usize::from(address_bits.is_some());
    let header_bits = header_bits(shape, address_bits.unwrap_or(1));
    let assembly = if by_address == 1 && header_bits > w { vec![header_assembly(shape, header_bits)] } else { vec![] };
    let built = shape.multicast.as_ref();
    let mixed = usize::from(built.is_some());
    let barrier = usize::from(shape.barrier.is_some());
    let group_bits = built.map_or(1, |built| built.group_bits as usize);
    let number_bits = match &shape.routing {
        RoutingShape::Source(source) => source.route_bits as usize,
        _ => address_bits.unwrap_or(1),
    };
    let header: Vec<MulticastHeader> = built.map(|built| multicast_header(built, number_bits)).into_iter().collect();
    InputUnit {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        error_clear: flag().doc("clears the sticky error flags"),
        rx: link_flit(shape, "a flit arrives"),
        rx_credit_valid: many(k, || flag().doc("buffer space of VC v became free")),
        rx_credit: many(k, || sig(shape.credit_bits as usize).doc("credit report of VC v")),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_malformed: many(by_address, || flag().doc("it ended before its header did")),
        arrive_address: many(by_address, || sig(header_bits).doc("its destination")),
        arrive_port: many(1 - by_address, || sig(port_bits).doc("lowest field of its route")),
        arrive_multicast: many((1 - by_address) * mixed, || flag().doc("it is a multicast packet")),
        arrive_group: many((1 - by_address) * mixed, || sig(group_bits).doc("of this group")),
        arrive_unknown: many((1 - by_address) * mixed, || {
            flag().doc("it is a multicast packet of a group that does not exist")
        }),
        head: RouteHead {
            drop: sig(k).doc("at the head of the route queue of VC v is drop"),
            request: many(k, || sig(n).doc("or this output port, one-hot")),
            vc: Array::default(),
            routed: Array::default(),
            route: Array::default(),
            multicast: many(mixed, || flag().doc("of the mixed VC: or a multicast packet's result")),
            group: many(mixed, || sig(group_bits).doc("this group")),
        },
        leave_mixed: many(mixed * usize::from(shape.next_vc), || {
            sig(k).doc("the packet of VC v leaves on the mixed VC")
        }),
        take: sig(k).doc("the head of the route queue of VC v is taken"),
        own_port: many(mixed, || sig(port_bits).doc("this port")),
        write: many(mixed, || flag().doc("an entry of the group table is written")),
        write_group: many(mixed, || sig(group_bits).doc("that of this group")),
        write_entry: many(mixed, || sig(n + 1).doc("loopback, mask of outputs")),
        sweeping: many(mixed, || flag().doc("the group table is being emptied")),
        waiting: many(mixed, || flag().doc("a multicast packet waits for its outputs")),
        outputs: many(mixed, || sig(n).doc("these")),
        may_connect: many(mixed, || flag().doc("the mixed VC may be connected anew")),
        start: many(mixed, || flag().doc("the multicast packet is connected to all its outputs")),
        mixed_waiting: many(mixed, || sig(n).doc("a unicast packet waits for this output, to leave on the mixed VC")),
        request: many(k, || sig(n).doc("VC v asks for this output")),
        granted: sig(k).doc("an allocator connects VC v"),
        chosen: many(flit_wise, || sig(k).doc("the link arbiter lets VC v send")),
        message_next: many(barrier, || sig(n).doc("output o sends a barrier message in the next cycle")),
        stays_held: many(barrier, || sig(k).doc("so does an output to which VC v is connected")),
        ready: sig(k).doc("the buffer of VC v has a flit to pop"),
        ending: sig(k).doc("the buffer of VC v has a tail to pop"),
        beat: many(k, || sig(w + 2).doc("flit to pop of VC v: {head, tail, flit}")),
        drop_valid: sig(k).doc("a packet of VC v was dropped"),
        drop_count: sig(DROP_COUNT_BITS as usize).doc("packets dropped since reset"),
        error: input_errors(),
        stored: many(usize::from(shape.counter_bits.is_some()), || sig(k).doc("a flit of VC v is stored")),
        check: packet_check(shape),
        assembly,
        shift,
        numbers: param(header.iter().map(|header| header.number.len()).sum()),
        header,
        fan_out: built.map(|built| fan_out(shape, built)).into_iter().collect(),
        buffer: many(k, || vc_buffer(shape)),
        credit_report: many(k, || credit_return(shape)),
        connection: (0..k).map(|v| connection(shape, v)).collect(),
        drops: drop_counter(shape),
        errors: sticky_flags(4),
        stored_flit: sig(w).doc("the arriving flit as it is stored"),
        almost_full: sig(k).doc("the buffer of VC v has at most one free place"),
        full: sig(k).doc("the buffer of VC v has no free place"),
        front_valid: sig(k).doc("the buffer of VC v has a flit to pop"),
        front_ending: sig(k).doc("this flit is a tail"),
        tail_dropped: sig(k).doc("the tail of a packet of VC v is thrown away"),
        held: many(barrier, || sig(k).doc("an output of VC v sends a barrier message")),
        malformed: flag().doc("the packet ended before its header did"),
        whole_header: many(mixed, || sig(number_bits + 1).doc("header with the multicast bit, as it came")),
        raise: sig(4).doc("errors of this cycle: length, overflow, framing, vc"),
        vcs: param(k),
        flit_bits: param(w),
        ahead: param(1 - flit_wise),
        mixed_held: param(barrier * mixed),
        mixed: param(built.map_or(0, |built| built.vc)),
        mark_bit: param(number_bits),
        number_field: field(0, number_bits),
        group_field: field(0, group_bits),
        about: about("input_unit", "One input port, from the pins to the crossbar.")
            .param("ports", n)
            .param("vcs", k)
            .param("flit_bits", w)
            .param("max_flits", shape.max_flits as usize)
            .param("buffer_flits", shape.buffer_flits as usize)
            .param("header_flits", shape.header_flits() as usize),
    }
}

#[kernel]
impl InputUnit {
    fn update(&mut self) {
        // Packet check.
        self.check.rx_valid.next = self.rx.valid.val();
        self.check.rx_vc.next = self.rx.vc.val();
        self.check.rx_head.next = self.rx.head.val();
        self.check.rx_tail.next = self.rx.tail.val();
        self.check.almost_full.next = self.almost_full.val();
        self.check.full.next = self.full.val();

        for c in 0..self.stored.len() {
            self.stored[c].next = self.check.store.val();
        }

        // Header: one flit, several, or a source route.
        self.stored_flit.next = self.rx.flit.val();
        self.malformed.next = false;
        self.arrive_vc.next = self.rx.vc.val();
        self.arrive.next = self.check.store.val().any() & self.check.store_head.val();
        for a in 0..self.arrive_address.len() {
            self.arrive_address[a].next = unsigned_cast(self.rx.flit.val());
            self.arrive_malformed[a].next = false;
        }
        for h in 0..self.assembly.len() {
            self.assembly[h].store.next = self.check.store.val();
            self.assembly[h].number.next = self.check.number[h].val();
            self.assembly[h].last.next = self.check.store_tail.val();
            self.assembly[h].flit.next = self.rx.flit.val();
            self.arrive.next = self.assembly[h].arrive.val();
            self.malformed.next = self.assembly[h].arrive.val() & self.assembly[h].malformed.val();
            self.arrive_malformed[h].next = self.assembly[h].malformed.val();
            self.arrive_address[h].next = self.assembly[h].address.val();
        }
        for s in 0..self.shift.len() {
            self.shift[s].flit.next = self.rx.flit.val();
            self.shift[s].head.next = self.check.store_head.val();
            self.stored_flit.next = self.shift[s].stored.val();
            self.arrive_port[s].next = self.shift[s].port.val();
        }

        // The multicast bit: on the mixed VC only, in headers that are complete. A multicast packet's list of ports stays as it came.
        for m in 0..self.header.len() {
            self.whole_header[m].next = unsigned_cast(self.rx.flit.val());
            for h in 0..self.assembly.len() {
                self.whole_header[m].next = self.assembly[h].address.val();
            }
            for n in 0..self.numbers.val() {
                self.header[m].number[n].next = self.whole_header[m].val() >> self.number_field.val();
            }
            self.header[m].mark.next = self.whole_header[m].val().get_bit(self.mark_bit.val());
            self.header[m].on_mixed.next = self.rx.vc.val() == self.mixed.val();
            for a in 0..self.arrive_address.len() {
                self.arrive_address[a].next = self.whole_header[m]
                    .val()
                    .replace_bit(self.mark_bit.val(), self.header[m].multicast.val() & !self.malformed.val());
                self.arrive_malformed[a].next = self.malformed.val() | self.header[m].unknown.val();
            }
            for s in 0..self.shift.len() {
                self.arrive_multicast[s].next = self.header[m].multicast.val();
                self.arrive_group[s].next = self.whole_header[m].val() >> self.group_field.val();
                self.arrive_unknown[s].next = self.header[m].unknown.val();
                self.shift[s].head.next =
                    self.check.store_head.val() & !self.header[m].multicast.val() & !self.header[m].unknown.val();
            }
        }

        // Buffers and their credit.
        self.almost_full.next = 0.into();
        self.full.next = 0.into();
        self.front_valid.next = 0.into();
        self.front_ending.next = 0.into();
        for v in 0..self.vcs.val() {
            self.buffer[v].push.next = self.check.store.val().get_bit(v);
            self.buffer[v].push_head.next = self.check.store_head.val();
            self.buffer[v].push_tail.next = self.check.store_tail.val();
            self.buffer[v].push_flit.next = self.stored_flit.val();
            self.buffer[v].pop.next = self.connection[v].pop.val();
            self.almost_full.next = self.almost_full.val().replace_bit(v, self.buffer[v].almost_full.val());
            self.full.next = self.full.val().replace_bit(v, self.buffer[v].full.val());
            self.front_valid.next = self.front_valid.val().replace_bit(v, self.buffer[v].front_valid.val());
            self.front_ending.next = self.front_ending.val().replace_bit(v, self.buffer[v].ending.val());
            self.beat[v].next = 0.into();
            self.beat[v].next = self.beat[v].val().replace_bit(0, self.buffer[v].front_flit.val());
            self.beat[v].next = self.beat[v].val().replace_bit(self.flit_bits.val(), self.buffer[v].front_tail.val());
            self.beat[v].next =
                self.beat[v].val().replace_bit(self.flit_bits.val() + 1, self.buffer[v].front_head.val());
            self.credit_report[v].popped.next = self.connection[v].pop.val();
            self.credit_report[v].discarded.next = self.check.discard.val().get_bit(v);
            self.rx_credit_valid[v].next = self.credit_report[v].credit_valid.val();
            self.rx_credit[v].next = self.credit_report[v].credit.val();
        }

        // Connections.
        self.ready.next = self.front_valid.val();
        self.ending.next = self.front_ending.val();
        for h in 0..self.held.len() {
            self.held[h].next = 0.into();
            for v in 0..self.vcs.val() {
                self.connection[v].message_next[h].next = self.message_next[h].val();
                self.connection[v].stays_held[h].next = self.stays_held[h].val().get_bit(v);
                self.held[h].next = self.held[h].val().replace_bit(v, self.connection[v].held[h].val());
            }
            self.ready.next = self.front_valid.val() & !self.held[h].val();
            self.ending.next = self.front_ending.val() & !self.held[h].val();
        }
        self.take.next = 0.into();
        self.tail_dropped.next = 0.into();
        for v in 0..self.vcs.val() {
            self.connection[v].head_drop.next = self.head.drop.val().get_bit(v);
            self.connection[v].head_request.next = self.head.request[v].val();
            self.connection[v].ready.next = self.ready.val().get_bit(v);
            self.connection[v].ending.next = self.ending.val().get_bit(v);
            for a in 0..self.ahead.val() {
                self.connection[v].ending_next[a].next = self.buffer[v].ending_next.val();
            }
            self.connection[v].granted.next = self.granted.val().get_bit(v);
            self.request[v].next = self.connection[v].request.val();
            self.take.next = self.take.val().replace_bit(v, self.connection[v].take.val());
            self.tail_dropped.next = self.tail_dropped.val().replace_bit(v, self.connection[v].tail_dropped.val());
        }

        // Fan-out of the mixed VC, in front of its connection.
        for m in 0..self.fan_out.len() {
            self.fan_out[m].head_drop.next = self.head.drop.val().get_bit(self.mixed.val());
            self.fan_out[m].head_request.next = self.head.request[self.mixed.val()].val();
            self.fan_out[m].head_multicast.next = self.head.multicast[m].val();
            self.fan_out[m].head_group.next = self.head.group[m].val();
            self.fan_out[m].may_connect.next = self.connection[self.mixed.val()].may_connect[m].val();
            self.fan_out[m].start.next = self.start[m].val();
            self.connection[self.mixed.val()].start[m].next = self.start[m].val();
            self.connection[self.mixed.val()].take_now[m].next = self.fan_out[m].take_now.val();
            self.connection[self.mixed.val()].follows[m].next = self.fan_out[m].follows.val();
            self.fan_out[m].own_port.next = self.own_port[m].val();
            self.fan_out[m].write.next = self.write[m].val();
            self.fan_out[m].write_group.next = self.write_group[m].val();
            self.fan_out[m].write_entry.next = self.write_entry[m].val();
            self.connection[self.mixed.val()].head_drop.next = self.fan_out[m].drop_now.val();
            self.connection[self.mixed.val()].head_request.next = self.fan_out[m].request.val();
            self.sweeping[m].next = self.fan_out[m].sweeping.val();
            self.waiting[m].next = self.fan_out[m].waiting.val();
            self.outputs[m].next = self.fan_out[m].outputs.val();
            self.may_connect[m].next = self.connection[self.mixed.val()].may_connect[m].val();
            self.mixed_waiting[m].next = self.fan_out[m].request.val();
        }
        for l in 0..self.leave_mixed.len() {
            self.mixed_waiting[l].next = 0.into();
            if self.leave_mixed[l].val().get_bit(self.mixed.val()) {
                self.mixed_waiting[l].next = self.fan_out[l].request.val();
            }
            for v in 0..self.mixed.val() {
                if self.leave_mixed[l].val().get_bit(v) {
                    self.mixed_waiting[l].next = self.mixed_waiting[l].val() | self.head.request[v].val();
                }
            }
        }
        for h in 0..self.mixed_held.val() {
            self.connection[self.mixed.val()].outputs[h].next = 0.into();
            if self.fan_out[h].waiting.val() {
                self.connection[self.mixed.val()].outputs[h].next = self.fan_out[h].outputs.val();
            }
        }
        for c in 0..self.chosen.len() {
            for v in 0..self.vcs.val() {
                self.connection[v].chosen[c].next = self.chosen[c].val().get_bit(v);
            }
        }
        self.drops.tail_dropped.next = self.tail_dropped.val();
        self.drop_valid.next = self.drops.drop_valid.val();
        self.drop_count.next = self.drops.drop_count.val();

        // Errors.
        self.raise.next = 0.into();
        self.raise.next = self.raise.val().replace_bit(0, self.check.error_vc.val());
        self.raise.next = self.raise.val().replace_bit(1, self.check.error_framing.val());
        self.raise.next = self.raise.val().replace_bit(2, self.check.error_overflow.val());
        self.raise.next = self.raise.val().replace_bit(3, self.check.error_length.val() | self.malformed.val());
        self.errors.raise.next = self.raise.val();
        self.errors.clear.next = self.error_clear.val();
        self.error.vc.next = self.errors.flags.val().get_bit(0);
        self.error.framing.next = self.errors.flags.val().get_bit(1);
        self.error.overflow.next = self.errors.flags.val().get_bit(2);
        self.error.length.next = self.errors.flags.val().get_bit(3);
    }
}
