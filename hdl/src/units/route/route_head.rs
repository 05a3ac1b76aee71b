//! The heads of a port's route queues, as a bundle: the oldest result of each VC, from a route unit to the input unit, or to output selection
//! between them.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `drop` | k | it is there: drop |
//! | `request` | k x N | or an output port, one-hot |
//! | `vc` | k x k | VC on which it leaves, one-hot (with `next_vc` only) |
//! | `routed`, `route` | k, k x route bits | with output selection, in place of these two: it is a [`route`](super::layout), this one |
//! | `multicast`, `group` | 1, group bits | of the mixed VC, if there is one: it is a multicast packet's, of this group |
//!
//! Source: switch reference, sections 4 and 5.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::Shape;

/// Oldest results; see the head of this file.
#[derive(LogicInterface)]
#[join = "RouteHeadEnd"]
pub struct RouteHead<D: Side> {
    pub drop: Sig<D>,
    pub request: Array<Sig<D>>,
    pub vc: Array<Sig<D>>,
    pub routed: Array<Sig<D>>,
    pub route: Array<Sig<D>>,
    pub multicast: Array<Flag<D>>,
    pub group: Array<Sig<D>>,
}
type RouteHeadEnd<D> = RouteHead<Opposite<D>>;

/// A [`RouteHead`] of a route unit.
pub fn route_head<D: Side>(shape: &Shape) -> RouteHead<D> {
    let k = shape.vcs;
    let (plain, selecting) = if shape.output_selection() { (0, 1) } else { (1, 0) };
    let (next_vc, mixed) = (usize::from(shape.next_vc), usize::from(shape.multicast.is_some()));
    let group_bits = shape.multicast.map_or(1, |built| built.group_bits as usize);
    RouteHead {
        drop: sig(k).doc("the VC's oldest packet has a result: drop"),
        request: many(plain * k, || sig(shape.ports).doc("or this output port")),
        vc: many(plain * next_vc * k, || sig(k).doc("VC on which it leaves")),
        routed: many(selecting, || sig(k).doc("or a route")),
        route: many(selecting * k, || sig(route_bits(shape)).doc("this one")),
        multicast: many(mixed, || flag().doc("of the mixed VC: or a multicast packet's")),
        group: many(mixed, || sig(group_bits).doc("this group")),
    }
}
