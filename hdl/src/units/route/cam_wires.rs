//! Wires to the CAM and back, as bundles: at the pins, at the CAM port and at the table port between them, and at each
//! port's route unit.
//!
//! Source: switch reference, section 4.4.

use crate::units::prelude::*;

/// A lookup, to the CAM.
#[bundle(table: &TableShape)]
pub struct CamRequest<D: Side> {
    /// A lookup for the CAM is there, and stays until accepted.
    pub valid: Flag<D>,
    /// The CAM accepts the lookup in the current cycle.
    pub ready: Flag<Opposite<D>>,
    /// Tag of the request, which the answer repeats.
    pub tag: Sig<D, { table.tag_bits as usize }>,
    /// Destination to look up.
    pub address: Sig<D, { table.address_bits as usize }>,
}

/// An answer, from the CAM.
#[bundle(shape: &Shape, table: &TableShape)]
pub struct CamResponse<D: Side> {
    /// The CAM answers.
    pub valid: Flag<D>,
    /// Tag of the request that is answered.
    pub tag: Sig<D, { table.tag_bits as usize }>,
    /// The address has a route.
    pub hit: Flag<D>,
    /// Output port of the route.
    pub port: Sig<D, { shape.port_bits as usize }>,
    /// Packets leave on response_vc, not on their own VC.
    pub vc_set: Option<Flag<D>, { shape.next_vc }>,
    /// VC on which packets leave.
    pub vc: Option<Sig<D, { shape.vc_bits as usize }>, { shape.next_vc }>,
    /// Packets leave by a link of a group.
    pub group_set: Option<Flag<D>, { shape.link_aggregation.is_some() }>,
    /// Group by whose links packets leave.
    #[made(shape.link_aggregation.as_ref().map(|groups| sig(groups.group_bits as usize)))]
    pub group: Option<Sig<D>>,
    /// Number of further candidate ports.
    pub candidates: Option<Sig<D, { shape.candidates_bits() as usize }>, { shape.candidates > 1 }>,
    /// Further candidate ports, from number 1.
    pub candidate: Vec<Sig<D, { shape.port_bits as usize }>, { shape.candidates - 1 }>,
    /// The address alone selects the candidate.
    pub in_order: Option<Flag<D>, { shape.candidates > 1 }>,
}

/// A miss slot that asks the CAM.
#[bundle(vc_bits: usize, slot_bits: usize, address_bits: usize)]
pub struct CamOffer<D: Side> {
    /// A miss slot has a request for the CAM.
    pub valid: Flag<D>,
    /// VC of the slot.
    pub vc: Sig<D, vc_bits>,
    /// Number of the slot.
    pub slot: Sig<D, slot_bits>,
    /// Address of the slot.
    pub address: Sig<D, address_bits>,
    /// The request of the slot is taken.
    pub taken: Flag<Opposite<D>>,
}

/// The CAM's answer to a miss slot.
#[bundle(vc_bits: usize, slot_bits: usize, port_bits: usize)]
pub struct CamAnswer<D: Side> {
    /// The CAM answers a slot of the port.
    pub valid: Flag<D>,
    /// VC of the slot that the answer names.
    pub vc: Sig<D, vc_bits>,
    /// Number of the slot that the answer names.
    pub slot: Sig<D, slot_bits>,
    /// The result is drop: the address has no route.
    pub drop: Flag<D>,
    /// Output port that is the result.
    pub port: Sig<D, port_bits>,
    /// The slot that the answer names has an open request.
    pub known: Flag<Opposite<D>>,
}

/// The way of a port's miss slots to the CAM, and back.
#[bundle(shape: &Shape, table: &TableShape)]
pub struct CamAccess<D: Side> {
    pub offer: CamOffer<D, { shape.vc_bits as usize }, { table.slot_bits as usize }, { table.address_bits as usize }>,
    pub answer: CamAnswer<Opposite<D>, { shape.vc_bits as usize }, { table.slot_bits as usize }, { route_bits(shape) }>,
}
