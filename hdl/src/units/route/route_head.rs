//! The heads of a port's route queues, as a bundle: the oldest result of each VC, from route computation to the input
//! unit, or to output selection between them.
//!
//! Source: switch reference, sections 4 and 5.

use crate::units::prelude::*;

/// The oldest result of each VC. With output selection it is a [`route`](super::layout) in place of request and VC.
#[bundle(shape: &Shape)]
pub struct RouteHead<D: Side> {
    /// The result of the VC's oldest packet is drop.
    pub drop: Sig<D, { shape.vcs }>,
    /// Output port of the VC's oldest packet.
    pub request: Vec<Sig<D, { shape.ports }>, { shape.vcs }, { !heads_are_routes(shape) }>,
    /// VC on which the packet leaves.
    pub vc: Vec<Sig<D, { shape.vcs }>, { shape.vcs }, { shape.next_vc && !heads_are_routes(shape) }>,
    /// The result of the VC's oldest packet is a route.
    pub routed: Option<Sig<D, { shape.vcs }>, { heads_are_routes(shape) }>,
    /// Route of the VC's oldest packet.
    pub route: Vec<Sig<D, { route_bits(shape) }>, { shape.vcs }, { heads_are_routes(shape) }>,
    /// Birth of the VC's oldest packet.
    pub birth: Vec<Sig<D, { shape.dragonfly().map_or(1, birth_bits_of) }>, { shape.vcs }, { has_ages(shape) }>,
    /// The oldest packet of the mixed VC is a multicast packet.
    pub multicast: Option<Flag<D>, { shape.multicast.is_some() }>,
    /// Group of the multicast packet.
    #[made(shape.multicast.map(|built| sig(built.group_bits as usize)))]
    pub group: Option<Sig<D>>,
}
