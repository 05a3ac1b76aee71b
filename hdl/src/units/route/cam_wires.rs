//! Wires to the CAM and back, as bundles: at the pins, at the CAM port and at the table port between them, and at each port's route unit.
//!
//! Source: switch reference, section 4.4.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::{Shape, TableShape};

/// A lookup, to the CAM.
#[bundle]
pub struct CamRequest<D: Side> {
    /// a lookup for the CAM; held until accepted
    pub valid: Flag<D>,
    /// the CAM accepts it in this cycle
    pub ready: Flag<Opposite<D>>,
    /// tag to answer with
    pub tag: Sig<D>,
    /// destination to look up
    pub address: Sig<D>,
}

/// An answer, from the CAM.
#[bundle]
pub struct CamResponse<D: Side> {
    /// the CAM answers
    pub valid: Flag<D>,
    /// tag of the request it answers
    pub tag: Sig<D>,
    /// there is a route
    pub hit: Flag<D>,
    /// its output port
    pub port: Sig<D>,
    /// packets leave on response_vc, not on their own VC
    pub vc_set: Option<Flag<D>>,
    /// VC on which packets leave
    pub vc: Option<Sig<D>>,
    /// packets leave by a link of a group
    pub group_set: Option<Flag<D>>,
    /// this one
    pub group: Option<Sig<D>>,
    /// number of further candidate ports
    pub candidates: Option<Sig<D>>,
    /// further candidate ports, from number 1
    pub candidate: Vec<Sig<D>>,
    /// the address alone says which candidate
    pub in_order: Option<Flag<D>>,
}

/// A miss slot that asks the CAM.
#[bundle]
pub struct CamOffer<D: Side> {
    /// a miss slot asks the CAM
    pub valid: Flag<D>,
    /// its VC
    pub vc: Sig<D>,
    /// its number
    pub slot: Sig<D>,
    /// its address
    pub address: Sig<D>,
    /// its request is taken
    pub taken: Flag<Opposite<D>>,
}

/// The CAM's answer to a miss slot.
#[bundle]
pub struct CamAnswer<D: Side> {
    /// the CAM answers this port
    pub valid: Flag<D>,
    /// VC of the slot it names
    pub vc: Sig<D>,
    /// number of the slot it names
    pub slot: Sig<D>,
    /// its result: no route
    pub drop: Flag<D>,
    /// its result: output port
    pub port: Sig<D>,
    /// the slot it names has an open request
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
