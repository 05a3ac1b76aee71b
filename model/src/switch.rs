//! The switch: wires the units together and runs them in an order in which each reads what it must see of this cycle.
//!
//! Every unit's state is that at the start of the cycle until its own part of [`Switch::step`] runs; where two units
//! share state, the reader runs first. Source: switch reference, all sections.

use crate::algorithmic::AlgorithmicRoutes;
use crate::allocator::Allocator;
use crate::bits::{ones, ones_below, MAX_PORTS, MAX_VCS};
use crate::cache_index::CacheIndex;
use crate::cam_port::{CamPort, CamResponse};
use crate::counters::PortCounters;
use crate::credits::{CreditReturn, Credits};
use crate::crossbar::{Crossbar, Grants};
use crate::input_unit::{Arrival, Faults, InputUnit};
use crate::output_selection::OutputSelection;
use crate::output_unit::OutputUnits;
use crate::pins::{Inputs, Outputs};
use crate::registers::Registers;
use crate::route_queue::{Route, RouteQueue, RouteResult};
use crate::route_unit::{lookup_latency, Operation, Outcome, RouteUnit, CYCLES};
use crate::vc_buffer::Marks;
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
    arrivals: [Option<Arrival>; MAX_PORTS],
    index: Option<CacheIndex>,
    /// Table routing only.
    route_units: Vec<RouteUnit>,
    /// Algorithmic routing only.
    algorithmic: Option<AlgorithmicRoutes>,
    registers: Registers,
    has_registers: bool,
    /// The cycles of the caches' last sweep.
    sweep: Range<u64>,
    cam: CamPort,
    route_queues: Vec<RouteQueue>,
    /// For each port, the VCs whose route queue has a pending head.
    pending: [u8; MAX_PORTS],
    /// For each port, the VCs whose route queue waits to load its head from the queue.
    refilling: [u8; MAX_PORTS],
    /// Ports whose route computation has something to do in this cycle even if nothing arrives and nothing is taken.
    routing: u64,
    /// Ports where an operation resolves in cycle t, at `t % CYCLES`.
    resolving: [u64; CYCLES],
    /// Cycles from issue to resolving.
    lookup_latency: u64,
    selection: Option<OutputSelection>,
    allocator: Allocator,
    crossbar: Crossbar,
    grants: Grants,
    output_units: OutputUnits,
    credit_return: CreditReturn,
    credits: Credits,
    out: Outputs,
    counters: Vec<PortCounters>,
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
        let registers = Registers::new(shape);
        let route_unit = |t| (0..n).map(|_| RouteUnit::new(t, k, shape.buffer_flits, now)).collect();
        Switch {
            now,
            inputs: (0..n).map(|_| InputUnit::new(shape)).collect(),
            arrivals: [None; MAX_PORTS],
            route_units: table.map_or(Vec::new(), route_unit),
            algorithmic: shape.algorithmic().map(AlgorithmicRoutes::new),
            has_registers: registers.exist(),
            registers,
            sweep: now..now + sweep_length(shape),
            cam: CamPort::new(shape),
            route_queues: (0..n * k).map(|_| RouteQueue::new(shape.buffer_flits as usize)).collect(),
            pending: [0; MAX_PORTS],
            refilling: [0; MAX_PORTS],
            routing: 0,
            resolving: [0; CYCLES],
            lookup_latency: table.map_or(0, lookup_latency),
            selection: OutputSelection::new(shape),
            allocator: Allocator::new(shape),
            crossbar: Crossbar::new(shape),
            grants: Grants::default(),
            output_units: OutputUnits::new(shape),
            credit_return: CreditReturn::new(shape),
            credits: Credits::new(shape),
            out: Outputs::new(shape),
            counters: vec![PortCounters::default(); n],
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
        self.inputs[port].buffer(vc).occupancy()
    }

    /// Free places of the next buffer of (output, VC), as far as known.
    pub fn available(&self, output: usize, vc: usize) -> i32 {
        self.credits.available(output * self.shape.vcs + vc)
    }

    /// Whether no flit, lookup or CAM request is left inside. Flits at the output pins have left.
    pub fn is_idle(&self) -> bool {
        self.crossbar.is_idle()
            && self.cam.is_idle()
            && !self.out.cam_request_valid
            && self.route_units.iter().all(|u| u.is_idle())
            && self.algorithmic.as_ref().is_none_or(|a| a.is_idle())
            && self.inputs.iter().all(|i| (0..self.shape.vcs).all(|v| i.buffer(v).occupancy() == 0))
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
        self.credit_return.begin(&mut self.out.rx_credit_valid, &mut self.out.rx_credit);
        if pins.error_clear {
            self.clear_errors();
        }
        let arriving = if pins.rx_valid != 0 { self.receive(pins) } else { 0 };
        self.traverse();
        self.drop_flits();
        self.grants.clear();
        self.allocator.allocate(self.now, &self.crossbar, &self.credits, &mut self.grants);
        self.crossbar.connect(&self.grants);
        let offers = self.cam.offers();
        let taken = self.select_outputs(arriving);
        self.compute_routes(arriving, taken);
        self.cam_port(pins, offers);
        self.count_credits(pins);
        self.access_registers(pins);
        self.now += 1;
    }

    /// Sections 3 and 7: arriving flits. Gives the ports at whose route computation a packet arrives.
    #[inline]
    fn receive(&mut self, pins: &Inputs) -> u64 {
        let (k, words) = (self.shape.vcs, pins.words);
        let mut arriving = 0;
        for port in ones(pins.rx_valid) {
            let marks = Marks { head: pins.rx_head >> port & 1 == 1, tail: pins.rx_tail >> port & 1 == 1 };
            let flit = &pins.rx_flit[port * words..(port + 1) * words];
            let vc = pins.rx_vc[port];
            let received = self.inputs[port].receive(self.now, vc, marks, flit);
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
            if !faults.is_empty() {
                let bit = |fault| (faults.has(fault) as u64) << port;
                counters.flits_refused += faults.has(Faults::VC) as u64;
                self.out.error_vc |= bit(Faults::VC);
                self.out.error_framing |= bit(Faults::FRAMING);
                self.out.error_overflow |= bit(Faults::OVERFLOW);
                self.out.error_length |= bit(Faults::LENGTH);
            }
        }
        arriving
    }

    /// Section 6: flits through the crossbar into the output registers.
    #[inline]
    fn traverse(&mut self) {
        let k = self.shape.vcs;
        let (counters, back) = (&mut self.counters, &self.credit_return);
        // The credit pins are lent out to the closure, the others to the output units.
        let mut valid = self.out.rx_credit_valid;
        let mut credit = std::mem::take(&mut self.out.rx_credit);
        self.output_units.traverse(self.now, &mut self.inputs, &mut self.crossbar, &mut self.out, |sent| {
            counters[sent.output].flits_out += 1;
            counters[sent.output].packets_out += sent.tail as u64;
            back.free(sent.from.input as usize * k + sent.from.vc as usize, &mut valid, &mut credit);
        });
        self.out.rx_credit_valid = valid;
        self.out.rx_credit = credit;
    }

    /// Section 6: flits of packets without a route.
    #[inline]
    fn drop_flits(&mut self) {
        let k = self.shape.vcs;
        self.out.drop_valid.clear();
        for vc in 0..k {
            for port in ones(self.crossbar.dropping(vc)) {
                let Some(marks) = self.inputs[port].buffer_mut(vc).discard(self.now) else { continue };
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

    /// Section 5.1. Gives the mask over ports whose head register of VC v is taken, by the selection register or, without one,
    /// by the allocator.
    #[inline]
    fn select_outputs(&mut self, arriving: u64) -> [u64; MAX_VCS] {
        let Some(selection) = &mut self.selection else {
            return std::array::from_fn(|vc| self.grants.taken(vc));
        };
        let method = self.registers.links().method;
        for port in ones(arriving) {
            if let Some(Arrival { vc, address, .. }) = self.arrivals[port] {
                selection.arrive(port, vc as usize, address, method);
            }
        }
        selection.step(self.now, &self.grants, &self.registers, &self.credits, &mut self.allocator)
    }

    /// Sections 4 and 5: route computation and route queues of the ports where anything happens.
    #[inline]
    fn compute_routes(&mut self, arriving: u64, taken: [u64; MAX_VCS]) {
        self.out.lookup_hit = 0;
        self.out.lookup_miss = 0;
        let k = self.shape.vcs;
        let any_taken = taken[..k].iter().fold(0, |any, ports| any | ports);
        let resolving = std::mem::take(&mut self.resolving[self.now as usize % CYCLES]);
        let due =
            (self.algorithmic.as_mut()).map_or(0, |a| a.step(self.now, arriving, &self.arrivals, &self.registers));
        let lookups = arriving | resolving | self.routing | due;
        for port in ones(lookups | any_taken) {
            let mut answered = [None; MAX_VCS];
            let (mut pushed, mut touched) = (None, self.refilling[port]);
            let mut waiting = false;
            if lookups >> port & 1 == 1 {
                let arrival = if arriving >> port & 1 == 1 { self.arrivals[port] } else { None };
                if let Some(unit) = self.route_units.get_mut(port) {
                    let issued = unit.issue(self.now, arrival);
                    for vc in ones(self.pending[port] as u64) {
                        answered[vc] = unit.take_done(vc);
                        touched |= (answered[vc].is_some() as u8) << vc;
                    }
                    let at = (self.now + self.lookup_latency) as usize % CYCLES;
                    self.resolving[at] |= ((issued != Operation::None) as u64) << port;
                    let resolved = unit.resolve(self.now, issued, self.index.as_ref());
                    waiting = unit.is_waiting();
                    if let Some(resolved) = resolved {
                        pushed = Some((resolved.vc, resolved.result));
                        touched |= 1 << resolved.vc;
                        self.resolved(port, resolved.outcome);
                    }
                } else if let Some(algorithmic) = &mut self.algorithmic {
                    if due >> port & 1 == 1 {
                        let (vc, route) = algorithmic.result(self.now, port, &self.registers);
                        pushed = Some((vc, RouteResult::Known(route)));
                        touched |= 1 << vc;
                    }
                } else if let Some(Arrival { vc, address, .. }) = arrival {
                    let known = (address as usize) < self.shape.ports;
                    let route = if known { Route::Port(address as u8) } else { Route::Drop };
                    pushed = Some((vc as usize, RouteResult::Known(route)));
                    touched |= 1 << vc;
                }
            }
            for (vc, ports) in taken[..k].iter().enumerate() {
                touched |= ((ports >> port & 1) as u8) << vc;
            }
            for vc in ones(touched as u64) {
                let taken = taken[vc] >> port & 1 == 1;
                let result = pushed.filter(|p| p.0 == vc).map(|p| p.1);
                self.step_route_queue(port, vc, taken, result, answered[vc]);
            }
            waiting |= self.refilling[port] != 0;
            self.routing = self.routing & !(1 << port) | (waiting as u64) << port;
        }
    }

    #[inline]
    fn resolved(&mut self, port: usize, outcome: Outcome) {
        let counters = &mut self.counters[port];
        counters.lookups += 1;
        match outcome {
            Outcome::Malformed => {}
            Outcome::Hit => {
                self.out.lookup_hit |= 1 << port;
                counters.hits += 1;
            }
            Outcome::Miss { merged } => {
                self.out.lookup_miss |= 1 << port;
                counters.misses += 1;
                counters.merged += merged as u64;
                if !merged {
                    self.cam.offer(port);
                }
            }
        }
    }

    #[inline]
    fn step_route_queue(
        &mut self,
        port: usize,
        vc: usize,
        taken: bool,
        pushed: Option<RouteResult>,
        answered: Option<Route>,
    ) {
        let queue = &mut self.route_queues[port * self.shape.vcs + vc];
        let bit = 1u8 << vc;
        if queue.step(self.now, taken, pushed, answered) {
            let head = queue.head();
            match &mut self.selection {
                None => self.allocator.head_changed(port, vc, head),
                Some(selection) => selection.head_changed(port, vc, head),
            }
            let is_pending = head == Some(RouteResult::Pending);
            self.pending[port] = self.pending[port] & !bit | if is_pending { bit } else { 0 };
        }
        self.refilling[port] = self.refilling[port] & !bit | if queue.is_refilling() { bit } else { 0 };
    }

    /// Section 4.4: the CAM's pins. `offers` are the ports that offer a request in this cycle.
    #[inline]
    fn cam_port(&mut self, pins: &Inputs, offers: u64) {
        if self.route_units.is_empty() {
            return;
        }
        let (grouped, several) = (self.shape.link_aggregation.is_some(), self.shape.candidates > 1);
        let response = pins.cam_response_valid.then_some(CamResponse {
            tag: pins.cam_response_tag,
            hit: pins.cam_response_hit,
            port: pins.cam_response_port,
            vc: (self.shape.next_vc && pins.cam_response_vc_set).then_some(pins.cam_response_vc),
            group: (grouped && pins.cam_response_group_set).then_some(pins.cam_response_group),
            candidates: if several { pins.cam_response_candidates } else { 0 },
            candidate: pins.cam_response_candidate,
            in_order: pins.cam_response_in_order,
        });
        let answered = self.cam.answer(response, &mut self.route_units);
        if let Some(port) = answered.port {
            self.routing |= 1 << port;
        }
        self.out.error_cam |= answered.error;
        if !self.out.cam_request_valid || pins.cam_request_ready {
            let request = self.cam.load(offers, &mut self.route_units);
            self.out.cam_request_valid = request.is_some();
            if let Some(request) = request {
                self.out.cam_request_tag = request.tag;
                self.out.cam_request_address = request.address;
                self.counters[request.port].cam_requests += 1;
            }
        }
    }

    /// Section 7: credit reports of the next buffers, and flits sent to them.
    #[inline]
    fn count_credits(&mut self, pins: &Inputs) {
        let k = self.shape.vcs;
        for element in pins.tx_credit_valid.ones() {
            if !self.credits.report(element, self.now, pins.tx_credit[element] as u32) {
                self.out.error_credit |= 1 << (element / k);
            }
        }
        for output in ones(self.out.tx_valid) {
            self.credits.sent(output * k + self.out.tx_vc[output] as usize);
        }
    }

    /// Section 9: the registers, last, as all else sees them as they were.
    #[inline]
    fn access_registers(&mut self, pins: &Inputs) {
        if !self.has_registers {
            return;
        }
        if pins.apb.psel {
            // A flush counts from its own cycle on, the one before the sweep.
            self.registers.show_sweeping((self.sweep.start..=self.sweep.end).contains(&(self.now + 1)));
        }
        self.registers.step(&pins.apb);
        self.out.apb_prdata = self.registers.prdata;
        self.out.apb_pslverr = self.registers.pslverr;
        if pins.apb.psel && pins.apb.penable && self.index.is_some() {
            self.control_caches();
        }
    }

    /// Section 4.5: what the registers say of the caches in the next cycle.
    fn control_caches(&mut self) {
        let next = self.now + 1;
        for unit in &mut self.route_units {
            unit.enable(self.registers.cache_enabled());
        }
        if self.registers.flushes() {
            for unit in &mut self.route_units {
                unit.flush(next);
            }
            if let Some(index) = &mut self.index {
                index.set_up(self.registers.settings());
            }
            let start = if self.sweep.contains(&next) { self.sweep.start } else { next + 1 };
            self.sweep = start..next + 1 + sweep_length(&self.shape);
        }
    }

    /// Section 8: clears the flags; those of this cycle's events are set afterwards.
    fn clear_errors(&mut self) {
        self.out.error_vc = 0;
        self.out.error_framing = 0;
        self.out.error_overflow = 0;
        self.out.error_length = 0;
        self.out.error_credit = 0;
        self.out.error_cam = false;
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
        self.pending = [0; MAX_PORTS];
        self.refilling = [0; MAX_PORTS];
        self.routing = 0;
        self.resolving = [0; CYCLES];
        if let Some(selection) = &mut self.selection {
            selection.reset();
        }
        self.allocator.reset(&self.shape);
        self.crossbar.reset();
        self.grants.clear();
        self.output_units.reset();
        self.credits.reset();
        self.out.reset();
    }
}

/// Cycles for which the caches sweep.
fn sweep_length(shape: &Shape) -> u64 {
    shape.table().and_then(|t| t.cache.as_ref()).map_or(0, |cache| cache.sets as u64 + 1)
}
