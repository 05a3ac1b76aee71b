//! Detour VCs: the virtual channels on which packets of an input VC would leave by detours.
//!
//! No state. By the rule `next` they depend on the VC by which the packet came. By other rules they are those of the
//! candidates.
//!
//! Source: reference of Dragonfly routing, rules.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;

/// Cases of a detour: in the destination's group, and anywhere else.
const NEAR: usize = 1;
const FAR: usize = 3;

/// The virtual channels on which packets of an input VC would leave by detours.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct DetourVcs {
    /// VC by the rule `next` of packet class q, link class l, case c: element 8 q + 4 l + c.
    pub climbed: Vec<Sig<In, vcs>, { 2 * cases(built) }>,
    /// Rule of choice; 0: next.
    pub rule: Option<Sig<In, 2>, { built.flexible_vcs }>,
    /// VC that the rule prefers at the local candidate, for class and case: element 2 q + 1 if the case is 3.
    pub preferred_local: Vec<Sig<In, vcs>, hops, { built.flexible_vcs }>,
    /// VC that the rule prefers at the global candidate, in that order.
    pub preferred_global: Vec<Sig<In, vcs>, hops, { built.flexible_vcs }>,
    /// VC by the local candidate, in the same order.
    pub by_local: Vec<Sig<Out, vcs>, hops>,
    /// VC by the global candidate, in the same order.
    pub by_global: Vec<Sig<Out, vcs>, hops>,

    link_cases: Number<{ CASES.len() }>,
    classes: Number<{ built.packet_classes().len() }>,
    hops: Number<{ 2 * classes }>,
    vcs: Param<{ shape.vcs }>,
}

#[kernel]
impl DetourVcs {
    fn update(&mut self) {
        self.climb();
        self.prefer();
    }

    /// The rule `next`.
    fn climb(&mut self) {
        for q in 0..self.classes {
            self.by_local[2 * q].next = self.climbed[2 * q * self.link_cases + NEAR].val();
            self.by_local[2 * q + 1].next = self.climbed[2 * q * self.link_cases + FAR].val();
            self.by_global[2 * q].next = self.climbed[(2 * q + 1) * self.link_cases + NEAR].val();
            self.by_global[2 * q + 1].next = self.climbed[(2 * q + 1) * self.link_cases + FAR].val();
        }
    }

    /// Other rules.
    fn prefer(&mut self) {
        if let Some(rule) = &self.rule {
            if rule.val().any() {
                for q in 0..self.by_local.len() {
                    self.by_local[q].next = self.preferred_local[q].val();
                    self.by_global[q].next = self.preferred_global[q].val();
                }
            }
        }
    }
}
