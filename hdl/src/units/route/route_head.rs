//! The heads of a port's route queues, as a bundle: the oldest result of each VC, from route computation to the input unit, or to output
//! selection between them.
//!
//! Source: switch reference, sections 4 and 5.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::Shape;

/// The oldest result of each VC. With output selection it is a [`route`](super::layout) in place of request and VC.
#[bundle]
pub struct RouteHead<D: Side> {
    /// The result of the VC's oldest packet is drop.
    pub drop: Sig<D>,
    /// Output port of the VC's oldest packet.
    pub request: Vec<Sig<D>>,
    /// VC on which the packet leaves.
    pub vc: Vec<Sig<D>>,
    /// The result of the VC's oldest packet is a route.
    pub routed: Option<Sig<D>>,
    /// Route of the VC's oldest packet.
    pub route: Vec<Sig<D>>,
    /// The oldest packet of the mixed VC is a multicast packet.
    pub multicast: Option<Flag<D>>,
    /// Group of the multicast packet.
    pub group: Option<Sig<D>>,
}

/// A [`RouteHead`] of route computation.
pub fn route_head<D: Side>(shape: &Shape) -> RouteHead<D> {
    let k = shape.vcs;
    let (plain, selecting) = if shape.output_selection() { (0, k) } else { (k, 0) };
    RouteHead {
        drop: sig(k),
        request: many(plain, || sig(shape.ports)),
        vc: many(if shape.next_vc { plain } else { 0 }, || sig(k)),
        routed: shape.output_selection().then(|| sig(k)),
        route: many(selecting, || sig(route_bits(shape))),
        multicast: shape.multicast.map(|_| flag()),
        group: shape.multicast.map(|built| sig(built.group_bits as usize)),
    }
}
