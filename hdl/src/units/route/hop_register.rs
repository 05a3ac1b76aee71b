//! Hop register of a VC: the packet behind the head of its route queue in a Dragonfly's switch, and the output and
//! virtual channel chosen for it.
//!
//! State: the hop register (`occupied`, `dropped`, `way`), what is chosen for it (`dropping`, `wanted`, `leaving`), and
//! with several rules `waits`.
//!
//! Each cycle: a hop is chosen for what is in the register and, side by side, for the head; `take`, which comes late
//! from the allocators, only says which of the two the register holds in the next cycle.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Ticks after which a packet asks for its escape only.
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
    /// Class, case and port at the head of the route queue.
    pub head_way: Sig<In, hop_bits>,
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
    pub tick: Option<Flag<In>, flexible>,

    /// The hop register holds a packet.
    occupied: FlagReg,
    /// The result in the hop register is drop.
    dropped: FlagReg<NoReset>,
    /// Class, case and port of the packet.
    way: Reg<hop_bits, NoReset>,
    /// The packet is dropped, and no output is chosen.
    dropping: FlagReg,
    /// Output chosen, one-hot; zero if no output is chosen.
    wanted: Reg<ports>,
    /// VC chosen, one-hot.
    leaving: Reg<vcs, NoReset>,
    /// Ticks for which the packet has waited, up to 3.
    waits: Option<Reg<2>, flexible>,

    head_choice: HopChoice<shape, built, from, vc>,
    held_choice: HopChoice<shape, built, from, vc>,

    /// The head goes into the hop register.
    load: Flag<Local>,

    flexible: Number<bool, { built.flexible_vcs }>,
    hop_bits: Number<{ hop_bits(shape, built) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
    came_on: Param<{ vc }>,
}

#[kernel]
impl HopRegister {
    fn update(&mut self) {
        self.load();
        self.hand_on();
        self.choose();
        self.wait();
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
        self.head_choice.way.next = self.head_way.val();
        self.held_choice.present.next = self.occupied.q.val();
        self.held_choice.dropped.next = self.dropped.q.val();
        self.held_choice.way.next = self.way.q.val();
        self.settings.link(&mut self.head_choice.settings);
        self.settings.link(&mut self.held_choice.settings);
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

    /// A packet that has waited long asks for its escape only.
    fn wait(&mut self) {
        if let (Some(waits), Some(tick), Some(head), Some(held)) =
            (&mut self.waits, &self.tick, &mut self.head_choice.impatient, &mut self.held_choice.impatient)
        {
            head.next = false;
            held.next = waits.q.val() == PATIENT_TICKS;
            if !self.occupied.q.val() | self.take.val() {
                waits.d.next = 0.into();
            } else if tick.val() & (waits.q.val() != PATIENT_TICKS) {
                waits.d.next = waits.q.val() + 1;
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
