//! Route unit of an algorithmically routed switch: from the headers of a port to output ports, without a table of
//! destinations.
//!
//! With the mixed VC, `arrive_address` has one bit more, the mark of a multicast packet, and `arrive_malformed` also
//! says that there is no such group.
//!
//! State: s stages of node reduction, the packet's VC (and its group, if it is a multicast packet) beside it, and a
//! route queue for each VC.
//!
//! Each cycle: an arriving packet enters node reduction; the key that leaves it reads the port map, and the result goes
//! into the route queue of the packet's VC. The result is drop if the packet is malformed, if no function is at work,
//! or if the map has no port for the key. That of a multicast packet is its group, in the same cycle.
//!
//! Source: switch reference, sections 4.6 and 5; Hirasawa2022, 5.5.

use crate::units::prelude::*;

/// Route unit of an algorithmically routed switch: node reduction makes a key of a packet's destination, and the port
/// map names its output port.
#[block(shape: &Shape, algorithmic: &AlgorithmicShape)]
pub struct AlgorithmicRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<RoutePorts<In, shape>>,

    /// A packet is in the stage of node reduction.
    stage_packet: Regs<stages, 1>,
    /// VC of the packet.
    stage_vc: Regs<stages, { shape.vc_bits as usize }, NoReset>,
    /// The packet is malformed.
    stage_malformed: Regs<stages, 1, NoReset>,
    /// The packet is a multicast packet.
    stage_multicast: Option<Regs<stages, 1, NoReset>, { mixed_layout(shape, route_layout(shape).bits).is_some() }>,
    /// Group of the multicast packet.
    #[made(mixed_layout(shape, route_layout(shape).bits).map(|m| regs_no_reset(stages, m.group_bits)))]
    stage_group: Option<Regs>,

    reduction: NodeReduction<address_bits, { &algorithmic.reduction }, stages>,
    port_map: PortMap<key_bits, { route_layout(shape).bits }>,
    #[made((0..vcs).filter(|_| !shape.output_selection()).map(|v| route_queue_of(shape, v)).collect())]
    route_queue: Vec<RouteQueue>,
    #[made({
        let queue = |v| result_queue(buffer_flits, result_bits(shape, v), false);
        (0..vcs).filter(|_| shape.output_selection()).map(queue).collect()
    })]
    result_queue: Vec<ResultQueue>,

    /// Route of the arriving result, with the upper bits of the packet's own VC.
    pair_result: Option<Sig<Local, { route_layout(shape).bits }>, { algorithmic.vc_pairs }>,

    /// Upper bits of the VC that the map names.
    pair_unused: Option<Sig<Local, { (shape.vc_bits as usize).max(2) - 1 }>, { algorithmic.vc_pairs }>,

    /// Result for the queue of the mixed VC.
    #[made(mixed_layout(shape, route_layout(shape).bits).map(|m| sig(m.bits)))]
    mixed_result: Option<Sig<Local>>,

    mixed: Number<{ mixed_layout(shape, route_layout(shape).bits).map_or(0, |m| m.vc) }>,
    pair_field: Field<{ shape.port_bits as usize + 1 }, { (shape.vc_bits as usize).max(2) - 1 }>,
    pair_of_vc: Field<1, { (shape.vc_bits as usize).max(2) - 1 }>,
    mark_bit: Number<address_bits>,
    group_field: Field<0, { mixed_layout(shape, route_layout(shape).bits).map_or(1, |m| m.group_bits) }>,
    multicast_bit: Number<{ mixed_layout(shape, route_layout(shape).bits).map_or(0, |m| m.multicast) }>,

    vcs: Param<{ shape.vcs }>,
    address_bits: Param<{ algorithmic.address_bits as usize }>,
    route_bits: Param<Option<usize>, { names_route(shape).then_some(route_layout(shape).bits) }>,
    port_bits: Param<Option<usize>, { (!names_route(shape)).then_some(route_layout(shape).bits) }>,
    key_bits: Param<{ algorithmic.reduction.key_bits as usize }>,
    stages: Param<{ algorithmic.reduction.stages as usize }>,
    vc_pairs: Param<Option<usize>, { algorithmic.vc_pairs.then_some(1) }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl AlgorithmicRoute {
    fn update(&mut self) {
        self.reduce();
        self.read_map();
        self.queue_requests();
        self.queue_routes();
        self.show_heads();
        self.carry_groups();
        self.queue_groups();
    }

    /// Node reduction, and the packet beside it.
    fn reduce(&mut self) {
        if let (Some(address), Some(malformed)) = (&self.io.arrival.arrive_address, &self.io.arrival.arrive_malformed) {
            self.stage_packet.d[0].next = self.io.arrival.arrive.val().into();
            self.stage_vc.d[0].next = self.io.arrival.arrive_vc.val();
            self.stage_malformed.d[0].next = malformed.val().into();
            self.reduction.destination.next = unsigned_cast(address.val());
        }
        for s in 1..self.stages {
            self.stage_packet.d[s].next = self.stage_packet.q[s - 1].val();
            self.stage_vc.d[s].next = self.stage_vc.q[s - 1].val();
            self.stage_malformed.d[s].next = self.stage_malformed.q[s - 1].val();
        }
        if let Some(settings) = &mut self.io.reduction_settings {
            settings.link(&mut self.reduction.settings);
        }
    }

    fn read_map(&mut self) {
        for e in 0..self.io.map_entries.len() {
            self.port_map.entries[e].next = self.io.map_entries[e].val();
        }
        self.port_map.key.next = self.reduction.key.val();
        if let (Some(result), Some(unused)) = (&mut self.pair_result, &mut self.pair_unused) {
            unused.next = self.port_map.port.val() >> self.pair_field.val();
            result.next = self.port_map.port.val();
            result.set(self.pair_field.val(), self.stage_vc.q[self.stages - 1].val() >> self.pair_of_vc.val());
        }
    }

    /// Results, as requests for outputs.
    fn queue_requests(&mut self) {
        let last = self.stages - 1;
        for v in 0..self.route_queue.len() {
            self.route_queue[v].push.next = self.stage_packet.q[last].val().any() & (self.stage_vc.q[last].val() == v);
            self.route_queue[v].push_drop.next =
                self.stage_malformed.q[last].val().any() | !self.reduction.routed.val() | !self.port_map.valid.val();
            self.route_queue[v].push_port.next = unsigned_cast(self.port_map.port.val());
            if let Some(result) = &self.pair_result {
                self.route_queue[v].push_port.next = unsigned_cast(result.val());
            }
            self.route_queue[v].take.next = self.io.take.val().get_bit(v);
        }
    }

    /// Results, as routes for output selection.
    fn queue_routes(&mut self) {
        let last = self.stages - 1;
        for v in 0..self.result_queue.len() {
            self.result_queue[v].push.next = self.stage_packet.q[last].val().any() & (self.stage_vc.q[last].val() == v);
            self.result_queue[v].push_drop.next =
                self.stage_malformed.q[last].val().any() | !self.reduction.routed.val() | !self.port_map.valid.val();
            self.result_queue[v].push_port.next = unsigned_cast(self.port_map.port.val());
            if let Some(result) = &self.pair_result {
                self.result_queue[v].push_port.next = unsigned_cast(result.val());
            }
            self.result_queue[v].take.next = self.io.take.val().get_bit(v);
        }
    }

    fn show_heads(&mut self) {
        self.io.head.drop.next = 0.into();
        for v in 0..self.route_queue.len() {
            self.io.head.drop.set(v, self.route_queue[v].head_drop.val());
            self.io.head.request[v].next = self.route_queue[v].head_request.val();
        }
        if let Some(routed) = &mut self.io.head.routed {
            routed.next = 0.into();
            for v in 0..self.result_queue.len() {
                self.io.head.drop.set(v, self.result_queue[v].head_drop.val());
                routed.set(v, self.result_queue[v].head_routed.val());
                self.io.head.route[v].next = unsigned_cast(self.result_queue[v].head_route.val());
            }
        }
        for v in 0..self.io.head.vc.len() {
            let queue = &mut self.route_queue[v];
            if let (Some(own_vc), Some(head_vc)) = (&mut queue.own_vc, &queue.head_vc) {
                own_vc.next = v.into();
                self.io.head.vc[v].next = head_vc.val();
            }
        }
    }

    /// The group of a multicast packet passes beside node reduction.
    fn carry_groups(&mut self) {
        let last = self.stages - 1;
        if let (Some(multicast), Some(group), Some(result), Some(address)) =
            (&mut self.stage_multicast, &mut self.stage_group, &mut self.mixed_result, &self.io.arrival.arrive_address)
        {
            multicast.d[0].next = address.val().get_bit(self.mark_bit).into();
            group.d[0].next = address.val() >> self.group_field.val();
            for s in 1..self.stages {
                multicast.d[s].next = multicast.q[s - 1].val();
                group.d[s].next = group.q[s - 1].val();
            }
            result.next = unsigned_cast(self.port_map.port.val());
            if multicast.q[last].val().any() {
                result.next = unsigned_cast(group.q[last].val());
                result.set(self.multicast_bit, true);
            }
        }
    }

    /// The result of a multicast packet is a group in place of a route.
    fn queue_groups(&mut self) {
        let last = self.stages - 1;
        if let (Some(result), Some(multicast), Some(head_multicast), Some(head_group)) =
            (&self.mixed_result, &self.stage_multicast, &mut self.io.head.multicast, &mut self.io.head.group)
        {
            if let Some(routed) = &mut self.io.head.routed {
                let queue = &mut self.result_queue[self.mixed];
                queue.push_port.next = result.val();
                if multicast.q[last].val().any() {
                    queue.push_drop.next = false;
                }
                head_group.next = queue.head_route.val() >> self.group_field.val();
                head_multicast.next = queue.head_routed.val() & queue.head_route.val().get_bit(self.multicast_bit);
                if head_multicast.val() {
                    routed.set(self.mixed, false);
                }
            } else {
                let queue = &mut self.route_queue[self.mixed];
                queue.push_port.next = result.val();
                if multicast.q[last].val().any() {
                    queue.push_drop.next = false;
                }
                if let (Some(multicast), Some(group)) = (&queue.head_multicast, &queue.head_group) {
                    head_multicast.next = multicast.val();
                    head_group.next = group.val();
                }
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
            let shape = config.check().unwrap().shape();
            let mut bench = Bench::new(algorithmic_route(&shape, shape.algorithmic().unwrap()), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.io.reduction_settings.as_mut().unwrap().coordinate.next = 0x22.into();
            bench.io.reduction_settings.as_mut().unwrap().bound.as_mut().unwrap().next = 0xFF.into();
            bench.io.reduction_settings.as_mut().unwrap().topology_select.next = 1.into();
            // Key 2, plus direction of dimension 0, has a port; key 3, minus direction, has none.
            bench.io.map_entries[2].next = (8 | 4).into();
            bench.io.map_entries[3].next = 3.into();
            for (topology, address, malformed, expected) in [
                (1u32, 0x2Fu32, false, Some(4u128)),
                (1, 0x20, false, None),
                (1, 0x2F, true, None),
                (0, 0x2F, false, None),
                (1, 0x23, false, Some(4)),
            ] {
                bench.io.reduction_settings.as_mut().unwrap().topology_select.next = topology.into();
                bench.io.arrival.arrive.next = true;
                bench.io.arrival.arrive_vc.next = 1.into();
                bench.io.arrival.arrive_address.as_mut().unwrap().next = address.into();
                bench.io.arrival.arrive_malformed.as_mut().unwrap().next = malformed;
                bench.cycle();
                bench.io.arrival.arrive.next = false;
                for _ in 0..stages {
                    assert_eq!((bench.io.head.drop.val().to_u128(), bench.io.head.request[1].val().to_u128()), (0, 0));
                    bench.cycle();
                }
                assert_eq!(bench.io.head.drop.val().get_bit(1), expected.is_none());
                assert_eq!(bench.io.head.request[1].val().to_u128(), expected.map_or(0, |port| 1 << port));
                bench.io.take.next = 2.into();
                bench.cycle();
                bench.io.take.next = 0.into();
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
        let shape = config.check().unwrap().shape();
        let mut bench = Bench::new(algorithmic_route(&shape, shape.algorithmic().unwrap()), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        // A ring of 8 switches in dimension 0; this is number 6: the way to 7 does not cross, that to 0 does.
        bench.io.reduction_settings.as_mut().unwrap().coordinate.next = 0x06.into();
        bench.io.reduction_settings.as_mut().unwrap().bound.as_mut().unwrap().next = 0x02.into();
        bench.io.reduction_settings.as_mut().unwrap().wrap.as_mut().unwrap().next = 1.into();
        bench.io.reduction_settings.as_mut().unwrap().topology_select.next = 1.into();
        let entry = |set: u32, vc: u32, port: u32| 1 << 6 | set << 5 | vc << 3 | port;
        let crossing = 1 << shape.reduction().unwrap().cube_key_bits | 2;
        bench.io.map_entries[2].next = entry(0, 2, 4).into();
        bench.io.map_entries[crossing].next = entry(1, 2, 3).into();
        for (dateline, address, vc, expected) in
            [(true, 7u32, 1u32, (4, 1)), (true, 0, 1, (3, 2)), (true, 0, 0, (3, 2)), (false, 0, 0, (4, 0))]
        {
            bench.io.reduction_settings.as_mut().unwrap().dateline.as_mut().unwrap().next = dateline;
            bench.io.arrival.arrive.next = true;
            bench.io.arrival.arrive_vc.next = vc.into();
            bench.io.arrival.arrive_address.as_mut().unwrap().next = address.into();
            bench.cycle();
            bench.io.arrival.arrive.next = false;
            bench.cycle();
            let (request, leaving) = (bench.io.head.request[vc as usize].val(), bench.io.head.vc[vc as usize].val());
            assert_eq!((request.to_u128(), leaving.to_u128()), (1 << expected.0, 1 << expected.1));
            bench.io.take.next = (1u32 << vc).into();
            bench.cycle();
            bench.io.take.next = 0.into();
        }
    }
}
