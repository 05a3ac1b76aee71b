//! Selection register of a VC: the packet behind the head of its route queue, and the output chosen for it.
//!
//! State: the selection register (`occupied`, `dropped`, the parts of its route, `selector`), the output chosen
//! (`dropping`, `wanted`), with link aggregation the VC's `turn`, of the mixed VC `multicast` and `mixed_group`.
//!
//! Each cycle: outputs are chosen for what is in the register and, side by side, for the head; `take`, which comes late
//! from the allocators, only says which of the two the register holds in the next cycle.
//!
//! Source: switch reference, section 5.1.

use crate::units::prelude::*;

/// The packet behind the head of a route queue, and the output chosen for it.
#[block(shape: &Shape, vc: usize)]
pub struct SelectionRegister {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The head of the route queue is there and is drop.
    pub head_drop: Flag<In>,
    /// The head of the route queue is there and is a route.
    pub head_routed: Flag<In>,
    /// Route at the head of the route queue.
    pub head_route: Sig<In, route_bits>,
    /// Selector of the packet at the head.
    pub head_selector: Sig<In, 8>,
    /// The head is taken.
    pub take_head: Flag<Out>,
    /// The packet in the selection register is dropped.
    pub drop_now: Flag<Out>,
    /// Output of the packet in the selection register, one-hot.
    pub request: Sig<Out, ports>,
    /// VC on which the packet leaves, one-hot.
    pub leave: Option<Sig<Out, vcs>, next_vc>,
    /// The packet in the selection register is taken.
    pub take: Flag<In>,
    /// VC of the packets.
    pub own_vc: Option<Sig<In, vc_bits>, next_vc>,
    /// Links are taken in turn.
    pub in_turn: Option<Flag<In>, linked>,
    pub link_groups: Bare<LinkGroups<In, shape>>,
    /// Places in use of the next buffers.
    pub in_use: Vec<Sig<In, { in_use_bits(shape) }>, { ports * vcs }, several>,
    /// The head of the route queue is there and is a multicast packet's.
    pub head_multicast: Option<Flag<In>, mixed>,
    /// Group of the multicast packet at the head.
    pub head_group: Option<Sig<In, mixed_bits>, mixed>,
    /// The packet in the selection register is a multicast packet.
    pub multicast_now: Option<Flag<Out>, mixed>,
    /// Group of the multicast packet in the selection register.
    pub multicast_group: Option<Sig<Out, mixed_bits>, mixed>,

    /// The selection register holds a packet.
    occupied: FlagReg,
    /// The result in the selection register is drop.
    dropped: FlagReg<NoReset>,
    /// Selector in the selection register.
    selector: Reg<8, NoReset>,
    /// Port in the selection register, candidate 0.
    port: Reg<port_bits, NoReset>,
    /// VC on which the packet in the selection register leaves, one-hot.
    leaving: Option<Reg<vcs, NoReset>, next_vc>,
    /// The packet in the selection register leaves by a link of a group.
    group_set: Option<FlagReg<NoReset>, linked>,
    /// Group in the selection register.
    group: Option<Reg<group_bits, NoReset>, linked>,
    /// Further candidates in the selection register, from number 1.
    candidate: Vec<Reg<port_bits, NoReset>, { shape.candidates - 1 }>,
    /// Number of further candidates that count in the selection register.
    candidates: Option<Reg<{ shape.candidates_bits() as usize }, NoReset>, several>,
    /// The selector chooses the candidate of the packet in the selection register.
    in_order: Option<FlagReg<NoReset>, several>,
    /// The packet is dropped, and no output is chosen.
    dropping: FlagReg,
    /// Output chosen, one-hot; zero if no output is chosen.
    wanted: Reg<ports>,
    /// Selector of the next packet for a group, if links are taken in turn.
    turn: Option<Reg<8>, linked>,
    /// The selection register holds a multicast packet.
    multicast: Option<FlagReg, mixed>,
    /// Group in the selection register.
    mixed_group: Option<Reg<mixed_bits, NoReset>, mixed>,

    head_choice: OutputChoice<shape>,
    held_choice: OutputChoice<shape>,

    /// A head that may be taken is there.
    head: Flag<Local>,
    /// The head goes into the selection register.
    load: Flag<Local>,
    /// Selector to store with the head.
    chosen_selector: Sig<Local, 8>,
    /// VC on which the head's packet leaves.
    head_vc: Option<Sig<Local, vc_bits>, next_vc>,
    /// VC on which the head's packet leaves, one-hot.
    head_leaving: Option<Sig<Local, vcs>, next_vc>,

    vc_bits: Number<{ shape.vc_bits as usize }>,
    group_bits: Number<{ shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize) }>,
    several: Number<bool, { shape.candidates > 1 }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    candidate_low: Number<{ route_layout(shape).candidate }>,
    vcs: Number<{ named_vcs(shape) }>,
    vc_set: Number<{ route_layout(shape).vc_set }>,
    group_set_bit: Number<{ route_layout(shape).group_set }>,
    in_order_bit: Number<{ route_layout(shape).in_order }>,
    port_field: Field<{ route_layout(shape).port }, port_bits>,
    vc_field: Field<{ route_layout(shape).vc }, vc_bits>,
    group_field: Field<{ route_layout(shape).group }, group_bits>,
    candidates_field: Field<{ route_layout(shape).candidates }, { shape.candidates_bits() as usize }>,
    next_vc: Number<bool, { shape.next_vc }>,
    linked: Number<bool, { shape.link_aggregation.is_some() }>,
    mixed: Number<bool, { shape.multicast.is_some_and(|built| built.vc == vc) }>,
    mixed_bits: Number<{ shape.multicast.filter(|_| mixed).map_or(1, |built| built.group_bits as usize) }>,

    ports: Param<{ shape.ports }>,
    route_bits: Param<{ route_layout(shape).bits }>,
    groups: Param<{ link_counts(shape).0 }>,
    links: Param<{ link_counts(shape).1 }>,
    #[listed(candidates)]
    most_candidates: Param<{ shape.candidates }>,
    next_vcs: Param<{ usize::from(next_vc) * vcs }>,
}

#[kernel]
impl SelectionRegister {
    fn update(&mut self) {
        self.load();
        self.show();
        self.find_leaving();
        self.select_links();
        self.hand_candidates_on();
        self.hand_counts_on();
        for o in 0..self.in_use.len() {
            self.head_choice.in_use[o].next = self.in_use[o].val();
            self.held_choice.in_use[o].next = self.in_use[o].val();
        }
        self.head_choice.selector.next = self.chosen_selector.val();
        self.choose();
        self.hand_group_on();
    }

    fn load(&mut self) {
        self.head.next = self.head_drop.val() | self.head_routed.val();
        self.load.next = self.head.val() & (!self.occupied.q.val() | self.take.val());
        if let Some(head_multicast) = &self.head_multicast {
            self.load.next = (self.head.val() | head_multicast.val()) & (!self.occupied.q.val() | self.take.val());
        }
        self.take_head.next = self.load.val();
    }

    /// The head, as it would be held; and what is held.
    fn show(&mut self) {
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
    }

    fn find_leaving(&mut self) {
        if let (Some(head_vc), Some(own_vc), Some(head_leaving), Some(leaving), Some(leave)) =
            (&mut self.head_vc, &self.own_vc, &mut self.head_leaving, &mut self.leaving, &mut self.leave)
        {
            head_vc.next = own_vc.val();
            if self.head_route.val().get_bit(self.vc_set) {
                head_vc.next = self.head_route.val() >> self.vc_field.val();
            }
            head_leaving.next = 0.into();
            for u in 0..self.vcs {
                head_leaving.set(u, head_vc.val() == u);
            }
            leaving.d.next = leaving.q.val();
            if self.load.val() {
                leaving.d.next = head_leaving.val();
            }
            leave.next = leaving.q.val();
        }
    }

    fn select_links(&mut self) {
        if let (Some(group_set), Some(group), Some(turn), Some(in_turn)) =
            (&mut self.group_set, &mut self.group, &mut self.turn, &self.in_turn)
        {
            if let (Some(head_set), Some(head)) = (&mut self.head_choice.group_set, &mut self.head_choice.group) {
                head_set.next = self.head_route.val().get_bit(self.group_set_bit);
                head.next = self.head_route.val() >> self.group_field.val();
            }
            if let (Some(held_set), Some(held)) = (&mut self.held_choice.group_set, &mut self.held_choice.group) {
                held_set.next = group_set.q.val();
                held.next = group.q.val();
            }
            group_set.d.next = group_set.q.val();
            group.d.next = group.q.val();
            turn.d.next = turn.q.val();
            if in_turn.val() & self.head_route.val().get_bit(self.group_set_bit) {
                self.chosen_selector.next = turn.q.val();
                if self.load.val() & self.head_routed.val() {
                    turn.d.next = turn.q.val() + 1;
                }
            }
            if self.load.val() {
                group_set.d.next = self.head_route.val().get_bit(self.group_set_bit);
                group.d.next = self.head_route.val() >> self.group_field.val();
            }
        }
    }

    fn hand_candidates_on(&mut self) {
        self.link_groups.link(&mut self.head_choice.link_groups);
        self.link_groups.link(&mut self.held_choice.link_groups);
        for j in 0..self.candidate.len() {
            self.head_choice.candidate[j].next =
                unsigned_cast(self.head_route.val() >> (j * self.port_bits + self.candidate_low));
            self.held_choice.candidate[j].next = self.candidate[j].q.val();
            self.candidate[j].d.next = self.candidate[j].q.val();
            if self.load.val() {
                self.candidate[j].d.next =
                    unsigned_cast(self.head_route.val() >> (j * self.port_bits + self.candidate_low));
            }
        }
    }

    fn hand_counts_on(&mut self) {
        if let (Some(candidates), Some(in_order)) = (&mut self.candidates, &mut self.in_order) {
            if let (Some(head), Some(head_in_order)) =
                (&mut self.head_choice.candidates, &mut self.head_choice.in_order)
            {
                head.next = self.head_route.val() >> self.candidates_field.val();
                head_in_order.next = self.head_route.val().get_bit(self.in_order_bit);
            }
            if let (Some(held), Some(held_in_order)) =
                (&mut self.held_choice.candidates, &mut self.held_choice.in_order)
            {
                held.next = candidates.q.val();
                held_in_order.next = in_order.q.val();
            }
            candidates.d.next = candidates.q.val();
            in_order.d.next = in_order.q.val();
            if self.load.val() {
                candidates.d.next = self.head_route.val() >> self.candidates_field.val();
                in_order.d.next = self.head_route.val().get_bit(self.in_order_bit);
            }
            if let (Some(choice), Some(head_leaving)) = (&mut self.head_choice.leaving, &self.head_leaving) {
                choice.next = head_leaving.val();
            }
            if let (Some(choice), Some(leaving)) = (&mut self.held_choice.leaving, &self.leaving) {
                choice.next = leaving.q.val();
            }
        }
    }

    /// The output of what is held in the next cycle.
    fn choose(&mut self) {
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
    }

    /// A multicast packet passes as it is.
    fn hand_group_on(&mut self) {
        if let (
            Some(multicast),
            Some(mixed_group),
            Some(head_multicast),
            Some(head_group),
            Some(multicast_now),
            Some(multicast_group),
        ) = (
            &mut self.multicast,
            &mut self.mixed_group,
            &self.head_multicast,
            &self.head_group,
            &mut self.multicast_now,
            &mut self.multicast_group,
        ) {
            multicast.d.next = multicast.q.val();
            mixed_group.d.next = mixed_group.q.val();
            if self.load.val() {
                multicast.d.next = head_multicast.val();
                mixed_group.d.next = head_group.val();
            } else if self.take.val() {
                multicast.d.next = false;
            }
            if multicast.q.val() {
                self.held_choice.present.next = false;
            }
            multicast_now.next = multicast.q.val();
            multicast_group.next = mixed_group.q.val();
        }
    }
}
