//! Switch: the top module, `<name>_switch`, with the pins of `railyard_spec::pins`.
//!
//! Holds, for each port, an input unit, a route unit, an allocator and an output unit, and for all of them one crossbar and (table
//! routing) one CAM port and (where there is something to set) one set of registers; and joins them. Vectors over input VCs are
//! ordered by VC: VC v of input i is bit v * N + i. With link aggregation or candidates each port also has an output selection between route
//! unit and input unit, which then asks for what that has chosen. With a forwarding table there is a table port between CAM port and pins. With counters
//! each port has its counters, and a table-routed switch some more. With the mixed VC one multicast unit stands between input units and allocators.
//! With the barrier VC one barrier unit stands beside all of it, between the pins of the input ports and the output units.
//!
//! The only logic here is what belongs to no unit: an input VC is granted (or chosen) if any output grants (chooses) it; the
//! caches (group tables) sweep if any of them does; an input VC asks for an output if it asks for any (counters only).
//!
//! Source: switch reference, sections 2, 6 and 11; hardware blocks.

use crate::rtl::prelude::*;
use crate::rtl::verilog::{emit, emit_prefixed, Design, ElaborationError};
use crate::units::allocate::allocator::Allocator;
use crate::units::barrier::barrier_unit::BarrierUnit;
use crate::units::counters::port_counters::PortCounters;
use crate::units::counters::switch_counters::SwitchCounters;
use crate::units::input::input_errors::InputErrors;
use crate::units::input::input_unit::InputUnit;
use crate::units::input::link_flit::LinkFlit;
use crate::units::multicast::multicast_unit::MulticastUnit;
use crate::units::output::crossbar::Crossbar;
use crate::units::output::output_unit::OutputUnit;
use crate::units::registers::apb_pins::ApbPins;
use crate::units::registers::apb_registers::ApbRegisters;
use crate::units::route::algorithmic_route::AlgorithmicRoute;
use crate::units::route::cam_port::CamPort;
use crate::units::route::cam_wires::{CamRequest, CamResponse};
use crate::units::route::output_selection::OutputSelection;
use crate::units::route::route_ports::RoutePorts;
use crate::units::route::route_unit::{RouteUnit, UncachedRouteUnit};
use crate::units::route::source_route::SourceRoute;
use crate::units::route::table_port::TablePort;
use railyard_spec::{module_prefix, Config};

mod construct;

pub use construct::switch;

/// The switch that the configuration describes, as Verilog: top `<name>_switch`, all other modules [`module_prefix`] and block. The configuration has
/// passed its check.
pub fn elaborate(config: &Config) -> Result<Design, Vec<ElaborationError>> {
    emit_prefixed(&switch(&config.shape()), &format!("{}_switch", config.name), &module_prefix(&config.name))
}

/// The same with plain block names, for whoever looks at its blocks one by one.
pub fn elaborate_plain(config: &Config) -> Result<Design, Vec<ElaborationError>> {
    emit(&switch(&config.shape()), &format!("{}_switch", config.name))
}

/// The top; see the head of this file.
#[block]
pub struct Switch {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub error_clear: Flag<In>,
    pub rx: Vec<LinkFlit<In>>,
    pub rx_credit_valid: Vec<Flag<Out>>,
    pub rx_credit: Vec<Sig<Out>>,
    pub tx: Vec<LinkFlit<Out>>,
    pub tx_credit_valid: Vec<Flag<In>>,
    pub tx_credit: Vec<Sig<In>>,
    pub cam_request: Vec<CamRequest<Out>>,
    pub cam_response: Vec<CamResponse<In>>,
    pub lookup_hit: Vec<Flag<Out>>,
    pub lookup_miss: Vec<Flag<Out>>,
    pub apb: Vec<ApbPins<In>>,
    pub drop_valid: Vec<Flag<Out>>,
    pub drop_count: Vec<Sig<Out>>,
    pub error: Vec<InputErrors<Out>>,
    pub error_credit: Vec<Flag<Out>>,
    pub error_cam: Vec<Flag<Out>>,

    input_unit: Vec<InputUnit>,
    source_route: Vec<SourceRoute>,
    route_unit: Vec<RouteUnit>,
    uncached_route_unit: Vec<UncachedRouteUnit>,
    cam_port: Vec<CamPort>,
    table_port: Vec<TablePort>,
    algorithmic_route: Vec<AlgorithmicRoute>,
    output_selection: Vec<OutputSelection>,
    registers: Vec<ApbRegisters>,
    multicast_unit: Vec<MulticastUnit>,
    barrier_unit: Vec<BarrierUnit>,
    allocator: Vec<Allocator>,
    crossbar: Crossbar,
    output_unit: Vec<OutputUnit>,
    port_counters: Vec<PortCounters>,
    switch_counters: Vec<SwitchCounters>,

    ready: Vec<Sig<Local>>,
    ending: Vec<Sig<Local>>,
    request: Vec<Sig<Local>>,
    leave: Vec<Sig<Local>>,
    granted: Vec<Sig<Local>>,
    granted_to: Vec<Sig<Local>>,
    chosen: Vec<Sig<Local>>,
    chosen_to: Vec<Sig<Local>>,
    offer_valid: Vec<Sig<Local>>,
    answer_known: Vec<Sig<Local>>,
    sweeping: Vec<Sig<Local>>,
    with_room: Vec<Sig<Local>>,
    with_room_to: Vec<Sig<Local>>,
    asking_to: Vec<Sig<Local>>,
    group_sweeping: Vec<Sig<Local>>,
    multicast_waiting: Vec<Sig<Local>>,
    may_connect: Vec<Sig<Local>>,
    output_free: Vec<Sig<Local>>,
    mixed_room: Vec<Sig<Local>>,
    mixed_credit: Vec<Sig<Local>>,
    mixed_credit_two: Vec<Sig<Local>>,
    mixed_spare: Vec<Sig<Local>>,
    mixed_grant: Vec<Sig<Local>>,
    passed_over: Vec<Sig<Local>>,
    leave_mixed: Vec<Sig<Local>>,

    ports: Param,
    vcs: Param,
    gated: Param,
    gated_by_plane: Param,
    direct_cam: Param,
    counted_tables: Param,
    counted_lookups: Param,
    counted_fills: Param,
    counted_multicasts: Param,
    direct: Param,
    selecting: Param,
    direct_vcs: Param,
    selected_vcs: Param,
    mixed: Param,
    barrier_groups: Param,
    message: Field,
    compared: Param,
    next_vcs: Param,
    map_entries: Param,
    about: About,
}

#[kernel]
impl Switch {
    fn update(&mut self) {
        // Pins of the input units, and what they have for the crossbar.
        for v in 0..self.vcs.val() {
            self.ready[v].next = 0.into();
            self.ending[v].next = 0.into();
        }
        for i in 0..self.ports.val() {
            self.input_unit[i].error_clear.next = self.error_clear.val();
            self.rx[i].link(&mut self.input_unit[i].rx);
            self.input_unit[i].granted.next = self.granted_to[i].val();
            for v in 0..self.vcs.val() {
                self.rx_credit_valid[i * self.vcs.val() + v].next = self.input_unit[i].rx_credit_valid[v].val();
                self.rx_credit[i * self.vcs.val() + v].next = self.input_unit[i].rx_credit[v].val();
                self.drop_valid[i * self.vcs.val() + v].next = self.input_unit[i].drop_valid.val().get_bit(v);
                self.ready[v].next = self.ready[v].val().replace_bit(i, self.input_unit[i].ready.val().get_bit(v));
                self.ending[v].next = self.ending[v].val().replace_bit(i, self.input_unit[i].ending.val().get_bit(v));
                self.crossbar.beat[v * self.ports.val() + i].next = self.input_unit[i].beat[v].val();
            }
            self.drop_count[i].next = self.input_unit[i].drop_count.val();
            self.error[i].link(&mut self.input_unit[i].error);
        }

        // Route computation.
        for c in 0..self.cam_port.len() {
            self.offer_valid[c].next = 0.into();
        }
        for c in 0..self.answer_known.len() {
            self.answer_known[c].next = 0.into();
        }
        for c in 0..self.sweeping.len() {
            self.sweeping[c].next = 0.into();
        }
        for i in 0..self.source_route.len() {
            self.input_unit[i].arrival.join(&mut self.source_route[i].io.arrival);
            Self::take_at_input(&mut self.source_route[i].io, &mut self.input_unit[i]);
        }
        for i in 0..self.route_unit.len() {
            self.input_unit[i].arrival.join(&mut self.route_unit[i].io.arrival);
            for _direct in 0..self.direct.val() {
                Self::take_at_input(&mut self.route_unit[i].io, &mut self.input_unit[i]);
            }
            for _selecting in 0..self.selecting.val() {
                Self::take_at_selection(&mut self.route_unit[i].io, &mut self.output_selection[i]);
            }
            Self::reach_cam(&mut self.route_unit[i].io, &mut self.cam_port[0], i);
            if let (Some(cam), Some(lookups)) = (&self.route_unit[i].io.cam, &self.route_unit[i].io.lookups) {
                self.offer_valid[0].next = self.offer_valid[0].val().replace_bit(i, cam.offer.valid.val());
                for c in 0..self.answer_known.len() {
                    self.answer_known[c].next = self.answer_known[c].val().replace_bit(i, cam.answer.known.val());
                }
                self.lookup_hit[i].next = lookups.lookup_hit.val();
                self.lookup_miss[i].next = lookups.lookup_miss.val();
            }
            if let Some(control) = &mut self.route_unit[i].io.control {
                control.enable.next = self.registers[0].enable[0].val();
                control.flush.next = self.registers[0].flush[0].val();
                self.sweeping[0].next = self.sweeping[0].val().replace_bit(i, control.sweeping.val());
            }
            if let Some(settings) = &mut self.route_unit[i].io.reduction_settings {
                self.registers[0].reduction_settings[0].join(settings);
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            self.input_unit[i].arrival.join(&mut self.uncached_route_unit[i].io.arrival);
            for _direct in 0..self.direct.val() {
                Self::take_at_input(&mut self.uncached_route_unit[i].io, &mut self.input_unit[i]);
            }
            for _selecting in 0..self.selecting.val() {
                Self::take_at_selection(&mut self.uncached_route_unit[i].io, &mut self.output_selection[i]);
            }
            Self::reach_cam(&mut self.uncached_route_unit[i].io, &mut self.cam_port[0], i);
            if let (Some(cam), Some(lookups)) =
                (&self.uncached_route_unit[i].io.cam, &self.uncached_route_unit[i].io.lookups)
            {
                self.offer_valid[0].next = self.offer_valid[0].val().replace_bit(i, cam.offer.valid.val());
                for c in 0..self.answer_known.len() {
                    self.answer_known[c].next = self.answer_known[c].val().replace_bit(i, cam.answer.known.val());
                }
                self.lookup_hit[i].next = lookups.lookup_hit.val();
                self.lookup_miss[i].next = lookups.lookup_miss.val();
            }
        }
        for c in 0..self.cam_port.len() {
            self.cam_port[c].offer_valid.next = self.offer_valid[c].val();
            if let Some(default_route) = &mut self.cam_port[c].default_route {
                default_route.next = self.registers[0].default_route[0].val();
            }
            let cam_port = &mut self.cam_port[c];
            if let (Some(error_clear), Some(answer_known), Some(error_cam)) =
                (&mut cam_port.error_clear, &mut cam_port.answer_known, &cam_port.error_cam)
            {
                error_clear.next = self.error_clear.val();
                answer_known.next = self.answer_known[0].val();
                self.error_cam[0].next = error_cam.val();
            }
        }

        // The CAM itself.
        for c in 0..self.direct_cam.val() {
            self.cam_request[c].link(&mut self.cam_port[c].request);
            self.cam_response[c].link(&mut self.cam_port[c].response);
        }

        // Or the forwarding table in front of it.
        for c in 0..self.table_port.len() {
            self.registers[c].table[c].join(&mut self.table_port[c].table);
            self.table_port[c].request_valid.next = self.cam_port[c].request.valid.val();
            self.table_port[c].request_tag.next = self.cam_port[c].request.tag.val();
            self.table_port[c].request_address.next = self.cam_port[c].request.address.val();
            self.cam_port[c].request.ready.next = self.table_port[c].advance.val();
            self.table_port[c].response.join(&mut self.cam_port[c].response);
            if let Some(external) = &mut self.table_port[c].external {
                self.cam_request[0].link(&mut external.cam_request);
                self.cam_response[0].link(&mut external.cam_response);
            }
        }

        // Route computation: algorithmic routing, and its settings.
        for i in 0..self.algorithmic_route.len() {
            self.input_unit[i].arrival.join(&mut self.algorithmic_route[i].io.arrival);
            for _direct in 0..self.direct.val() {
                Self::take_at_input(&mut self.algorithmic_route[i].io, &mut self.input_unit[i]);
            }
            for _selecting in 0..self.selecting.val() {
                Self::take_at_selection(&mut self.algorithmic_route[i].io, &mut self.output_selection[i]);
            }
            if let Some(settings) = &mut self.algorithmic_route[i].io.reduction_settings {
                self.registers[0].reduction_settings[0].join(settings);
            }
            for e in 0..self.map_entries.val() {
                self.algorithmic_route[i].io.map_entries[e].next = self.registers[0].port_map[e].val();
            }
        }

        // Output selection.
        for i in 0..self.output_selection.len() {
            let selection = &mut self.output_selection[i];
            selection.arrive.next = self.input_unit[i].arrival.arrive.val();
            selection.arrive_vc.next = self.input_unit[i].arrival.arrive_vc.val();
            if let Some(address) = &self.input_unit[i].arrival.arrive_address {
                selection.arrive_address.next = unsigned_cast(address.val());
            }
            selection.take.next = self.input_unit[i].take.val();
            self.input_unit[i].head.drop.next = selection.drop_now.val();
            for v in 0..self.vcs.val() {
                self.input_unit[i].head.request[v].next = selection.request[v].val();
            }
            selection.multicast_now.join(&mut self.input_unit[i].head.multicast);
            selection.multicast_group.join(&mut self.input_unit[i].head.group);
            if let Some(settings) = &mut selection.settings {
                settings.method.next = self.registers[0].method[0].val();
                for g in 0..settings.groups.links.len() {
                    settings.groups.links[g].next = self.registers[0].link_groups.links[g].val();
                }
                for l in 0..settings.groups.group_link.len() {
                    settings.groups.group_link[l].next = self.registers[0].link_groups.group_link[l].val();
                }
            }
            for o in 0..self.compared.val() {
                for v in 0..self.vcs.val() {
                    selection.in_use[o * self.vcs.val() + v].next = self.output_unit[o].in_use[v].val();
                }
            }
        }

        // Registers.
        for c in 0..self.registers.len() {
            ApbPins::<In>::link(&mut self.apb[c], &mut self.registers[c].apb);
        }
        for c in 0..self.sweeping.len() {
            self.registers[c].sweeping[c].next = self.sweeping[c].val().any();
        }
        for c in 0..self.table_port.len() {
            self.registers[c].table_sweeping[c].next = self.table_port[c].sweeping.val();
        }

        // VCs on which packets leave, by input.
        for w in 0..self.leave.len() {
            self.leave[w].next = 0.into();
        }
        for v in 0..self.direct_vcs.val() {
            for u in 0..self.next_vcs.val() {
                for i in 0..self.route_unit.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.route_unit[i].io.head.vc[v].val().get_bit(u));
                }
                for i in 0..self.uncached_route_unit.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.uncached_route_unit[i].io.head.vc[v].val().get_bit(u));
                }
                for i in 0..self.algorithmic_route.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.algorithmic_route[i].io.head.vc[v].val().get_bit(u));
                }
            }
        }
        for v in 0..self.selected_vcs.val() {
            for u in 0..self.next_vcs.val() {
                for i in 0..self.output_selection.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.output_selection[i].leave[v].val().get_bit(u));
                }
            }
        }

        // Multicast: group tables, packets that wait, and what outputs have for them.
        for m in 0..self.multicast_unit.len() {
            self.group_sweeping[m].next = 0.into();
            self.multicast_waiting[m].next = 0.into();
            self.may_connect[m].next = 0.into();
            self.output_free[m].next = 0.into();
            self.mixed_room[m].next = 0.into();
            self.mixed_credit[m].next = 0.into();
            self.mixed_credit_two[m].next = 0.into();
            self.mixed_spare[m].next = 0.into();
            self.mixed_grant[m].next = 0.into();
            self.passed_over[m].next = 0.into();
            for i in 0..self.ports.val() {
                if let Some(input) = &mut self.input_unit[i].multicast {
                    input.own_port.next = i.into();
                    input.write.next = self.registers[m].multicast_write[m].val();
                    input.write_group.next = self.registers[m].multicast_group[m].val();
                    input.write_entry.next = self.registers[m].multicast_entry[m].val();
                    input.start.next = self.multicast_unit[m].start.val().get_bit(i);
                    self.group_sweeping[m].next = self.group_sweeping[m].val().replace_bit(i, input.sweeping.val());
                    self.multicast_waiting[m].next =
                        self.multicast_waiting[m].val().replace_bit(i, input.waiting.val());
                    self.may_connect[m].next = self.may_connect[m].val().replace_bit(i, input.may_connect.val());
                    self.multicast_unit[m].outputs[i].next = input.outputs.val();
                    self.multicast_unit[m].mixed_waiting[i].next = input.mixed_waiting.val();
                }
            }
            for o in 0..self.ports.val() {
                self.mixed_credit[m].next =
                    self.mixed_credit[m].val().replace_bit(o, self.output_unit[o].room.val().get_bit(self.mixed.val()));
                self.mixed_credit_two[m].next =
                    self.mixed_credit_two[m].val().replace_bit(o, self.output_unit[o].room_two[m].val());
                if let Some(mixed) = &mut self.allocator[o].io.mixed {
                    self.output_free[m].next = self.output_free[m].val().replace_bit(o, mixed.free.val());
                    self.mixed_room[m].next = self.mixed_room[m].val().replace_bit(o, mixed.mixed_room.val());
                    self.mixed_spare[m].next = self.mixed_spare[m].val().replace_bit(o, mixed.mixed_spare.val());
                    self.mixed_grant[m].next = self.mixed_grant[m].val().replace_bit(o, mixed.mixed_grant.val());
                    self.passed_over[m].next = self.passed_over[m].val().replace_bit(o, mixed.passed_over.val());
                    mixed.multicast_turn.next = self.multicast_unit[m].turn.val().get_bit(o);
                    mixed.saved.next = self.multicast_unit[m].saved.val().get_bit(o);
                    mixed.reserved.next = self.multicast_unit[m].reserved.val().get_bit(o);
                    mixed.start.next = self.multicast_unit[m].start_to[o].val();
                    mixed.room_two.next = self.output_unit[o].room_two[m].val();
                }
            }
            self.registers[m].multicast_sweeping[m].next = self.group_sweeping[m].val().any();
            self.multicast_unit[m].waiting.next = self.multicast_waiting[m].val();
            self.multicast_unit[m].may_connect.next = self.may_connect[m].val();
            self.multicast_unit[m].free.next = self.output_free[m].val();
            self.multicast_unit[m].room.next = self.mixed_room[m].val();
            self.multicast_unit[m].credit.next = self.mixed_credit[m].val();
            self.multicast_unit[m].credit_two.next = self.mixed_credit_two[m].val();
            self.multicast_unit[m].mixed_spare.next = self.mixed_spare[m].val();
            self.multicast_unit[m].mixed_grant.next = self.mixed_grant[m].val();
            self.multicast_unit[m].passed_over.next = self.passed_over[m].val();
        }
        for i in 0..self.leave_mixed.len() {
            self.leave_mixed[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.leave_mixed[i].next = self.leave_mixed[i]
                    .val()
                    .replace_bit(v, self.leave[v * self.next_vcs.val() + self.mixed.val()].val().get_bit(i));
            }
            if let Some(leave_mixed) = &mut self.input_unit[i].leave_mixed {
                leave_mixed.next = self.leave_mixed[i].val();
            }
        }

        // Barriers: their settings, the messages at the pins, and whom a message keeps from an output.
        for b in 0..self.barrier_unit.len() {
            self.barrier_unit[b].retransmit_limit.next = self.registers[b].barrier_retransmit_limit[b].val();
            self.barrier_unit[b].urge_limit.next = self.registers[b].barrier_urge_limit[b].val();
            self.barrier_unit[b].scale.next = self.registers[b].barrier_scale[b].val();
            self.barrier_unit[b].clear_group.next = self.registers[b].barrier_clear_group[b].val();
            self.barrier_unit[b].clear_ports.next = self.registers[b].barrier_clear_ports[b].val();
            self.barrier_unit[b].enable.next = self.registers[b].barrier_enable[b].val();
            self.barrier_unit[b].root.next = self.registers[b].barrier_root[b].val();
            self.barrier_unit[b].restart.next = self.registers[b].barrier_restart[b].val();
            self.registers[b].barrier_corrupt[b].next = self.barrier_unit[b].corrupt.val();
            self.registers[b].barrier_no_group[b].next = self.barrier_unit[b].no_group.val();
            for g in 0..self.barrier_groups.val() {
                self.barrier_unit[b].leaves[g].next = self.registers[b].barrier_leaves[g].val();
                self.barrier_unit[b].parent[g].next = self.registers[b].barrier_parent[g].val();
                self.registers[b].barrier_status[g].next = self.barrier_unit[b].status[g].val();
                self.registers[b].barrier_arrived[g].next = self.barrier_unit[b].arrived[g].val();
                self.registers[b].barrier_counts[g].next = self.barrier_unit[b].counts[g].val();
            }
            for p in 0..self.ports.val() {
                self.barrier_unit[b].rx_valid[p].next = self.rx[p].valid.val();
                self.barrier_unit[b].rx_vc[p].next = self.rx[p].vc.val();
                self.barrier_unit[b].rx_head[p].next = self.rx[p].head.val();
                self.barrier_unit[b].rx_tail[p].next = self.rx[p].tail.val();
                self.barrier_unit[b].rx_message[p].next = self.rx[p].flit.val() >> self.message.val();
                self.output_unit[p].message_valid[b].next = self.barrier_unit[b].message_valid.val().get_bit(p);
                self.output_unit[p].message[b].next = self.barrier_unit[b].message[p].val();
                for v in 0..self.vcs.val() {
                    self.barrier_unit[b].owner[p * self.vcs.val() + v].next = self.allocator[p].io.owner[v].val();
                }
                let input = &mut self.input_unit[p];
                if let (Some(message_next), Some(stays_held)) = (&mut input.message_next, &mut input.stays_held) {
                    message_next.next = self.barrier_unit[b].message_next.val();
                    stays_held.next = self.barrier_unit[b].stays_held[p].val();
                }
            }
        }

        // Allocation: requests by output, grants by input.
        for o in 0..self.ports.val() {
            self.allocator[o].io.room.next = self.output_unit[o].room.val();
            self.allocator[o].io.room_sending.next = self.output_unit[o].room_sending.val();
            for v in 0..self.vcs.val() {
                self.request[o * self.vcs.val() + v].next = 0.into();
                for i in 0..self.ports.val() {
                    self.request[o * self.vcs.val() + v].next = self.request[o * self.vcs.val() + v]
                        .val()
                        .replace_bit(i, self.input_unit[i].request[v].val().get_bit(o));
                }
                self.allocator[o].io.request[v].next = self.request[o * self.vcs.val() + v].val();
                self.allocator[o].io.ready[v].next = self.ready[v].val();
                self.allocator[o].io.ending[v].next = self.ending[v].val();
                self.crossbar.owner[o * self.vcs.val() + v].next = self.allocator[o].io.owner[v].val();
            }
            for w in 0..self.leave.len() {
                self.allocator[o].io.leave[w].next = self.leave[w].val();
            }
        }
        for v in 0..self.vcs.val() {
            self.granted[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.granted[v].next = self.granted[v].val() | self.allocator[o].io.grant[v].val();
            }
        }
        for i in 0..self.ports.val() {
            self.granted_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.granted_to[i].next = self.granted_to[i].val().replace_bit(v, self.granted[v].val().get_bit(i));
            }
        }
        for v in 0..self.chosen.len() {
            self.chosen[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.chosen[v].next = self.chosen[v].val() | self.allocator[o].io.chosen[v].val();
            }
        }
        for i in 0..self.chosen_to.len() {
            self.chosen_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.chosen_to[i].next = self.chosen_to[i].val().replace_bit(v, self.chosen[v].val().get_bit(i));
            }
            if let Some(chosen) = &mut self.input_unit[i].chosen {
                chosen.next = self.chosen_to[i].val();
            }
        }

        // Traversal, and the pins of the output units.
        for o in 0..self.gated.val() {
            for v in 0..self.vcs.val() {
                self.crossbar.sent[o * self.vcs.val() + v].next = self.allocator[o].io.sent.val().get_bit(v);
            }
        }
        for o in 0..self.gated_by_plane.val() {
            if let Some(plane_sent) = &self.allocator[o].io.plane_sent {
                for v in 0..self.vcs.val() {
                    self.crossbar.sent[o * self.vcs.val() + v].next = plane_sent.val().get_bit(v);
                }
            }
        }
        for o in 0..self.ports.val() {
            self.output_unit[o].error_clear.next = self.error_clear.val();
            self.output_unit[o].sent.next = self.allocator[o].io.sent.val();
            self.output_unit[o].beat.next = self.crossbar.out[o].val();
            for v in 0..self.vcs.val() {
                self.output_unit[o].tx_credit_valid[v].next = self.tx_credit_valid[o * self.vcs.val() + v].val();
                self.output_unit[o].tx_credit[v].next = self.tx_credit[o * self.vcs.val() + v].val();
            }
            self.tx[o].link(&mut self.output_unit[o].tx);
            self.error_credit[o].next = self.output_unit[o].error_credit.val();
        }

        // Counters: which input VCs ask for an output, and which of them for one that has room.
        for v in 0..self.with_room.len() {
            self.with_room[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.with_room[v].next = self.with_room[v].val() | self.allocator[o].io.with_room[v].val();
            }
        }
        for i in 0..self.port_counters.len() {
            self.with_room_to[i].next = 0.into();
            self.asking_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.with_room_to[i].next =
                    self.with_room_to[i].val().replace_bit(v, self.with_room[v].val().get_bit(i));
                self.asking_to[i].next =
                    self.asking_to[i].val().replace_bit(v, self.input_unit[i].request[v].val().any());
            }
            self.port_counters[i].arrive.next = self.input_unit[i].arrival.arrive.val();
            self.port_counters[i].arrive_vc.next = self.input_unit[i].arrival.arrive_vc.val();
            if let Some(stored) = &self.input_unit[i].stored {
                self.port_counters[i].stored.next = stored.val();
            }
            self.port_counters[i].tx_valid.next = self.output_unit[i].tx.valid.val();
            self.port_counters[i].tx_vc.next = self.output_unit[i].tx.vc.val();
            self.port_counters[i].tx_tail.next = self.output_unit[i].tx.tail.val();
            self.port_counters[i].dropped.next = self.input_unit[i].drop_valid.val();
            self.port_counters[i].asking.next = self.asking_to[i].val();
            self.port_counters[i].with_room.next = self.with_room_to[i].val();
            self.port_counters[i].granted.next = self.granted_to[i].val();
            self.port_counters[i].snapshot.next = self.registers[0].snapshot[0].val();
            self.port_counters[i].clear.next = self.registers[0].clear[0].val();
            self.port_counters[i].vc_kind.next = self.registers[0].vc_kind[0].val();
            self.port_counters[i].vc_select.next =
                unsigned_cast(self.registers[0].vc_select[0].val() >> (i * self.vcs.val()));
            self.registers[0].count[i].next = self.port_counters[i].value.val();
            for c in 0..self.counted_lookups.val() {
                self.port_counters[i].lookup_kind[c].next = self.registers[0].lookup_kind[c].val();
                self.port_counters[i].outstanding_kind[c].next = self.registers[0].outstanding_kind[c].val();
                self.port_counters[i].port_select[c].next = self.registers[0].port_select[c].val().get_bit(i);
            }
            for c in 0..self.counted_multicasts.val() {
                self.port_counters[i].multicast_kind[c].next = self.registers[0].multicast_kind[c].val();
                self.port_counters[i].port_select[c].next = self.registers[0].port_select[c].val().get_bit(i);
                self.port_counters[i].multicast_start[c].next = self.multicast_unit[c].start.val().get_bit(i);
                self.port_counters[i].multicast_stalled[c].next = self.multicast_unit[c].stalled[0].val().get_bit(i);
            }
            for c in 0..self.counted_fills.val() {
                self.port_counters[i].fill_kind[c].next = self.registers[0].fill_kind[c].val();
            }
        }
        for i in 0..self.route_unit.len() {
            if let (Some(events), Some(lookups)) = (&self.route_unit[i].io.events, &self.route_unit[i].io.lookups) {
                self.port_counters[i].pending[0].next = events.pending_now.val();
                self.port_counters[i].hit[0].next = events.hit_now.val();
                self.port_counters[i].miss[0].next = events.miss_now.val();
                self.port_counters[i].merged[0].next = events.merged_now.val();
                if let (Some(fill), Some(evict)) = (&events.fill_now, &events.evict_now) {
                    self.port_counters[i].fill[0].next = fill.val();
                    self.port_counters[i].evict[0].next = evict.val();
                }
                self.port_counters[i].was_miss[0].next = lookups.lookup_miss.val();
                self.port_counters[i].freed[0].next = events.freed_now.val();
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            if let (Some(events), Some(lookups)) =
                (&self.uncached_route_unit[i].io.events, &self.uncached_route_unit[i].io.lookups)
            {
                self.port_counters[i].pending[0].next = events.pending_now.val();
                self.port_counters[i].hit[0].next = events.hit_now.val();
                self.port_counters[i].miss[0].next = events.miss_now.val();
                self.port_counters[i].merged[0].next = events.merged_now.val();
                self.port_counters[i].was_miss[0].next = lookups.lookup_miss.val();
                self.port_counters[i].freed[0].next = events.freed_now.val();
            }
        }
        for c in 0..self.switch_counters.len() {
            self.switch_counters[c].snapshot.next = self.registers[c].snapshot[c].val();
            self.switch_counters[c].clear.next = self.registers[c].clear[c].val();
            self.registers[c].count[self.ports.val()].next = self.switch_counters[c].value.val();
            for t in 0..self.counted_tables.val() {
                if let (Some(known), Some(unknown)) = (&self.table_port[t].known, &self.table_port[t].unknown) {
                    self.switch_counters[c].table_hit[t].next = known.val();
                    self.switch_counters[c].table_miss[t].next = unknown.val();
                }
                self.switch_counters[c].table_kind[t].next = self.registers[c].table_kind[t].val();
            }
            for e in 0..self.cam_request.len() {
                self.switch_counters[c].cam_valid[e].next = self.cam_request[e].valid.val();
                self.switch_counters[c].cam_ready[e].next = self.cam_request[e].ready.val();
                self.switch_counters[c].cam_kind[e].next = self.registers[c].cam_kind[e].val();
            }
        }
    }

    /// The input unit takes the results.
    fn take_at_input(io: &mut RoutePorts<In>, input: &mut InputUnit) {
        io.take.next = input.take.val();
        io.head.join(&mut input.head);
    }

    /// Output selection takes them.
    fn take_at_selection(io: &mut RoutePorts<In>, selection: &mut OutputSelection) {
        io.take.next = selection.take_head.val();
        io.head.join(&mut selection.head);
        io.head.multicast.join(&mut selection.head_multicast);
        io.head.group.join(&mut selection.head_group);
    }

    /// The CAM port is asked by all ports, and answers one.
    fn reach_cam(io: &mut RoutePorts<In>, cam_port: &mut CamPort, i: usize) {
        if let Some(cam) = &mut io.cam {
            cam_port.offer_vc[i].next = cam.offer.vc.val();
            cam_port.offer_slot[i].next = cam.offer.slot.val();
            cam_port.offer_address[i].next = cam.offer.address.val();
            cam.offer.taken.next = cam_port.offer_taken.val().get_bit(i);
            cam.answer.valid.next = cam_port.answer_valid.val().get_bit(i);
            cam.answer.vc.next = cam_port.answer_vc.val();
            cam.answer.slot.next = cam_port.answer_slot.val();
            cam.answer.drop.next = cam_port.answer_drop.val();
            cam.answer.port.next = cam_port.answer_port.val();
        }
    }
}

#[cfg(test)]
mod tests;
