//! Hop register of a VC: the packet behind the head of its route queue in a Dragonfly's switch, and the output and
//! virtual channel chosen for it.
//!
//! State: the hop register (`occupied`, `dropped`, `way`), what is chosen for it (`dropping`, `wanted`, `leaving`), and
//! with several rules or ways `waits`. With adaptive ways also the phase (and via) with which the packet leaves; and
//! the *departure register*, which holds both of the packet that was taken last. With contention counters `kept`, the
//! minimal port of that packet; with ECtN also the group of its destination.
//!
//! Each cycle: a hop is [proposed](mod@crate::units::route::hop_proposal) for what is in the register and for the head.
//! `take` comes late from the allocators. So it only selects: if the packet is taken, the head follows, or else what is
//! held stays.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Ticks after which a packet requests its escape only.
const PATIENT_TICKS: usize = 3;

/// The packet behind the head of a route queue, and the output and virtual channel chosen for it.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct HopRegister {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub head: WaitingHop<In, shape, built>,
    pub held: WaitingHop<Out, shape, built>,
    pub by_head: ProposedHop<In, shape, built, from>,
    pub by_held: ProposedHop<In, shape, built, from>,
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
    /// A tick of patience.
    pub tick: Option<Flag<In>, patient>,
    /// The packet in the hop register requests its escape only.
    pub impatient: Option<Flag<Out>, patient>,
    /// Phase with which the packet that was taken last leaves.
    pub departing_phase: Option<Sig<Out, PHASE_BITS>, adaptive>,
    /// The packet that was taken last turns away from its minimal way.
    pub departing_turned: Option<Flag<Out>, min_credits>,
    /// The packet that was taken last gets a via.
    pub departing_via_set: Option<Flag<Out>, sends>,
    /// Via that it gets.
    pub departing_via: Option<Sig<Out, { via_bits(built) }>, sends>,
    /// The VC is connected.
    pub active: Option<Flag<In>, contention>,
    /// Minimal port of the packet in front, one-hot; zero without one.
    pub counted: Option<Sig<Out, ports>, contention>,
    /// Group of the destination of the packet in front.
    pub front_group: Option<Sig<Out, group_bits>, counts_groups>,

    /// The hop register holds a packet.
    occupied: FlagReg,
    /// The result in the hop register is drop.
    dropped: FlagReg<NoReset>,
    /// Result of the packet: escape, phase, hop.
    way: Reg<{ way_result_bits(shape, built) }, NoReset>,
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
    /// The packet turns away from its minimal way.
    turning: Option<FlagReg<NoReset>, min_credits>,
    /// The packet gets a via.
    getting_via: Option<FlagReg<NoReset>, sends>,
    /// Via that the packet gets.
    new_via: Option<Reg<{ via_bits(built) }, NoReset>, sends>,
    /// Departure register: phase.
    departure_phase: Option<Reg<PHASE_BITS, NoReset>, adaptive>,
    /// Departure register: the packet turns away from its minimal way.
    departure_turned: Option<FlagReg<NoReset>, min_credits>,
    /// Departure register: there is a new via.
    departure_via_set: Option<FlagReg<NoReset>, sends>,
    /// Departure register: the new via.
    departure_via: Option<Reg<{ via_bits(built) }, NoReset>, sends>,
    /// Minimal port of the packet that is connected, one-hot.
    kept: Option<Reg<ports>, contention>,
    /// Group of the destination of the packet that is connected.
    kept_group: Option<Reg<group_bits, NoReset>, counts_groups>,

    /// Minimal port of the packet in the hop register, one-hot.
    minimal: Option<Sig<Local, ports>, contention>,

    port_field: Field<0, { shape.port_bits as usize }>,
    adaptive: Number<bool, { built.adaptive() }>,
    patient: Number<bool, { is_patient(built) }>,
    sends: Number<bool, { sends_to_vias(built, from) }>,
    contention: Number<bool, { built.contention }>,
    min_credits: Number<bool, { built.min_credits }>,
    counts_groups: Number<bool, { counts_groups(built, from) }>,
    group_bits: Number<{ built.group_bits as usize }>,
    group_field: Field<{ way_group_low(shape, built) }, group_bits>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl HopRegister {
    fn update(&mut self) {
        self.load();
        self.choose();
        self.wait();
        self.depart();
        self.turn();
        self.send_via();
        self.count();
        self.find_group();
        self.state_properties();
    }

    fn load(&mut self) {
        self.take_head.next = self.head.present.val() & (!self.occupied.q.val() | self.take.val());
        if self.take.val() | !self.occupied.q.val() {
            self.dropped.d.next = self.head.dropped.val();
            self.way.d.next = self.head.way.val();
        }
        self.held.present.next = self.occupied.q.val();
        self.held.dropped.next = self.dropped.q.val();
        self.held.way.next = self.way.q.val();
    }

    /// The hop of what is held in the next cycle; without a head, none is proposed for it.
    fn choose(&mut self) {
        if self.take.val() {
            self.occupied.d.next = self.head.present.val();
            self.dropping.d.next = self.by_head.drop_now.val();
            self.wanted.d.next = self.by_head.request.val();
            self.leaving.d.next = self.by_head.leave.val();
        } else if self.occupied.q.val() {
            self.dropping.d.next = self.by_held.drop_now.val();
            self.wanted.d.next = self.by_held.request.val();
            self.leaving.d.next = self.by_held.leave.val();
        } else {
            self.occupied.d.next = self.head.present.val();
            self.dropping.d.next = self.by_head.drop_now.val();
            self.wanted.d.next = self.by_head.request.val();
            self.leaving.d.next = self.by_head.leave.val();
        }
        self.drop_now.next = self.dropping.q.val();
        self.request.next = self.wanted.q.val();
        self.leave.next = self.leaving.q.val();
    }

    /// A packet that has waited long requests its escape only.
    fn wait(&mut self) {
        if let (Some(waits), Some(tick), Some(impatient)) = (&mut self.waits, &self.tick, &mut self.impatient) {
            impatient.next = waits.q.val() == PATIENT_TICKS;
            if self.take.val() | !self.occupied.q.val() {
                waits.d.next = 0.into();
            } else if tick.val() & (waits.q.val() != PATIENT_TICKS) {
                waits.d.next = waits.q.val() + 1;
            }
        }
    }

    /// What becomes of the header: it goes with the choice, and stays behind when the packet is taken.
    fn depart(&mut self) {
        if let (Some(leaving), Some(departure), Some(departing), Some(head), Some(held)) = (
            &mut self.leaving_phase,
            &mut self.departure_phase,
            &mut self.departing_phase,
            &self.by_head.phase,
            &self.by_held.phase,
        ) {
            if self.take.val() {
                leaving.d.next = head.val();
                departure.d.next = leaving.q.val();
            } else if self.occupied.q.val() {
                leaving.d.next = held.val();
            } else {
                leaving.d.next = head.val();
            }
            departing.next = departure.q.val();
        }
    }

    fn turn(&mut self) {
        if let (Some(turning), Some(departure), Some(departing), Some(head), Some(held)) = (
            &mut self.turning,
            &mut self.departure_turned,
            &mut self.departing_turned,
            &self.by_head.turned,
            &self.by_held.turned,
        ) {
            if self.take.val() {
                turning.d.next = head.val();
                departure.d.next = turning.q.val();
            } else if self.occupied.q.val() {
                turning.d.next = held.val();
            } else {
                turning.d.next = head.val();
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
            if let (Some(of_head), Some(of_held), Some(head_set), Some(held_set)) =
                (&self.by_head.via, &self.by_held.via, &self.by_head.via_set, &self.by_held.via_set)
            {
                if self.take.val() {
                    getting.d.next = head_set.val();
                    via.d.next = of_head.val();
                    set.d.next = getting.q.val();
                    departure.d.next = via.q.val();
                } else if self.occupied.q.val() {
                    getting.d.next = held_set.val();
                    via.d.next = of_held.val();
                } else {
                    getting.d.next = head_set.val();
                    via.d.next = of_head.val();
                }
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

    /// Where the packet in front goes.
    fn find_group(&mut self) {
        if let (Some(kept), Some(front), Some(active)) = (&mut self.kept_group, &mut self.front_group, &self.active) {
            if self.take.val() {
                kept.d.next = self.way.q.val() >> self.group_field.val();
            }
            front.next = self.way.q.val() >> self.group_field.val();
            if active.val() {
                front.next = kept.q.val();
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
