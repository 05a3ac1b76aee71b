//! Detour: a hop around the minimal port of a packet in transit, and whether it may be taken.
//!
//! No state. The candidate is a local or a global port that was drawn, by policy and phase. It must be free and have
//! room, and a trigger must hold: the minimal port is full or busy (credits), or is that of many packets (contention).
//!
//! Source: reference of Dragonfly routing, detours; Fuentes2017, 1.4 and 4.2.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

const HOME: usize = 0;
const DETOURED: usize = 1;
const CROSSED: usize = 3;

const NRG: usize = 1;
const RRG: usize = 2;
const MM: usize = 3;

const CONTENTION: usize = 1;
const HYBRID: usize = 2;

/// A hop around the minimal port of a packet in transit, and whether it may be taken.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct Detour {
    /// Class, case and port of the minimal hop.
    pub way: Sig<In, { hop_bits(shape, built) }>,
    /// Acting phase.
    pub phase: Sig<In, PHASE_BITS>,
    /// Policy of detours: 0 CRG, 1 NRG, 2 RRG, 3 MM.
    pub policy: Sig<In, 2>,
    /// Local detours behind a global hop.
    pub local_detour: Flag<In>,
    /// Trigger of detours: 0 credits, 1 contention, 2 both.
    pub trigger: Option<Sig<In, 2>, contention>,
    /// Least number of places in use at a port that packets go around.
    pub least: Sig<In, 12>,
    /// Share of these places that a detour may have in use, in 128ths.
    pub share: Sig<In, 8>,
    /// Ports that detours may take.
    pub detour_ports: Sig<In, ports>,
    pub sensed: Sensed<In, shape, built, from>,
    /// Global port drawn.
    pub to_global: Sig<In, port_bits>,
    /// Local port drawn.
    pub to_local: Sig<In, port_bits>,
    /// A local port is drawn in place of a global one.
    pub draw_is_local: Flag<In>,
    /// The detour may be taken.
    pub possible: Flag<Out>,
    /// The detour is a local hop.
    pub is_local: Flag<Out>,
    /// Case and port of the detour.
    pub hop: Sig<Out, { port_bits + 2 }>,

    /// Minimal port.
    minimal: Sig<Local, port_bits>,
    /// Class and case of the minimal hop.
    minimal_case: Sig<Local, case_bits>,
    /// The minimal port leads to a switch of the group.
    minimal_is_local: Flag<Local>,
    /// The minimal hop leads to the destination's router.
    minimal_is_last: Flag<Local>,
    /// There is a candidate.
    there: Flag<Local>,
    /// The candidate is local.
    takes_local: Flag<Local>,
    /// Candidate.
    port: Sig<Local, port_bits>,
    /// Class and case of the candidate.
    case_of_candidate: Sig<Local, case_bits>,
    /// Room at the minimal port, by class and case.
    minimal_fits: Sig<Local, cases>,
    /// Room at the candidate, by class and case.
    candidate_fits: Sig<Local, cases>,
    /// Places in use at the minimal port.
    minimal_queue: Sig<Local, wide_bits>,
    /// Places in use at the candidate.
    candidate_queue: Sig<Local, wide_bits>,
    /// Places that the candidate may have in use.
    most: Sig<Local, { wide_bits + 1 }>,
    /// Credits ask for the detour.
    by_credits: Flag<Local>,
    /// The candidate can be taken now.
    usable: Flag<Local>,
    /// A trigger holds.
    triggered: Flag<Local>,
    scaled: Product<wide_bits, 8, 7, { wide_bits + 1 }>,

    port_field: Field<0, port_bits>,
    case_field: Field<port_bits, case_bits>,
    hop_case_low: Number<port_bits>,
    from_node: Number<bool, { from == PortKind::Node }>,
    contention: Number<bool, { built.contention }>,
    wide_bits: Number<{ queue_bits(shape).max(12) }>,
    cases: Number<{ cases(built) }>,
    case_bits: Number<{ case_bits(built) }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl Detour {
    fn update(&mut self) {
        self.find_minimal();
        self.find_candidate();
        self.sense();
        self.find_trigger();
        self.find_contention();
        self.possible.next =
            self.there.val() & self.usable.val() & (self.triggered.val() | (self.phase.val() == DETOURED));
        self.is_local.next = self.takes_local.val();
    }

    fn find_minimal(&mut self) {
        self.minimal.next = self.way.val() >> self.port_field.val();
        self.minimal_case.next = self.way.val() >> self.case_field.val();
        self.minimal_is_local.next =
            (self.minimal.val() >= self.first_local) & (self.minimal.val() < self.first_global);
        self.minimal_is_last.next = !self.minimal_case.val().get_bit(0) & !self.minimal_case.val().get_bit(1);
    }

    /// By policy and phase. A detour in the destination's group has one more hop, others have the worst case.
    fn find_candidate(&mut self) {
        self.there.next = false;
        self.takes_local.next = false;
        match self.phase.val().index() {
            HOME => {
                self.there.next = true;
                match self.policy.val().index() {
                    NRG => self.takes_local.next = true,
                    RRG => self.takes_local.next = self.draw_is_local.val(),
                    MM => self.takes_local.next = !self.from_node,
                    _ => self.takes_local.next = false,
                }
            }
            DETOURED => self.there.next = true,
            CROSSED => {
                self.there.next = self.local_detour.val() & self.minimal_is_local.val();
                self.takes_local.next = true;
            }
            _ => self.there.next = false,
        }
        self.port.next = self.to_global.val();
        if self.takes_local.val() {
            self.port.next = self.to_local.val();
        }
        self.case_of_candidate.next = self.minimal_case.val();
        self.case_of_candidate.set(0, true);
        self.case_of_candidate.set(1, !self.minimal_is_last.val());
        self.hop.next = unsigned_cast(self.port.val());
        self.hop.set(self.hop_case_low, true);
        self.hop.set(self.hop_case_low + 1, !self.minimal_is_last.val());
    }

    /// What is seen of both ports.
    fn sense(&mut self) {
        self.minimal_queue.next = unsigned_cast(self.sensed.queue[self.minimal.val()].val());
        self.candidate_queue.next = unsigned_cast(self.sensed.queue[self.port.val()].val());
        self.minimal_fits.next = self.sensed.fits[self.minimal.val()].val();
        self.candidate_fits.next = self.sensed.fits[self.port.val()].val();
        self.scaled.a.next = self.minimal_queue.val();
        self.scaled.b.next = self.share.val();
        self.most.next = self.scaled.part.val();
    }

    fn find_trigger(&mut self) {
        if let Some(busy) = &self.sensed.busy {
            self.usable.next = (self.port.val() != self.minimal.val())
                & self.detour_ports.val().get_bit(self.port.val())
                & self.candidate_fits.val().get_bit(self.case_of_candidate.val())
                & !busy.val().get_bit(self.port.val());
            self.by_credits.next = (self.minimal_queue.val() >= unsigned_cast(self.least.val()))
                & (!self.minimal_fits.val().get_bit(self.minimal_case.val()) | busy.val().get_bit(self.minimal.val()))
                & (unsigned_cast(self.candidate_queue.val()) <= self.most.val());
            self.triggered.next = self.by_credits.val();
        }
    }

    fn find_contention(&mut self) {
        if let (Some(trigger), Some(hot), Some(hybrid)) = (&self.trigger, &self.sensed.hot, &self.sensed.hot_hybrid) {
            if trigger.val() == CONTENTION {
                self.triggered.next = hot.val().get_bit(self.minimal.val()) & !hot.val().get_bit(self.port.val());
            } else if trigger.val() == HYBRID {
                self.triggered.next = self.by_credits.val()
                    | (hybrid.val().get_bit(self.minimal.val()) & !hybrid.val().get_bit(self.port.val()));
            }
        }
    }
}
