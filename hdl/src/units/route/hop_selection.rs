//! Hop selection of a port of a Dragonfly's switch: from the ways at the heads of its route queues to requests for
//! outputs and virtual channels.
//!
//! State: a hop register for each VC.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// From the ways at the heads of route queues to requests for outputs and virtual channels.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct HopSelection {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[made(RouteHead {
        drop: sig(vcs).doc("The head of the route queue is there and is drop."),
        routed: Some(sig(vcs).doc("The head of the route queue is there and is a way.")),
        route: many(vcs, || sig(way_result_bits(shape, built)).doc("Result at the head of the route queue: escape, phase, hop.")),
        ..RouteHead::plain()
    })]
    pub head: RouteHead<In>,
    /// The head is taken.
    pub take_head: Sig<Out, vcs>,
    /// The VC's next packet is dropped.
    pub drop_now: Sig<Out, vcs>,
    /// Output of the VC's next packet, one-hot.
    pub request: Vec<Sig<Out, ports>, vcs>,
    /// VC on which the next packet leaves, one-hot.
    pub leave: Vec<Sig<Out, vcs>, vcs>,
    /// The next packet is taken.
    pub take: Sig<In, vcs>,
    pub settings: Bare<VcSettings<In, shape, built>>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases(built) }, { built.flexible_vcs }>,
    /// A tick of patience.
    pub tick: Option<Flag<In>, { is_patient(built) }>,
    pub wires: Option<AdaptiveWires<In, shape, built, from>, { built.adaptive() }>,
    /// Phase with which the VC's packet leaves.
    pub departing_phase: Vec<Sig<Out, PHASE_BITS>, vcs, { built.adaptive() }>,
    /// The VC's packet gets a via.
    pub departing_via_set: Vec<Flag<Out>, vcs, { sends_to_vias(built, from) }>,
    /// Via that the VC's packet gets.
    pub departing_via: Vec<Sig<Out, { via_bits(built) }>, vcs, { sends_to_vias(built, from) }>,
    /// The VC is connected.
    pub active: Option<Sig<In, vcs>, { built.contention }>,
    /// Minimal port of the packet in front, one-hot; zero without one.
    pub counted: Vec<Sig<Out, ports>, vcs, { built.contention }>,

    #[made((0..vcs).map(|v| hop_register(shape, built, from, v)).collect())]
    register: Vec<HopRegister>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl HopSelection {
    fn update(&mut self) {
        self.take_head.next = 0.into();
        self.drop_now.next = 0.into();
        for v in 0..self.vcs {
            let register = &mut self.register[v];
            register.head_drop.next = self.head.drop.val().get_bit(v);
            if let Some(routed) = &self.head.routed {
                register.head_routed.next = routed.val().get_bit(v);
            }
            register.head_way.next = self.head.route[v].val();
            register.take.next = self.take.val().get_bit(v);
            self.take_head.set(v, register.take_head.val());
            self.drop_now.set(v, register.drop_now.val());
            self.request[v].next = register.request.val();
            self.leave[v].next = register.leave.val();
            self.settings.link(&mut register.settings);
            self.tick.link(&mut register.tick);
            for e in 0..self.preferred.len() {
                register.preferred[e].next = self.preferred[e].val();
            }
            self.wires.link(&mut register.wires);
        }
        self.depart();
        self.count();
    }

    /// What becomes of the headers.
    fn depart(&mut self) {
        for v in 0..self.departing_phase.len() {
            if let Some(phase) = &self.register[v].departing_phase {
                self.departing_phase[v].next = phase.val();
            }
        }
        for v in 0..self.departing_via.len() {
            if let (Some(set), Some(via)) = (&self.register[v].departing_via_set, &self.register[v].departing_via) {
                self.departing_via_set[v].next = set.val();
                self.departing_via[v].next = via.val();
            }
        }
    }

    /// The packets in front.
    fn count(&mut self) {
        if let Some(active) = &self.active {
            for v in 0..self.vcs {
                let register = &mut self.register[v];
                if let (Some(of_vc), Some(counted)) = (&mut register.active, &register.counted) {
                    of_vc.next = active.val().get_bit(v);
                    self.counted[v].next = counted.val();
                }
            }
        }
    }
}
