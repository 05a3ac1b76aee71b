//! CAM port: the route units' requests to the CAM (or the forwarding table in front of it), and its answers back to them.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `offer_valid`, `offer_vc`, `offer_slot`, `offer_address` | N, N x .. | each port's oldest request |
//! | `offer_taken` | N | it is loaded into the request register |
//! | `request` | | the request register, to the CAM: a [`CamRequest`] |
//! | `response` | | the CAM answers: a [`CamResponse`] |
//! | `answer_valid` | N | the answer registered names a slot of this port |
//! | `answer_vc`, `answer_slot` | VC bits, slot bits | the slot it names |
//! | `answer_drop`, `answer_port` | 1, port bits | its result; with `next_vc` or output selection a whole [`route`](super::layout) |
//! | `answer_known` | N | the port has an open request of that slot (with an external CAM only) |
//! | `default_route` | route bits + 1 | {valid, [`route`](super::layout)} of the default route (with one only) |
//! | `error_clear`, `error_cam` | 1, 1 | sticky flag: an answer to no request, or with a port or VC that does not exist (with an external CAM only) |
//!
//! State: request register, response register, `error_cam`, a round robin pointer over ports.
//!
//! Each cycle: an empty or accepted request register is loaded with the next port's request, in turn; the tag is port,
//! VC and slot from the most significant end. The answer in the response register goes to the port that its tag names;
//! that port's route unit tells, in the same cycle, whether it waits for it. An answer without a route has the default route, as it is in this cycle.
//!
//! With a forwarding table the other side of these wires is [`table_port`](super::table_port): the request register is the first of
//! those that advance together, and so is loaded when `request.ready` says so, also if it is empty.
//!
//! Source: switch reference, sections 4.4, 4.7 and 8.

use crate::parts::round_robin_arbiter::{round_robin_arbiter, RoundRobinArbiter};
use crate::rtl::prelude::*;
use crate::units::route::cam_wires::{cam_request, cam_response, CamRequest, CamResponse};
use crate::units::route::layout::route_layout;
use railyard_spec::{Shape, TableShape};

/// The way to the CAM and back; see the head of this file.
#[block]
pub struct CamPort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub error_clear: Vec<Flag<In>>,
    pub offer_valid: Sig<In>,
    pub offer_vc: Vec<Sig<In>>,
    pub offer_slot: Vec<Sig<In>>,
    pub offer_address: Vec<Sig<In>>,
    pub offer_taken: Sig<Out>,
    pub request: CamRequest<Out>,
    pub response: CamResponse<In>,
    pub answer_valid: Sig<Out>,
    pub answer_vc: Sig<Out>,
    pub answer_slot: Sig<Out>,
    pub answer_drop: Flag<Out>,
    pub answer_port: Sig<Out>,
    pub answer_known: Vec<Sig<In>>,
    pub default_route: Vec<Sig<In>>,
    pub error_cam: Vec<Flag<Out>>,

    asking: FlagReg,
    tag: Reg,
    address: Reg,
    answering: FlagReg,
    answer_tag: Reg,
    answer_hit: FlagReg,
    answer_route: Reg,
    answer_vc_set: Vec<FlagReg>,
    answer_next_vc: Vec<Reg>,
    answer_group_set: Vec<FlagReg>,
    answer_group: Vec<Reg>,
    answer_candidates: Vec<Reg>,
    answer_candidate: Vec<Reg>,
    answer_in_order: Vec<FlagReg>,
    error: Vec<FlagReg>,

    arbiter: RoundRobinArbiter,

    load: Flag<Local>,
    winner: Sig<Local>,
    winner_vc: Sig<Local>,
    winner_slot: Sig<Local>,
    winner_address: Sig<Local>,
    winner_tag: Sig<Local>,
    named_port: Sig<Local>,
    exists: Flag<Local>,
    vc_exists: Vec<Flag<Local>>,
    group_exists: Vec<Flag<Local>>,
    candidates_exist: Vec<Flag<Local>>,
    candidate_exists: Vec<Flag<Local>>,
    wrong: Vec<Flag<Local>>,

    direct: Param,
    behind_table: Param,
    without_default: Param,
    default_field: Field,
    default_valid: Param,
    route_port: Field,
    route_vc: Field,
    route_vc_set: Param,
    route_group: Field,
    route_group_set: Param,
    route_candidate: Param,
    route_candidates: Field,
    route_in_order: Param,
    port_bits: Param,
    groups: Param,
    candidates: Param,
    port_field: Field,
    vc_field: Field,
    slot_field: Field,
    ports: Param,
    vcs: Param,
    about: About,
}

/// The CAM port of a switch of the given shape.
pub fn cam_port(shape: &Shape, table: &TableShape) -> CamPort {
    let (ports, port_bits, vc_bits) = (shape.ports, shape.port_bits as usize, shape.vc_bits as usize);
    let (slot_bits, tag_bits) = (table.slot_bits as usize, table.tag_bits as usize);
    let address_bits = table.address_bits as usize;
    let next_vc = usize::from(shape.next_vc);
    let (external, default) = (usize::from(table.external_cam), usize::from(table.default_route));
    let behind_table = usize::from(table.forwarding_table.is_some());
    let layout = route_layout(shape);
    let linked = usize::from(shape.link_aggregation.is_some());
    let (groups, group_bits) = shape.link_aggregation.as_ref().map_or((0, 1), |l| (l.groups, l.group_bits as usize));
    let (several, more) = (usize::from(shape.candidates > 1), shape.candidates - 1);
    let candidates_bits = shape.candidates_bits() as usize;
    let exists_doc = match (shape.next_vc, shape.output_selection()) {
        (_, true) => "the answer's route exists",
        (true, false) => "the answer's output port and VC exist",
        (false, false) => "the answer's output port exists",
    };
    let answer_doc = match (shape.next_vc, shape.output_selection()) {
        (_, true) => "its result: route",
        (true, false) => "its result: route, vc_set, vc, port",
        (false, false) => "its result: output port",
    };
    let doc = "CAM port: takes the ports' requests in turn into one register, and hands the CAM's answers to the \
               ports that their tags name. Tag: port, VC, slot, port at the most significant end.";
    CamPort {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        error_clear: many(external, || flag().doc("clears error_cam")),
        offer_valid: sig(ports).doc("the port has a request"),
        offer_vc: many(ports, || sig(vc_bits).doc("VC of its miss slot")),
        offer_slot: many(ports, || sig(slot_bits).doc("number of its miss slot")),
        offer_address: many(ports, || sig(address_bits).doc("its address")),
        offer_taken: sig(ports).doc("the port's request is loaded"),
        request: cam_request(table),
        response: cam_response(shape, table),
        answer_valid: sig(ports).doc("the answer names a slot of this port"),
        answer_vc: sig(vc_bits).doc("VC of the slot it names"),
        answer_slot: sig(slot_bits).doc("number of the slot it names"),
        answer_drop: flag().doc("its result: no route"),
        answer_port: sig(layout.bits).doc(answer_doc),
        answer_known: many(external, || sig(ports).doc("the slot it names has an open request at this port")),
        default_route: many(default, || sig(layout.bits + 1).doc("{valid, route} of the default route")),
        error_cam: many(external, || flag().doc("sticky: an answer to no request, or with a port that does not exist")),
        asking: flag_reg(false).doc("request register: holds a request"),
        tag: reg_no_reset(tag_bits).doc("request register: its tag"),
        address: reg_no_reset(address_bits).doc("request register: its address"),
        answering: flag_reg(false).doc("response register: holds an answer"),
        answer_tag: reg_no_reset(tag_bits).doc("response register: its tag"),
        answer_hit: flag_reg_no_reset().doc("response register: there is a route"),
        answer_route: reg_no_reset(port_bits).doc("response register: its output port"),
        answer_vc_set: many(next_vc, || flag_reg_no_reset().doc("response register: it names a VC")),
        answer_next_vc: many(next_vc, || reg_no_reset(vc_bits).doc("response register: this one")),
        answer_group_set: many(linked, || flag_reg_no_reset().doc("response register: it names a group")),
        answer_group: many(linked, || reg_no_reset(group_bits).doc("response register: this one")),
        answer_candidates: many(several, || {
            reg_no_reset(candidates_bits).doc("response register: number of further candidates")
        }),
        answer_candidate: many(more, || reg_no_reset(port_bits).doc("response register: these")),
        answer_in_order: many(several, || {
            flag_reg_no_reset().doc("response register: the address alone says which candidate")
        }),
        error: many(external, || flag_reg(false).doc("error_cam")),
        arbiter: round_robin_arbiter(ports),
        load: flag().doc(match behind_table {
            0 => "the request register is loaded or becomes empty",
            _ => "the request register is loaded, or is or becomes empty",
        }),
        winner: sig(port_bits).doc("port whose turn it is"),
        winner_vc: sig(vc_bits).doc("its VC"),
        winner_slot: sig(slot_bits).doc("its slot"),
        winner_address: sig(address_bits).doc("its address"),
        winner_tag: sig(tag_bits).doc("its tag"),
        named_port: sig(port_bits).doc("port that the answer's tag names"),
        exists: flag().doc(exists_doc),
        vc_exists: many(next_vc, || flag().doc("the answer's VC exists")),
        group_exists: many(linked, || flag().doc("the answer's group exists")),
        candidates_exist: many(several, || flag().doc("there can be as many candidates as it says")),
        candidate_exists: many(more, || flag().doc("this further candidate of the answer exists")),
        wrong: many(external, || flag().doc("the answer is to no request, or with a port that does not exist")),
        direct: param(1 - behind_table),
        behind_table: param(behind_table),
        without_default: param(1 - default),
        default_field: field(0, layout.bits),
        default_valid: param(layout.bits),
        route_port: field(0, port_bits),
        route_vc: field(port_bits, vc_bits),
        route_vc_set: param(port_bits + vc_bits),
        route_group: field(layout.group, group_bits),
        route_group_set: param(layout.group_set),
        route_candidate: param(layout.candidate),
        route_candidates: field(layout.candidates, candidates_bits),
        route_in_order: param(layout.in_order),
        port_bits: param(port_bits),
        groups: param(groups),
        candidates: param(shape.candidates),
        port_field: field(vc_bits + slot_bits, port_bits),
        vc_field: field(slot_bits, vc_bits),
        slot_field: field(0, slot_bits),
        ports: param(ports),
        vcs: param(shape.vcs),
        about: about("cam_port", doc)
            .param("ports", ports)
            .param("vc_bits", vc_bits)
            .param("slot_bits", slot_bits)
            .param("address_bits", address_bits),
    }
}

#[kernel]
impl CamPort {
    fn update(&mut self) {
        // Request.
        for _direct in 0..self.direct.val() {
            self.load.next = !self.asking.q.val() | self.request.ready.val();
        }
        for _table in 0..self.behind_table.val() {
            self.load.next = self.request.ready.val();
        }
        self.arbiter.request.next = self.offer_valid.val();
        self.arbiter.take.next = self.load.val() & self.offer_valid.val().any();
        self.offer_taken.next = 0.into();
        if self.load.val() {
            self.offer_taken.next = self.arbiter.grant.val();
        }
        self.winner.next = 0.into();
        self.winner_vc.next = 0.into();
        self.winner_slot.next = 0.into();
        self.winner_address.next = 0.into();
        for p in 0..self.ports.val() {
            if self.arbiter.grant.val().get_bit(p) {
                self.winner.next = self.winner.val() | p;
                self.winner_vc.next = self.winner_vc.val() | self.offer_vc[p].val();
                self.winner_slot.next = self.winner_slot.val() | self.offer_slot[p].val();
                self.winner_address.next = self.winner_address.val() | self.offer_address[p].val();
            }
        }
        self.winner_tag.next = 0.into();
        self.winner_tag.next = self.winner_tag.val().replace_bit(self.port_field.val(), self.winner.val());
        self.winner_tag.next = self.winner_tag.val().replace_bit(self.vc_field.val(), self.winner_vc.val());
        self.winner_tag.next = self.winner_tag.val().replace_bit(self.slot_field.val(), self.winner_slot.val());
        if self.load.val() {
            self.asking.d.next = self.offer_valid.val().any();
            self.tag.d.next = self.winner_tag.val();
            self.address.d.next = self.winner_address.val();
        }
        self.request.valid.next = self.asking.q.val();
        self.request.tag.next = self.tag.q.val();
        self.request.address.next = self.address.q.val();

        // Answer.
        self.answering.d.next = self.response.valid.val();
        self.answer_tag.d.next = self.response.tag.val();
        self.answer_hit.d.next = self.response.hit.val();
        self.answer_route.d.next = self.response.port.val();
        self.named_port.next = self.answer_tag.q.val() >> self.port_field.val();
        self.answer_valid.next = 0.into();
        self.exists.next = false;
        for p in 0..self.ports.val() {
            self.answer_valid.next =
                self.answer_valid.val().replace_bit(p, self.answering.q.val() & (self.named_port.val() == p));
            if self.answer_route.q.val() == p {
                self.exists.next = true;
            }
        }
        for j in 0..self.answer_candidate.len() {
            self.answer_candidate[j].d.next = self.response.candidate[j].val();
            self.candidate_exists[j].next = false;
            for p in 0..self.ports.val() {
                if self.answer_candidate[j].q.val() == p {
                    self.candidate_exists[j].next = true;
                }
            }
        }
        for c in 0..self.answer_candidates.len() {
            self.answer_candidates[c].d.next = self.response.candidates[c].val();
            self.answer_in_order[c].d.next = self.response.in_order[c].val();
            self.candidates_exist[c].next = false;
            for j in 0..self.candidates.val() {
                if self.answer_candidates[c].q.val() == j {
                    self.candidates_exist[c].next = true;
                }
            }
            if !self.candidates_exist[c].val() {
                self.exists.next = false;
            }
            for j in 0..self.answer_candidate.len() {
                if (self.answer_candidates[c].q.val() > j) & !self.candidate_exists[j].val() {
                    self.exists.next = false;
                }
            }
        }
        for c in 0..self.answer_group_set.len() {
            self.answer_group_set[c].d.next = self.response.group_set[c].val();
            self.answer_group[c].d.next = self.response.group[c].val();
            self.group_exists[c].next = false;
            for g in 0..self.groups.val() {
                if self.answer_group[c].q.val() == g {
                    self.group_exists[c].next = true;
                }
            }
            if self.answer_group_set[c].q.val() {
                self.exists.next = self.group_exists[c].val();
            }
        }
        for c in 0..self.answer_vc_set.len() {
            self.answer_vc_set[c].d.next = self.response.vc_set[c].val();
            self.answer_next_vc[c].d.next = self.response.vc[c].val();
            self.vc_exists[c].next = false;
            for v in 0..self.vcs.val() {
                if self.answer_next_vc[c].q.val() == v {
                    self.vc_exists[c].next = true;
                }
            }
            if self.answer_vc_set[c].q.val() & !self.vc_exists[c].val() {
                self.exists.next = false;
            }
        }
        self.answer_vc.next = self.answer_tag.q.val() >> self.vc_field.val();
        self.answer_slot.next = self.answer_tag.q.val() >> self.slot_field.val();
        for _without in 0..self.without_default.val() {
            self.answer_drop.next = !(self.answer_hit.q.val() & self.exists.val());
        }
        self.answer_port.next = 0.into();
        self.answer_port.next = self.answer_port.val().replace_bit(self.route_port.val(), self.answer_route.q.val());
        for c in 0..self.answer_vc_set.len() {
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_vc.val(), self.answer_next_vc[c].q.val());
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_vc_set.val(), self.answer_vc_set[c].q.val());
        }
        for c in 0..self.answer_group_set.len() {
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_group.val(), self.answer_group[c].q.val());
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_group_set.val(), self.answer_group_set[c].q.val());
        }
        for j in 0..self.answer_candidate.len() {
            self.answer_port.next = self
                .answer_port
                .val()
                .replace_bit(j * self.port_bits.val() + self.route_candidate.val(), self.answer_candidate[j].q.val());
        }
        for c in 0..self.answer_candidates.len() {
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_candidates.val(), self.answer_candidates[c].q.val());
            self.answer_port.next =
                self.answer_port.val().replace_bit(self.route_in_order.val(), self.answer_in_order[c].q.val());
        }
        for d in 0..self.default_route.len() {
            self.answer_drop.next = !self.exists.val();
            if !self.answer_hit.q.val() {
                self.answer_drop.next = !self.default_route[d].val().get_bit(self.default_valid.val());
                self.answer_port.next = self.default_route[d].val() >> self.default_field.val();
            }
        }

        // Error.
        for e in 0..self.error.len() {
            self.wrong[e].next = self.answering.q.val()
                & (!self.answer_known[e].val().any() | (self.answer_hit.q.val() & !self.exists.val()));
            self.error[e].d.next = self.wrong[e].val() | (self.error[e].q.val() & !self.error_clear[e].val());
            self.error_cam[e].next = self.error[e].q.val();
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
            let shape = config.shape();
            let mut bench = Bench::new(cam_port(&shape, shape.table().unwrap()), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.response.valid.next = true;
            for n in 0..128u32 {
                let (hit, set, vc, port) = (n & 1 == 1, n >> 1 & 1 == 1, n >> 2 & 3, n >> 4);
                bench.response.hit.next = hit;
                bench.response.port.next = port.into();
                for c in 0..bench.response.vc.len() {
                    bench.response.vc_set[c].next = set;
                    bench.response.vc[c].next = vc.into();
                }
                bench.error_clear[0].next = true;
                bench.answer_known[0].next = 0.into();
                bench.cycle();
                // The answer is in the response register.
                let exists = port < 5 && (!next_vc || !set || vc < 3);
                assert_eq!(bench.answer_drop.val(), !(hit && exists), "{n}");
                let route = if next_vc { u32::from(set) << 5 | vc << 3 | port } else { port };
                assert_eq!(bench.answer_port.val().to_u128(), u128::from(route));
                bench.answer_known[0].next = 1.into();
                bench.cycle();
                assert_eq!(bench.error_cam[0].val(), hit && !exists, "{n}");
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
        let shape = config.shape();
        let mut bench = Bench::new(cam_port(&shape, shape.table().unwrap()), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.response.valid.next = true;
        bench.response.hit.next = true;
        bench.answer_known[0].next = 1.into();
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
            bench.response.candidates[0].next = further.into();
            bench.response.in_order[0].next = in_order;
            bench.response.group[0].next = group.into();
            bench.response.group_set[0].next = group_set;
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
