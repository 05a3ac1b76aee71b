//! Detour VCs: the virtual channels on which packets of an input VC would leave by a candidate for a detour.
//!
//! No state. By the rule `next` they depend on the VC by which the packet came. By other rules they are those of the
//! candidate.
//!
//! Source: reference of Dragonfly routing, rules.

use crate::units::prelude::*;

/// The virtual channels on which packets of an input VC would leave by a candidate for a detour. For class q, element
/// 2 q + 1 is for detours of case 3 and element 2 q for others.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct DetourVcs {
    /// VC by the rule `next`.
    pub climbed: Vec<Sig<In, vcs>, hops>,
    /// Rule of choice; 0: next.
    pub rule: Option<Sig<In, { rule_bits(built) }>, { built.flexible_vcs }>,
    /// VC that the rule prefers.
    pub wished: Vec<Sig<In, vcs>, hops, { built.flexible_vcs }>,
    /// VC.
    pub leave: Vec<Sig<Out, vcs>, hops>,

    vcs: Param<{ shape.vcs }>,
    hops: Param<{ detour_cases(built) }>,
}

#[kernel]
impl DetourVcs {
    fn update(&mut self) {
        for h in 0..self.hops {
            self.leave[h].next = self.climbed[h].val();
        }
        if let Some(rule) = &self.rule {
            if rule.val().any() {
                for h in 0..self.hops {
                    self.leave[h].next = self.wished[h].val();
                }
            }
        }
    }
}
