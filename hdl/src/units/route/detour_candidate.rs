//! Detour candidate: an output that was drawn, and for which packets a hop by it is possible.
//!
//! State: the output; for all minimal outputs, classes and cases, whether a packet may go around its minimal output by
//! it, and whether it may do so without a trigger; and the VCs that a rule prefers there.
//!
//! Each cycle: all of that anew, of the output that was drawn. So a decision only looks a bit up. A detour must be free
//! and have room, and a trigger must hold: the minimal output is full or busy (credits), or is that of many packets
//! (contention).
//!
//! Source: reference of Dragonfly routing, candidates; Fuentes2017, 1.4 and 4.2.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;

const CONTENTION: usize = 1;
const HYBRID: usize = 2;
/// From here on, all triggers are of contention.
const FILTERED: usize = 3;
const ECTN: usize = 4;

/// An output that was drawn, and for which packets a hop by it is possible.
#[block(shape: &Shape, built: &DragonflyShape, spreads: bool)]
pub struct DetourCandidate {
    pub clock: ClockIn,
    /// Output drawn.
    pub port: Sig<In, port_bits>,
    /// Trigger of detours: 0 credits, 1 contention, 2 both.
    #[made(built.contention.then(|| trigger_of_detours(built)))]
    pub trigger: Option<Sig<In>>,
    /// Outputs that detours may take.
    pub detour_ports: Sig<In, ports>,
    pub sensed: Sensed<In, shape, built>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases }, flexible>,
    pub ways: Bare<DetourWays<Out, shape, built>>,
    /// Packets of class q whose minimal output is m may take it without a trigger: bit m of element q.
    pub open: Vec<Sig<Out, ports>, classes>,
    /// Packets of class q whose minimal output is m may take it if their group is hot: bit m of element q.
    pub away: Vec<Sig<Out, ports>, classes, spreads>,
    /// VC that the rule prefers, for class q: element 2 q + 1 if the detour has case 3, or else 2 q.
    pub wished: Vec<Sig<Out, vcs>, hops, flexible>,

    /// Register of `request`.
    chosen: Reg<ports, NoReset>,
    /// Register of `open`.
    is_open: Regs<classes, ports, NoReset>,
    /// Register of `away`.
    is_away: Option<Regs<classes, ports, NoReset>, spreads>,
    /// Register of `detour`.
    is_detour: Regs<cases, ports, NoReset>,
    /// Register of `wished`.
    best: Option<Regs<hops, vcs, NoReset>, flexible>,

    /// The output drawn, one-hot.
    drawn: Sig<Local, ports>,
    /// The output drawn may be taken, but for its room.
    is_free: Flag<Local>,
    /// Room at the output drawn, by class and detour.
    fits: Sig<Local, hops>,
    /// Minimal outputs full enough for the output drawn, from the first local one on.
    heavy: Sig<Local, links>,
    /// Credits are at work.
    by_credits: Flag<Local>,
    /// Minimal outputs that packets go around by contention.
    contended: Sig<Local, ports>,
    /// A trigger holds, for class and case.
    triggered: Vec<Sig<Local, ports>, cases>,
    /// Outputs that are not the one drawn, if the drawn one has room for a detour of class and case.
    usable: Vec<Sig<Local, ports>, cases>,
    /// Minimal outputs of a detour without a trigger, for class.
    open_after: Vec<Sig<Local, ports>, classes>,

    link_cases: Number<{ CASES.len() }>,
    contention: Number<bool, { built.contention }>,
    more_triggers: Number<bool, { built.filter || built.ectn }>,
    flexible: Number<bool, { built.flexible_vcs }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    first_local: Number<{ built.node_ports }>,
    links: Number<{ built.local_ports + built.global_ports }>,
    classes: Number<{ built.packet_classes().len() }>,
    hops: Number<{ detour_cases(built) }>,
    cases: Param<{ cases(built) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl DetourCandidate {
    fn update(&mut self) {
        self.look();
        self.find_contention();
        self.find_room();
        self.find_triggers();
        self.spread();
        self.prefer();
    }

    /// What is seen of the output drawn.
    fn look(&mut self) {
        self.drawn.next = 0.into();
        for o in 0..self.ports {
            self.drawn.set(o, self.port.val() == o);
        }
        self.chosen.d.next = self.drawn.val();
        self.ways.request.next = self.chosen.q.val();
        self.is_free.next = self.detour_ports.val().get_bit(self.port.val());
        if let Some(busy) = &self.sensed.busy {
            self.is_free.next = self.detour_ports.val().get_bit(self.port.val()) & !busy.val().get_bit(self.port.val());
        }
        self.fits.next = self.sensed.fits[self.port.val()].val();
        self.heavy.next = self.sensed.light[self.port.val()].val();
    }

    fn find_contention(&mut self) {
        self.by_credits.next = true;
        self.contended.next = 0.into();
        if let (Some(trigger), Some(hot), Some(hybrid)) = (&self.trigger, &self.sensed.hot, &self.sensed.hot_hybrid) {
            if trigger.val() == CONTENTION {
                self.by_credits.next = false;
                if !hot.val().get_bit(self.port.val()) {
                    self.contended.next = hot.val();
                }
            } else if trigger.val() == HYBRID {
                if !hybrid.val().get_bit(self.port.val()) {
                    self.contended.next = hybrid.val();
                }
            }
            if self.more_triggers {
                if trigger.val() >= FILTERED {
                    self.by_credits.next = false;
                    if !hot.val().get_bit(self.port.val()) {
                        self.contended.next = hot.val();
                    }
                }
            }
        }
    }

    /// A detour in the destination's group has one more hop, others have the worst case.
    fn find_room(&mut self) {
        for q in 0..self.classes {
            for c in 0..self.link_cases {
                self.usable[q * self.link_cases + c].next = 0.into();
                if self.is_free.val() & self.fits.val().get_bit(2 * q + 1) {
                    self.usable[q * self.link_cases + c].next = !self.drawn.val();
                }
            }
            self.usable[q * self.link_cases].next = 0.into();
            if self.is_free.val() & self.fits.val().get_bit(2 * q) {
                self.usable[q * self.link_cases].next = !self.drawn.val();
            }
            self.open_after[q].next = 0.into();
            for m in 0..self.links {
                self.open_after[q].set(
                    self.first_local + m,
                    self.usable[q * self.link_cases + FAR].val().get_bit(self.first_local + m),
                );
            }
            self.is_open.d[q].next = self.open_after[q].val();
            self.open[q].next = self.is_open.q[q].val();
        }
    }

    fn find_triggers(&mut self) {
        for c in 0..self.cases {
            self.triggered[c].next = 0.into();
            for m in 0..self.links {
                self.triggered[c].set(
                    self.first_local + m,
                    self.contended.val().get_bit(self.first_local + m)
                        | (self.by_credits.val()
                            & self.heavy.val().get_bit(m)
                            & self.sensed.stuffed[m].val().get_bit(c)),
                );
            }
            self.is_detour.d[c].next = self.triggered[c].val() & self.usable[c].val();
            self.ways.detour[c].next = self.is_detour.q[c].val();
        }
    }

    /// By counts of groups: whichever the minimal output, if the output drawn is not contended.
    fn spread(&mut self) {
        if let (Some(is_away), Some(trigger), Some(hot)) = (&mut self.is_away, &self.trigger, &self.sensed.hot) {
            for q in 0..self.classes {
                is_away.d[q].next = 0.into();
                if (trigger.val() == ECTN) & !hot.val().get_bit(self.port.val()) {
                    is_away.d[q].next = self.open_after[q].val();
                }
                self.away[q].next = is_away.q[q].val();
            }
        }
    }

    /// The VCs for a detour in the destination's group, and anywhere else.
    fn prefer(&mut self) {
        if let Some(best) = &mut self.best {
            for q in 0..self.classes {
                best.d[2 * q].next = 0.into();
                best.d[2 * q + 1].next = 0.into();
                for o in 0..self.ports {
                    if self.drawn.val().get_bit(o) {
                        best.d[2 * q].next = self.preferred[o * self.cases + q * self.link_cases + NEAR].val();
                        best.d[2 * q + 1].next = self.preferred[o * self.cases + q * self.link_cases + FAR].val();
                    }
                }
                self.wished[2 * q].next = best.q[2 * q].val();
                self.wished[2 * q + 1].next = best.q[2 * q + 1].val();
            }
        }
    }
}
