//! Route computation of all ports: lookups, route queues, output selection. Source: switch reference, sections 4, 5 and
//! 5.1.

use super::Switch;
use crate::bits::{ones, MAX_VCS};
use crate::input::input_unit::HeaderArrival;
use crate::route::dragonfly::selection_register::Known;
use crate::route::route_queue::{PacketRoute, RouteResult};
use crate::route::route_unit::{LookupOutcome, Operation, CYCLES};
use crate::route::routing_cache::Fill;

impl Switch {
    /// Section 5.1; `taken` is the mask over ports where what section 6 calls the head register of VC v is taken. Gives
    /// the mask over ports whose head register of VC v is taken, by the selection register if there is one.
    #[inline]
    pub(super) fn select_outputs(&mut self, arriving: u64, taken: [u64; MAX_VCS]) -> [u64; MAX_VCS] {
        if let (Some(dragonfly), Some(settings)) = (&mut self.dragonfly, self.registers.dragonfly()) {
            let minimal = self.min_credits.as_ref().map(|min_credits| min_credits.in_use());
            let known = Known { settings, messages: dragonfly.messages.as_deref(), minimal };
            return dragonfly.selection.step(self.now, taken, known, &self.credits, &mut self.allocator);
        }
        let Some(selection) = &mut self.selection else { return taken };
        let method = self.registers.links().method;
        for port in ones(arriving) {
            if let Some(HeaderArrival { vc, address, .. }) = self.arrivals[port] {
                selection.arrive(port, vc as usize, address, method);
            }
        }
        selection.step(self.now, taken, &self.registers, &self.credits, &mut self.allocator)
    }

    /// Sections 4 and 5: route computation and route queues of the ports where anything happens.
    #[inline]
    pub(super) fn compute_routes(&mut self, arriving: u64, taken: [u64; MAX_VCS]) {
        self.out.lookup_hit = 0;
        self.out.lookup_miss = 0;
        self.out.lookup_parity = 0;
        let k = self.shape.vcs;
        let any_taken = taken[..k].iter().fold(0, |any, ports| any | ports);
        let resolving = std::mem::take(&mut self.resolving[self.now as usize % CYCLES]);
        let due =
            (self.algorithmic.as_mut()).map_or(0, |a| a.step(self.now, arriving, &self.arrivals, &self.registers));
        let due = due | self.dragonfly.as_ref().map_or(0, |dragonfly| dragonfly.routes.due());
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
                        touched |= (answered[vc].is_some() as u16) << vc;
                    }
                    unit.set_spoils(self.cache_flips >> port & 1 == 1);
                    let at = (self.now + self.lookup_latency) as usize % CYCLES;
                    self.resolving[at] |= ((issued != Operation::None) as u64) << port;
                    let resolved = unit.resolve(self.now, issued, self.index.as_ref());
                    waiting = unit.is_waiting();
                    self.out.lookup_parity |= u64::from(unit.take_parity()) << port;
                    let fill = unit.take_fill();
                    self.counters[port].entries += (fill == Fill::Entry) as u64;
                    self.counters[port].evictions += (fill == Fill::Eviction) as u64;
                    if let Some(counters) = &mut self.event_counters {
                        Switch::count_fill(counters, port, fill);
                    }
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
                } else if let (Some(dragonfly), Some(settings)) = (&self.dragonfly, self.registers.dragonfly()) {
                    if due >> port & 1 == 1 {
                        let (vc, route) = dragonfly.routes.result(port, settings);
                        pushed = Some((vc, RouteResult::Known(route)));
                        touched |= 1 << vc;
                    }
                } else if let Some(arrival) = arrival {
                    pushed = Some((arrival.vc as usize, RouteResult::Known(self.source_route(arrival))));
                    touched |= 1 << arrival.vc;
                }
            }
            for (vc, ports) in taken[..k].iter().enumerate() {
                touched |= ((ports >> port & 1) as u16) << vc;
            }
            for vc in ones(touched as u64) {
                let taken = taken[vc] >> port & 1 == 1;
                let result = pushed.filter(|p| p.0 == vc).map(|p| p.1);
                self.step_route_queue(port, vc, taken, result, answered[vc]);
            }
            waiting |= self.refilling[port] != 0;
            self.routing = self.routing & !(1 << port) | (waiting as u64) << port;
        }
        if let (Some(dragonfly), Some(settings)) = (&mut self.dragonfly, self.registers.dragonfly()) {
            dragonfly.routes.load(arriving, &self.arrivals, settings);
            dragonfly.selection.arrive(self.now, arriving, &self.arrivals);
        }
    }

    /// Section 4.1.
    #[inline]
    fn source_route(&self, arrival: HeaderArrival) -> PacketRoute {
        if arrival.multicast {
            arrival.to_group(self.shape.multicast.map_or(0, |built| built.groups as u64))
        } else if arrival.address < self.shape.ports as u64 {
            PacketRoute::Port(arrival.address as u8)
        } else {
            PacketRoute::Drop
        }
    }

    #[inline]
    fn resolved(&mut self, port: usize, outcome: LookupOutcome) {
        if let Some(counters) = &mut self.event_counters {
            Switch::count_lookup(counters, port, outcome);
        }
        let counters = &mut self.counters[port];
        counters.lookups += (outcome != LookupOutcome::Multicast) as u64;
        match outcome {
            LookupOutcome::Malformed | LookupOutcome::Multicast => {}
            LookupOutcome::Hit => {
                self.out.lookup_hit |= 1 << port;
                counters.hits += 1;
            }
            LookupOutcome::Miss { merged } => {
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
        answered: Option<PacketRoute>,
    ) {
        let queue = &mut self.route_queues[port * self.shape.vcs + vc];
        let bit = 1u16 << vc;
        if queue.step(self.now, taken, pushed, answered) {
            let head = queue.head();
            match (&mut self.selection, &mut self.dragonfly) {
                (Some(selection), _) => selection.head_changed(port, vc, head),
                (None, Some(dragonfly)) => dragonfly.selection.head_changed(port, vc, head),
                (None, None) => self.allocator.head_changed(port, vc, head),
            }
            let is_pending = head == Some(RouteResult::Pending);
            self.pending[port] = self.pending[port] & !bit | if is_pending { bit } else { 0 };
        }
        self.refilling[port] = self.refilling[port] & !bit | if queue.is_refilling() { bit } else { 0 };
    }
}
