//! Way decision: whether a packet goes minimally, to a via, around its minimal port, or by its escape.
//!
//! No state. For which packets the candidates of the port are ways is known a cycle ahead
//! ([`detour_candidate`](mod@detour_candidate), [`via_candidate`](mod@via_candidate)). This block looks it up for the
//! packet, and says by which hop it goes.
//!
//! Source: reference of Dragonfly routing, decision.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;
use railyard_spec::Via;

const VALIANT: usize = 1;
const UGAL: usize = 2;
const IN_TRANSIT: usize = 3;
const PIGGYBACK: usize = 4;

const HOME: usize = 0;
const DETOURED: usize = 1;
const TO_VIA: usize = 2;
const CROSSED: usize = 3;
const SETTLED: usize = 4;

const NRG: usize = 1;
const RRG: usize = 2;
const MM: usize = 3;

/// Whether a packet goes minimally, to a via, around its minimal port, or by its escape.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct WayDecision {
    /// Class, case and port of the minimal hop.
    pub way: Sig<In, { hop_bits(shape, built) }>,
    /// Acting phase.
    pub phase: Sig<In, PHASE_BITS>,
    /// Case and port of the escape.
    pub escape: Option<Sig<In, { port_bits + 2 }>, { built.valiant.is_some() }>,
    /// The packet requests its escape only.
    pub impatient: Flag<In>,
    pub settings: Bare<DecisionSettings<In, built, from>>,
    pub candidates: Candidates<In, shape, built, from>,
    /// VC by the local candidate, for class q: element 2 q + 1 if the case is 3, or else 2 q.
    pub local_leave: Vec<Sig<In, vcs>, { detour_cases(built) }, detours>,
    /// VC by the global candidate, in the same order.
    pub global_leave: Vec<Sig<In, vcs>, { detour_cases(built) }, detours>,
    /// Group of the packet's destination.
    pub group: Option<Sig<In, { built.group_bits as usize }>, spreads>,
    /// Number of the packet's global link at its switch.
    pub link: Option<Sig<In, { built.link_bits() as usize }>, saturates>,
    pub told: Bare<ToldByRouters<In, shape, built, from>>,
    /// Class, case and port of the hop, if the packet takes no candidate.
    pub hop: Sig<Out, { hop_bits(shape, built) }>,
    /// Phase with which the packet leaves.
    pub hop_phase: Sig<Out, PHASE_BITS>,
    /// No output is chosen for the packet.
    pub waits: Flag<Out>,
    /// The packet takes a candidate.
    pub departs: Flag<Out>,
    /// Output of the candidate that counts, one-hot.
    pub other_request: Sig<Out, ports>,
    /// VC by that candidate, one-hot.
    pub other_leave: Sig<Out, vcs>,
    /// The packet gets a via.
    pub via_set: Option<Flag<Out>, sends>,
    /// Via that the packet gets.
    pub via: Option<Sig<Out, { via_bits(built) }>, sends>,

    /// Minimal port.
    port: Sig<Local, port_bits>,
    /// Class and case of the minimal hop.
    class_case: Sig<Local, case_bits>,
    /// The minimal hop leads to the destination's router.
    is_near: Flag<Local>,
    /// The packet is a reply.
    is_reply: Flag<Local>,
    /// The packet must go by its minimal hop or its escape.
    is_bound: Flag<Local>,
    /// Phase of a packet that takes the candidate.
    other_phase: Sig<Local, PHASE_BITS>,
    /// There is a candidate for a detour.
    there: Option<Flag<Local>, detours>,
    /// The candidate for a detour is the local one.
    takes_local: Option<Flag<Local>, detours>,
    /// The detour is possible.
    possible: Option<Flag<Local>, detours>,
    /// Class and case of the detour among VCs.
    leave_place: Option<Sig<Local, { case_bits - 1 }>, detours>,
    /// The packet may take the candidate for a detour if its group is hot.
    away: Option<Flag<Local>, spreads>,
    /// The packet's global link is saturated.
    is_saturated: Option<Flag<Local>, saturates>,
    /// A via is needed.
    asked: Option<Flag<Local>, sends>,
    /// There is a way to the via.
    via_there: Option<Flag<Local>, sends>,
    /// By UGAL-L, the packet goes to the via.
    longer: Option<Flag<Local>, sends>,

    detours: Number<bool, { built.in_transit }>,
    sends: Number<bool, { sends_to_vias(built, from) }>,
    spreads: Number<bool, { spreads_by_group(built, from) }>,
    saturates: Number<bool, { sees_saturation(built, from) }>,
    by_router: Number<bool, { built.valiant == Some(Via::Router) }>,
    from_node: Number<bool, { from == PortKind::Node }>,
    has_replies: Number<bool, { built.reference().has_replies() }>,
    port_field: Field<0, port_bits>,
    case_field: Field<port_bits, case_bits>,
    escape_field: Field<0, { port_bits + 2 }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    case_bits: Number<{ case_bits(built) }>,
    classes: Number<{ built.packet_classes().len() }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl WayDecision {
    fn update(&mut self) {
        self.find_minimal();
        self.find_candidate();
        self.find_detour();
        self.spread();
        self.go_around();
        self.find_via();
        self.find_saturation();
        self.send_away();
        self.send_by_saturation();
        self.escape();
    }

    fn find_minimal(&mut self) {
        self.port.next = self.way.val() >> self.port_field.val();
        self.class_case.next = self.way.val() >> self.case_field.val();
        self.is_near.next = !self.class_case.val().get_bit(0) & !self.class_case.val().get_bit(1);
        self.is_reply.next = false;
        if self.has_replies {
            self.is_reply.next = self.class_case.val().get_bit(2);
        }
        self.is_bound.next = self.impatient.val() | (self.port.val() < self.first_local);
        self.departs.next = false;
        self.waits.next = false;
        self.other_request.next = 0.into();
        self.other_leave.next = 0.into();
        self.other_phase.next = self.phase.val();
    }

    /// The candidate for a detour, by policy and phase.
    fn find_candidate(&mut self) {
        if let (Some(policy), Some(local_detour), Some(is_local), Some(there), Some(takes_local)) = (
            &self.settings.policy,
            &self.settings.local_detour,
            &self.candidates.is_local,
            &mut self.there,
            &mut self.takes_local,
        ) {
            there.next = false;
            takes_local.next = false;
            match self.phase.val().index() {
                HOME => {
                    there.next = true;
                    match policy.val().index() {
                        NRG => takes_local.next = true,
                        RRG => takes_local.next = is_local.val(),
                        MM => takes_local.next = !self.from_node,
                        _ => takes_local.next = false,
                    }
                }
                DETOURED => there.next = true,
                CROSSED => {
                    there.next = local_detour.val() & (self.port.val() < self.first_global);
                    takes_local.next = true;
                }
                _ => there.next = false,
            }
        }
    }

    /// Whether the detour is possible, and by which VC.
    fn find_detour(&mut self) {
        if let (Some(local), Some(global), Some(takes_local), Some(possible), Some(place)) = (
            &self.candidates.local,
            &self.candidates.global,
            &self.takes_local,
            &mut self.possible,
            &mut self.leave_place,
        ) {
            place.next = 0.into();
            place.set(0, !self.is_near.val());
            if self.has_replies {
                place.set(1, self.is_reply.val());
            }
            if takes_local.val() {
                possible.next = local.detour[self.class_case.val()].val().get_bit(self.port.val());
            } else {
                possible.next = global.detour[self.class_case.val()].val().get_bit(self.port.val());
                for q in 0..self.classes {
                    if (self.phase.val() == DETOURED) & (self.is_reply.val() == (q == 1)) {
                        possible.next = self.candidates.open[q].val().get_bit(self.port.val());
                    }
                }
            }
        }
    }

    /// At the source, by the counts of the packet's group.
    fn spread(&mut self) {
        if let (Some(away), Some(possible), Some(takes_local), Some(group), Some(hot)) =
            (&mut self.away, &mut self.possible, &self.takes_local, &self.group, &self.told.hot_group)
        {
            away.next = false;
            for q in 0..self.classes {
                if self.is_reply.val() == (q == 1) {
                    away.next = self.candidates.global_away[q].val().get_bit(self.port.val());
                    if takes_local.val() {
                        away.next = self.candidates.local_away[q].val().get_bit(self.port.val());
                    }
                }
            }
            if away.val() & (self.phase.val() == HOME) & hot.val().get_bit(group.val()) {
                possible.next = true;
            }
        }
    }

    /// In transit, by a detour.
    fn go_around(&mut self) {
        if let (Some(local), Some(global), Some(takes_local), Some(place)) =
            (&self.candidates.local, &self.candidates.global, &self.takes_local, &self.leave_place)
        {
            if takes_local.val() {
                self.other_request.next = local.request.val();
                self.other_leave.next = self.local_leave[place.val()].val();
                self.other_phase.next = SETTLED.into();
                if self.phase.val() == HOME {
                    self.other_phase.next = DETOURED.into();
                }
            } else {
                self.other_request.next = global.request.val();
                self.other_leave.next = self.global_leave[place.val()].val();
            }
        }
        if let (Some(mode), Some(there), Some(possible)) = (&self.settings.mode, &self.there, &self.possible) {
            if mode.val() == IN_TRANSIT {
                self.departs.next = there.val() & possible.val() & !self.is_bound.val();
                self.waits.next =
                    (self.phase.val() == DETOURED) & (self.port.val() < self.first_global) & !self.is_bound.val();
            }
        }
    }

    /// At the source, the via that counts: in the destination's group that in this group, if vias are routers.
    fn find_via(&mut self) {
        if let (Some(out), Some(via), Some(asked), Some(there), Some(longer)) =
            (&self.candidates.out, &mut self.via, &mut self.asked, &mut self.via_there, &mut self.longer)
        {
            asked.next = !self.is_near.val() | self.by_router;
            there.next = out.there.val();
            longer.next = out.longer.val().get_bit(self.port.val());
            via.next = out.via.val();
            if let Some(inside) = &self.candidates.inside {
                if self.is_near.val() {
                    there.next = inside.there.val();
                    longer.next = inside.longer.val().get_bit(self.port.val());
                    via.next = inside.via.val();
                }
            }
        }
    }

    /// At the source, to a via.
    fn send_away(&mut self) {
        if let (Some(out), Some(mode), Some(asked), Some(there), Some(longer)) =
            (&self.candidates.out, &self.settings.mode, &self.asked, &self.via_there, &self.longer)
        {
            if (mode.val() == VALIANT) | (mode.val() == UGAL) {
                self.other_request.next = out.request.val();
                for q in 0..self.classes {
                    if self.is_reply.val() == (q == 1) {
                        self.other_leave.next = out.leave[q].val();
                    }
                }
                self.other_phase.next = TO_VIA.into();
                self.departs.next =
                    asked.val() & there.val() & ((mode.val() == VALIANT) | longer.val()) & !self.is_bound.val();
                self.waits.next = asked.val() & !there.val() & (mode.val() == VALIANT) & !self.is_bound.val();
            }
        }
        if let (Some(inside), Some(mode)) = (&self.candidates.inside, &self.settings.mode) {
            if self.is_near.val() & ((mode.val() == VALIANT) | (mode.val() == UGAL)) {
                self.other_request.next = inside.request.val();
                for q in 0..self.classes {
                    if self.is_reply.val() == (q == 1) {
                        self.other_leave.next = inside.leave[q].val();
                    }
                }
            }
        }
    }

    /// At the source, what routers tell of the packet's global link.
    fn find_saturation(&mut self) {
        if let (Some(is_saturated), Some(link)) = (&mut self.is_saturated, &self.link) {
            is_saturated.next = (self.class_case.val().get_bit(0) ^ self.class_case.val().get_bit(1))
                & self.told.saturated[self.port.val()].val().get_bit(link.val());
        }
    }

    /// At the source, to a via by UGAL-L or because the global link is saturated.
    fn send_by_saturation(&mut self) {
        if let (Some(is_saturated), Some(out), Some(mode), Some(asked), Some(there), Some(longer)) =
            (&self.is_saturated, &self.candidates.out, &self.settings.mode, &self.asked, &self.via_there, &self.longer)
        {
            if mode.val() == PIGGYBACK {
                self.other_request.next = out.request.val();
                for q in 0..self.classes {
                    if self.is_reply.val() == (q == 1) {
                        self.other_leave.next = out.leave[q].val();
                    }
                }
                self.other_phase.next = TO_VIA.into();
                self.departs.next =
                    asked.val() & there.val() & (longer.val() | is_saturated.val()) & !self.is_bound.val();
                if let Some(inside) = &self.candidates.inside {
                    if self.is_near.val() {
                        self.other_request.next = inside.request.val();
                        for q in 0..self.classes {
                            if self.is_reply.val() == (q == 1) {
                                self.other_leave.next = inside.leave[q].val();
                            }
                        }
                    }
                }
            }
        }
    }

    /// A via is given up.
    fn escape(&mut self) {
        self.hop.next = self.way.val();
        self.hop_phase.next = self.phase.val();
        if self.impatient.val() & (self.port.val() >= self.first_local) {
            if self.phase.val() == TO_VIA {
                self.hop_phase.next = SETTLED.into();
            }
            if let Some(escape) = &self.escape {
                self.hop.set(0, escape.val() >> self.escape_field.val());
            }
        }
        if self.departs.val() {
            self.hop_phase.next = self.other_phase.val();
        }
        if let Some(via_set) = &mut self.via_set {
            via_set.next = self.departs.val() & (self.other_phase.val() == TO_VIA);
        }
    }
}
