//! The header of a packet in a Dragonfly: one flit, whose low bits hold the destination's digits.
//!
//! ```text
//!  flit 0  [ payload | age | via group | via router | minimal 1 | phase 3 | class 1 | group | router | node ]   LSB right
//! ```

use crate::config::{DragonflyRouting, Via};
use crate::shape::DragonflyShape;

/// Bits of a phase.
pub const PHASE_BITS: u32 = 3;

/// A field of the head flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// Lowest bit.
    pub low: u32,
    /// Width in bits.
    pub bits: u32,
}

/// Where the fields of a header lie. A field that is not built has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderLayout {
    /// Destination's node, at its router.
    pub node: HeaderField,
    /// Destination's router, in its group.
    pub router: HeaderField,
    /// Destination's group.
    pub group: HeaderField,
    /// Class: 0 request, 1 reply.
    pub class: Option<HeaderField>,
    /// Phase, with other ways than the minimal one.
    pub phase: Option<HeaderField>,
    /// Whether the packet has left its minimal way nowhere, if credit reports tell such packets apart.
    pub minimal: Option<HeaderField>,
    /// Router of the via, if that is a router.
    pub via_router: Option<HeaderField>,
    /// Group of the via.
    pub via_group: Option<HeaderField>,
    /// Age.
    pub age: Option<HeaderField>,
    /// Bits of all.
    pub bits: u32,
}

/// Which fields a header has.
struct Built {
    /// Bits of node, router and group.
    digits: [u32; 3],
    has_class: bool,
    has_phase: bool,
    has_minimal: bool,
    via: Option<Via>,
    /// Bits of an age.
    age: Option<u32>,
}

/// Fields one after the other, from bit 0.
#[derive(Default)]
struct Stack {
    bits: u32,
}

impl Stack {
    fn push(&mut self, bits: u32) -> HeaderField {
        let low = self.bits;
        self.bits += bits;
        HeaderField { low, bits }
    }
}

impl HeaderLayout {
    /// The header of a description.
    pub fn of(dragonfly: &DragonflyRouting) -> HeaderLayout {
        let adaptive = dragonfly.adaptive.clone().unwrap_or_default();
        HeaderLayout::new(Built {
            digits: [dragonfly.node_bits, dragonfly.router_bits, dragonfly.group_bits],
            has_class: !dragonfly.vcs.replies.is_empty(),
            has_phase: adaptive.valiant.is_some() || adaptive.in_transit,
            has_minimal: adaptive.min_credits,
            via: adaptive.valiant,
            age: dragonfly.age_bits,
        })
    }

    fn new(built: Built) -> HeaderLayout {
        let mut stack = Stack::default();
        let [node, router, group] = built.digits.map(|bits| stack.push(bits));
        let class = built.has_class.then(|| stack.push(1));
        let phase = built.has_phase.then(|| stack.push(PHASE_BITS));
        let minimal = built.has_minimal.then(|| stack.push(1));
        let via_router = built.via.filter(|via| *via == Via::Router).map(|_| stack.push(router.bits));
        let via_group = built.via.map(|_| stack.push(group.bits));
        let age = built.age.map(|bits| stack.push(bits));
        HeaderLayout { node, router, group, class, phase, minimal, via_router, via_group, age, bits: stack.bits }
    }

    /// The destination of a header: group, router and node side by side, node lowest.
    pub fn destination(&self, group: usize, router: usize, node: usize) -> u64 {
        (group as u64) << self.group.low | (router as u64) << self.router.low | (node as u64) << self.node.low
    }
}

impl DragonflyShape {
    /// Where the fields of a header lie.
    pub fn header(&self) -> HeaderLayout {
        HeaderLayout::new(Built {
            digits: [self.node_bits, self.router_bits, self.group_bits],
            has_class: self.reference.as_ref().is_some_and(|reference| reference.has_replies()),
            has_phase: self.adaptive(),
            has_minimal: self.min_credits,
            via: self.valiant,
            age: self.age_bits,
        })
    }
}
