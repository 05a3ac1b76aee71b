//! CAM port: the route units' requests to the CAM (or the forwarding table in front of it), and its answers back to
//! them.
//!
//! State: request register, response register, `error_cam`, a round robin pointer over ports.
//!
//! Each cycle: an empty or accepted request register is loaded with the next port's request, in turn; the tag is port,
//! VC and slot from the most significant end. The answer in the response register goes to the port that its tag names;
//! that port's route unit tells, in the same cycle, whether it waits for it. An answer without a route has the default
//! route, as it is in this cycle.
//!
//! With a forwarding table the other side of these wires is [`table_port`](mod@table_port): the request register is
//! the first of those that advance together, and so is loaded when `request.ready` says so, also if it is empty.
//!
//! Source: switch reference, sections 4.4, 4.7 and 8.

use crate::units::prelude::*;

/// CAM port: takes the ports' requests in turn into one register, and hands the CAM's answers to the ports that their
/// tags name. Tag: port, VC, slot, port at the most significant end.
#[block(shape: &Shape, table: &TableShape)]
pub struct CamPort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Clears error_cam.
    pub error_clear: Option<Flag<In>, external>,
    /// The port has a request.
    pub offer_valid: Sig<In, ports>,
    /// VC of the miss slot.
    pub offer_vc: Vec<Sig<In, vc_bits>, ports>,
    /// Number of the miss slot.
    pub offer_slot: Vec<Sig<In, slot_bits>, ports>,
    /// Address of the miss slot.
    pub offer_address: Vec<Sig<In, address_bits>, ports>,
    /// The port's request is loaded.
    pub offer_taken: Sig<Out, ports>,
    pub request: CamRequest<Out, table>,
    pub response: CamResponse<In, shape, table>,
    /// The answer names a slot of the port.
    pub answer_valid: Sig<Out, ports>,
    /// VC of the slot that the answer names.
    pub answer_vc: Sig<Out, vc_bits>,
    /// Number of the slot that the answer names.
    pub answer_slot: Sig<Out, slot_bits>,
    /// The result is drop: the address has no route.
    pub answer_drop: Flag<Out>,
    /// Route in the answer.
    #[made(sig(route_bits(shape)).doc(match (shape.next_vc, shape.output_selection()) {
        (_, true) => "Route in the answer.",
        (true, false) => "Route in the answer: vc_set, vc, port.",
        (false, false) => "Output port in the answer.",
    }))]
    pub answer_port: Sig<Out>,
    /// The slot that the answer names has an open request at the port.
    pub answer_known: Option<Sig<In, ports>, external>,
    /// Default route: {valid, route}.
    pub default_route: Option<Sig<In, { route_bits(shape) + 1 }>, { table.default_route }>,
    /// Sticky: an answer matched no request, or named a port that does not exist.
    pub error_cam: Option<Flag<Out>, external>,
    /// The answer in the response register matches no request, or names a route that does not exist.
    pub wrong_now: Option<Flag<Out>, { external && shape.events }>,

    /// The request register holds a request.
    asking: FlagReg,
    /// Tag in the request register.
    tag: Reg<tag_bits, NoReset>,
    /// Address in the request register.
    address: Reg<address_bits, NoReset>,
    /// The response register holds an answer.
    answering: FlagReg,
    /// Tag in the response register.
    answer_tag: Reg<tag_bits, NoReset>,
    /// The answer in the response register has a route.
    answer_hit: FlagReg<NoReset>,
    /// Output port in the response register.
    answer_route: Reg<port_bits, NoReset>,
    /// The answer in the response register names a VC.
    answer_vc_set: Option<FlagReg<NoReset>, next_vc>,
    /// VC in the response register.
    answer_next_vc: Option<Reg<vc_bits, NoReset>, next_vc>,
    /// The answer in the response register names a group.
    answer_group_set: Option<FlagReg<NoReset>, linked>,
    /// Group in the response register.
    answer_group: Option<Reg<group_bits, NoReset>, linked>,
    /// Number of further candidates in the response register.
    answer_candidates: Option<Reg<candidates_bits, NoReset>, several>,
    /// Further candidates in the response register.
    answer_candidate: Vec<Reg<port_bits, NoReset>, { candidates - 1 }>,
    /// The address alone selects the candidate, says the response register.
    answer_in_order: Option<FlagReg<NoReset>, several>,
    /// Register of `error_cam`.
    error: Option<FlagReg, external>,

    arbiter: RoundRobinArbiter<ports>,

    /// The request register is loaded.
    #[made(flag().doc(match behind_table {
        false => "The request register is loaded or becomes empty.",
        true => "The request register is loaded, or is or becomes empty.",
    }))]
    load: Flag<Local>,
    /// Port whose request is loaded.
    winner: Sig<Local, port_bits>,
    /// VC of the request that is loaded.
    winner_vc: Sig<Local, vc_bits>,
    /// Slot of the request that is loaded.
    winner_slot: Sig<Local, slot_bits>,
    /// Address of the request that is loaded.
    winner_address: Sig<Local, address_bits>,
    /// Tag of the request that is loaded.
    winner_tag: Sig<Local, tag_bits>,
    /// Port that the answer's tag names.
    named_port: Sig<Local, port_bits>,
    /// The answer's route exists.
    #[made(flag().doc(match (shape.next_vc, shape.output_selection()) {
        (_, true) => "The answer's route exists.",
        (true, false) => "The answer's output port and VC exist.",
        (false, false) => "The answer's output port exists.",
    }))]
    exists: Flag<Local>,
    /// The answer's VC exists.
    vc_exists: Option<Flag<Local>, next_vc>,
    /// The answer's group exists.
    group_exists: Option<Flag<Local>, linked>,
    /// The number of candidates in the answer is legal.
    candidates_exist: Option<Flag<Local>, several>,
    /// The further candidate of the answer exists.
    candidate_exists: Vec<Flag<Local>, { candidates - 1 }>,
    /// The answer matches no request, or names a port that does not exist.
    wrong: Option<Flag<Local>, external>,

    behind_table: Number<bool, { table.forwarding_table.is_some() }>,
    default_field: Field<0, default_valid>,
    default_valid: Number<{ route_bits(shape) }>,
    route_port: Field<0, port_bits>,
    route_vc: Field<port_bits, vc_bits>,
    route_vc_set: Number<{ port_bits + vc_bits }>,
    route_group: Field<{ route_layout(shape).group }, group_bits>,
    route_group_set: Number<{ route_layout(shape).group_set }>,
    route_candidate: Number<{ route_layout(shape).candidate }>,
    route_candidates: Field<{ route_layout(shape).candidates }, candidates_bits>,
    route_in_order: Number<{ route_layout(shape).in_order }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    groups: Number<{ link_counts(shape).0 }>,
    candidates: Number<{ shape.candidates }>,
    port_field: Field<{ vc_bits + slot_bits }, port_bits>,
    vc_field: Field<slot_bits, vc_bits>,
    slot_field: Field<0, slot_bits>,
    vcs: Number<{ shape.vcs }>,
    linked: Number<bool, { shape.link_aggregation.is_some() }>,
    group_bits: Number<{ shape.link_aggregation.as_ref().map_or(1, |built| built.group_bits as usize) }>,
    several: Number<bool, { shape.candidates > 1 }>,
    candidates_bits: Number<{ shape.candidates_bits() as usize }>,
    external: Number<bool, { table.external_cam }>,
    tag_bits: Number<{ table.tag_bits as usize }>,
    next_vc: Number<bool, { shape.next_vc }>,

    ports: Param<{ shape.ports }>,
    vc_bits: Param<{ shape.vc_bits as usize }>,
    slot_bits: Param<{ table.slot_bits as usize }>,
    address_bits: Param<{ table.address_bits as usize }>,
}

#[kernel]
impl CamPort {
    fn update(&mut self) {
        self.choose();
        self.find_winner();
        self.ask();
        self.take_answer();
        self.find_candidates();
        self.find_group();
        self.find_vc();
        self.answer();
        self.make_route();
        self.default_to();
        self.find_error();
    }

    fn choose(&mut self) {
        if self.behind_table {
            self.load.next = self.request.ready.val();
        } else {
            self.load.next = !self.asking.q.val() | self.request.ready.val();
        }
        self.arbiter.request.next = self.offer_valid.val();
        self.arbiter.take.next = self.load.val() & self.offer_valid.val().any();
        self.offer_taken.next = 0.into();
        if self.load.val() {
            self.offer_taken.next = self.arbiter.grant.val();
        }
    }

    fn find_winner(&mut self) {
        self.winner.next = 0.into();
        self.winner_vc.next = 0.into();
        self.winner_slot.next = 0.into();
        self.winner_address.next = 0.into();
        for p in 0..self.ports {
            if self.arbiter.grant.val().get_bit(p) {
                self.winner.next = self.winner.val() | p;
                self.winner_vc.next = self.winner_vc.val() | self.offer_vc[p].val();
                self.winner_slot.next = self.winner_slot.val() | self.offer_slot[p].val();
                self.winner_address.next = self.winner_address.val() | self.offer_address[p].val();
            }
        }
        self.winner_tag.next = 0.into();
        self.winner_tag.set(self.port_field.val(), self.winner.val());
        self.winner_tag.set(self.vc_field.val(), self.winner_vc.val());
        self.winner_tag.set(self.slot_field.val(), self.winner_slot.val());
    }

    fn ask(&mut self) {
        if self.load.val() {
            self.asking.d.next = self.offer_valid.val().any();
            self.tag.d.next = self.winner_tag.val();
            self.address.d.next = self.winner_address.val();
        }
        self.request.valid.next = self.asking.q.val();
        self.request.tag.next = self.tag.q.val();
        self.request.address.next = self.address.q.val();
    }

    fn take_answer(&mut self) {
        self.answering.d.next = self.response.valid.val();
        self.answer_tag.d.next = self.response.tag.val();
        self.answer_hit.d.next = self.response.hit.val();
        self.answer_route.d.next = self.response.port.val();
        self.named_port.next = self.answer_tag.q.val() >> self.port_field.val();
        self.answer_valid.next = 0.into();
        self.exists.next = false;
        for p in 0..self.ports {
            self.answer_valid.set(p, self.answering.q.val() & (self.named_port.val() == p));
            if self.answer_route.q.val() == p {
                self.exists.next = true;
            }
        }
    }

    fn find_candidates(&mut self) {
        for j in 0..self.answer_candidate.len() {
            self.answer_candidate[j].d.next = self.response.candidate[j].val();
            self.candidate_exists[j].next = false;
            for p in 0..self.ports {
                if self.answer_candidate[j].q.val() == p {
                    self.candidate_exists[j].next = true;
                }
            }
        }
        if let (Some(in_order), Some(answer_in_order)) = (&self.response.in_order, &mut self.answer_in_order) {
            answer_in_order.d.next = in_order.val();
        }
        if let (Some(candidates), Some(answer_candidates), Some(candidates_exist)) =
            (&self.response.candidates, &mut self.answer_candidates, &mut self.candidates_exist)
        {
            answer_candidates.d.next = candidates.val();
            candidates_exist.next = false;
            for j in 0..self.candidates {
                if answer_candidates.q.val() == j {
                    candidates_exist.next = true;
                }
            }
            if !candidates_exist.val() {
                self.exists.next = false;
            }
            for j in 0..self.answer_candidate.len() {
                if (answer_candidates.q.val() > j) & !self.candidate_exists[j].val() {
                    self.exists.next = false;
                }
            }
        }
    }

    fn find_group(&mut self) {
        if let (Some(answer_group_set), Some(answer_group), Some(group_exists)) =
            (&mut self.answer_group_set, &mut self.answer_group, &mut self.group_exists)
        {
            if let (Some(group_set), Some(group)) = (&self.response.group_set, &self.response.group) {
                answer_group_set.d.next = group_set.val();
                answer_group.d.next = group.val();
            }
            group_exists.next = false;
            for g in 0..self.groups {
                if answer_group.q.val() == g {
                    group_exists.next = true;
                }
            }
            if answer_group_set.q.val() {
                self.exists.next = group_exists.val();
            }
        }
    }

    fn find_vc(&mut self) {
        if let (Some(answer_vc_set), Some(answer_next_vc), Some(vc_exists)) =
            (&mut self.answer_vc_set, &mut self.answer_next_vc, &mut self.vc_exists)
        {
            if let (Some(vc_set), Some(vc)) = (&self.response.vc_set, &self.response.vc) {
                answer_vc_set.d.next = vc_set.val();
                answer_next_vc.d.next = vc.val();
            }
            vc_exists.next = false;
            for v in 0..self.vcs {
                if answer_next_vc.q.val() == v {
                    vc_exists.next = true;
                }
            }
            if answer_vc_set.q.val() & !vc_exists.val() {
                self.exists.next = false;
            }
        }
    }

    fn answer(&mut self) {
        self.answer_vc.next = self.answer_tag.q.val() >> self.vc_field.val();
        self.answer_slot.next = self.answer_tag.q.val() >> self.slot_field.val();
        if self.default_route.is_none() {
            self.answer_drop.next = !(self.answer_hit.q.val() & self.exists.val());
        }
    }

    fn make_route(&mut self) {
        self.answer_port.next = 0.into();
        self.answer_port.set(self.route_port.val(), self.answer_route.q.val());
        if let (Some(answer_next_vc), Some(answer_vc_set)) = (&self.answer_next_vc, &self.answer_vc_set) {
            self.answer_port.set(self.route_vc.val(), answer_next_vc.q.val());
            self.answer_port.set(self.route_vc_set, answer_vc_set.q.val());
        }
        if let (Some(answer_group), Some(answer_group_set)) = (&self.answer_group, &self.answer_group_set) {
            self.answer_port.set(self.route_group.val(), answer_group.q.val());
            self.answer_port.set(self.route_group_set, answer_group_set.q.val());
        }
        for j in 0..self.answer_candidate.len() {
            self.answer_port.set(j * self.port_bits + self.route_candidate, self.answer_candidate[j].q.val());
        }
        if let (Some(answer_candidates), Some(answer_in_order)) = (&self.answer_candidates, &self.answer_in_order) {
            self.answer_port.set(self.route_candidates.val(), answer_candidates.q.val());
            self.answer_port.set(self.route_in_order, answer_in_order.q.val());
        }
    }

    fn default_to(&mut self) {
        if let Some(default_route) = &self.default_route {
            self.answer_drop.next = !self.exists.val();
            if !self.answer_hit.q.val() {
                self.answer_drop.next = !default_route.val().get_bit(self.default_valid);
                self.answer_port.next = default_route.val() >> self.default_field.val();
            }
        }
    }

    fn find_error(&mut self) {
        if let (Some(wrong), Some(answer_known), Some(error), Some(error_clear), Some(error_cam)) =
            (&mut self.wrong, &self.answer_known, &mut self.error, &self.error_clear, &mut self.error_cam)
        {
            wrong.next =
                self.answering.q.val() & (!answer_known.val().any() | (self.answer_hit.q.val() & !self.exists.val()));
            error.d.next = wrong.val() | (error.q.val() & !error_clear.val());
            error_cam.next = error.q.val();
            if let Some(wrong_now) = &mut self.wrong_now {
                wrong_now.next = wrong.val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, LinkAggregation, Routing, TableRouting};

    /// All answers to a slot that waits: which have a route, and what it is. Ports 0 to 4, VCs 0 to 2.
    #[test]
    fn a_route_has_a_port_and_a_vc_that_exist() {
        for next_vc in [false, true] {
            let mut config = Config::named("test");
            (config.ports, config.virtual_channels.unicast) = (5, 3);
            config.routing = Routing::Table(TableRouting { next_vc, ..Default::default() });
            let shape = config.check().unwrap().shape();
            let mut bench = Bench::new(cam_port(&shape, shape.table().unwrap()), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.response.valid.next = true;
            for n in 0..128u32 {
                let (hit, set, vc, port) = (n & 1 == 1, n >> 1 & 1 == 1, n >> 2 & 3, n >> 4);
                bench.response.hit.next = hit;
                bench.response.port.next = port.into();
                bench.response.vc_set.iter_mut().for_each(|pin| pin.next = set);
                bench.response.vc.iter_mut().for_each(|pin| pin.next = vc.into());
                bench.error_clear.as_mut().unwrap().next = true;
                bench.answer_known.as_mut().unwrap().next = 0.into();
                bench.cycle();
                // The answer is in the response register.
                let exists = port < 5 && (!next_vc || !set || vc < 3);
                assert_eq!(bench.answer_drop.val(), !(hit && exists), "{n}");
                let route = if next_vc { u32::from(set) << 5 | vc << 3 | port } else { port };
                assert_eq!(bench.answer_port.val().to_u128(), u128::from(route));
                bench.answer_known.as_mut().unwrap().next = 1.into();
                bench.cycle();
                assert_eq!(bench.error_cam.as_mut().unwrap().val(), hit && !exists, "{n}");
            }
        }
    }

    /// The same of groups and candidates. Ports 0 to 4, groups 0 to 2, up to two further candidates.
    #[test]
    fn a_route_has_a_group_or_candidates_that_exist() {
        let mut config = Config::named("test");
        config.ports = 5;
        let link_aggregation = Some(LinkAggregation { groups: 3, ..Default::default() });
        config.routing = Routing::Table(TableRouting { candidates: 3, link_aggregation, ..Default::default() });
        let shape = config.check().unwrap().shape();
        let mut bench = Bench::new(cam_port(&shape, shape.table().unwrap()), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.response.valid.next = true;
        bench.response.hit.next = true;
        bench.answer_known.as_mut().unwrap().next = 1.into();
        for n in 0..1u32 << 14 {
            let (port, first, second) = (n & 7, n >> 3 & 7, n >> 6 & 7);
            let (further, group, group_set) = (n >> 9 & 3, n >> 11 & 3, n >> 13 == 1);
            let in_order = n.count_ones() % 2 == 1;
            if n % 7 > 1 {
                continue;
            }
            bench.response.port.next = port.into();
            bench.response.candidate[0].next = first.into();
            bench.response.candidate[1].next = second.into();
            bench.response.candidates.as_mut().unwrap().next = further.into();
            bench.response.in_order.as_mut().unwrap().next = in_order;
            bench.response.group.as_mut().unwrap().next = group.into();
            bench.response.group_set.as_mut().unwrap().next = group_set;
            bench.cycle();
            let candidates = further < 3 && port < 5 && (further < 1 || first < 5) && (further < 2 || second < 5);
            let exists = if group_set { group < 3 } else { candidates };
            assert_eq!(bench.answer_drop.val(), !exists, "{n}");
            let low = port | group << 3 | u32::from(group_set) << 5 | first << 6 | second << 9;
            let route = low | further << 12 | u32::from(in_order) << 14;
            assert_eq!(bench.answer_port.val().to_u128(), u128::from(route));
        }
    }
}
