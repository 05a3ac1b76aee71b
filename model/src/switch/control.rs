//! What the registers do to the switch, and the event counters that are read through them. Source: switch reference,
//! section 9.

use super::{sweep_length, Switch};
use crate::bits::ones;
use crate::counters::event_counters::{EventCounters, PortEvent, SwitchEvent, VcEvent};
use crate::multicast::fan_out::GroupWrite;
use crate::pins::Inputs;
use crate::registers::apb_registers::{Sweeping, WriteCommand};
use crate::route::route_unit::LookupOutcome;
use crate::route::routing_cache::Fill;

impl Switch {
    /// The registers, last in a cycle, as all else sees them as they were.
    #[inline]
    pub(super) fn access_registers(&mut self, pins: &Inputs) {
        if !self.has_registers {
            return;
        }
        if pins.apb.psel {
            self.registers.show_sweeping(Sweeping {
                // A flush counts from its own cycle on, the one before the sweep.
                caches: (self.sweep.start..=self.sweep.end).contains(&(self.now + 1)),
                table: self.forwarding_table.as_ref().is_some_and(|table| table.is_sweeping(self.now)),
                groups: self
                    .multicast
                    .as_ref()
                    .is_some_and(|multicast| multicast.fan_outs.groups.is_sweeping(self.now)),
            });
        }
        let (barrier, events) = (self.barrier.as_ref(), self.events.as_ref());
        if barrier.is_some() || events.is_some() {
            let of_barrier = |register, entry| barrier.and_then(|barrier| barrier.read(register, entry));
            let of_events = |register| events.and_then(|events| events.read(register));
            self.registers.refresh(&pins.apb, |register, entry| of_barrier(register, entry).or(of_events(register)));
        }
        self.registers.step(&pins.apb);
        self.out.apb_prdata = self.registers.prdata;
        self.out.apb_pslverr = self.registers.pslverr;
        if pins.apb.psel && pins.apb.penable {
            self.obey(pins);
        }
    }

    /// What the registers say in the next cycle.
    fn obey(&mut self, pins: &Inputs) {
        self.cam.set_default_route(self.registers.default_route());
        if self.index.is_some() {
            self.control_caches();
        }
        match (self.registers.command(), &mut self.forwarding_table) {
            (WriteCommand::WriteTable(write), Some(table)) => {
                table.write(write, pins.table_flip.iter().any(|word| *word != 0))
            }
            (WriteCommand::ClearTable, Some(table)) => table.sweep(self.now + 1),
            _ => {}
        }
        if let (WriteCommand::WriteGroup(write), Some(multicast)) = (self.registers.command(), &mut self.multicast) {
            multicast.fan_outs.groups.write(GroupWrite { spoiled: pins.group_flipping_ports(), ..write });
        }
        if let (WriteCommand::Counters { snapshot, clear }, Some(counters)) =
            (self.registers.command(), &mut self.event_counters)
        {
            if snapshot {
                self.registers.take_counters(|register, entry| counters.value(register, entry));
            }
            if clear {
                counters.clear();
            }
        }
    }

    /// Section 4.5: what the registers say of the caches in the next cycle.
    fn control_caches(&mut self) {
        let next = self.now + 1;
        for unit in &mut self.route_units {
            unit.enable(self.registers.cache_enabled());
        }
        if self.registers.command() == WriteCommand::Flush {
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

    /// Section 9.1: what is to be seen at the start of a cycle.
    #[inline]
    pub(super) fn count_at_start(&mut self, pins: &Inputs) {
        let Some(counters) = &mut self.event_counters else { return };
        let (out, k) = (&self.out, self.shape.vcs);
        for port in ones(out.tx_valid) {
            let vc = out.tx_vc[port] as usize;
            // Barrier messages are not packets that are counted.
            if vc >= k {
                continue;
            }
            counters.vc_event(VcEvent::TxFlits, vc, 1 << port);
            counters.vc_event(VcEvent::TxPackets, vc, out.tx_tail & 1 << port);
        }
        if out.drop_valid.any() {
            for element in out.drop_valid.ones() {
                counters.vc_event(VcEvent::DroppedPackets, element % k, 1 << (element / k));
            }
        }
        for (port, &pending) in self.pending[..self.shape.ports].iter().enumerate() {
            for vc in ones(pending as u64) {
                counters.vc_event(VcEvent::LookupStalls, vc, 1 << port);
            }
        }
        if out.cam_request_valid {
            let accepted = pins.cam_request_ready;
            counters.switch_event(if accepted { SwitchEvent::CamRequests } else { SwitchEvent::CamStalls });
        }
    }

    /// Section 9.1: the inputs that wait for room, and those that wait for an output that has room. Before allocation.
    #[inline]
    pub(super) fn count_waiting(&mut self) {
        let Some(counters) = &mut self.event_counters else { return };
        let (without_room, with_room) = self.allocator.waiting(self.now, &self.crossbar, &self.credits);
        for vc in 0..self.shape.vcs {
            counters.vc_event(VcEvent::CreditStalls, vc, without_room[vc]);
            counters.vc_event(VcEvent::OutputStalls, vc, with_room[vc]);
        }
    }

    /// Section 9.1: those that are taken do not wait. After allocation.
    #[inline]
    pub(super) fn count_taken(&mut self) {
        let Some(counters) = &mut self.event_counters else { return };
        for vc in 0..self.shape.vcs {
            counters.no_vc_event(VcEvent::OutputStalls, vc, self.grants.inputs[vc]);
        }
    }

    /// Section 9.1: a lookup resolves.
    #[inline]
    pub(super) fn count_lookup(counters: &mut EventCounters, port: usize, outcome: LookupOutcome) {
        match outcome {
            LookupOutcome::Malformed | LookupOutcome::Multicast => {}
            LookupOutcome::Hit => counters.port_event(PortEvent::LookupHits, port),
            LookupOutcome::Miss { merged } => {
                counters.port_event(PortEvent::LookupMisses, port);
                if merged {
                    counters.port_event(PortEvent::MergedMisses, port);
                }
            }
        }
    }

    /// Section 9.1: a fill resolves.
    #[inline]
    pub(super) fn count_fill(counters: &mut EventCounters, port: usize, fill: Fill) {
        if fill != Fill::Nothing {
            counters.port_event(PortEvent::CacheFills, port);
        }
        if fill == Fill::Eviction {
            counters.port_event(PortEvent::CacheEvictions, port);
        }
    }

    /// Section 9.1: the end of a cycle, after all else.
    #[inline]
    pub(super) fn end_counting(&mut self) {
        if let Some(counters) = &mut self.event_counters {
            counters.end_cycle(self.route_units.iter().map(|unit| unit.misses.taken()));
        }
    }
}
