//! The switch: wires the units together and runs them in an order in which each reads what it must see of this cycle.
//!
//! Every unit's state is that at the start of the cycle until its own part of [`Switch::step`] runs; where two units
//! share state, the reader runs first. Source: switch reference, all sections.

mod allocation;
mod barriers;
mod control;
mod dragonfly;
mod events;
mod levels;
mod lookups;
mod output_queues;
mod own_blocks;
mod routes;

use self::dragonfly::Dragonfly;
use crate::allocate::allocator::Allocator;
use crate::barrier::barrier_unit::BarrierUnit;
use crate::bits::{ones, ones_below, MAX_PORTS};
use crate::counters::event_counters::{EventCounters, VcEvent};
use crate::input::credit_return::CreditReturn;
use crate::input::input_unit::{FlitErrors, HeaderArrival, InputUnit};
use crate::input::vc_buffer::FlitMarks;
use crate::multicast::multicast_unit::MulticastUnit;
use crate::output::credit_counter::Credits;
use crate::output::crossbar::{Crossbar, Grants};
use crate::output::min_credits::MinCredits;
use crate::output::output_queues::OutputQueues;
use crate::output::output_unit::OutputUnits;
use crate::output::protection::{beside, Protection};
use crate::pins::{Inputs, Outputs};
use crate::registers::apb_registers::Registers;
use crate::registers::event_registers::EventRegisters;
use crate::route::algorithmic_route::AlgorithmicRoutes;
use crate::route::cache_index::CacheIndex;
use crate::route::cam_port::CamPort;
use crate::route::forwarding_table::ForwardingTable;
use crate::route::output_selection::OutputSelection;
use crate::route::route_queue::{PacketRoute, RouteQueue};
use crate::route::route_unit::{lookup_latency, RouteUnit, CYCLES};
use crate::statistics::PortCounters;
use railyard_spec::{Crossbar as CrossbarKind, LinkArbitration, Shape};
use std::ops::Range;

/// A switch, cycle-exact at its pins.
///
/// [`Switch::outputs`] are those of the current cycle; [`Switch::step`] takes the inputs of the current cycle and goes
/// on to the next. A new switch is in the state of the cycle after a reset.
#[derive(Clone, Debug)]
pub struct Switch {
    shape: Shape,
    now: u64,
    inputs: Vec<InputUnit>,
    /// The packet that arrives at each port's route computation in this cycle.
    arrivals: [Option<HeaderArrival>; MAX_PORTS],
    index: Option<CacheIndex>,
    /// Table routing only.
    route_units: Vec<RouteUnit>,
    /// Algorithmic routing only.
    algorithmic: Option<AlgorithmicRoutes>,
    /// Dragonfly routing only.
    dragonfly: Option<Box<Dragonfly>>,
    registers: Registers,
    has_registers: bool,
    /// The cycles of the caches' last sweep.
    sweep: Range<u64>,
    cam: CamPort,
    forwarding_table: Option<ForwardingTable>,
    route_queues: Vec<RouteQueue>,
    /// For each port, the VCs whose route queue has a pending head.
    pending: [u16; MAX_PORTS],
    /// For each port, the VCs whose route queue waits to load its head from the queue.
    refilling: [u16; MAX_PORTS],
    /// Ports whose route computation has something to do in this cycle even if nothing arrives and nothing is taken.
    routing: u64,
    /// Ports where an operation resolves in cycle t, at `t % CYCLES`.
    resolving: [u64; CYCLES],
    /// Cycles from issue to resolving.
    lookup_latency: u64,
    /// Ports whose fills of this cycle are stored with a wrong bit.
    cache_flips: u64,
    selection: Option<OutputSelection>,
    allocator: Allocator,
    multicast: Option<Box<MulticastUnit>>,
    barrier: Option<Box<BarrierUnit>>,
    /// That of barriers and of messages between routers.
    control_vc: Option<usize>,
    crossbar: Crossbar,
    grants: Grants,
    output_units: OutputUnits,
    /// In the place of the output units, if they are built.
    output_queues: Option<Box<OutputQueues>>,
    /// With error correction of the buffers.
    protection: Option<Box<Protection>>,
    credit_return: CreditReturn,
    credits: Credits,
    min_credits: Option<Box<MinCredits>>,
    out: Outputs,
    counters: Vec<PortCounters>,
    event_counters: Option<EventCounters>,
    events: Option<EventRegisters>,
}

impl Switch {
    /// A switch of that shape, which must come from a checked configuration.
    pub fn new(shape: &Shape) -> Self {
        assert!(
            shape.crossbar == CrossbarKind::Parallel || shape.link_arbitration == LinkArbitration::Packet,
            "flit-wise link arbitration needs the parallel crossbar"
        );
        let (n, k, now) = (shape.ports, shape.vcs, 0);
        let table = shape.table();
        let groups = shape.multicast.map_or(0, |built| built.groups as u64);
        let registers = Registers::new(shape);
        let route_unit = |t| (0..n).map(|_| RouteUnit::new(t, shape, now)).collect();
        Switch {
            now,
            inputs: (0..n).map(|port| InputUnit::new(&shape.at_port(port))).collect(),
            arrivals: [None; MAX_PORTS],
            route_units: table.map_or(Vec::new(), route_unit),
            algorithmic: shape.algorithmic().map(|a| AlgorithmicRoutes::new(a, groups)),
            dragonfly: Dragonfly::new(shape),
            has_registers: registers.exist(),
            registers,
            sweep: now..now + sweep_length(shape),
            cam: CamPort::new(shape),
            forwarding_table: table.and_then(|t| ForwardingTable::new(t, now)),
            route_queues: (0..n * k).map(|element| RouteQueue::new(shape.depth_at(element / k) as usize)).collect(),
            pending: [0; MAX_PORTS],
            refilling: [0; MAX_PORTS],
            routing: 0,
            resolving: [0; CYCLES],
            lookup_latency: table.map_or(0, lookup_latency),
            cache_flips: 0,
            selection: OutputSelection::new(shape),
            allocator: Allocator::new(shape),
            multicast: MulticastUnit::new(shape, now),
            barrier: BarrierUnit::new(shape, now),
            control_vc: shape.control_vc(),
            crossbar: Crossbar::new(shape),
            grants: Grants::default(),
            output_units: OutputUnits::new(shape),
            output_queues: OutputQueues::new(shape),
            protection: Protection::new(shape),
            credit_return: CreditReturn::new(shape),
            credits: Credits::new(shape),
            min_credits: MinCredits::new(shape),
            out: Outputs::new(shape),
            counters: vec![PortCounters::default(); n],
            event_counters: EventCounters::new(shape),
            events: EventRegisters::new(shape),
            index: table.and_then(CacheIndex::new),
            shape: shape.clone(),
        }
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of the current cycle: steps since the switch was made.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The output pins in the current cycle.
    #[inline]
    pub fn outputs(&self) -> &Outputs {
        &self.out
    }

    /// Events of each port since the last [`Switch::clear_counters`].
    pub fn counters(&self) -> &[PortCounters] {
        &self.counters
    }

    /// All counters to 0.
    pub fn clear_counters(&mut self) {
        self.counters.fill(PortCounters::default());
    }

    /// Flits in the buffer of (port, VC).
    pub fn occupancy(&self, port: usize, vc: usize) -> u32 {
        let input = &self.inputs[port];
        if vc < input.vcs() {
            input.buffer(vc).occupancy()
        } else {
            0
        }
    }

    /// Free places of the next buffer of (output, VC), as far as known.
    pub fn available(&self, output: usize, vc: usize) -> i32 {
        self.credits.available(output * self.shape.vcs + vc)
    }

    /// Whether no flit, lookup, CAM request or barrier message is left inside. Flits at the output pins have left.
    pub fn is_idle(&self) -> bool {
        self.crossbar.is_idle()
            && self.output_queues.as_ref().is_none_or(|queues| queues.is_idle())
            && self.cam.is_idle()
            && !self.out.cam_request_valid
            && self.protection.as_ref().is_none_or(|p| p.registers.tx_valid == 0)
            && self.forwarding_table.as_ref().is_none_or(|t| t.is_idle())
            && self.route_units.iter().all(|u| u.is_idle())
            && self.algorithmic.as_ref().is_none_or(|a| a.is_idle())
            && self.barrier.as_ref().is_none_or(|b| b.is_idle())
            && self.inputs.iter().all(|i| (0..i.vcs()).all(|v| i.buffer(v).occupancy() == 0))
    }

    /// Whether the state does not change, but for the number of the cycle, for as long as nothing comes to the input
    /// pins: all is idle, and nothing is at the output pins. Barriers have time-outs, so that a switch with them is
    /// never at rest.
    pub fn is_at_rest(&self) -> bool {
        // A Dragonfly's draws and ticks go on.
        self.barrier.is_none()
            && self.dragonfly.is_none()
            && self.out.tx_valid == 0
            && !self.out.rx_credit_valid.any()
            && !self.out.drop_valid.any()
            && self.now > self.sweep.end
            && self.bulletin_is_free()
            && self.is_idle()
    }

    /// So many cycles in which nothing comes to the input pins, of a switch at rest.
    pub fn rest(&mut self, cycles: u64) {
        debug_assert!(self.is_at_rest());
        self.now += cycles;
    }

    /// Whether no output is wanted or taken off the bulletin by a multicast packet.
    pub fn bulletin_is_free(&self) -> bool {
        self.multicast.as_ref().is_none_or(|multicast| multicast.is_idle())
    }

    /// Leaves in a port's routing cache what a lookup of an address does, once it is answered with that route, but
    /// takes no time: so a cache can be as it is after long traffic. No hardware does that. Whether the cache had the
    /// route; none without a cache.
    pub fn warm_cache(&mut self, port: usize, address: u64, route: PacketRoute) -> Option<bool> {
        self.route_units.get_mut(port)?.warm(self.now, address, route, self.index.as_ref())
    }

    /// Lets the next step look at every port, also at those where nothing happens: slower, with the same outcome.
    pub fn look_everywhere(&mut self) {
        self.routing = ones_below(self.shape.ports);
    }

    /// One cycle with those inputs.
    pub fn step(&mut self, pins: &Inputs) {
        if pins.reset {
            self.reset();
            return;
        }
        self.count_at_start(pins);
        self.note_pins();
        self.credit_return.begin(&mut self.out.rx_credit_valid, &mut self.out.rx_credit);
        if pins.error_clear {
            self.clear_errors();
        }
        self.cache_flips = pins.flipping_ports();
        let arriving = if pins.rx_valid != 0 { self.receive(pins) } else { 0 };
        match self.output_queues {
            None => self.traverse(),
            Some(_) => self.traverse_queues(),
        }
        self.drop_flits();
        self.sense();
        let taken = self.allocate(pins);
        let offers = self.cam.offers();
        let taken = self.select_outputs(arriving, taken);
        self.compute_routes(arriving, taken);
        self.look_up(pins, offers);
        self.count_credits(pins);
        self.look_at_links();
        self.access_registers(pins);
        self.synchronize();
        self.tell_routers();
        self.keep_events(pins);
        self.end_counting();
        self.now += 1;
    }

    /// Sections 3 and 7: arriving flits. Gives the ports at whose route computation a packet arrives.
    #[inline]
    fn receive(&mut self, pins: &Inputs) -> u64 {
        let (k, words) = (self.shape.vcs, pins.words);
        let mut arriving = 0;
        for port in ones(pins.rx_valid) {
            let marks = FlitMarks { head: pins.rx_head >> port & 1 == 1, tail: pins.rx_tail >> port & 1 == 1 };
            let flit = &pins.rx_flit[port * words..(port + 1) * words];
            let vc = pins.rx_vc[port];
            if self.control_vc == Some(vc as usize) {
                self.receive_message(port, pins);
                continue;
            }
            let received = self.inputs[port].receive_beside(self.now, vc, marks, flit, beside(pins, port));
            let counters = &mut self.counters[port];
            counters.flits_in += 1;
            if received.arrival.is_some() {
                arriving |= 1 << port;
                counters.packets_in += 1;
                self.arrivals[port] = received.arrival;
            }
            if received.discarded {
                counters.flits_refused += 1;
                let element = port * k + vc as usize;
                self.credit_return.free(element, &mut self.out.rx_credit_valid, &mut self.out.rx_credit);
            }
            let faults = received.faults;
            if let Some(counters) = &mut self.event_counters {
                let stored = !received.discarded && !faults.has(FlitErrors::VC);
                if stored {
                    counters.vc_event(VcEvent::RxFlits, vc as usize, 1 << port);
                }
                if let Some(arrival) = received.arrival {
                    counters.vc_event(VcEvent::RxPackets, arrival.vc as usize, 1 << port);
                }
            }
            if !faults.is_empty() {
                counters.flits_refused += faults.has(FlitErrors::VC) as u64;
                self.raise_input_faults(port, faults);
            }
        }
        arriving
    }

    /// Sections 6 and 11: messages, and beside them flits through the crossbar, into the output registers.
    #[inline]
    fn traverse(&mut self) {
        let k = self.shape.vcs;
        let held = self.held_outputs();
        let (counters, back, min_credits) = (&mut self.counters, &self.credit_return, &mut self.min_credits);
        let registers = match &mut self.protection {
            None => &mut self.out,
            Some(protection) => protection.begin(&mut self.out),
        };
        self.output_units.traverse(self.now, held, &mut self.inputs, &mut self.crossbar, registers, |out, sent| {
            counters[sent.output].flits_out += 1;
            counters[sent.output].packets_out += sent.tail as u64;
            if !sent.copy {
                let element = sent.from.input as usize * k + sent.from.vc as usize;
                back.free(element, &mut out.rx_credit_valid, &mut out.rx_credit);
                if let Some(min_credits) = min_credits {
                    let (input, is_head) = (sent.from.input as usize, out.tx_head >> sent.output & 1 == 1);
                    let flit = &out.tx_flit[sent.output * out.words..(sent.output + 1) * out.words];
                    min_credits.popped(input, sent.from.vc as usize, is_head, flit, &mut out.rx_min_credit);
                }
            }
        });
        self.rewrite_heads();
        self.leave_messages();
    }

    /// Messages go into the output registers beside flits.
    #[inline]
    fn leave_messages(&mut self) {
        let registers = match &mut self.protection {
            None => &mut self.out,
            Some(protection) => protection.end(&mut self.out),
        };
        if let Some(barrier) = &self.barrier {
            barrier.leave(registers);
        }
        let messages = self.dragonfly.as_ref().and_then(|dragonfly| dragonfly.messages.as_deref());
        if let Some(messages) = messages {
            messages.leave(registers);
        }
    }

    /// Section 6: flits of packets without a route.
    #[inline]
    fn drop_flits(&mut self) {
        let k = self.shape.vcs;
        self.out.drop_valid.clear();
        for vc in 0..k {
            for port in ones(self.crossbar.dropping(vc)) {
                let Some(marks) = self.discard(port, vc) else { continue };
                let element = port * k + vc;
                self.credit_return.free(element, &mut self.out.rx_credit_valid, &mut self.out.rx_credit);
                self.counters[port].flits_dropped += 1;
                if marks.tail {
                    self.crossbar.finish_drop(port, vc);
                    self.out.drop_valid.set(element);
                    self.out.drop_count[port] = self.out.drop_count[port].wrapping_add(1);
                    self.counters[port].packets_dropped += 1;
                }
            }
        }
    }

    /// Pops a flit of (port, VC) that is dropped, if one can be popped.
    #[inline]
    fn discard(&mut self, port: usize, vc: usize) -> Option<FlitMarks> {
        let buffer = self.inputs[port].buffer_mut(vc);
        let Some(min_credits) = &mut self.min_credits else { return buffer.discard(self.now) };
        let (FlitMarks { head, .. }, flit) = buffer.front(self.now)?;
        min_credits.popped(port, vc, head, flit, &mut self.out.rx_min_credit);
        buffer.discard(self.now)
    }

    /// Section 7: credit reports of the next buffers, and flits sent to them.
    #[inline]
    fn count_credits(&mut self, pins: &Inputs) {
        let k = self.shape.vcs;
        pins.tx_credit_valid.each(|element| {
            let is_built = element % k < self.inputs[element / k].vcs();
            if is_built && !self.credits.report(element, self.now, pins.tx_credit[element] as u32) {
                self.raise_credit_fault(element / k);
            }
        });
        let held = self.held_outputs();
        let registers = self.protection.as_ref().map_or(&self.out, |protection| &protection.registers);
        for output in ones(registers.tx_valid & !held) {
            self.credits.sent(output * k + registers.tx_vc[output] as usize);
        }
        self.promise_room(held);
        if let Some(min_credits) = &mut self.min_credits {
            min_credits.step(pins, &self.out);
        }
    }

    /// A cycle with reset.
    fn reset(&mut self) {
        self.now += 1;
        for input in &mut self.inputs {
            input.reset();
        }
        for unit in &mut self.route_units {
            unit.reset(self.now);
        }
        if let Some(algorithmic) = &mut self.algorithmic {
            algorithmic.reset();
        }
        if let Some(dragonfly) = &mut self.dragonfly {
            dragonfly.reset(&self.shape);
        }
        if self.has_registers {
            self.registers.reset();
        }
        if let Some(index) = &mut self.index {
            index.set_up(self.registers.settings());
        }
        self.sweep = self.now..self.now + sweep_length(&self.shape);
        for queue in &mut self.route_queues {
            queue.clear();
        }
        self.cam.reset();
        if let Some(table) = &mut self.forwarding_table {
            table.reset(self.now);
        }
        if let Some(counters) = &mut self.event_counters {
            counters.reset();
        }
        if let Some(events) = &mut self.events {
            events.reset();
        }
        self.pending = [0; MAX_PORTS];
        self.refilling = [0; MAX_PORTS];
        self.routing = 0;
        self.resolving = [0; CYCLES];
        if let Some(selection) = &mut self.selection {
            selection.reset();
        }
        self.allocator.reset(&self.shape);
        if let Some(multicast) = &mut self.multicast {
            multicast.reset(self.now);
        }
        if let Some(barrier) = &mut self.barrier {
            barrier.reset(&self.shape, self.now);
        }
        self.crossbar.reset();
        self.grants.clear();
        self.output_units.reset();
        if let Some(queues) = &mut self.output_queues {
            queues.reset(&self.shape);
        }
        if let Some(protection) = &mut self.protection {
            protection.reset();
        }
        self.credits.reset();
        if let Some(min_credits) = &mut self.min_credits {
            min_credits.reset();
        }
        self.out.reset();
    }
}

/// Cycles for which the caches sweep.
fn sweep_length(shape: &Shape) -> u64 {
    shape.table().and_then(|t| t.cache.as_ref()).map_or(0, |cache| cache.sets as u64 + 1)
}
