//! Hop proposals of an input VC: by which output and virtual channel the head of its route queue would go, and by which
//! the packet in its hop register.
//!
//! No state. Both are worked out side by side, before it is known which of the two the
//! [hop register](mod@crate::units::route::hop_register) holds in the next cycle.
//!
//! Source: reference of Dragonfly routing, decision and rules.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;
use railyard_spec::misrouting::PortKind;

/// By which output and virtual channel the head of a route queue would go, and by which the packet in the hop register.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind, vc: usize)]
pub struct HopProposal {
    pub head: WaitingHop<In, shape, built>,
    pub held: WaitingHop<In, shape, built>,
    /// The packet in the hop register requests its escape only.
    pub impatient: Option<Flag<In>, patient>,
    pub settings: Bare<VcSettings<In, shape, built>>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases(built) }, { built.flexible_vcs }>,
    pub decisions: Option<DecisionSettings<In, built, from>, adaptive>,
    pub candidates: Option<Candidates<In, shape, built, from>, adaptive>,
    pub told: Option<ToldByRouters<In, shape, built, from>, { built.sends_messages() && from == PortKind::Node }>,
    /// VC that the rule prefers for the local candidate, of class q: element 2 q + 1 if it has case 3, or else 2 q.
    pub wished_local: Vec<Sig<In, vcs>, { detour_cases(built) }, { built.in_transit && built.flexible_vcs }>,
    /// VC that the rule prefers for the global candidate, in that order.
    pub wished_global: Vec<Sig<In, vcs>, { detour_cases(built) }, { built.in_transit && built.flexible_vcs }>,
    pub by_head: ProposedHop<Out, shape, built, from>,
    pub by_held: ProposedHop<Out, shape, built, from>,

    head_decision: Option<WayDecision<shape, built, from>, adaptive>,
    held_decision: Option<WayDecision<shape, built, from>, adaptive>,
    head_choice: HopChoice<shape, built>,
    held_choice: HopChoice<shape, built>,
    next: NextVcs<shape, built, from, vc, { CASES.len() }>,
    local_vcs: Option<DetourVcs<shape, built>, { built.in_transit }>,
    global_vcs: Option<DetourVcs<shape, built>, { built.in_transit }>,

    hop_field: Field<0, { hop_bits(shape, built) }>,
    phase_field: Field<{ hop_bits(shape, built) }, PHASE_BITS>,
    escape_field: Field<{ hop_bits(shape, built) + PHASE_BITS }, { shape.port_bits as usize + 2 }>,
    group_field: Field<{ way_group_low(shape, built) }, { built.group_bits as usize }>,
    link_field: Field<{ way_link_low(shape, built) }, { built.link_bits() as usize }>,
    adaptive: Number<bool, { built.adaptive() }>,
    patient: Number<bool, { is_patient(built) }>,
    link_cases: Number<{ CASES.len() }>,
    classes: Number<{ built.packet_classes().len() }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
    came_on: Param<{ vc }>,
}

#[kernel]
impl HopProposal {
    fn update(&mut self) {
        self.hand_on();
        self.find_detours();
        self.decide();
        self.hear();
        self.take_candidates();
        self.propose();
    }

    fn hand_on(&mut self) {
        self.head_choice.present.next = self.head.present.val();
        self.head_choice.dropped.next = self.head.dropped.val();
        self.head_choice.way.next = self.head.way.val() >> self.hop_field.val();
        self.held_choice.present.next = self.held.present.val();
        self.held_choice.dropped.next = self.held.dropped.val();
        self.held_choice.way.next = self.held.way.val() >> self.hop_field.val();
        for e in 0..self.next.legal.len() {
            self.next.legal[e].next = self.settings.legal[e].val();
            self.head_choice.climbed[e].next = self.next.climbed[e].val();
            self.held_choice.climbed[e].next = self.next.climbed[e].val();
        }
        self.settings.rule.link(&mut self.head_choice.rule);
        self.settings.rule.link(&mut self.held_choice.rule);
        for e in 0..self.preferred.len() {
            self.head_choice.preferred[e].next = self.preferred[e].val();
            self.held_choice.preferred[e].next = self.preferred[e].val();
        }
        if let (Some(impatient), Some(head), Some(held)) =
            (&self.impatient, &mut self.head_choice.impatient, &mut self.held_choice.impatient)
        {
            head.next = false;
            held.next = impatient.val();
        }
    }

    /// The VCs of detours.
    fn find_detours(&mut self) {
        if let (Some(local), Some(global), Some(head), Some(held)) =
            (&mut self.local_vcs, &mut self.global_vcs, &mut self.head_decision, &mut self.held_decision)
        {
            self.settings.rule.link(&mut local.rule);
            self.settings.rule.link(&mut global.rule);
            for q in 0..self.classes {
                local.climbed[2 * q].next = self.next.climbed[2 * q * self.link_cases + NEAR].val();
                local.climbed[2 * q + 1].next = self.next.climbed[2 * q * self.link_cases + FAR].val();
                global.climbed[2 * q].next = self.next.climbed[(2 * q + 1) * self.link_cases + NEAR].val();
                global.climbed[2 * q + 1].next = self.next.climbed[(2 * q + 1) * self.link_cases + FAR].val();
            }
            for h in 0..self.wished_local.len() {
                local.wished[h].next = self.wished_local[h].val();
                global.wished[h].next = self.wished_global[h].val();
            }
            for h in 0..local.leave.len() {
                head.local_leave[h].next = local.leave[h].val();
                head.global_leave[h].next = global.leave[h].val();
                held.local_leave[h].next = local.leave[h].val();
                held.global_leave[h].next = global.leave[h].val();
            }
        }
    }

    /// Another way than the minimal one.
    fn decide(&mut self) {
        if let (Some(head), Some(held), Some(decisions), Some(candidates), Some(impatient)) = (
            &mut self.head_decision,
            &mut self.held_decision,
            &mut self.decisions,
            &mut self.candidates,
            &self.impatient,
        ) {
            decisions.link(&mut head.settings);
            decisions.link(&mut held.settings);
            candidates.link(&mut head.candidates);
            candidates.link(&mut held.candidates);
            head.impatient.next = false;
            held.impatient.next = impatient.val();
            head.way.next = self.head.way.val() >> self.hop_field.val();
            held.way.next = self.held.way.val() >> self.hop_field.val();
            head.phase.next = self.head.way.val() >> self.phase_field.val();
            held.phase.next = self.held.way.val() >> self.phase_field.val();
            if let (Some(of_head), Some(of_held)) = (&mut head.escape, &mut held.escape) {
                of_head.next = self.head.way.val() >> self.escape_field.val();
                of_held.next = self.held.way.val() >> self.escape_field.val();
            }
        }
    }

    /// What routers have told each other, for the groups and links of the packets.
    fn hear(&mut self) {
        if let (Some(head), Some(held), Some(told)) = (&mut self.head_decision, &mut self.held_decision, &mut self.told)
        {
            if let (Some(of_head), Some(of_held)) = (&mut head.group, &mut held.group) {
                of_head.next = self.head.way.val() >> self.group_field.val();
                of_held.next = self.held.way.val() >> self.group_field.val();
            }
            if let (Some(of_head), Some(of_held)) = (&mut head.link, &mut held.link) {
                of_head.next = self.head.way.val() >> self.link_field.val();
                of_held.next = self.held.way.val() >> self.link_field.val();
            }
            told.link(&mut head.told);
            told.link(&mut held.told);
        }
    }

    /// The hops of both, and the candidates that they take.
    fn take_candidates(&mut self) {
        if let Some(decision) = &self.head_decision {
            Self::take_candidate(decision, &mut self.head_choice, &mut self.by_head);
        }
        if let Some(decision) = &self.held_decision {
            Self::take_candidate(decision, &mut self.held_choice, &mut self.by_held);
        }
    }

    fn take_candidate(decision: &WayDecision, choice: &mut HopChoice, hop: &mut ProposedHop<Out>) {
        choice.way.next = decision.hop.val();
        if let (Some(waits), Some(departs), Some(request), Some(leave)) =
            (&mut choice.waits, &mut choice.departs, &mut choice.other_request, &mut choice.other_leave)
        {
            waits.next = decision.waits.val();
            departs.next = decision.departs.val();
            request.next = decision.other_request.val();
            leave.next = decision.other_leave.val();
        }
        if let Some(phase) = &mut hop.phase {
            phase.next = decision.hop_phase.val();
        }
        if let Some(turned) = &mut hop.turned {
            turned.next = decision.departs.val();
        }
        if let (Some(via_set), Some(via), Some(decided_set), Some(decided)) =
            (&mut hop.via_set, &mut hop.via, &decision.via_set, &decision.via)
        {
            via_set.next = decided_set.val();
            via.next = decided.val();
        }
    }

    fn propose(&mut self) {
        self.by_head.drop_now.next = self.head_choice.drop_now.val();
        self.by_head.request.next = self.head_choice.request.val();
        self.by_head.leave.next = self.head_choice.leave.val();
        self.by_held.drop_now.next = self.held_choice.drop_now.val();
        self.by_held.request.next = self.held_choice.request.val();
        self.by_held.leave.next = self.held_choice.leave.val();
    }
}
