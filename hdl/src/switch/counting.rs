//! The switch, counters: of each port, and of the switch.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Which input VCs ask for an output, and which of them for one that has room.
    pub(super) fn find_asking(&mut self) {
        for v in 0..self.with_room.len() {
            self.with_room[v].next = 0.into();
            for o in 0..self.ports {
                self.with_room[v].next = self.with_room[v].val() | self.allocator[o].io.with_room[v].val();
            }
        }
        for i in 0..self.port_counters.len() {
            self.with_room_to[i].next = 0.into();
            self.asking_to[i].next = 0.into();
            for v in 0..self.vcs {
                self.with_room_to[i].set(v, self.with_room[v].val().get_bit(i));
                if v < self.input_unit[i].request.len() {
                    self.asking_to[i].set(v, self.input_unit[i].request[v].val().any());
                }
            }
        }
    }

    pub(super) fn count_at_ports(&mut self) {
        for i in 0..self.port_counters.len() {
            let port = &mut self.port_counters[i];
            let input = &mut self.input_unit[i];
            input.arrival.join(&mut port.arrival);
            if let Some(stored) = &input.stored {
                port.stored.next = stored.val();
            }
            port.tx_valid.next = self.output_unit[i].tx.valid.val();
            port.tx_vc.next = self.output_unit[i].tx.vc.val();
            port.tx_tail.next = self.output_unit[i].tx.tail.val();
            port.dropped.next = input.drop_valid.val();
            port.asking.next = unsigned_cast(self.asking_to[i].val());
            port.with_room.next = unsigned_cast(self.with_room_to[i].val());
            port.granted.next = unsigned_cast(self.granted_to[i].val());
            if let (Some(events), Some(unit)) = (&mut port.multicast, &self.multicast_unit) {
                events.multicast_start.next = unit.start.val().get_bit(i);
                if let Some(stalled) = &unit.stalled {
                    events.multicast_stalled.next = stalled.val().get_bit(i);
                }
            }
        }
        self.count_messages();
        self.read_counters();
    }

    fn count_messages(&mut self) {
        if let Some(unit) = &self.message_unit {
            for i in 0..self.port_counters.len() {
                if let Some(counted) = &mut self.port_counters[i].messages {
                    counted.message_sent.next = unit.events.sent.val().get_bit(i);
                    counted.message_good.next = unit.events.good.val().get_bit(i);
                    counted.message_bad.next = unit.events.bad.val().get_bit(i);
                }
            }
        }
    }

    fn read_counters(&mut self) {
        if let Some(registers) = &mut self.registers {
            if let Some(access) = &mut registers.counters {
                for i in 0..self.port_counters.len() {
                    let port = &mut self.port_counters[i];
                    access.sampling.join(&mut port.sampling);
                    port.vc_kind.next = access.vc_kind.val();
                    port.vc_select.next = unsigned_cast(access.vc_select.val() >> (i * self.vcs));
                    access.of_port.join(&mut port.of_port);
                    if let (Some(here), Some(select)) = (&mut port.port_select, &access.port_select) {
                        here.next = select.val().get_bit(i);
                    }
                    access.count[i].next = port.value.val();
                }
            }
        }
    }

    pub(super) fn count_lookups(&mut self) {
        for i in 0..self.port_counters.len() {
            Self::count_lookups_of(&self.route_computation[i].io, &mut self.port_counters[i]);
        }
    }

    fn count_lookups_of(io: &RoutePorts<In>, port: &mut PortCounters) {
        if let (Some(events), Some(lookups)) = (&io.events, &io.lookups) {
            if let Some(counted) = &mut port.lookups {
                counted.pending.next = events.pending_now.val();
                counted.hit.next = events.hit_now.val();
                counted.miss.next = events.miss_now.val();
                counted.merged.next = events.merged_now.val();
            }
            if let (Some(counted), Some(fill), Some(evict)) = (&mut port.fills, &events.fill_now, &events.evict_now) {
                counted.fill.next = fill.val();
                counted.evict.next = evict.val();
            }
            if let Some(counted) = &mut port.slots {
                counted.was_miss.next = lookups.lookup_miss.val();
                counted.freed.next = events.freed_now.val();
            }
        }
    }

    pub(super) fn count_in_switch(&mut self) {
        if let (Some(counters), Some(registers)) = (&mut self.switch_counters, &mut self.registers) {
            if let Some(access) = &mut registers.counters {
                access.sampling.join(&mut counters.sampling);
                access.of_switch.join(&mut counters.kinds);
                access.count[self.ports].next = counters.value.val();
            }
            if let (Some(table), Some(port)) = (&mut counters.table, &self.table_port) {
                if let (Some(known), Some(unknown)) = (&port.known, &port.unknown) {
                    table.table_hit.next = known.val();
                    table.table_miss.next = unknown.val();
                }
            }
            if let (Some(cam), Some(request)) = (&mut counters.cam, &self.cam_request) {
                cam.cam_valid.next = request.valid.val();
                cam.cam_ready.next = request.ready.val();
            }
        }
    }
}
