//! Selection register of a VC: the packet behind the head of its route queue, and the output chosen for it.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_drop`, `head_routed`, `head_route` | 1, 1, route bits | head of the route queue: drop, or this [`route`](super::layout) |
//! | `head_selector` | 8 | selector of its packet |
//! | `take_head` | 1 | the head is taken: it goes into the selection register |
//! | `drop_now`, `request` | 1, N | the packet in the selection register: drop, or its output (one-hot) |
//! | `leave` | k | VC on which it leaves, one-hot (with `next_vc` only; counts while `request` is not zero) |
//! | `take` | 1 | it is taken (only while there is one) |
//! | `own_vc` | VC bits | the VC whose packets these are (with `next_vc` only, a constant) |
//! | `in_turn` | 1 | links are taken in turn (with link aggregation only) |
//! | `link_groups`, `in_use` | | settings and credit, see [`output_choice`](super::output_choice) |
//!
//! Of the mixed VC, if there is one:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `head_multicast`, `head_group` | 1, group bits | or the head is a multicast packet's, of this group |
//! | `multicast_now`, `multicast_group` | 1, group bits | or so is the packet in the selection register: no output is chosen for it |
//!
//! State: the selection register (`occupied`, `dropped`, the parts of its route, `selector`), the output chosen (`dropping`,
//! `wanted`), with link aggregation the VC's `turn`, of the mixed VC `multicast` and `mixed_group`.
//!
//! Each cycle: outputs are chosen for what is in the register and, side by side, for the head; `take`, which comes late from the
//! allocators, only says which of the two the register holds in the next cycle.
//!
//! Source: switch reference, section 5.1.

use crate::rtl::prelude::*;
use crate::units::output::credit_counter::in_use_bits;
use crate::units::route::layout::route_layout;
use crate::units::route::link_groups::{link_groups, LinkGroups};
use crate::units::route::output_choice::{output_choice, OutputChoice};
use railyard_spec::Shape;

/// Selection register of a VC; see the head of this file.
#[block]
pub struct SelectionRegister {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head_drop: Flag<In>,
    pub head_routed: Flag<In>,
    pub head_route: Sig<In>,
    pub head_selector: Sig<In>,
    pub take_head: Flag<Out>,
    pub drop_now: Flag<Out>,
    pub request: Sig<Out>,
    pub leave: Vec<Sig<Out>>,
    pub take: Flag<In>,
    pub own_vc: Vec<Sig<In>>,
    pub in_turn: Vec<Flag<In>>,
    #[bare]
    pub link_groups: LinkGroups<In>,
    pub in_use: Vec<Sig<In>>,
    pub head_multicast: Vec<Flag<In>>,
    pub head_group: Vec<Sig<In>>,
    pub multicast_now: Vec<Flag<Out>>,
    pub multicast_group: Vec<Sig<Out>>,

    occupied: FlagReg,
    dropped: FlagReg,
    selector: Reg,
    port: Reg,
    leaving: Vec<Reg>,
    group_set: Vec<FlagReg>,
    group: Vec<Reg>,
    candidate: Vec<Reg>,
    candidates: Vec<Reg>,
    in_order: Vec<FlagReg>,
    dropping: FlagReg,
    wanted: Reg,
    turn: Vec<Reg>,
    multicast: Vec<FlagReg>,
    mixed_group: Vec<Reg>,

    head_choice: OutputChoice,
    held_choice: OutputChoice,

    head: Flag<Local>,
    load: Flag<Local>,
    chosen_selector: Sig<Local>,
    head_vc: Vec<Sig<Local>>,
    head_leaving: Vec<Sig<Local>>,

    port_bits: Param,
    candidate_low: Param,
    vcs: Param,
    vc_set: Param,
    group_set_bit: Param,
    in_order_bit: Param,
    port_field: Field,
    vc_field: Field,
    group_field: Field,
    candidates_field: Field,
    about: About,
}

/// The selection register of VC `vc` of a switch of the given shape.
pub fn selection_register(shape: &Shape, vc: usize) -> SelectionRegister {
    let built = shape.multicast.filter(|built| built.vc == vc);
    let (mixed, mixed_bits) = (usize::from(built.is_some()), built.map_or(1, |built| built.group_bits as usize));
    let (n, port_bits, vc_bits) = (shape.ports, shape.port_bits as usize, shape.vc_bits as usize);
    let layout = route_layout(shape);
    let linked = usize::from(shape.link_aggregation.is_some());
    let (groups, most) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.links));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let several = usize::from(shape.candidates > 1);
    let (more, candidates_bits) = (shape.candidates - 1, shape.candidates_bits() as usize);
    let next_vc = usize::from(shape.next_vc);
    let vcs = if shape.next_vc { shape.vcs } else { 1 };
    SelectionRegister {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        head_drop: flag().doc("the head of the route queue is there and is drop"),
        head_routed: flag().doc("it is there and is a route"),
        head_route: sig(layout.bits).doc("this one"),
        head_selector: sig(8).doc("selector of its packet"),
        take_head: flag().doc("the head is taken"),
        drop_now: flag().doc("there is a packet and it is dropped"),
        request: sig(n).doc("or this is its output, one-hot"),
        leave: many(next_vc, || sig(vcs).doc("VC on which it leaves, one-hot")),
        take: flag().doc("it is taken"),
        own_vc: many(next_vc, || sig(vc_bits).doc("VC whose packets these are")),
        in_turn: many(linked, || flag().doc("links are taken in turn")),
        link_groups: link_groups(shape),
        in_use: many(several * n * vcs, || sig(in_use_bits(shape)).doc("places in use of the next buffers")),
        head_multicast: many(mixed, || flag().doc("it is there and is a multicast packet's")),
        head_group: many(mixed, || sig(mixed_bits).doc("this group")),
        multicast_now: many(mixed, || flag().doc("or it is a multicast packet")),
        multicast_group: many(mixed, || sig(mixed_bits).doc("of this group")),
        occupied: flag_reg(false).doc("selection register: holds a packet"),
        dropped: flag_reg_no_reset().doc("selection register: its result is drop"),
        selector: reg_no_reset(8).doc("selection register: its selector"),
        port: reg_no_reset(port_bits).doc("selection register: its port, candidate 0"),
        leaving: many(next_vc, || reg_no_reset(vcs).doc("selection register: VC on which it leaves, one-hot")),
        group_set: many(linked, || flag_reg_no_reset().doc("selection register: it leaves by a link of a group")),
        group: many(linked, || reg_no_reset(group_bits).doc("selection register: this one")),
        candidate: many(more, || reg_no_reset(port_bits).doc("selection register: further candidates, from number 1")),
        candidates: many(several, || reg_no_reset(candidates_bits).doc("selection register: how many of them count")),
        in_order: many(several, || flag_reg_no_reset().doc("selection register: its selector says which one")),
        dropping: flag_reg(false).doc("output chosen: none, the packet is dropped"),
        wanted: reg(n, 0u8).doc("output chosen, one-hot; zero if there is none"),
        turn: many(linked, || reg(8, 0u8).doc("selector of the next packet for a group, if links are taken in turn")),
        multicast: many(mixed, || flag_reg(false).doc("selection register: holds a multicast packet")),
        mixed_group: many(mixed, || reg_no_reset(mixed_bits).doc("selection register: its group")),
        head_choice: output_choice(shape),
        held_choice: output_choice(shape),
        head: flag().doc("there is a head that may be taken"),
        load: flag().doc("it goes into the selection register"),
        chosen_selector: sig(8).doc("selector to go with it"),
        head_vc: many(next_vc, || sig(vc_bits).doc("VC on which the head's packet leaves")),
        head_leaving: many(next_vc, || sig(vcs).doc("the same, one-hot")),
        port_bits: param(port_bits),
        candidate_low: param(layout.candidate),
        vcs: param(vcs),
        vc_set: param(layout.vc_set),
        group_set_bit: param(layout.group_set),
        in_order_bit: param(layout.in_order),
        port_field: field(layout.port, port_bits),
        vc_field: field(layout.vc, vc_bits),
        group_field: field(layout.group, group_bits),
        candidates_field: field(layout.candidates, candidates_bits),
        about: about(
            "selection_register",
            "The packet behind the head of a route queue, and the output chosen for it.",
        )
        .param("ports", n)
        .param("route_bits", layout.bits)
        .param("groups", groups)
        .param("links", most)
        .param("candidates", shape.candidates)
        .param("next_vcs", next_vc * vcs),
    }
}

#[kernel]
impl SelectionRegister {
    fn update(&mut self) {
        self.head.next = self.head_drop.val() | self.head_routed.val();
        self.load.next = self.head.val() & (!self.occupied.q.val() | self.take.val());
        for c in 0..self.multicast.len() {
            self.load.next =
                (self.head.val() | self.head_multicast[c].val()) & (!self.occupied.q.val() | self.take.val());
        }
        self.take_head.next = self.load.val();

        // The head, as it would be held; and what is held.
        self.chosen_selector.next = self.head_selector.val();
        self.head_choice.present.next = self.head.val();
        self.head_choice.dropped.next = self.head_drop.val();
        self.head_choice.port.next = self.head_route.val() >> self.port_field.val();
        self.held_choice.present.next = self.occupied.q.val();
        self.held_choice.dropped.next = self.dropped.q.val();
        self.held_choice.port.next = self.port.q.val();
        self.held_choice.selector.next = self.selector.q.val();
        if self.load.val() {
            self.dropped.d.next = self.head_drop.val();
            self.port.d.next = self.head_route.val() >> self.port_field.val();
        }
        for c in 0..self.leaving.len() {
            self.head_vc[c].next = self.own_vc[c].val();
            if self.head_route.val().get_bit(self.vc_set.val()) {
                self.head_vc[c].next = self.head_route.val() >> self.vc_field.val();
            }
            self.head_leaving[c].next = 0.into();
            for u in 0..self.vcs.val() {
                self.head_leaving[c].next = self.head_leaving[c].val().replace_bit(u, self.head_vc[c].val() == u);
            }
            self.leaving[c].d.next = self.leaving[c].q.val();
            if self.load.val() {
                self.leaving[c].d.next = self.head_leaving[c].val();
            }
            self.leave[c].next = self.leaving[c].q.val();
        }
        for c in 0..self.group.len() {
            self.head_choice.group_set[c].next = self.head_route.val().get_bit(self.group_set_bit.val());
            self.head_choice.group[c].next = self.head_route.val() >> self.group_field.val();
            self.held_choice.group_set[c].next = self.group_set[c].q.val();
            self.held_choice.group[c].next = self.group[c].q.val();
            self.group_set[c].d.next = self.group_set[c].q.val();
            self.group[c].d.next = self.group[c].q.val();
            self.turn[c].d.next = self.turn[c].q.val();
            if self.in_turn[c].val() & self.head_route.val().get_bit(self.group_set_bit.val()) {
                self.chosen_selector.next = self.turn[c].q.val();
                if self.load.val() & self.head_routed.val() {
                    self.turn[c].d.next = self.turn[c].q.val() + 1;
                }
            }
            if self.load.val() {
                self.group_set[c].d.next = self.head_route.val().get_bit(self.group_set_bit.val());
                self.group[c].d.next = self.head_route.val() >> self.group_field.val();
            }
        }
        self.link_groups.link(&mut self.head_choice.link_groups);
        self.link_groups.link(&mut self.held_choice.link_groups);
        for j in 0..self.candidate.len() {
            self.head_choice.candidate[j].next =
                unsigned_cast(self.head_route.val() >> (j * self.port_bits.val() + self.candidate_low.val()));
            self.held_choice.candidate[j].next = self.candidate[j].q.val();
            self.candidate[j].d.next = self.candidate[j].q.val();
            if self.load.val() {
                self.candidate[j].d.next =
                    unsigned_cast(self.head_route.val() >> (j * self.port_bits.val() + self.candidate_low.val()));
            }
        }
        for c in 0..self.candidates.len() {
            self.head_choice.candidates[c].next = self.head_route.val() >> self.candidates_field.val();
            self.head_choice.in_order[c].next = self.head_route.val().get_bit(self.in_order_bit.val());
            self.held_choice.candidates[c].next = self.candidates[c].q.val();
            self.held_choice.in_order[c].next = self.in_order[c].q.val();
            self.candidates[c].d.next = self.candidates[c].q.val();
            self.in_order[c].d.next = self.in_order[c].q.val();
            if self.load.val() {
                self.candidates[c].d.next = self.head_route.val() >> self.candidates_field.val();
                self.in_order[c].d.next = self.head_route.val().get_bit(self.in_order_bit.val());
            }
            for l in 0..self.leaving.len() {
                self.head_choice.leaving[l].next = self.head_leaving[l].val();
                self.held_choice.leaving[l].next = self.leaving[l].q.val();
            }
        }
        for o in 0..self.in_use.len() {
            self.head_choice.in_use[o].next = self.in_use[o].val();
            self.held_choice.in_use[o].next = self.in_use[o].val();
        }
        self.head_choice.selector.next = self.chosen_selector.val();

        // The output of what is held in the next cycle.
        if self.load.val() {
            self.occupied.d.next = true;
            self.selector.d.next = self.chosen_selector.val();
            self.dropping.d.next = self.head_choice.drop_now.val();
            self.wanted.d.next = self.head_choice.request.val();
        } else if self.take.val() {
            self.occupied.d.next = false;
            self.dropping.d.next = false;
            self.wanted.d.next = 0.into();
        } else {
            self.dropping.d.next = self.held_choice.drop_now.val();
            self.wanted.d.next = self.held_choice.request.val();
        }
        self.drop_now.next = self.dropping.q.val();
        self.request.next = self.wanted.q.val();

        // A multicast packet passes as it is.
        for c in 0..self.multicast.len() {
            self.multicast[c].d.next = self.multicast[c].q.val();
            self.mixed_group[c].d.next = self.mixed_group[c].q.val();
            if self.load.val() {
                self.multicast[c].d.next = self.head_multicast[c].val();
                self.mixed_group[c].d.next = self.head_group[c].val();
            } else if self.take.val() {
                self.multicast[c].d.next = false;
            }
            if self.multicast[c].q.val() {
                self.held_choice.present.next = false;
            }
            self.multicast_now[c].next = self.multicast[c].q.val();
            self.multicast_group[c].next = self.mixed_group[c].q.val();
        }
    }
}
