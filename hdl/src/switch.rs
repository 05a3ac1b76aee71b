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
use crate::units::route::route_head::RouteHead;
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
    table_cam: Param,
    default_routes: Param,
    counted_tables: Param,
    counted_lookups: Param,
    counted_multicasts: Param,
    direct: Param,
    selecting: Param,
    direct_vcs: Param,
    selected_vcs: Param,
    mixed: Param,
    mixed_selecting: Param,
    link_settings: Param,
    message: Field,
    compared: Param,
    next_vcs: Param,
    cache_control: Param,
    reduction_settings: Param,
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
            InputErrors::<Out>::link(&mut self.error[i], &mut self.input_unit[i].error);
        }

        // Route computation: source routing.
        for i in 0..self.source_route.len() {
            self.source_route[i].arrive.next = self.input_unit[i].arrive.val();
            self.source_route[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.source_route[i].arrive_port.next = self.input_unit[i].arrive_port[0].val();
            self.source_route[i].take.next = self.input_unit[i].take.val();
            RouteHead::<Out>::join(&mut self.source_route[i].head, &mut self.input_unit[i].head);
            for m in 0..self.multicast_unit.len() {
                self.source_route[i].arrive_multicast[m].next = self.input_unit[i].arrive_multicast[m].val();
                self.source_route[i].arrive_group[m].next = self.input_unit[i].arrive_group[m].val();
                self.source_route[i].arrive_unknown[m].next = self.input_unit[i].arrive_unknown[m].val();
            }
        }

        // Route computation: table routing.
        for c in 0..self.cam_port.len() {
            self.offer_valid[c].next = 0.into();
        }
        for c in 0..self.answer_known.len() {
            self.answer_known[c].next = 0.into();
        }
        for c in 0..self.sweeping.len() {
            self.sweeping[c].next = 0.into();
        }
        for i in 0..self.route_unit.len() {
            self.route_unit[i].arrive.next = self.input_unit[i].arrive.val();
            self.route_unit[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.route_unit[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.route_unit[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _direct in 0..self.direct.val() {
                self.route_unit[i].take.next = self.input_unit[i].take.val();
                RouteHead::<Out>::join(&mut self.route_unit[i].head, &mut self.input_unit[i].head);
            }
            for _selecting in 0..self.selecting.val() {
                self.route_unit[i].take.next = self.output_selection[i].take_head.val();
                RouteHead::<Out>::join(&mut self.route_unit[i].head, &mut self.output_selection[i].head);
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.route_unit[i].head.multicast[m].val();
                self.output_selection[i].head_group[m].next = self.route_unit[i].head.group[m].val();
            }
            self.offer_valid[0].next = self.offer_valid[0].val().replace_bit(i, self.route_unit[i].offer_valid.val());
            for c in 0..self.answer_known.len() {
                self.answer_known[c].next =
                    self.answer_known[c].val().replace_bit(i, self.route_unit[i].answer_known.val());
            }
            self.cam_port[0].offer_vc[i].next = self.route_unit[i].offer_vc.val();
            self.cam_port[0].offer_slot[i].next = self.route_unit[i].offer_slot.val();
            self.cam_port[0].offer_address[i].next = self.route_unit[i].offer_address.val();
            self.route_unit[i].offer_taken.next = self.cam_port[0].offer_taken.val().get_bit(i);
            self.route_unit[i].answer_valid.next = self.cam_port[0].answer_valid.val().get_bit(i);
            self.route_unit[i].answer_vc.next = self.cam_port[0].answer_vc.val();
            self.route_unit[i].answer_slot.next = self.cam_port[0].answer_slot.val();
            self.route_unit[i].answer_drop.next = self.cam_port[0].answer_drop.val();
            self.route_unit[i].answer_port.next = self.cam_port[0].answer_port.val();
            self.lookup_hit[i].next = self.route_unit[i].lookup_hit.val();
            self.lookup_miss[i].next = self.route_unit[i].lookup_miss.val();
            for c in 0..self.cache_control.val() {
                if let Some(cache) = &self.registers[c].cache {
                    self.route_unit[i].enable[c].next = cache.enable.val();
                    self.route_unit[i].flush[c].next = cache.flush.val();
                }
                self.sweeping[c].next = self.sweeping[c].val().replace_bit(i, self.route_unit[i].sweeping[c].val());
            }
            for c in 0..self.reduction_settings.val() {
                if let Some(reduction) = &mut self.registers[c].reduction {
                    reduction.join(&mut self.route_unit[i].reduction_settings[c]);
                }
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            self.uncached_route_unit[i].arrive.next = self.input_unit[i].arrive.val();
            self.uncached_route_unit[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.uncached_route_unit[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.uncached_route_unit[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _direct in 0..self.direct.val() {
                self.uncached_route_unit[i].take.next = self.input_unit[i].take.val();
                RouteHead::<Out>::join(&mut self.uncached_route_unit[i].head, &mut self.input_unit[i].head);
            }
            for _selecting in 0..self.selecting.val() {
                self.uncached_route_unit[i].take.next = self.output_selection[i].take_head.val();
                RouteHead::<Out>::join(&mut self.uncached_route_unit[i].head, &mut self.output_selection[i].head);
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.uncached_route_unit[i].head.multicast[m].val();
                self.output_selection[i].head_group[m].next = self.uncached_route_unit[i].head.group[m].val();
            }
            self.offer_valid[0].next =
                self.offer_valid[0].val().replace_bit(i, self.uncached_route_unit[i].offer_valid.val());
            for c in 0..self.answer_known.len() {
                self.answer_known[c].next =
                    self.answer_known[c].val().replace_bit(i, self.uncached_route_unit[i].answer_known.val());
            }
            self.cam_port[0].offer_vc[i].next = self.uncached_route_unit[i].offer_vc.val();
            self.cam_port[0].offer_slot[i].next = self.uncached_route_unit[i].offer_slot.val();
            self.cam_port[0].offer_address[i].next = self.uncached_route_unit[i].offer_address.val();
            self.uncached_route_unit[i].offer_taken.next = self.cam_port[0].offer_taken.val().get_bit(i);
            self.uncached_route_unit[i].answer_valid.next = self.cam_port[0].answer_valid.val().get_bit(i);
            self.uncached_route_unit[i].answer_vc.next = self.cam_port[0].answer_vc.val();
            self.uncached_route_unit[i].answer_slot.next = self.cam_port[0].answer_slot.val();
            self.uncached_route_unit[i].answer_drop.next = self.cam_port[0].answer_drop.val();
            self.uncached_route_unit[i].answer_port.next = self.cam_port[0].answer_port.val();
            self.lookup_hit[i].next = self.uncached_route_unit[i].lookup_hit.val();
            self.lookup_miss[i].next = self.uncached_route_unit[i].lookup_miss.val();
        }
        for c in 0..self.cam_port.len() {
            self.cam_port[c].offer_valid.next = self.offer_valid[c].val();
            for d in 0..self.default_routes.val() {
                if let Some(route) = &self.registers[d].default_route {
                    self.cam_port[c].default_route[d].next = route.val();
                }
            }
            for e in 0..self.error_cam.len() {
                self.cam_port[c].error_clear[e].next = self.error_clear.val();
                self.cam_port[c].answer_known[e].next = self.answer_known[e].val();
                self.error_cam[e].next = self.cam_port[c].error_cam[e].val();
            }
        }

        // The CAM itself.
        for c in 0..self.direct_cam.val() {
            CamRequest::<Out>::link(&mut self.cam_request[c], &mut self.cam_port[c].request);
            CamResponse::<In>::link(&mut self.cam_response[c], &mut self.cam_port[c].response);
        }

        // Or the forwarding table in front of it.
        for c in 0..self.table_port.len() {
            if let Some(table) = &mut self.registers[c].table {
                table.join(&mut self.table_port[c].table);
            }
            self.table_port[c].request_valid.next = self.cam_port[c].request.valid.val();
            self.table_port[c].request_tag.next = self.cam_port[c].request.tag.val();
            self.table_port[c].request_address.next = self.cam_port[c].request.address.val();
            self.cam_port[c].request.ready.next = self.table_port[c].advance.val();
            CamResponse::<Out>::join(&mut self.table_port[c].response, &mut self.cam_port[c].response);
        }
        for c in 0..self.table_cam.val() {
            CamRequest::<Out>::link(&mut self.cam_request[c], &mut self.table_port[c].cam_request[c]);
            CamResponse::<In>::link(&mut self.cam_response[c], &mut self.table_port[c].cam_response[c]);
        }

        // Route computation: algorithmic routing, and its settings.
        for i in 0..self.algorithmic_route.len() {
            self.algorithmic_route[i].arrive.next = self.input_unit[i].arrive.val();
            self.algorithmic_route[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.algorithmic_route[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.algorithmic_route[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _direct in 0..self.direct.val() {
                self.algorithmic_route[i].take.next = self.input_unit[i].take.val();
                RouteHead::<Out>::join(&mut self.algorithmic_route[i].head, &mut self.input_unit[i].head);
            }
            for _selecting in 0..self.selecting.val() {
                self.algorithmic_route[i].take.next = self.output_selection[i].take_head.val();
                RouteHead::<Out>::join(&mut self.algorithmic_route[i].head, &mut self.output_selection[i].head);
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.algorithmic_route[i].head.multicast[m].val();
                self.output_selection[i].head_group[m].next = self.algorithmic_route[i].head.group[m].val();
            }
            for c in 0..self.reduction_settings.val() {
                if let Some(reduction) = &mut self.registers[c].reduction {
                    reduction.join(&mut self.algorithmic_route[i].reduction_settings);
                }
            }
            for e in 0..self.map_entries.val() {
                self.algorithmic_route[i].map_entries[e].next = self.registers[0].port_map[e].val();
            }
        }

        // Output selection.
        for i in 0..self.output_selection.len() {
            self.output_selection[i].arrive.next = self.input_unit[i].arrive.val();
            self.output_selection[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.output_selection[i].arrive_address.next = unsigned_cast(self.input_unit[i].arrive_address[0].val());
            self.output_selection[i].take.next = self.input_unit[i].take.val();
            self.input_unit[i].head.drop.next = self.output_selection[i].drop_now.val();
            for v in 0..self.vcs.val() {
                self.input_unit[i].head.request[v].next = self.output_selection[i].request[v].val();
            }
            for m in 0..self.multicast_unit.len() {
                self.input_unit[i].head.multicast[m].next = self.output_selection[i].multicast_now[m].val();
                self.input_unit[i].head.group[m].next = self.output_selection[i].multicast_group[m].val();
            }
            for c in 0..self.link_settings.val() {
                if let Some(links) = &mut self.registers[c].links {
                    self.output_selection[i].method[c].next = links.method.val();
                    links.groups.join(&mut self.output_selection[i].link_groups);
                }
            }
            for o in 0..self.compared.val() {
                for v in 0..self.vcs.val() {
                    self.output_selection[i].in_use[o * self.vcs.val() + v].next = self.output_unit[o].in_use[v].val();
                }
            }
        }

        // Registers.
        for c in 0..self.registers.len() {
            self.apb[c].link(&mut self.registers[c].apb);
        }
        for c in 0..self.sweeping.len() {
            if let Some(cache) = &mut self.registers[c].cache {
                cache.sweeping.next = self.sweeping[c].val().any();
            }
        }
        for c in 0..self.table_port.len() {
            if let Some(sweeping) = &mut self.registers[c].table_sweeping {
                sweeping.next = self.table_port[c].sweeping.val();
            }
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
                        .replace_bit(i, self.route_unit[i].head.vc[v].val().get_bit(u));
                }
                for i in 0..self.uncached_route_unit.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.uncached_route_unit[i].head.vc[v].val().get_bit(u));
                }
                for i in 0..self.algorithmic_route.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.algorithmic_route[i].head.vc[v].val().get_bit(u));
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
                self.input_unit[i].own_port[m].next = i.into();
                if let Some(multicast) = &self.registers[m].multicast {
                    self.input_unit[i].write[m].next = multicast.write.val();
                    self.input_unit[i].write_group[m].next = multicast.group.val();
                    self.input_unit[i].write_entry[m].next = multicast.entry.val();
                }
                self.group_sweeping[m].next =
                    self.group_sweeping[m].val().replace_bit(i, self.input_unit[i].sweeping[m].val());
                self.multicast_waiting[m].next =
                    self.multicast_waiting[m].val().replace_bit(i, self.input_unit[i].waiting[m].val());
                self.may_connect[m].next =
                    self.may_connect[m].val().replace_bit(i, self.input_unit[i].may_connect[m].val());
                self.multicast_unit[m].outputs[i].next = self.input_unit[i].outputs[m].val();
                self.multicast_unit[m].state.mixed_waiting[i].next = self.input_unit[i].mixed_waiting[m].val();
            }
            for o in 0..self.ports.val() {
                self.output_free[m].next = self.output_free[m].val().replace_bit(o, self.allocator[o].free[m].val());
                self.mixed_room[m].next =
                    self.mixed_room[m].val().replace_bit(o, self.allocator[o].mixed_room[m].val());
                self.mixed_credit[m].next =
                    self.mixed_credit[m].val().replace_bit(o, self.output_unit[o].room.val().get_bit(self.mixed.val()));
                if let Some(room_two) = &self.output_unit[o].room_two {
                    self.mixed_credit_two[m].next = self.mixed_credit_two[m].val().replace_bit(o, room_two.val());
                }
                self.mixed_spare[m].next =
                    self.mixed_spare[m].val().replace_bit(o, self.allocator[o].mixed_spare[m].val());
                self.mixed_grant[m].next =
                    self.mixed_grant[m].val().replace_bit(o, self.allocator[o].mixed_grant[m].val());
                self.passed_over[m].next =
                    self.passed_over[m].val().replace_bit(o, self.allocator[o].passed_over[m].val());
                self.allocator[o].multicast_turn[m].next = self.multicast_unit[m].claims.turn.val().get_bit(o);
                self.allocator[o].saved[m].next = self.multicast_unit[m].claims.saved.val().get_bit(o);
                self.allocator[o].reserved[m].next = self.multicast_unit[m].claims.reserved.val().get_bit(o);
                self.allocator[o].start[m].next = self.multicast_unit[m].start_to[o].val();
                self.input_unit[o].start[m].next = self.multicast_unit[m].start.val().get_bit(o);
                if let Some(room_two) = &self.output_unit[o].room_two {
                    self.allocator[o].room_two[m].next = room_two.val();
                }
            }
            if let Some(multicast) = &mut self.registers[m].multicast {
                multicast.sweeping.next = self.group_sweeping[m].val().any();
            }
            self.multicast_unit[m].waiting.next = self.multicast_waiting[m].val();
            self.multicast_unit[m].may_connect.next = self.may_connect[m].val();
            self.multicast_unit[m].free.next = self.output_free[m].val();
            self.multicast_unit[m].state.room.next = self.mixed_room[m].val();
            self.multicast_unit[m].state.credit.next = self.mixed_credit[m].val();
            self.multicast_unit[m].state.credit_two.next = self.mixed_credit_two[m].val();
            self.multicast_unit[m].state.mixed_spare.next = self.mixed_spare[m].val();
            self.multicast_unit[m].state.mixed_grant.next = self.mixed_grant[m].val();
            self.multicast_unit[m].state.passed_over.next = self.passed_over[m].val();
        }
        for i in 0..self.leave_mixed.len() {
            self.leave_mixed[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.leave_mixed[i].next = self.leave_mixed[i]
                    .val()
                    .replace_bit(v, self.leave[v * self.next_vcs.val() + self.mixed.val()].val().get_bit(i));
            }
            self.input_unit[i].leave_mixed[0].next = self.leave_mixed[i].val();
        }

        // Barriers: their settings, the messages at the pins, and whom a message keeps from an output.
        for b in 0..self.barrier_unit.len() {
            if let Some(barrier) = &mut self.registers[b].barrier {
                barrier.control.join(&mut self.barrier_unit[b].control);
                barrier.faults.join(&mut self.barrier_unit[b].faults);
                barrier.tree.join(&mut self.barrier_unit[b].tree);
                barrier.state.join(&mut self.barrier_unit[b].state);
            }
            for p in 0..self.ports.val() {
                self.barrier_unit[b].rx[p].valid.next = self.rx[p].valid.val();
                self.barrier_unit[b].rx[p].vc.next = self.rx[p].vc.val();
                self.barrier_unit[b].rx[p].head.next = self.rx[p].head.val();
                self.barrier_unit[b].rx[p].tail.next = self.rx[p].tail.val();
                self.barrier_unit[b].rx[p].message.next = self.rx[p].flit.val() >> self.message.val();
                if let Some(barrier) = &mut self.output_unit[p].message {
                    barrier.message_valid.next = self.barrier_unit[b].message_valid.val().get_bit(p);
                    barrier.message.next = self.barrier_unit[b].message[p].val();
                }
                for v in 0..self.vcs.val() {
                    self.barrier_unit[b].owner[p * self.vcs.val() + v].next = self.allocator[p].owner[v].val();
                }
                self.input_unit[p].message_next[b].next = self.barrier_unit[b].message_next.val();
                self.input_unit[p].stays_held[b].next = self.barrier_unit[b].stays_held[p].val();
            }
        }

        // Allocation: requests by output, grants by input.
        for o in 0..self.ports.val() {
            self.allocator[o].room.next = self.output_unit[o].room.val();
            self.allocator[o].room_sending.next = self.output_unit[o].room_sending.val();
            for v in 0..self.vcs.val() {
                self.request[o * self.vcs.val() + v].next = 0.into();
                for i in 0..self.ports.val() {
                    self.request[o * self.vcs.val() + v].next = self.request[o * self.vcs.val() + v]
                        .val()
                        .replace_bit(i, self.input_unit[i].request[v].val().get_bit(o));
                }
                self.allocator[o].request[v].next = self.request[o * self.vcs.val() + v].val();
                self.allocator[o].ready[v].next = self.ready[v].val();
                self.allocator[o].ending[v].next = self.ending[v].val();
                self.crossbar.owner[o * self.vcs.val() + v].next = self.allocator[o].owner[v].val();
            }
            for w in 0..self.leave.len() {
                self.allocator[o].leave[w].next = self.leave[w].val();
            }
        }
        for v in 0..self.vcs.val() {
            self.granted[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.granted[v].next = self.granted[v].val() | self.allocator[o].grant[v].val();
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
                self.chosen[v].next = self.chosen[v].val() | self.allocator[o].chosen[v].val();
            }
        }
        for i in 0..self.chosen_to.len() {
            self.chosen_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.chosen_to[i].next = self.chosen_to[i].val().replace_bit(v, self.chosen[v].val().get_bit(i));
            }
            self.input_unit[i].chosen[0].next = self.chosen_to[i].val();
        }

        // Traversal, and the pins of the output units.
        for o in 0..self.gated.val() {
            for v in 0..self.vcs.val() {
                self.crossbar.sent[o * self.vcs.val() + v].next = self.allocator[o].sent.val().get_bit(v);
            }
        }
        for o in 0..self.gated_by_plane.val() {
            for v in 0..self.vcs.val() {
                self.crossbar.sent[o * self.vcs.val() + v].next = self.allocator[o].plane_sent[0].val().get_bit(v);
            }
        }
        for o in 0..self.ports.val() {
            self.output_unit[o].error_clear.next = self.error_clear.val();
            self.output_unit[o].sent.next = self.allocator[o].sent.val();
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
                self.with_room[v].next = self.with_room[v].val() | self.allocator[o].with_room[v].val();
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
            self.port_counters[i].arrive.next = self.input_unit[i].arrive.val();
            self.port_counters[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.port_counters[i].stored.next = self.input_unit[i].stored[0].val();
            self.port_counters[i].tx_valid.next = self.output_unit[i].tx.valid.val();
            self.port_counters[i].tx_vc.next = self.output_unit[i].tx.vc.val();
            self.port_counters[i].tx_tail.next = self.output_unit[i].tx.tail.val();
            self.port_counters[i].dropped.next = self.input_unit[i].drop_valid.val();
            self.port_counters[i].asking.next = self.asking_to[i].val();
            self.port_counters[i].with_room.next = self.with_room_to[i].val();
            self.port_counters[i].granted.next = self.granted_to[i].val();
            if let Some(counters) = &mut self.registers[0].counters {
                counters.sampling.join(&mut self.port_counters[i].sampling);
                self.port_counters[i].vc_kind.next = counters.vc_kind.val();
                self.port_counters[i].vc_select.next = unsigned_cast(counters.vc_select.val() >> (i * self.vcs.val()));
                counters.of_port.join(&mut self.port_counters[i].of_port);
                if let (Some(here), Some(select)) = (&mut self.port_counters[i].port_select, &counters.port_select) {
                    here.next = select.val().get_bit(i);
                }
                counters.count[i].next = self.port_counters[i].value.val();
            }
            for c in 0..self.counted_multicasts.val() {
                if let (Some(events), Some(stalled)) =
                    (&mut self.port_counters[i].multicast, &self.multicast_unit[c].stalled)
                {
                    events.multicast_start.next = self.multicast_unit[c].start.val().get_bit(i);
                    events.multicast_stalled.next = stalled.val().get_bit(i);
                }
            }
        }
        for i in 0..self.route_unit.len() {
            for c in 0..self.counted_lookups.val() {
                if let Some(lookups) = &mut self.port_counters[i].lookups {
                    lookups.pending.next = self.route_unit[i].pending_now[c].val();
                    lookups.hit.next = self.route_unit[i].hit_now[c].val();
                    lookups.miss.next = self.route_unit[i].miss_now[c].val();
                    lookups.merged.next = self.route_unit[i].merged_now[c].val();
                }
                if let Some(slots) = &mut self.port_counters[i].slots {
                    slots.was_miss.next = self.route_unit[i].lookup_miss.val();
                    slots.freed.next = self.route_unit[i].freed_now[c].val();
                }
                if let Some(fills) = &mut self.port_counters[i].fills {
                    fills.fill.next = self.route_unit[i].fill_now[c].val();
                    fills.evict.next = self.route_unit[i].evict_now[c].val();
                }
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            for c in 0..self.counted_lookups.val() {
                if let Some(lookups) = &mut self.port_counters[i].lookups {
                    lookups.pending.next = self.uncached_route_unit[i].pending_now[c].val();
                    lookups.hit.next = self.uncached_route_unit[i].hit_now[c].val();
                    lookups.miss.next = self.uncached_route_unit[i].miss_now[c].val();
                    lookups.merged.next = self.uncached_route_unit[i].merged_now[c].val();
                }
                if let Some(slots) = &mut self.port_counters[i].slots {
                    slots.was_miss.next = self.uncached_route_unit[i].lookup_miss.val();
                    slots.freed.next = self.uncached_route_unit[i].freed_now[c].val();
                }
            }
        }
        for c in 0..self.switch_counters.len() {
            if let Some(counters) = &mut self.registers[c].counters {
                counters.sampling.join(&mut self.switch_counters[c].sampling);
                counters.of_switch.join(&mut self.switch_counters[c].kinds);
                counters.count[self.ports.val()].next = self.switch_counters[c].value.val();
            }
            for t in 0..self.counted_tables.val() {
                if let Some(table) = &mut self.switch_counters[c].table {
                    table.table_hit.next = self.table_port[t].known[t].val();
                    table.table_miss.next = self.table_port[t].unknown[t].val();
                }
            }
            for e in 0..self.cam_request.len() {
                if let Some(cam) = &mut self.switch_counters[c].cam {
                    cam.cam_valid.next = self.cam_request[e].valid.val();
                    cam.cam_ready.next = self.cam_request[e].ready.val();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
