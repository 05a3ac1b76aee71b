//! Allocation of the outputs to unicast and multicast packets. Source: switch reference, sections 6 and 6.1.

use super::Switch;
use crate::bits::MAX_VCS;
use crate::counters::event_counters::{PortEvent, VcEvent};
use crate::multicast::multicast_unit::FannedOut;
use crate::pins::Inputs;
use railyard_spec::registers::address;

impl Switch {
    /// Connects what is granted, for the next cycle. Gives the mask over inputs whose head of VC v is taken.
    #[inline]
    pub(super) fn allocate(&mut self, pins: &Inputs) -> [u64; MAX_VCS] {
        self.grants.clear();
        if let Some(multicast) = &self.multicast {
            self.allocator.bar(multicast.barred());
        }
        if let Some(dragonfly) = &self.dragonfly {
            self.allocator.put_last(dragonfly.last_inputs(self.registers.dragonfly()));
        }
        self.count_waiting();
        self.allocator.allocate(self.now, &self.crossbar, &self.credits, &mut self.grants);
        self.count_taken();
        let mut taken = std::array::from_fn(|vc| self.grants.taken(vc));
        if let Some(multicast) = &mut self.multicast {
            let written = self.registers.is_writing(&pins.apb, address::MULTICAST_WRITE);
            let (allocator, grants) = (&mut self.allocator, &mut self.grants);
            let done = multicast.step(self.now, written, allocator, &self.crossbar, &self.credits, grants);
            let vc = multicast.vc();
            taken[vc] |= done.loaded;
            self.out.group_parity = done.faulty;
            self.count_fanned_out(vc, done);
        }
        self.crossbar.connect(&self.grants);
        taken
    }

    /// Section 9.1: what the fan-out registers did.
    fn count_fanned_out(&mut self, vc: usize, done: FannedOut) {
        if let Some(counters) = &mut self.event_counters {
            counters.vc_event(VcEvent::OutputStalls, vc, done.stalled);
            counters.port_events(PortEvent::MulticastPackets, done.started);
        }
    }
}
