//! Via candidate: an output toward a via that was drawn, and for which packets it is the better way.
//!
//! State: the output; whether there is one; the via; the minimal outputs that have much more places in use (UGAL-L);
//! and the VCs on which packets would leave.
//!
//! Each cycle: all of that anew, of the via that was drawn.
//!
//! Source: reference of Dragonfly routing, candidates; Fuentes2017, 1.4.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;
use railyard_spec::misrouting::PortKind;

/// An output toward a via that was drawn, and for which packets it is the better way.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct ViaCandidate {
    pub clock: ClockIn,
    /// There is a way.
    pub drawn_there: Flag<In>,
    /// Output.
    pub port: Sig<In, port_bits>,
    /// The via, as in a header.
    pub drawn_via: Sig<In, { via_bits(built) }>,
    /// Outputs at which UGAL-L sends no packet away that could leave by output m minimally, element m from the first
    /// local output on.
    pub short: Vec<Sig<In, ports>, links>,
    /// VC that the rule prefers at output o for class and case, element o * cases + 4 class + case.
    pub preferred: Vec<Sig<In, vcs>, { ports * cases }, flexible>,
    /// Legal VCs of packet class q, link class l: element 2 q + l.
    pub legal: Vec<Sig<In, vcs>, { 2 * classes }>,
    /// Rule of choice; 0: next.
    pub rule: Option<Sig<In, { rule_bits(built) }>, flexible>,
    pub ways: Bare<ViaWays<Out, shape, built>>,

    /// Register of `there`.
    valid: FlagReg<NoReset>,
    /// Register of `request`.
    chosen: Reg<ports, NoReset>,
    /// Register of `via`.
    target: Reg<{ via_bits(built) }, NoReset>,
    /// Register of `longer`.
    is_longer: Reg<ports, NoReset>,
    /// Register of `leave`.
    leaving: Regs<classes, vcs, NoReset>,
    next: NextVcs<shape, built, { PortKind::Node }, 0, 1>,

    /// The output, one-hot.
    drawn: Sig<Local, ports>,
    /// Value of `longer` after the current cycle.
    longer_after: Sig<Local, ports>,
    /// The output leads to a node.
    to_node: Flag<Local>,
    /// The output leads to another group.
    to_global: Flag<Local>,
    /// VC for class.
    leave_after: Vec<Sig<Local, vcs>, classes>,

    link_cases: Number<{ CASES.len() }>,
    flexible: Number<bool, { built.flexible_vcs }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    links: Number<{ built.local_ports + built.global_ports }>,
    classes: Number<{ built.packet_classes().len() }>,
    cases: Param<{ cases(built) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl ViaCandidate {
    fn update(&mut self) {
        self.drawn.next = 0.into();
        for o in 0..self.ports {
            self.drawn.set(o, self.port.val() == o);
        }
        self.longer_after.next = 0.into();
        for m in 0..self.links {
            self.longer_after.set(self.first_local + m, !self.short[m].val().get_bit(self.port.val()));
        }
        self.valid.d.next = self.drawn_there.val();
        self.chosen.d.next = self.drawn.val();
        self.target.d.next = self.drawn_via.val();
        self.is_longer.d.next = self.longer_after.val();
        self.ways.there.next = self.valid.q.val();
        self.ways.request.next = self.chosen.q.val();
        self.ways.via.next = self.target.q.val();
        self.ways.longer.next = self.is_longer.q.val();
        self.climb();
        self.prefer();
        self.leave();
    }

    /// The rule `next`.
    fn climb(&mut self) {
        self.to_node.next = self.port.val() < self.first_local;
        self.to_global.next = self.port.val() >= self.first_global;
        for e in 0..self.next.legal.len() {
            self.next.legal[e].next = self.legal[e].val();
        }
        for q in 0..self.classes {
            self.leave_after[q].next = self.next.climbed[2 * q].val();
            if self.to_global.val() {
                self.leave_after[q].next = self.next.climbed[2 * q + 1].val();
            }
        }
    }

    /// Another rule.
    fn prefer(&mut self) {
        if let Some(rule) = &self.rule {
            if rule.val().any() {
                for q in 0..self.classes {
                    self.leave_after[q].next = 0.into();
                    for o in 0..self.ports {
                        if self.drawn.val().get_bit(o) {
                            self.leave_after[q].next = self.preferred[o * self.cases + q * self.link_cases + FAR].val();
                        }
                    }
                }
            }
        }
    }

    /// A hop to a node is on the VC of the class.
    fn leave(&mut self) {
        for q in 0..self.classes {
            if self.to_node.val() {
                self.leave_after[q].next = 0.into();
                self.leave_after[q].set(q, true);
            }
            self.leaving.d[q].next = self.leave_after[q].val();
            self.ways.leave[q].next = self.leaving.q[q].val();
        }
    }
}
