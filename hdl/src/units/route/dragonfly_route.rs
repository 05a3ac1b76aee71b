//! Route unit of a Dragonfly's switch: from the headers of a port to minimal ports, by three tables.
//!
//! State: the digit of the packet that arrived in the cycle before, with its level, class and VC; and a queue of
//! results for each VC.
//!
//! Each cycle: the destination of an arriving packet is compared with the place of the switch. The first digit that
//! differs reads its table in the next cycle. The result goes into the queue of the packet's VC: minimal port, class
//! and case. With ages also the packet's birth: the cycle before that in which its age was 0. So the cycle in which the
//! packet leaves the queue, less its birth, is its age in the next cycle.
//!
//! Source: reference of Dragonfly routing.

use crate::units::prelude::*;

/// Phase of a packet on its way to a via.
const TO_VIA: usize = 2;

/// Route unit of a Dragonfly's switch: the first digit of a packet's destination that differs from the place of the
/// switch names a port through its table.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct DragonflyRoute {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<RoutePorts<In, shape>>,

    /// A packet is in the stage.
    packet: FlagReg,
    /// VC of the packet.
    vc: Reg<{ shape.vc_bits as usize }, NoReset>,
    /// The packet goes to another group.
    to_group: FlagReg<NoReset>,
    /// The packet goes to another router of the group.
    to_router: FlagReg<NoReset>,
    /// Digit that reads a table.
    digit: Reg<digit_bits, NoReset>,
    /// Class of the packet.
    class: Option<FlagReg<NoReset>, { built.reference().has_replies() }>,
    /// Group of the packet's destination.
    group: Option<Reg<group_bits, NoReset>, { built.ectn }>,
    /// Birth of the packet.
    birth: Option<Reg<birth_bits, NoReset>, aged>,
    arrival_phase: Option<ArrivalPhase<{ built.valiant.is_some() }>, { built.adaptive() }>,
    via_way: Option<ViaWay<shape, built>, { built.valiant.is_some() }>,

    #[made((0..vcs).map(|_| result_queue(buffer_flits, queued_bits, false)).collect())]
    result_queue: Vec<ResultQueue>,

    /// Group of the packet that arrives.
    arrive_group: Sig<Local, group_bits>,
    /// Router of the packet that arrives.
    arrive_router: Sig<Local, router_bits>,
    /// Entry of the group table.
    group_entry: Sig<Local, { group_entry_bits(shape, built) }>,
    /// Entry of the router table.
    router_entry: Sig<Local, { port_bits + 1 }>,
    /// Entry of the node table.
    node_entry: Sig<Local, { port_bits + 1 }>,
    /// There is a way.
    valid: Flag<Local>,
    /// Minimal port.
    port: Sig<Local, port_bits>,
    /// The minimal port leads to another group.
    is_global: Flag<Local>,
    /// Hop toward the destination: class, case, port.
    to_destination: Sig<Local, { hop_bits(shape, built) }>,
    /// Result: escape, phase, hop.
    result: Sig<Local, { way_result_bits(shape, built) }>,
    /// Result with the birth above.
    queued: Option<Sig<Local, queued_bits>, aged>,
    /// Age of the packet that arrives.
    arrive_age: Option<Sig<Local, birth_bits>, aged>,
    /// The result is drop.
    no_way: Flag<Local>,

    node_field: Field<{ built.header().node.low as usize }, node_bits>,
    router_field: Field<{ built.header().router.low as usize }, router_bits>,
    group_field: Field<{ built.header().group.low as usize }, group_bits>,
    class_bit: Number<{ built.header().class.map_or(0, |field| field.low as usize) }>,
    port_field: Field<0, port_bits>,
    phase_field: Field<{ built.header().phase.map_or(0, |field| field.low as usize) }, PHASE_BITS>,
    via_group_field: Field<{ built.header().via_group.map_or(0, |field| field.low as usize) }, group_bits>,
    via_router_field: Field<{ built.header().via_router.map_or(0, |field| field.low as usize) }, router_bits>,
    escape_field: Field<0, { port_bits + 2 }>,
    phase_low: Number<{ hop_bits(shape, built) }>,
    escape_low: Number<{ phase_low + PHASE_BITS }>,
    link_field: Field<{ port_bits + 2 }, { built.link_bits() as usize }>,
    group_low: Number<{ way_group_low(shape, built) }>,
    link_low: Number<{ way_link_low(shape, built) }>,
    saturation: Number<bool, { built.saturation }>,
    age_field:
        Field<{ built.header().age.map_or(0, |field| field.low as usize) }, { built.age_bits.unwrap_or(1) as usize }>,
    way_field: Field<0, { way_result_bits(shape, built) }>,
    birth_field: Field<{ way_result_bits(shape, built) }, birth_bits>,
    aged: Number<bool, { built.age_bits.is_some() }>,
    birth_bits: Number<{ birth_bits_of(built) }>,
    queued_bits: Number<{ way_result_bits(shape, built) + if aged { birth_bits } else { 0 } }>,
    digit_bits: Number<{ node_bits.max(router_bits).max(group_bits) }>,
    node_bits: Number<{ built.node_bits as usize }>,
    router_bits: Number<{ built.router_bits as usize }>,
    group_bits: Number<{ built.group_bits as usize }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    /// The digit can be beyond the table.
    few_groups: Number<bool, { built.groups < 1 << digit_bits }>,
    few_routers: Number<bool, { built.routers() < 1 << digit_bits }>,
    few_nodes: Number<bool, { built.node_ports < 1 << digit_bits }>,

    vcs: Param<{ shape.vcs }>,
    groups: Param<{ built.groups }>,
    routers: Param<{ built.routers() }>,
    nodes: Param<{ built.node_ports }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
}

#[kernel]
impl DragonflyRoute {
    fn update(&mut self) {
        self.compare();
        self.read_tables();
        self.find_case();
        self.find_phase();
        self.find_birth();
        self.join_ways();
        self.queue();
        self.queue_births();
        self.show_heads();
        self.show_births();
    }

    /// The first digit that differs from the place of the switch.
    fn compare(&mut self) {
        self.packet.d.next = self.io.arrival.arrive.val();
        self.vc.d.next = self.io.arrival.arrive_vc.val();
        if let (Some(header), Some(tables)) = (&self.io.arrival.arrive_address, &self.io.route_tables) {
            self.arrive_group.next = header.val() >> self.group_field.val();
            self.arrive_router.next = header.val() >> self.router_field.val();
            self.digit.d.next = unsigned_cast(header.val() >> self.node_field.val());
            self.to_group.d.next = self.arrive_group.val() != tables.group.val();
            self.to_router.d.next = self.arrive_router.val() != tables.router.val();
            if self.arrive_router.val() != tables.router.val() {
                self.digit.d.next = unsigned_cast(self.arrive_router.val());
            }
            if self.arrive_group.val() != tables.group.val() {
                self.digit.d.next = unsigned_cast(self.arrive_group.val());
            }
            if let Some(class) = &mut self.class {
                class.d.next = header.val().get_bit(self.class_bit);
            }
            if let Some(group) = &mut self.group {
                group.d.next = self.arrive_group.val();
            }
        }
    }

    /// The entry of the digit; there is no way to what the table does not have.
    fn read_tables(&mut self) {
        if let Some(tables) = &self.io.route_tables {
            self.group_entry.next = tables.group_map[self.digit.q.val()].val();
            self.router_entry.next = tables.router_map[self.digit.q.val()].val();
            self.node_entry.next = tables.node_map[self.digit.q.val()].val();
            if self.to_group.q.val() {
                self.valid.next = self.group_entry.val().get_bit(self.port_bits);
                self.port.next = self.group_entry.val() >> self.port_field.val();
                if self.few_groups {
                    if self.digit.q.val() >= self.groups {
                        self.valid.next = false;
                    }
                }
            } else if self.to_router.q.val() {
                self.valid.next = self.router_entry.val().get_bit(self.port_bits);
                self.port.next = self.router_entry.val() >> self.port_field.val();
                if self.few_routers {
                    if self.digit.q.val() >= self.routers {
                        self.valid.next = false;
                    }
                }
            } else {
                self.valid.next = self.node_entry.val().get_bit(self.port_bits);
                self.port.next = self.node_entry.val() >> self.port_field.val();
                if self.few_nodes {
                    if self.digit.q.val() >= self.nodes {
                        self.valid.next = false;
                    }
                }
            }
        }
    }

    /// Case 1 leads to the group, 2 to the router that has the global link, 3 anywhere else.
    fn find_case(&mut self) {
        self.is_global.next = self.port.val() >= self.first_global;
        self.to_destination.next = unsigned_cast(self.port.val());
        if self.to_group.q.val() {
            if !self.group_entry.val().get_bit(self.port_bits + 1) {
                self.to_destination.set(self.port_bits, true);
                self.to_destination.set(self.port_bits + 1, true);
            } else if self.is_global.val() {
                self.to_destination.set(self.port_bits, true);
            } else {
                self.to_destination.set(self.port_bits + 1, true);
            }
        }
        if let Some(class) = &self.class {
            self.to_destination.set(self.port_bits + 2, class.q.val());
        }
    }

    /// The phase of the packet, and the way to its via.
    fn find_phase(&mut self) {
        if let (Some(phase), Some(header), Some(from_node), Some(from_global)) =
            (&mut self.arrival_phase, &self.io.arrival.arrive_address, &self.io.from_node, &self.io.from_global)
        {
            phase.header_phase.next = header.val() >> self.phase_field.val();
            phase.from_node.next = from_node.val();
            phase.from_global.next = from_global.val();
            phase.is_in_group.next = false;
            if let Some(tables) = &self.io.route_tables {
                phase.is_in_group.next = self.arrive_group.val() == tables.group.val();
                if let (Some(via), Some(is_at_via)) = (&mut self.via_way, &mut phase.is_at_via) {
                    via.group.next = header.val() >> self.via_group_field.val();
                    if let Some(router) = &mut via.router {
                        router.next = header.val() >> self.via_router_field.val();
                    }
                    is_at_via.next = via.is_here.val();
                    Self::show_tables(&mut via.tables, tables);
                }
            }
        }
    }

    fn show_tables(via: &mut ViaTables<In>, tables: &RouteTables<In>) {
        via.group.next = tables.group.val();
        if let Some(router) = &mut via.router {
            router.next = tables.router.val();
        }
        for g in 0..via.group_way.len() {
            via.group_way[g].next = unsigned_cast(tables.group_map[g].val());
        }
        for r in 0..via.router_way.len() {
            via.router_way[r].next = tables.router_map[r].val();
        }
    }

    /// In phase 2 the way to the via is the minimal one, and that to the destination the escape.
    fn join_ways(&mut self) {
        self.no_way.next = !self.valid.val();
        self.result.next = unsigned_cast(self.to_destination.val());
        if let Some(phase) = &self.arrival_phase {
            self.result.set(self.phase_low, phase.phase.val());
            if let Some(via) = &self.via_way {
                self.result.set(self.escape_low, self.to_destination.val() >> self.escape_field.val());
                if phase.phase.val() == TO_VIA {
                    self.no_way.next = !self.valid.val() | !via.valid.val();
                    self.result.set(0, via.hop.val());
                }
            }
        }
        if let Some(group) = &self.group {
            self.result.set(self.group_low, group.q.val());
        }
        if self.saturation {
            self.result.set(self.link_low, self.group_entry.val() >> self.link_field.val());
        }
    }

    fn queue(&mut self) {
        for v in 0..self.vcs {
            self.result_queue[v].push.next = self.packet.q.val() & (self.vc.q.val() == v);
            self.result_queue[v].push_drop.next = self.no_way.val();
            if !self.aged {
                self.result_queue[v].push_port.next = self.result.val();
            }
            self.result_queue[v].take.next = self.io.take.val().get_bit(v);
        }
    }

    /// The cycle before that in which the age was 0.
    fn find_birth(&mut self) {
        if let (Some(birth), Some(age), Some(header), Some(now)) =
            (&mut self.birth, &mut self.arrive_age, &self.io.arrival.arrive_address, &self.io.now)
        {
            age.next = unsigned_cast(header.val() >> self.age_field.val());
            birth.d.next = now.val() + !age.val();
        }
    }

    /// Births stand in the queue with the results.
    fn queue_births(&mut self) {
        if let (Some(queued), Some(birth)) = (&mut self.queued, &self.birth) {
            queued.next = unsigned_cast(self.result.val());
            queued.set(self.birth_field.val(), birth.q.val());
            for v in 0..self.vcs {
                self.result_queue[v].push_port.next = queued.val();
            }
        }
    }

    fn show_births(&mut self) {
        if self.aged {
            for v in 0..self.vcs {
                self.io.head.route[v].next = self.result_queue[v].head_route.val() >> self.way_field.val();
                self.io.head.birth[v].next = self.result_queue[v].head_route.val() >> self.birth_field.val();
            }
        }
    }

    fn show_heads(&mut self) {
        self.io.head.drop.next = 0.into();
        if let Some(routed) = &mut self.io.head.routed {
            routed.next = 0.into();
            for v in 0..self.vcs {
                self.io.head.drop.set(v, self.result_queue[v].head_drop.val());
                routed.set(v, self.result_queue[v].head_routed.val());
                if !self.aged {
                    self.io.head.route[v].next = self.result_queue[v].head_route.val();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// Router 2 of group 5 of a Dragonfly of h = 2: each digit reads its table, and each entry gives its case.
    #[test]
    fn digits_name_ports_and_cases() {
        let json = r#"{"name": "d", "ports": 7, "flit_bits": 32, "routing": {"kind": "dragonfly", "group_bits": 4,
            "router_bits": 2, "node_bits": 1,
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        let built = shape.dragonfly().unwrap();
        let mut bench = Bench::new(dragonfly_route(&shape, built), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let tables = bench.io.route_tables.as_mut().unwrap();
        (tables.group.next, tables.router.next) = (5.into(), 2.into());
        (0..9).for_each(|g| tables.group_map[g].next = 0.into());
        tables.group_map[1].next = (1 << 4 | 1 << 3 | 6).into();
        tables.group_map[3].next = (1 << 4 | 1 << 3 | 4).into();
        tables.group_map[8].next = (1 << 3 | 3).into();
        (0..4).for_each(|r| tables.router_map[r].next = (1 << 3 | (r + 2) as u32).into());
        tables.router_map[3].next = 5.into();
        (0..2).for_each(|n| tables.node_map[n].next = (1 << 3 | (1 - n) as u32).into());
        let to = |group, router, node| built.header().destination(group, router, node);
        for (destination, expected) in [
            (to(1, 2, 0), Some((6, 1))),
            (to(3, 0, 0), Some((4, 2))),
            (to(8, 3, 1), Some((3, 3))),
            (to(0, 2, 1), None),
            (to(12, 2, 1), None),
            (to(5, 1, 1), Some((3, 0))),
            (to(5, 3, 1), None),
            (to(5, 2, 1), Some((0, 0))),
            (to(5, 2, 0), Some((1, 0))),
        ] {
            bench.io.arrival.arrive.next = true;
            bench.io.arrival.arrive_vc.next = 1.into();
            bench.io.arrival.arrive_address.as_mut().unwrap().next = destination.into();
            bench.cycle();
            bench.io.arrival.arrive.next = false;
            assert!(!bench.io.head.drop.val().any() && !bench.io.head.routed.as_ref().unwrap().val().any());
            bench.cycle();
            let routed = bench.io.head.routed.as_ref().unwrap().val();
            assert_eq!(routed.get_bit(1), expected.is_some(), "{destination:#x}");
            assert_eq!(bench.io.head.drop.val().get_bit(1), expected.is_none());
            if let Some((port, case)) = expected {
                assert_eq!(bench.io.head.route[1].val(), case << 3 | port, "{destination:#x}");
            }
            bench.io.take.next = 2.into();
            bench.cycle();
            bench.io.take.next = 0.into();
        }
    }
}
