//! Wires to the CAM and back, as bundles: at the pins, at the CAM port and at the table port between them, and at each port's route unit.
//!
//! Source: switch reference, section 4.4.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::{Shape, TableShape};

/// A lookup, to the CAM.
#[bundle]
pub struct CamRequest<D: Side> {
    /// A lookup for the CAM is there, and stays until accepted.
    pub valid: Flag<D>,
    /// The CAM accepts the lookup in the current cycle.
    pub ready: Flag<Opposite<D>>,
    /// Tag of the request, which the answer repeats.
    pub tag: Sig<D>,
    /// Destination to look up.
    pub address: Sig<D>,
}

/// An answer, from the CAM.
#[bundle]
pub struct CamResponse<D: Side> {
    /// The CAM answers.
    pub valid: Flag<D>,
    /// Tag of the request that is answered.
    pub tag: Sig<D>,
    /// The address has a route.
    pub hit: Flag<D>,
    /// Output port of the route.
    pub port: Sig<D>,
    /// Packets leave on response_vc, not on their own VC.
    pub vc_set: Option<Flag<D>>,
    /// VC on which packets leave.
    pub vc: Option<Sig<D>>,
    /// Packets leave by a link of a group.
    pub group_set: Option<Flag<D>>,
    /// Group by whose links packets leave.
    pub group: Option<Sig<D>>,
    /// Number of further candidate ports.
    pub candidates: Option<Sig<D>>,
    /// Further candidate ports, from number 1.
    pub candidate: Vec<Sig<D>>,
    /// The address alone selects the candidate.
    pub in_order: Option<Flag<D>>,
}

/// A miss slot that asks the CAM.
#[bundle]
pub struct CamOffer<D: Side> {
    /// A miss slot has a request for the CAM.
    pub valid: Flag<D>,
    /// VC of the slot.
    pub vc: Sig<D>,
    /// Number of the slot.
    pub slot: Sig<D>,
    /// Address of the slot.
    pub address: Sig<D>,
    /// The request of the slot is taken.
    pub taken: Flag<Opposite<D>>,
}

/// The CAM's answer to a miss slot.
#[bundle]
pub struct CamAnswer<D: Side> {
    /// The CAM answers a slot of the port.
    pub valid: Flag<D>,
    /// VC of the slot that the answer names.
    pub vc: Sig<D>,
    /// Number of the slot that the answer names.
    pub slot: Sig<D>,
    /// The result is drop: the address has no route.
    pub drop: Flag<D>,
    /// Output port that is the result.
    pub port: Sig<D>,
    /// The slot that the answer names has an open request.
    pub known: Flag<Opposite<D>>,
}

/// The way of a port's miss slots to the CAM, and back.
#[bundle]
pub struct CamAccess<D: Side> {
    pub offer: CamOffer<D>,
    pub answer: CamAnswer<Opposite<D>>,
}

/// A [`CamRequest`].
pub fn cam_request<D: Side>(table: &TableShape) -> CamRequest<D> {
    CamRequest { tag: sig(table.tag_bits as usize), address: sig(table.address_bits as usize), ..CamRequest::plain() }
}

/// A [`CamResponse`].
pub fn cam_response<D: Side>(shape: &Shape, table: &TableShape) -> CamResponse<D> {
    let port_bits = shape.port_bits as usize;
    let several = shape.candidates > 1;
    CamResponse {
        tag: sig(table.tag_bits as usize),
        port: sig(port_bits),
        vc_set: shape.next_vc.then(flag),
        vc: shape.next_vc.then(|| sig(shape.vc_bits as usize)),
        group_set: shape.link_aggregation.as_ref().map(|_| flag()),
        group: shape.link_aggregation.as_ref().map(|groups| sig(groups.group_bits as usize)),
        candidates: several.then(|| sig(shape.candidates_bits() as usize)),
        candidate: many(shape.candidates - 1, || sig(port_bits)),
        in_order: several.then(flag),
        ..CamResponse::plain()
    }
}

/// A [`CamOffer`] of a miss table with slots of `slot_bits`.
pub fn cam_offer<D: Side>(vc_bits: usize, slot_bits: usize, address_bits: usize) -> CamOffer<D> {
    CamOffer { vc: sig(vc_bits), slot: sig(slot_bits), address: sig(address_bits), ..CamOffer::plain() }
}

/// A [`CamAccess`].
pub fn cam_access<D: Side>(shape: &Shape, table: &TableShape) -> CamAccess<D> {
    let (vc_bits, slot_bits) = (shape.vc_bits as usize, table.slot_bits as usize);
    CamAccess {
        offer: cam_offer(vc_bits, slot_bits, table.address_bits as usize),
        answer: CamAnswer {
            vc: sig(vc_bits),
            slot: sig(slot_bits),
            port: sig(route_bits(shape)),
            ..CamAnswer::plain()
        },
    }
}
