//! Wires to the CAM and back, as bundles: at the pins, at the CAM port, and at the table port between them.
//!
//! | bundle | field | width | meaning |
//! | --- | --- | --- | --- |
//! | [`CamRequest`] | `valid`, `tag`, `address` | 1, tag bits, A | a lookup, held until accepted |
//! | | `ready` | 1 | the CAM accepts it in this cycle (to the asker) |
//! | [`CamResponse`] | `valid`, `tag`, `hit`, `port` | 1, tag bits, 1, port bits | the CAM answers: there is a route, to this port |
//! | | `vc_set`, `vc` | 1, VC bits | it names a VC, this one (with `next_vc` only) |
//! | | `group_set`, `group` | 1, group bits | it names a group, this one (with link aggregation only) |
//! | | `candidates`, `candidate` | ceil(log2 c), (c - 1) x port bits | it names further candidates: how many, and these (with candidates only) |
//! | | `in_order` | 1 | the address alone says which one (with candidates only) |
//!
//! Source: switch reference, section 4.4.

use crate::rtl::prelude::*;
use railyard_spec::{Shape, TableShape};

/// To the CAM; see the head of this file.
#[derive(LogicInterface)]
#[join = "CamRequestEnd"]
pub struct CamRequest<D: Side> {
    pub valid: Flag<D>,
    pub ready: Flag<Opposite<D>>,
    pub tag: Sig<D>,
    pub address: Sig<D>,
}
type CamRequestEnd<D> = CamRequest<Opposite<D>>;

/// From the CAM; see the head of this file.
#[derive(LogicInterface)]
#[join = "CamResponseEnd"]
pub struct CamResponse<D: Side> {
    pub valid: Flag<D>,
    pub tag: Sig<D>,
    pub hit: Flag<D>,
    pub port: Sig<D>,
    pub vc_set: Array<Flag<D>>,
    pub vc: Array<Sig<D>>,
    pub group_set: Array<Flag<D>>,
    pub group: Array<Sig<D>>,
    pub candidates: Array<Sig<D>>,
    pub candidate: Array<Sig<D>>,
    pub in_order: Array<Flag<D>>,
}
type CamResponseEnd<D> = CamResponse<Opposite<D>>;

/// A [`CamRequest`].
pub fn cam_request<D: Side>(table: &TableShape) -> CamRequest<D> {
    CamRequest {
        valid: flag().doc("a lookup for the CAM; held until accepted"),
        ready: flag().doc("the CAM accepts it in this cycle"),
        tag: sig(table.tag_bits as usize).doc("tag to answer with"),
        address: sig(table.address_bits as usize).doc("destination to look up"),
    }
}

/// A [`CamResponse`].
pub fn cam_response<D: Side>(shape: &Shape, table: &TableShape) -> CamResponse<D> {
    let (port_bits, next_vc) = (shape.port_bits as usize, usize::from(shape.next_vc));
    let linked = usize::from(shape.link_aggregation.is_some());
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let several = usize::from(shape.candidates > 1);
    CamResponse {
        valid: flag().doc("the CAM answers"),
        tag: sig(table.tag_bits as usize).doc("tag of the request it answers"),
        hit: flag().doc("there is a route"),
        port: sig(port_bits).doc("its output port"),
        vc_set: many(next_vc, || flag().doc("packets leave on response_vc, not on their own VC")),
        vc: many(next_vc, || sig(shape.vc_bits as usize).doc("VC on which packets leave")),
        group_set: many(linked, || flag().doc("packets leave by a link of a group")),
        group: many(linked, || sig(group_bits).doc("this one")),
        candidates: many(several, || sig(shape.candidates_bits() as usize).doc("number of further candidate ports")),
        candidate: many(shape.candidates - 1, || sig(port_bits).doc("further candidate ports, from number 1")),
        in_order: many(several, || flag().doc("the address alone says which candidate")),
    }
}
