//! Route unit of an algorithmically routed switch: from the headers of a port to output ports, without a table of
//! destinations.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `arrive`, `arrive_vc` | 1, VC bits | a packet arrives at route computation, on this VC |
//! | `arrive_malformed`, `arrive_address` | 1, A | it is malformed; its destination |
//! | `head` | | oldest result of each VC: a [`RouteHead`] |
//! | `take` | k | it is taken (only while there is one) |
//! | `reduction_settings` | | settings of node reduction: [`ReductionSettings`] |
//! | `map_entries` | 2^key bits x (port bits + 1) | the port map: {valid, port}; with `next_vc` or link aggregation {valid, [`route`](super::layout)} |
//!
//! With the mixed VC, `arrive_address` has one bit more, the mark of a multicast packet, and `arrive_malformed` also says that there is no
//! such group.
//!
//! State: s stages of node reduction, the packet's VC (and its group, if it is a multicast packet) beside it, and a route queue for each VC.
//!
//! Each cycle: an arriving packet enters node reduction; the key that leaves it reads the port map, and the result goes into
//! the route queue of the packet's VC. The result is drop if the packet is malformed, if no function is at work, or if the
//! map has no port for the key. That of a multicast packet is its group, in the same cycle.
//!
//! Source: switch reference, sections 4.6 and 5; seed 000 section 5.5.

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use crate::units::route::layout::{mixed_layout, result_bits, route_bits, width_name};
use crate::units::route::port_map::{port_map, PortMap};
use crate::units::route::reduction::node_reduction::{node_reduction, NodeReduction};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use crate::units::route::result_queue::{result_queue, ResultQueue};
use crate::units::route::route_head::{route_head, RouteHead};
use crate::units::route::route_queue::{route_queue_of, RouteQueue};
use railyard_spec::{AlgorithmicShape, Shape};

/// Routes by node reduction; see the head of this file.
#[block]
pub struct AlgorithmicRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub arrive: Flag<In>,
    pub arrive_vc: Sig<In>,
    pub arrive_malformed: Flag<In>,
    pub arrive_address: Sig<In>,
    pub head: RouteHead<Out>,
    pub take: Sig<In>,
    #[bare]
    pub reduction_settings: ReductionSettings<In>,
    pub map_entries: Vec<Sig<In>>,

    stage_packet: Regs,
    stage_vc: Regs,
    stage_malformed: Regs,
    stage_multicast: Vec<Regs>,
    stage_group: Vec<Regs>,

    reduction: NodeReduction,
    port_map: PortMap,
    route_queue: Vec<RouteQueue>,
    result_queue: Vec<ResultQueue>,

    mixed_result: Vec<Sig<Local>>,

    stages: Param,
    vcs: Param,
    queues: Param,
    mixed: Param,
    mixed_queues: Param,
    mixed_result_queues: Param,
    mark_bit: Param,
    group_field: Field,
    multicast_bit: Param,
    about: About,
}

/// The route unit of a port of an algorithmically routed switch of the given shape.
pub fn algorithmic_route(shape: &Shape, algorithmic: &AlgorithmicShape) -> AlgorithmicRoute {
    let (vcs, vc_bits, port_bits) = (shape.vcs, shape.vc_bits as usize, route_bits(shape));
    let (depth, address_bits) = (shape.buffer_flits as usize, algorithmic.address_bits as usize);
    let reduction = &algorithmic.reduction;
    let (stages, key_bits) = (reduction.stages as usize, reduction.key_bits as usize);
    let plain = usize::from(!shape.output_selection());
    let layout = mixed_layout(shape, port_bits);
    let (mixed, group_bits) = (usize::from(layout.is_some()), layout.as_ref().map_or(1, |m| m.group_bits));
    let doc = "Route unit of an algorithmically routed switch: node reduction makes a key of a packet's destination, \
               and the port map names its output port.";
    let map_doc = match (shape.next_vc, shape.link_aggregation.is_some()) {
        (_, true) => "port map: {valid, route} of each key",
        (true, false) => "port map: {valid, vc_set, vc, port} of each key",
        (false, false) => "port map: {valid, port} of each key",
    };
    AlgorithmicRoute {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        arrive: flag().doc("a packet arrives at route computation"),
        arrive_vc: sig(vc_bits).doc("on this VC"),
        arrive_malformed: flag().doc("it is malformed"),
        arrive_address: sig(header_bits(shape, address_bits)).doc("its destination address"),
        head: route_head(shape),
        take: sig(vcs).doc("it is taken"),
        reduction_settings: reduction_settings(address_bits, reduction),
        map_entries: many(1 << key_bits, || sig(port_bits + 1).doc(map_doc)),
        stage_packet: regs(stages, 1, 0u32).doc("a packet is in this stage of node reduction"),
        stage_vc: regs_no_reset(stages, vc_bits).doc("its VC"),
        stage_malformed: regs_no_reset(stages, 1).doc("it is malformed"),
        stage_multicast: many(mixed, || regs_no_reset(stages, 1).doc("it is a multicast packet")),
        stage_group: many(mixed, || regs_no_reset(stages, group_bits).doc("its group")),
        reduction: node_reduction(address_bits, reduction, stages),
        port_map: port_map(key_bits, port_bits),
        route_queue: (0..plain * vcs).map(|v| route_queue_of(shape, v)).collect(),
        result_queue: (0..(1 - plain) * vcs).map(|v| result_queue(depth, result_bits(shape, v))).collect(),
        mixed_result: layout.iter().map(|m| sig(m.bits).doc("what the mixed VC's queue gets")).collect(),
        stages: param(stages),
        vcs: param(vcs),
        queues: param(plain * vcs),
        mixed: param(layout.as_ref().map_or(0, |m| m.vc)),
        mixed_queues: param(plain * mixed),
        mixed_result_queues: param((1 - plain) * mixed),
        mark_bit: param(address_bits),
        group_field: field(0, group_bits),
        multicast_bit: param(layout.as_ref().map_or(0, |m| m.multicast)),
        about: about("algorithmic_route", doc)
            .param("vcs", vcs)
            .param("address_bits", address_bits)
            .param(width_name(shape), port_bits)
            .param("key_bits", key_bits)
            .param("stages", stages)
            .param("buffer_flits", depth),
    }
}

#[kernel]
impl AlgorithmicRoute {
    fn update(&mut self) {
        // Node reduction, and the packet beside it.
        self.stage_packet.d[0].next = self.arrive.val().into();
        self.stage_vc.d[0].next = self.arrive_vc.val();
        self.stage_malformed.d[0].next = self.arrive_malformed.val().into();
        for s in 1..self.stages.val() {
            self.stage_packet.d[s].next = self.stage_packet.q[s - 1].val();
            self.stage_vc.d[s].next = self.stage_vc.q[s - 1].val();
            self.stage_malformed.d[s].next = self.stage_malformed.q[s - 1].val();
        }
        self.reduction.destination.next = unsigned_cast(self.arrive_address.val());
        self.reduction_settings.link(&mut self.reduction.settings);

        // Port map.
        for e in 0..self.map_entries.len() {
            self.port_map.entries[e].next = self.map_entries[e].val();
        }
        self.port_map.key.next = self.reduction.key.val();

        // Results.
        for v in 0..self.queues.val() {
            self.route_queue[v].push.next = self.stage_packet.q[self.stages.val() - 1].val().any()
                & (self.stage_vc.q[self.stages.val() - 1].val() == v);
            self.route_queue[v].push_drop.next = self.stage_malformed.q[self.stages.val() - 1].val().any()
                | !self.reduction.routed.val()
                | !self.port_map.valid.val();
            self.route_queue[v].push_port.next = unsigned_cast(self.port_map.port.val());
            self.route_queue[v].take.next = self.take.val().get_bit(v);
        }

        for v in 0..self.result_queue.len() {
            self.result_queue[v].push.next = self.stage_packet.q[self.stages.val() - 1].val().any()
                & (self.stage_vc.q[self.stages.val() - 1].val() == v);
            self.result_queue[v].push_pending.next = false;
            self.result_queue[v].push_drop.next = self.stage_malformed.q[self.stages.val() - 1].val().any()
                | !self.reduction.routed.val()
                | !self.port_map.valid.val();
            self.result_queue[v].push_port.next = unsigned_cast(self.port_map.port.val());
            self.result_queue[v].slot_done.next = false;
            self.result_queue[v].slot_drop.next = false;
            self.result_queue[v].slot_port.next = 0.into();
            self.result_queue[v].take.next = self.take.val().get_bit(v);
        }

        self.head.drop.next = 0.into();
        for v in 0..self.queues.val() {
            self.head.drop.next = self.head.drop.val().replace_bit(v, self.route_queue[v].head_drop.val());
            self.head.request[v].next = self.route_queue[v].head_request.val();
        }
        for c in 0..self.head.routed.len() {
            self.head.routed[c].next = 0.into();
            for v in 0..self.result_queue.len() {
                self.head.drop.next = self.head.drop.val().replace_bit(v, self.result_queue[v].head_drop.val());
                self.head.routed[c].next =
                    self.head.routed[c].val().replace_bit(v, self.result_queue[v].head_routed.val());
                self.head.route[v].next = unsigned_cast(self.result_queue[v].head_route.val());
            }
        }
        for v in 0..self.head.vc.len() {
            self.route_queue[v].own_vc[0].next = v.into();
            self.head.vc[v].next = self.route_queue[v].head_vc[0].val();
        }

        // Multicast packets: a group in place of a route.
        for c in 0..self.mixed_result.len() {
            self.stage_multicast[c].d[0].next = self.arrive_address.val().get_bit(self.mark_bit.val()).into();
            self.stage_group[c].d[0].next = self.arrive_address.val() >> self.group_field.val();
            for s in 1..self.stages.val() {
                self.stage_multicast[c].d[s].next = self.stage_multicast[c].q[s - 1].val();
                self.stage_group[c].d[s].next = self.stage_group[c].q[s - 1].val();
            }
            self.mixed_result[c].next = unsigned_cast(self.port_map.port.val());
            if self.stage_multicast[c].q[self.stages.val() - 1].val().any() {
                self.mixed_result[c].next = unsigned_cast(self.stage_group[c].q[self.stages.val() - 1].val());
                self.mixed_result[c].next = self.mixed_result[c].val().replace_bit(self.multicast_bit.val(), true);
            }
        }
        for q in 0..self.mixed_queues.val() {
            self.route_queue[self.mixed.val()].push_port.next = self.mixed_result[q].val();
            if self.stage_multicast[q].q[self.stages.val() - 1].val().any() {
                self.route_queue[self.mixed.val()].push_drop.next = false;
            }
            self.head.multicast[q].next = self.route_queue[self.mixed.val()].head_multicast[q].val();
            self.head.group[q].next = self.route_queue[self.mixed.val()].head_group[q].val();
        }
        for q in 0..self.mixed_result_queues.val() {
            self.result_queue[self.mixed.val()].push_port.next = self.mixed_result[q].val();
            if self.stage_multicast[q].q[self.stages.val() - 1].val().any() {
                self.result_queue[self.mixed.val()].push_drop.next = false;
            }
            self.head.group[q].next = self.result_queue[self.mixed.val()].head_route.val() >> self.group_field.val();
            self.head.multicast[q].next = self.result_queue[self.mixed.val()].head_routed.val()
                & self.result_queue[self.mixed.val()].head_route.val().get_bit(self.multicast_bit.val());
            if self.head.multicast[q].val() {
                self.head.routed[q].next = self.head.routed[q].val().replace_bit(self.mixed.val(), false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{AlgorithmicRouting, Config, NodeReduction as Description, Routing};

    #[test]
    fn results_come_after_the_stages_of_node_reduction() {
        for stages in 1..=3 {
            let mut config = Config::named("test");
            config.ports = 5;
            let node_reduction = Description { stages, ..Description::default() };
            config.routing =
                Routing::Algorithmic(AlgorithmicRouting { address_bits: 8, node_reduction, ..Default::default() });
            let shape = config.shape();
            let mut bench = Bench::new(algorithmic_route(&shape, shape.algorithmic().unwrap()), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.reduction_settings.coordinate.next = 0x22.into();
            bench.reduction_settings.bound[0].next = 0xFF.into();
            bench.reduction_settings.topology_select.next = 1.into();
            // Key 2, plus direction of dimension 0, has a port; key 3, minus direction, has none.
            bench.map_entries[2].next = (8 | 4).into();
            bench.map_entries[3].next = 3.into();
            for (topology, address, malformed, expected) in [
                (1u32, 0x2Fu32, false, Some(4u128)),
                (1, 0x20, false, None),
                (1, 0x2F, true, None),
                (0, 0x2F, false, None),
                (1, 0x23, false, Some(4)),
            ] {
                bench.reduction_settings.topology_select.next = topology.into();
                bench.arrive.next = true;
                bench.arrive_vc.next = 1.into();
                bench.arrive_address.next = address.into();
                bench.arrive_malformed.next = malformed;
                bench.cycle();
                bench.arrive.next = false;
                for _ in 0..stages {
                    assert_eq!((bench.head.drop.val().to_u128(), bench.head.request[1].val().to_u128()), (0, 0));
                    bench.cycle();
                }
                assert_eq!(bench.head.drop.val().get_bit(1), expected.is_none());
                assert_eq!(bench.head.request[1].val().to_u128(), expected.map_or(0, |port| 1 << port));
                bench.take.next = 2.into();
                bench.cycle();
                bench.take.next = 0.into();
            }
        }
    }

    #[test]
    fn a_packet_leaves_on_the_vc_of_its_map_entry_or_on_its_own() {
        let mut config = Config::named("test");
        (config.ports, config.virtual_channels.unicast) = (5, 3);
        config.routing = Routing::Algorithmic(AlgorithmicRouting {
            address_bits: 8,
            next_vc: true,
            ..AlgorithmicRouting::default()
        });
        let shape = config.shape();
        let mut bench = Bench::new(algorithmic_route(&shape, shape.algorithmic().unwrap()), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        // A ring of 8 switches in dimension 0; this is number 6: the way to 7 does not cross, that to 0 does.
        bench.reduction_settings.coordinate.next = 0x06.into();
        bench.reduction_settings.bound[0].next = 0x02.into();
        bench.reduction_settings.wrap[0].next = 1.into();
        bench.reduction_settings.topology_select.next = 1.into();
        let entry = |set: u32, vc: u32, port: u32| 1 << 6 | set << 5 | vc << 3 | port;
        let crossing = 1 << shape.reduction().unwrap().cube_key_bits | 2;
        bench.map_entries[2].next = entry(0, 2, 4).into();
        bench.map_entries[crossing].next = entry(1, 2, 3).into();
        for (dateline, address, vc, expected) in
            [(true, 7u32, 1u32, (4, 1)), (true, 0, 1, (3, 2)), (true, 0, 0, (3, 2)), (false, 0, 0, (4, 0))]
        {
            bench.reduction_settings.dateline[0].next = dateline;
            bench.arrive.next = true;
            bench.arrive_vc.next = vc.into();
            bench.arrive_address.next = address.into();
            bench.cycle();
            bench.arrive.next = false;
            bench.cycle();
            let (request, leaving) = (bench.head.request[vc as usize].val(), bench.head.vc[vc as usize].val());
            assert_eq!((request.to_u128(), leaving.to_u128()), (1 << expected.0, 1 << expected.1));
            bench.take.next = (1u32 << vc).into();
            bench.cycle();
            bench.take.next = 0.into();
        }
    }
}
