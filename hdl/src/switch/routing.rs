//! The switch, route computation: from the headers at the input units over CAM and registers to the routes of packets.

use super::Switch;
use crate::units::prelude::*;

/// What all ports have for CAM port and registers of a table-routed switch.
#[group(shape: &Shape)]
pub struct Asking {
    /// Port i has a request for the CAM.
    pub offer_valid: Sig<Local, { shape.ports }>,
    /// Port i waits for the CAM's answer.
    pub answer_known: Option<Sig<Local, { shape.ports }>, { shape.external_cam() }>,
    /// Port i's cache sweeps.
    pub sweeping: Option<Sig<Local, { shape.ports }>, { shape.cache_control() }>,
}

#[kernel(steps)]
impl Switch {
    pub(super) fn compute_routes(&mut self) {
        for i in 0..self.ports {
            let io = &mut self.route_computation[i].io;
            Self::join_route(io, &mut self.input_unit[i], &mut self.registers);
            Self::offer(io, &mut self.cam_port, i);
            if !self.hop_selection.is_empty() {
                Self::take_at_hops(io, &mut self.hop_selection[i]);
            } else if self.output_selection.is_empty() {
                Self::take_at_input(io, &mut self.input_unit[i]);
            } else {
                Self::take_at_selection(io, &mut self.output_selection[i]);
            }
        }
    }

    /// Headers and settings come to route computation.
    fn join_route(io: &mut RoutePorts<In>, input: &mut InputUnit, registers: &mut Option<ApbRegisters>) {
        input.arrival.join(&mut io.arrival);
        if let Some(registers) = registers {
            registers.reduction.join(&mut io.reduction_settings);
            registers.route_tables.join(&mut io.route_tables);
            if let (Some(control), Some(cache)) = (&mut io.control, &registers.cache) {
                control.enable.next = cache.enable.val();
                control.flush.next = cache.flush.val();
            }
            for e in 0..io.map_entries.len() {
                io.map_entries[e].next = registers.port_map[e].val();
            }
        }
    }

    /// The input unit takes the results.
    fn take_at_input(io: &mut RoutePorts<In>, input: &mut InputUnit) {
        io.take.next = input.take.val();
        io.head.join(&mut input.head);
    }

    /// Output selection takes the results.
    fn take_at_selection(io: &mut RoutePorts<In>, selection: &mut OutputSelection) {
        io.take.next = selection.take_head.val();
        io.head.join(&mut selection.head);
        io.head.multicast.join(&mut selection.head_multicast);
        io.head.group.join(&mut selection.head_group);
    }

    /// Ports ask the CAM port, and it answers one.
    fn offer(io: &mut RoutePorts<In>, cam_port: &mut Option<CamPort>, i: usize) {
        if let (Some(cam), Some(port)) = (&mut io.cam, cam_port) {
            port.offer_vc[i].next = cam.offer.vc.val();
            port.offer_slot[i].next = cam.offer.slot.val();
            port.offer_address[i].next = cam.offer.address.val();
            cam.offer.taken.next = port.offer_taken.val().get_bit(i);
            cam.answer.valid.next = port.answer_valid.val().get_bit(i);
            cam.answer.vc.next = port.answer_vc.val();
            cam.answer.slot.next = port.answer_slot.val();
            cam.answer.drop.next = port.answer_drop.val();
            cam.answer.port.next = port.answer_port.val();
        }
    }

    pub(super) fn reach_cam(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.offer_valid.next = 0.into();
            if let Some(answer_known) = &mut asking.answer_known {
                answer_known.next = 0.into();
            }
            if let Some(sweeping) = &mut asking.sweeping {
                sweeping.next = 0.into();
            }
        }
        for i in 0..self.lookup_hit.len() {
            let io = &self.route_computation[i].io;
            Self::gather(io, &mut self.asking, &mut self.lookup_hit[i], &mut self.lookup_miss[i], i);
        }
        self.reach_parity();
        self.join_cam_port();
        self.join_cam();
    }

    /// What a port has for the CAM port, and for the pins.
    fn gather(
        io: &RoutePorts<In>,
        asking: &mut Option<Asking>,
        lookup_hit: &mut Flag<Out>,
        lookup_miss: &mut Flag<Out>,
        i: usize,
    ) {
        if let (Some(asking), Some(cam), Some(lookups)) = (asking, &io.cam, &io.lookups) {
            asking.offer_valid.set(i, cam.offer.valid.val());
            if let Some(answer_known) = &mut asking.answer_known {
                answer_known.set(i, cam.answer.known.val());
            }
            if let (Some(sweeping), Some(control)) = (&mut asking.sweeping, &io.control) {
                sweeping.set(i, control.sweeping.val());
            }
            lookup_hit.next = lookups.lookup_hit.val();
            lookup_miss.next = lookups.lookup_miss.val();
        }
    }

    /// Parity of the caches, and wrong bits for tests.
    fn reach_parity(&mut self) {
        for i in 0..self.lookup_parity.len() {
            if let Some(lookups) = &self.route_computation[i].io.lookups {
                if let Some(lookup_parity) = &lookups.lookup_parity {
                    self.lookup_parity[i].next = lookup_parity.val();
                }
            }
        }
        for i in 0..self.cache_flip.len() {
            if let Some(flip) = &mut self.route_computation[i].io.flip {
                flip.next = self.cache_flip[i].val();
            }
        }
        if let Some(table_port) = &mut self.table_port {
            self.table_flip.link(&mut table_port.flip);
            self.table_parity.link(&mut table_port.table_parity);
        }
    }

    fn join_cam_port(&mut self) {
        if let (Some(cam_port), Some(asking)) = (&mut self.cam_port, &self.asking) {
            cam_port.offer_valid.next = asking.offer_valid.val();
            if let (Some(known), Some(answer_known)) = (&mut cam_port.answer_known, &asking.answer_known) {
                known.next = answer_known.val();
            }
            if let Some(clear) = &mut cam_port.error_clear {
                clear.next = self.error_clear.val();
            }
            self.error_cam.link(&mut cam_port.error_cam);
            if let Some(registers) = &mut self.registers {
                registers.default_route.join(&mut cam_port.default_route);
            }
        }
    }

    /// The CAM itself, or the forwarding table in front of it.
    fn join_cam(&mut self) {
        if let (Some(cam_port), Some(table_port)) = (&mut self.cam_port, &mut self.table_port) {
            table_port.request_valid.next = cam_port.request.valid.val();
            table_port.request_tag.next = cam_port.request.tag.val();
            table_port.request_address.next = cam_port.request.address.val();
            cam_port.request.ready.next = table_port.advance.val();
            table_port.response.join(&mut cam_port.response);
            if let (Some(request), Some(response), Some(external)) =
                (&mut self.cam_request, &mut self.cam_response, &mut table_port.external)
            {
                request.link(&mut external.cam_request);
                response.link(&mut external.cam_response);
            }
        } else if let (Some(cam_port), Some(request), Some(response)) =
            (&mut self.cam_port, &mut self.cam_request, &mut self.cam_response)
        {
            request.link(&mut cam_port.request);
            response.link(&mut cam_port.response);
        }
    }

    pub(super) fn select_outputs(&mut self) {
        for i in 0..self.output_selection.len() {
            let selection = &mut self.output_selection[i];
            let input = &mut self.input_unit[i];
            selection.arrive.next = input.arrival.arrive.val();
            selection.arrive_vc.next = input.arrival.arrive_vc.val();
            if let Some(address) = &input.arrival.arrive_address {
                selection.arrive_address.next = unsigned_cast(address.val());
            }
            selection.take.next = input.take.val();
            input.head.drop.next = selection.drop_now.val();
            for v in 0..self.vcs {
                input.head.request[v].next = selection.request[v].val();
            }
            selection.multicast_now.join(&mut input.head.multicast);
            selection.multicast_group.join(&mut input.head.group);
            if let Some(registers) = &mut self.registers {
                registers.links.join(&mut selection.settings);
            }
            if !selection.in_use.is_empty() {
                for o in 0..self.ports {
                    for v in 0..self.vcs {
                        selection.in_use[o * self.vcs + v].next = self.output_unit[o].in_use[v].val();
                    }
                }
            }
        }
    }

    pub(super) fn reach_registers(&mut self) {
        if let Some(registers) = &mut self.registers {
            if let Some(apb) = &mut self.apb {
                apb.link(&mut registers.apb);
            }
            if let (Some(cache), Some(asking)) = (&mut registers.cache, &self.asking) {
                if let Some(sweeping) = &asking.sweeping {
                    cache.sweeping.next = sweeping.val().any();
                }
            }
            if let Some(table_port) = &mut self.table_port {
                if let Some(table) = &mut registers.table {
                    table.join(&mut table_port.table);
                }
                if let Some(sweeping) = &mut registers.table_sweeping {
                    sweeping.next = table_port.sweeping.val();
                }
            }
        }
    }

    /// VCs on which packets leave, by input.
    pub(super) fn gather_leave(&mut self) {
        for w in 0..self.leave.len() {
            self.leave[w].next = 0.into();
        }
        if self.next_vc {
            for v in 0..self.vcs {
                for u in 0..self.vcs {
                    for i in 0..self.ports {
                        if !self.hop_selection.is_empty() {
                            if v < self.hop_selection[i].leave.len() {
                                self.leave[v * self.vcs + u].set(i, self.hop_selection[i].leave[v].val().get_bit(u));
                            }
                        } else if self.output_selection.is_empty() {
                            self.leave[v * self.vcs + u]
                                .set(i, self.route_computation[i].io.head.vc[v].val().get_bit(u));
                        } else {
                            self.leave[v * self.vcs + u].set(i, self.output_selection[i].leave[v].val().get_bit(u));
                        }
                    }
                }
            }
        }
    }
}
