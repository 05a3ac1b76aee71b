//! Hop selection of a port of a Dragonfly's switch: from the ways at the heads of its route queues to requests for
//! outputs and virtual channels.
//!
//! State: a hop register for each VC, which stands apart from the hops that are proposed for it; and, with adaptive
//! ways, the candidates of the port; with ages an age register for each VC.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;
use railyard_spec::misrouting::PortKind;
use railyard_spec::{ArbitrationPolicy, Via};

/// From the ways at the heads of route queues to requests for outputs and virtual channels.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct HopSelection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[made(RouteHead {
        drop: sig(own_vcs).doc("The head of the route queue is there and is drop."),
        routed: Some(sig(own_vcs).doc("The head of the route queue is there and is a way.")),
        route: many(own_vcs, || sig(way_result_bits(shape, built)).doc("Result at the head of the route queue: escape, phase, hop.")),
        birth: many(if built.age_bits.is_some() { own_vcs } else { 0 }, || sig(birth_bits)),
        ..RouteHead::plain()
    })]
    pub head: RouteHead<In>,
    /// The head is taken.
    pub take_head: Sig<Out, own_vcs>,
    /// The VC's next packet is dropped.
    pub drop_now: Sig<Out, own_vcs>,
    /// Output of the VC's next packet, one-hot.
    pub request: Vec<Sig<Out, ports>, own_vcs>,
    /// VC on which the next packet leaves, one-hot.
    pub leave: Vec<Sig<Out, vcs>, own_vcs>,
    /// The next packet is taken.
    pub take: Sig<In, own_vcs>,
    pub settings: Bare<VcSettings<In, shape, built>>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases(built) }, { built.flexible_vcs }>,
    /// A tick of patience.
    pub tick: Option<Flag<In>, { is_patient(built) }>,
    pub wires: Option<AdaptiveWires<In, shape, built, from>, { built.adaptive() }>,
    /// Phase with which the VC's packet leaves.
    pub departing_phase: Vec<Sig<Out, PHASE_BITS>, own_vcs, { built.adaptive() }>,
    /// The VC's packet turns away from its minimal way.
    pub departing_turned: Vec<Flag<Out>, own_vcs, { built.min_credits }>,
    /// The VC's packet gets a via.
    pub departing_via_set: Vec<Flag<Out>, own_vcs, { sends_to_vias(built, from) }>,
    /// Via that the VC's packet gets.
    pub departing_via: Vec<Sig<Out, { via_bits(built) }>, own_vcs, { sends_to_vias(built, from) }>,
    /// The VC is connected.
    pub active: Option<Sig<In, own_vcs>, { built.contention }>,
    /// Minimal port of the packet in front, one-hot; zero without one.
    pub counted: Vec<Sig<Out, ports>, own_vcs, { built.contention }>,
    /// Group of the destination of VC v's packet in front.
    pub front_group: Vec<Sig<Out, { built.group_bits as usize }>, own_vcs, { counts_groups(built, from) }>,
    /// Cycles since reset.
    pub now: Option<Sig<In, birth_bits>, { built.age_bits.is_some() }>,
    /// By how much packets age on the link of port p.
    pub link_delay: Vec<Sig<In, DELAY_BITS>, ports, { built.age_bits.is_some() }>,
    /// Age of the VC's next packet.
    pub age: Vec<Sig<Out, age_bits>, own_vcs, ranked>,
    /// The VC's next packet is new.
    pub fresh: Option<Sig<Out, own_vcs>, ranked>,
    /// Age with which the VC's packet leaves.
    pub departing_age: Vec<Sig<Out, age_bits>, own_vcs, { built.age_bits.is_some() }>,

    #[made((0..own_vcs).map(|v| hop_proposal(shape, built, from, v)).collect())]
    proposal: Vec<HopProposal>,
    register: Vec<HopRegister<shape, built, from>, own_vcs>,
    age_register: Vec<AgeRegister<ports, age_bits, ranked>, own_vcs, { built.age_bits.is_some() }>,
    local_candidate: Option<DetourCandidate<shape, built, spreads>, { built.in_transit }>,
    global_candidate: Option<DetourCandidate<shape, built, spreads>, { built.in_transit }>,
    /// The local candidate takes the place of the global one.
    takes_local: Option<FlagReg<NoReset>, { built.in_transit }>,
    out_candidate: Option<ViaCandidate<shape, built>, { sends_to_vias(built, from) }>,
    in_candidate:
        Option<ViaCandidate<shape, built>, { sends_to_vias(built, from) && built.valiant == Some(Via::Router) }>,

    birth_bits: Number<{ birth_bits_of(built) }>,
    age_bits: Number<{ built.age_bits.unwrap_or(1) as usize }>,
    spreads: Number<bool, { spreads_by_group(built, from) }>,
    ranked: Number<bool, { built.policy == ArbitrationPolicy::Oldest }>,
    link_cases: Number<{ CASES.len() }>,
    ports: Param<{ shape.ports }>,
    /// VCs by which packets come.
    own_vcs: Number<{ built.vcs.map_or(shape.vcs, |vcs| vcs[from as usize]) }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl HopSelection {
    fn update(&mut self) {
        self.take_head.next = 0.into();
        self.drop_now.next = 0.into();
        for v in 0..self.own_vcs {
            let register = &mut self.register[v];
            if let Some(routed) = &self.head.routed {
                register.head.present.next = self.head.drop.val().get_bit(v) | routed.val().get_bit(v);
            }
            register.head.dropped.next = self.head.drop.val().get_bit(v);
            register.head.way.next = self.head.route[v].val();
            register.take.next = self.take.val().get_bit(v);
            self.take_head.set(v, register.take_head.val());
            self.drop_now.set(v, register.drop_now.val());
            self.request[v].next = register.request.val();
            self.leave[v].next = register.leave.val();
            self.tick.link(&mut register.tick);
        }
        self.propose();
        self.find_detours();
        self.find_vias();
        self.prefer();
        self.wish();
        self.decide();
        self.depart();
        self.count();
        self.age();
        self.show_ages();
    }

    /// What is proposed for the head and for what is held.
    fn propose(&mut self) {
        for v in 0..self.own_vcs {
            let register = &mut self.register[v];
            let proposal = &mut self.proposal[v];
            if let Some(routed) = &self.head.routed {
                proposal.head.present.next = self.head.drop.val().get_bit(v) | routed.val().get_bit(v);
            }
            proposal.head.dropped.next = self.head.drop.val().get_bit(v);
            proposal.head.way.next = self.head.route[v].val();
            register.held.join(&mut proposal.held);
            if let (Some(of_proposal), Some(impatient)) = (&mut proposal.impatient, &register.impatient) {
                of_proposal.next = impatient.val();
            }
            self.settings.link(&mut proposal.settings);
            for e in 0..self.preferred.len() {
                proposal.preferred[e].next = self.preferred[e].val();
            }
            proposal.by_head.join(&mut register.by_head);
            proposal.by_held.join(&mut register.by_held);
        }
    }

    /// The candidates for detours.
    fn find_detours(&mut self) {
        if let (Some(wires), Some(local), Some(global), Some(takes_local)) =
            (&mut self.wires, &mut self.local_candidate, &mut self.global_candidate, &mut self.takes_local)
        {
            wires.sensed.link(&mut local.sensed);
            wires.sensed.link(&mut global.sensed);
            wires.settings.trigger.link(&mut local.trigger);
            wires.settings.trigger.link(&mut global.trigger);
            if let Some(ports) = &wires.settings.detour_ports {
                local.detour_ports.next = ports.val();
                global.detour_ports.next = ports.val();
            }
            if let (Some(to_local), Some(to_global), Some(is_local)) =
                (&wires.draws.to_local, &wires.draws.to_global, &wires.draws.is_local)
            {
                local.port.next = to_local.val();
                global.port.next = to_global.val();
                takes_local.d.next = is_local.val();
            }
        }
    }

    /// The candidates for vias.
    fn find_vias(&mut self) {
        if let (Some(wires), Some(out)) = (&self.wires, &mut self.out_candidate) {
            for e in 0..out.legal.len() {
                out.legal[e].next = self.settings.legal[e * self.link_cases + FAR].val();
            }
            self.settings.rule.link(&mut out.rule);
            for m in 0..wires.short.len() {
                out.short[m].next = wires.short[m].val();
            }
            if let Some(draws) = &wires.draws.via {
                out.drawn_there.next = draws.out_there.val();
                out.port.next = draws.out_port.val();
                out.drawn_via.next = draws.out_via.val();
            }
        }
        if let (Some(wires), Some(inside)) = (&self.wires, &mut self.in_candidate) {
            for e in 0..inside.legal.len() {
                inside.legal[e].next = self.settings.legal[e * self.link_cases + FAR].val();
            }
            self.settings.rule.link(&mut inside.rule);
            for m in 0..wires.short.len() {
                inside.short[m].next = wires.short[m].val();
            }
            if let Some(draws) = &wires.draws.via {
                if let (Some(there), Some(port), Some(via)) = (&draws.in_there, &draws.in_port, &draws.in_via) {
                    inside.drawn_there.next = there.val();
                    inside.port.next = port.val();
                    inside.drawn_via.next = via.val();
                }
            }
        }
    }

    /// What rules prefer, for the candidates.
    fn prefer(&mut self) {
        for e in 0..self.preferred.len() {
            if let (Some(local), Some(global)) = (&mut self.local_candidate, &mut self.global_candidate) {
                local.preferred[e].next = self.preferred[e].val();
                global.preferred[e].next = self.preferred[e].val();
            }
            if let Some(out) = &mut self.out_candidate {
                out.preferred[e].next = self.preferred[e].val();
            }
            if let Some(inside) = &mut self.in_candidate {
                inside.preferred[e].next = self.preferred[e].val();
            }
        }
    }

    /// Input VCs get what rules prefer.
    fn wish(&mut self) {
        if let (Some(local), Some(global)) = (&self.local_candidate, &self.global_candidate) {
            for v in 0..self.own_vcs {
                for h in 0..local.wished.len() {
                    self.proposal[v].wished_local[h].next = local.wished[h].val();
                    self.proposal[v].wished_global[h].next = global.wished[h].val();
                }
            }
        }
    }

    /// Decisions get the candidates.
    fn decide(&mut self) {
        for v in 0..self.own_vcs {
            let proposal = &mut self.proposal[v];
            if let (Some(decisions), Some(wires)) = (&mut proposal.decisions, &self.wires) {
                if let (Some(of_vc), Some(mode)) = (&mut decisions.mode, &wires.settings.mode) {
                    of_vc.next = mode.val();
                }
                if let (Some(of_vc), Some(policy)) = (&mut decisions.policy, &wires.settings.policy) {
                    of_vc.next = policy.val();
                }
                if let (Some(of_vc), Some(local_detour)) = (&mut decisions.local_detour, &wires.settings.local_detour) {
                    of_vc.next = local_detour.val();
                }
            }
            if let (Some(told), Some(wires)) = (&mut proposal.told, &self.wires) {
                if let (Some(of_vc), Some(hot_group)) = (&mut told.hot_group, &wires.hot_group) {
                    of_vc.next = hot_group.val();
                }
                for p in 0..told.saturated.len() {
                    told.saturated[p].next = wires.saturated[p].val();
                }
            }
            if let Some(candidates) = &mut proposal.candidates {
                if let (Some(of_vc), Some(local)) = (&mut candidates.local, &mut self.local_candidate) {
                    local.ways.join(of_vc);
                }
                if let (Some(of_vc), Some(global)) = (&mut candidates.global, &mut self.global_candidate) {
                    global.ways.join(of_vc);
                }
                if let Some(global) = &self.global_candidate {
                    for q in 0..candidates.open.len() {
                        candidates.open[q].next = global.open[q].val();
                    }
                }
                if let (Some(local), Some(global)) = (&self.local_candidate, &self.global_candidate) {
                    for q in 0..candidates.local_away.len() {
                        candidates.local_away[q].next = local.away[q].val();
                        candidates.global_away[q].next = global.away[q].val();
                    }
                }
                if let (Some(of_vc), Some(takes_local)) = (&mut candidates.is_local, &self.takes_local) {
                    of_vc.next = takes_local.q.val();
                }
                if let (Some(of_vc), Some(out)) = (&mut candidates.out, &mut self.out_candidate) {
                    out.ways.join(of_vc);
                }
                if let (Some(of_vc), Some(inside)) = (&mut candidates.inside, &mut self.in_candidate) {
                    inside.ways.join(of_vc);
                }
            }
        }
    }

    /// What becomes of the headers.
    fn depart(&mut self) {
        for v in 0..self.departing_phase.len() {
            if let Some(phase) = &self.register[v].departing_phase {
                self.departing_phase[v].next = phase.val();
            }
        }
        for v in 0..self.departing_turned.len() {
            if let Some(turned) = &self.register[v].departing_turned {
                self.departing_turned[v].next = turned.val();
            }
        }
        for v in 0..self.departing_via.len() {
            if let (Some(set), Some(via)) = (&self.register[v].departing_via_set, &self.register[v].departing_via) {
                self.departing_via_set[v].next = set.val();
                self.departing_via[v].next = via.val();
            }
        }
    }

    /// Ages of what is held, and of what leaves.
    fn age(&mut self) {
        if let Some(now) = &self.now {
            for v in 0..self.own_vcs {
                let ages = &mut self.age_register[v];
                ages.now.next = now.val();
                ages.birth.next = self.head.birth[v].val();
                ages.load.next = self.register[v].take_head.val();
                ages.take.next = self.take.val().get_bit(v);
                ages.request.next = self.register[v].request.val();
                for o in 0..self.ports {
                    ages.link_delay[o].next = self.link_delay[o].val();
                }
                self.departing_age[v].next = ages.departing.val();
            }
        }
    }

    /// What the ranking sees.
    fn show_ages(&mut self) {
        if let Some(fresh) = &mut self.fresh {
            fresh.next = 0.into();
            for v in 0..self.own_vcs {
                if let (Some(age), Some(is_new)) = (&self.age_register[v].age, &self.age_register[v].fresh) {
                    self.age[v].next = age.val();
                    fresh.set(v, is_new.val());
                }
            }
        }
    }

    /// The packets in front.
    fn count(&mut self) {
        if let Some(active) = &self.active {
            for v in 0..self.own_vcs {
                let register = &mut self.register[v];
                if let (Some(of_vc), Some(counted)) = (&mut register.active, &register.counted) {
                    of_vc.next = active.val().get_bit(v);
                    self.counted[v].next = counted.val();
                }
                if let Some(group) = &register.front_group {
                    self.front_group[v].next = group.val();
                }
            }
        }
    }
}
