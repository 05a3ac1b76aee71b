//! Hop register of a VC: the packet behind the head of its route queue in a Dragonfly's switch, and the output and
//! virtual channel chosen for it.
//!
//! State: the hop register (`occupied`, `dropped`, `way`), what is chosen for it (`dropping`, `wanted`, `leaving`), and
//! with several rules or ways `waits`. With adaptive ways also the phase (and via) with which the packet leaves; and
//! the *departure register*, which holds both of the packet that was taken last. With contention counters `kept`, the
//! minimal port of that packet.
//!
//! Each cycle: a hop is chosen for what is in the register and, side by side, for the head; `take`, which comes late
//! from the allocators, only says which of the two the register holds in the next cycle.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Ticks after which a packet requests its escape only.
const PATIENT_TICKS: usize = 3;

/// The packet behind the head of a route queue, and the output and virtual channel chosen for it.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind, vc: usize)]
pub struct HopRegister {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The head of the route queue is there and is drop.
    pub head_drop: Flag<In>,
    /// The head of the route queue is there and is a way.
    pub head_routed: Flag<In>,
    /// Result at the head of the route queue: escape, phase, hop.
    pub head_way: Sig<In, result_bits>,
    /// The head is taken.
    pub take_head: Flag<Out>,
    /// The packet in the hop register is dropped.
    pub drop_now: Flag<Out>,
    /// Output of the packet in the hop register, one-hot.
    pub request: Sig<Out, ports>,
    /// VC on which the packet leaves, one-hot.
    pub leave: Sig<Out, vcs>,
    /// The packet in the hop register is taken.
    pub take: Flag<In>,
    pub settings: Bare<VcSettings<In, shape, built>>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases(built) }, flexible>,
    /// A tick of patience.
    pub tick: Option<Flag<In>, patient>,
    pub decisions: Option<DecisionSettings<In, built, from>, adaptive>,
    pub candidates: Option<Candidates<In, shape, built, from>, adaptive>,
    /// Phase with which the packet that was taken last leaves.
    pub departing_phase: Option<Sig<Out, PHASE_BITS>, adaptive>,
    /// The packet that was taken last gets a via.
    pub departing_via_set: Option<Flag<Out>, sends>,
    /// Via that it gets.
    pub departing_via: Option<Sig<Out, { via_bits(built) }>, sends>,
    /// The VC is connected.
    pub active: Option<Flag<In>, contention>,
    /// Minimal port of the packet in front, one-hot; zero without one.
    pub counted: Option<Sig<Out, ports>, contention>,

    /// The hop register holds a packet.
    occupied: FlagReg,
    /// The result in the hop register is drop.
    dropped: FlagReg<NoReset>,
    /// Result of the packet: escape, phase, hop.
    way: Reg<result_bits, NoReset>,
    /// The packet is dropped, and no output is chosen.
    dropping: FlagReg,
    /// Output chosen, one-hot; zero if no output is chosen.
    wanted: Reg<ports>,
    /// VC chosen, one-hot.
    leaving: Reg<vcs, NoReset>,
    /// Ticks for which the packet has waited, up to 3.
    waits: Option<Reg<2>, patient>,
    /// Phase with which the packet leaves.
    leaving_phase: Option<Reg<PHASE_BITS, NoReset>, adaptive>,
    /// The packet gets a via.
    getting_via: Option<FlagReg<NoReset>, sends>,
    /// Via that the packet gets.
    new_via: Option<Reg<{ via_bits(built) }, NoReset>, sends>,
    /// Departure register: phase.
    departure_phase: Option<Reg<PHASE_BITS, NoReset>, adaptive>,
    /// Departure register: there is a new via.
    departure_via_set: Option<FlagReg<NoReset>, sends>,
    /// Departure register: the new via.
    departure_via: Option<Reg<{ via_bits(built) }, NoReset>, sends>,
    /// Minimal port of the packet that is connected, one-hot.
    kept: Option<Reg<ports>, contention>,

    head_decision: Option<WayDecision<shape, built, from>, adaptive>,
    held_decision: Option<WayDecision<shape, built, from>, adaptive>,
    head_choice: HopChoice<shape, built>,
    held_choice: HopChoice<shape, built>,
    next: NextVcs<shape, built, from, vc>,
    detour_vcs: Option<DetourVcs<shape, built>, { built.in_transit }>,

    /// The head goes into the hop register.
    load: Flag<Local>,
    /// The packet in the hop register requests its escape only.
    impatient: Option<Flag<Local>, patient>,
    /// Minimal port of the packet in the hop register, one-hot.
    minimal: Option<Sig<Local, ports>, contention>,

    hop_field: Field<0, { hop_bits(shape, built) }>,
    port_field: Field<0, { shape.port_bits as usize }>,
    phase_field: Field<{ hop_bits(shape, built) }, PHASE_BITS>,
    escape_field: Field<{ hop_bits(shape, built) + PHASE_BITS }, { shape.port_bits as usize + 2 }>,
    adaptive: Number<bool, { built.adaptive() }>,
    patient: Number<bool, { is_patient(built) }>,
    sends: Number<bool, { sends_to_vias(built, from) }>,
    contention: Number<bool, { built.contention }>,
    flexible: Number<bool, { built.flexible_vcs }>,
    result_bits: Number<{ way_result_bits(shape, built) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
    came_on: Param<{ vc }>,
}

#[kernel]
impl HopRegister {
    fn update(&mut self) {
        self.load();
        self.wait();
        self.hand_on();
        self.find_detours();
        self.decide();
        self.take_candidates();
        self.choose();
        self.depart();
        self.send_via();
        self.count();
        self.state_properties();
    }

    fn load(&mut self) {
        self.load.next = (self.head_drop.val() | self.head_routed.val()) & (!self.occupied.q.val() | self.take.val());
        self.take_head.next = self.load.val();
        if self.load.val() {
            self.dropped.d.next = self.head_drop.val();
            self.way.d.next = self.head_way.val();
        }
    }

    /// The head, as it would be held; and what is held.
    fn hand_on(&mut self) {
        self.head_choice.present.next = self.head_drop.val() | self.head_routed.val();
        self.head_choice.dropped.next = self.head_drop.val();
        self.head_choice.way.next = self.head_way.val() >> self.hop_field.val();
        self.held_choice.present.next = self.occupied.q.val();
        self.held_choice.dropped.next = self.dropped.q.val();
        self.held_choice.way.next = self.way.q.val() >> self.hop_field.val();
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
    }

    /// The hop of what is held in the next cycle.
    fn choose(&mut self) {
        if self.load.val() {
            self.occupied.d.next = true;
            self.dropping.d.next = self.head_choice.drop_now.val();
            self.wanted.d.next = self.head_choice.request.val();
            self.leaving.d.next = self.head_choice.leave.val();
        } else if self.take.val() {
            self.occupied.d.next = false;
            self.dropping.d.next = false;
            self.wanted.d.next = 0.into();
        } else {
            self.dropping.d.next = self.held_choice.drop_now.val();
            self.wanted.d.next = self.held_choice.request.val();
            self.leaving.d.next = self.held_choice.leave.val();
        }
        self.drop_now.next = self.dropping.q.val();
        self.request.next = self.wanted.q.val();
        self.leave.next = self.leaving.q.val();
    }

    /// A packet that has waited long requests its escape only.
    fn wait(&mut self) {
        if let (Some(waits), Some(tick), Some(impatient)) = (&mut self.waits, &self.tick, &mut self.impatient) {
            impatient.next = waits.q.val() == PATIENT_TICKS;
            if !self.occupied.q.val() | self.take.val() {
                waits.d.next = 0.into();
            } else if tick.val() & (waits.q.val() != PATIENT_TICKS) {
                waits.d.next = waits.q.val() + 1;
            }
            if let (Some(head), Some(held)) = (&mut self.head_choice.impatient, &mut self.held_choice.impatient) {
                head.next = false;
                held.next = impatient.val();
            }
        }
    }

    /// The VCs of detours.
    fn find_detours(&mut self) {
        if let (Some(vcs), Some(candidates), Some(head), Some(held)) =
            (&mut self.detour_vcs, &self.candidates, &mut self.head_decision, &mut self.held_decision)
        {
            for e in 0..vcs.climbed.len() {
                vcs.climbed[e].next = self.next.climbed[e].val();
            }
            self.settings.rule.link(&mut vcs.rule);
            if let (Some(local), Some(global)) = (&candidates.local, &candidates.global) {
                for q in 0..vcs.preferred_local.len() {
                    vcs.preferred_local[q].next = local.wished[q].val();
                    vcs.preferred_global[q].next = global.wished[q].val();
                }
            }
            for q in 0..vcs.by_local.len() {
                head.local_leave[q].next = vcs.by_local[q].val();
                head.global_leave[q].next = vcs.by_global[q].val();
                held.local_leave[q].next = vcs.by_local[q].val();
                held.global_leave[q].next = vcs.by_global[q].val();
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
            head.way.next = self.head_way.val() >> self.hop_field.val();
            held.way.next = self.way.q.val() >> self.hop_field.val();
            head.phase.next = self.head_way.val() >> self.phase_field.val();
            held.phase.next = self.way.q.val() >> self.phase_field.val();
            if let (Some(of_head), Some(of_held)) = (&mut head.escape, &mut held.escape) {
                of_head.next = self.head_way.val() >> self.escape_field.val();
                of_held.next = self.way.q.val() >> self.escape_field.val();
            }
        }
    }

    /// The hops of both, and the candidates that they take.
    fn take_candidates(&mut self) {
        if let Some(decision) = &self.head_decision {
            Self::take_candidate(decision, &mut self.head_choice);
        }
        if let Some(decision) = &self.held_decision {
            Self::take_candidate(decision, &mut self.held_choice);
        }
    }

    fn take_candidate(decision: &WayDecision, choice: &mut HopChoice) {
        choice.way.next = decision.hop.val();
        if let (Some(waits), Some(departs), Some(request), Some(leave)) =
            (&mut choice.waits, &mut choice.departs, &mut choice.other_request, &mut choice.other_leave)
        {
            waits.next = decision.waits.val();
            departs.next = decision.departs.val();
            request.next = decision.other_request.val();
            leave.next = decision.other_leave.val();
        }
    }

    /// What becomes of the header: it goes with the choice, and stays behind when the packet is taken.
    fn depart(&mut self) {
        if let (Some(leaving), Some(departure), Some(departing), Some(head), Some(held)) = (
            &mut self.leaving_phase,
            &mut self.departure_phase,
            &mut self.departing_phase,
            &self.head_decision,
            &self.held_decision,
        ) {
            leaving.d.next = held.hop_phase.val();
            if self.load.val() {
                leaving.d.next = head.hop_phase.val();
            }
            if self.take.val() {
                departure.d.next = leaving.q.val();
            }
            departing.next = departure.q.val();
        }
    }

    fn send_via(&mut self) {
        if let (Some(getting), Some(via), Some(set), Some(departure), Some(departing_set), Some(departing)) = (
            &mut self.getting_via,
            &mut self.new_via,
            &mut self.departure_via_set,
            &mut self.departure_via,
            &mut self.departing_via_set,
            &mut self.departing_via,
        ) {
            if let (Some(head), Some(held)) = (&self.head_decision, &self.held_decision) {
                if let (Some(of_head), Some(of_held), Some(head_set), Some(held_set)) =
                    (&head.via, &held.via, &head.via_set, &held.via_set)
                {
                    getting.d.next = held_set.val();
                    via.d.next = of_held.val();
                    if self.load.val() {
                        getting.d.next = head_set.val();
                        via.d.next = of_head.val();
                    }
                }
            }
            if self.take.val() {
                set.d.next = getting.q.val();
                departure.d.next = via.q.val();
            }
            departing_set.next = set.q.val();
            departing.next = departure.q.val();
        }
    }

    /// The packet in front: that which is connected, or else that which waits.
    fn count(&mut self) {
        if let (Some(minimal), Some(kept), Some(active), Some(counted)) =
            (&mut self.minimal, &mut self.kept, &self.active, &mut self.counted)
        {
            minimal.next = 0.into();
            for o in 0..self.ports {
                minimal.set(
                    o,
                    self.occupied.q.val() & !self.dropped.q.val() & ((self.way.q.val() >> self.port_field.val()) == o),
                );
            }
            if self.take.val() {
                kept.d.next = minimal.val();
            }
            counted.next = minimal.val();
            if active.val() {
                counted.next = kept.q.val();
            }
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        assert!(!(self.wanted.q.val() & (self.wanted.q.val() - 1)).any(), "a packet asks for at most one output");
        if self.wanted.q.val().any() {
            assert!(self.leaving.q.val().any(), "a packet that asks for an output names a VC");
            assert!(!(self.leaving.q.val() & (self.leaving.q.val() - 1)).any(), "a packet leaves on one VC");
        }
        assert!(self.occupied.q.val() | !self.wanted.q.val().any(), "only a packet asks for an output");
    }
}
