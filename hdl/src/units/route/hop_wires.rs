//! Hops between the route queue, the hop register and the proposals, as bundles.
//!
//! Source: reference of Dragonfly routing, selection register.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Case of a hop to the destination's group.
pub const NEAR: usize = 1;

/// Case of a hop anywhere else: of a detour outside of the destination's group, or to a via.
pub const FAR: usize = 3;

/// A packet that waits for its hop.
#[bundle(shape: &Shape, built: &DragonflyShape)]
pub struct WaitingHop<D: Side> {
    /// A packet is there.
    pub present: Flag<D>,
    /// The result of the packet is drop.
    pub dropped: Flag<D>,
    /// Result of the packet: escape, phase, hop.
    pub way: Sig<D, { way_result_bits(shape, built) }>,
}

/// The hop that is proposed for a packet that came by such a port.
#[bundle(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct ProposedHop<D: Side> {
    /// A packet is there, and is dropped.
    pub drop_now: Flag<D>,
    /// Output, one-hot; zero if there is no packet, or no output is chosen.
    pub request: Sig<D, { shape.ports }>,
    /// VC, one-hot.
    pub leave: Sig<D, { shape.vcs }>,
    /// Phase with which the packet leaves.
    pub phase: Option<Sig<D, PHASE_BITS>, { built.adaptive() }>,
    /// The packet turns away from its minimal way.
    pub turned: Option<Flag<D>, { built.min_credits }>,
    /// The packet gets a via.
    pub via_set: Option<Flag<D>, { sends_to_vias(built, from) }>,
    /// Via that the packet gets.
    pub via: Option<Sig<D, { via_bits(built) }>, { sends_to_vias(built, from) }>,
}
