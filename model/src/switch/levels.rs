//! How far the queues and counters inside of the switch have come, for whoever wants to see what a run has reached.
//! Nothing here is a pin.

use super::Switch;
use crate::barrier::barrier_unit::BarrierUnit;
use crate::multicast::multicast_unit::Favoured;
use crate::registers::event_registers::EventRegisters;

impl Switch {
    /// Packets of (port, VC) whose result is in the route queue, its head register or the selection register behind it.
    #[inline]
    pub fn results(&self, port: usize, vc: usize) -> usize {
        let selected = self.selection.as_ref().is_some_and(|selection| selection.holds(port, vc))
            || self.dragonfly.as_ref().is_some_and(|dragonfly| dragonfly.selection.holds(port, vc));
        self.route_queues[port * self.shape.vcs + vc].len() + usize::from(selected)
    }

    /// Table routing: packets of (port, VC) that wait for their lookup to be issued.
    #[inline]
    pub fn waiting_headers(&self, port: usize, vc: usize) -> usize {
        self.route_units[port].waiting_headers(vc)
    }

    /// Table routing: miss slots of (port, VC) that are taken.
    #[inline]
    pub fn taken_slots(&self, port: usize, vc: usize) -> usize {
        self.route_units[port].misses.taken_of(vc)
    }

    /// Table routing: miss slots of a port that wait for the request register.
    #[inline]
    pub fn waiting_requests(&self, port: usize) -> usize {
        self.route_units[port].misses.waiting_requests()
    }

    /// The link aggregation group by which the next packet of (port, VC) goes, if it is in the selection register and
    /// goes by one.
    #[inline]
    pub fn selected_group(&self, port: usize, vc: usize) -> Option<u8> {
        self.selection.as_ref().and_then(|selection| selection.group(port, vc))
    }

    /// Way and entry of the forwarding table that knows the address in T2, if one does.
    pub fn known_place(&self) -> Option<(usize, usize)> {
        self.forwarding_table.as_ref().and_then(|table| table.known_place())
    }

    /// Whether a routing cache is being swept: all of its lookups miss, and it takes no entry.
    pub fn is_sweeping(&self) -> bool {
        self.route_units.iter().any(|unit| unit.is_sweeping(self.now))
    }

    /// The multicast packet that is favoured in this cycle, if multicast is built.
    #[inline]
    pub fn favoured(&self) -> Option<Favoured> {
        self.multicast.as_ref().map(|multicast| multicast.favoured())
    }

    /// The barrier unit, if there is one.
    #[inline]
    pub fn barrier(&self) -> Option<&BarrierUnit> {
        self.barrier.as_deref()
    }

    /// The event registers, if there are any.
    #[inline]
    pub fn events(&self) -> Option<&EventRegisters> {
        self.events.as_ref()
    }

    /// Largest number of events of a kind that one of its counters has counted since it was 0: not modulo the counter's
    /// range. None without counters.
    pub fn most_events(&self, register: &str) -> Option<u32> {
        self.event_counters.as_ref().map(|counters| counters.most(register))
    }

    /// Ports whose cache has evicted an entry, as a mask.
    pub fn evicting_ports(&self) -> u64 {
        self.counters
            .iter()
            .enumerate()
            .fold(0, |mask, (port, counters)| mask | u64::from(counters.evictions > 0) << port)
    }
}
