//! A packet that arrives at route computation, as a bundle: from the input unit to route computation and counters.
//!
//! Source: switch reference, sections 3 and 4.

use crate::units::prelude::*;

/// A packet's header. It has a destination address, or the port of a source route.
#[bundle(shape: &Shape)]
pub struct HeaderArrival<D: Side> {
    /// A packet arrives at route computation.
    pub arrive: Flag<D>,
    /// VC of the packet.
    pub arrive_vc: Sig<D, { shape.vc_bits as usize }>,
    /// The packet is malformed.
    pub arrive_malformed: Option<Flag<D>, { shape.address_bits().is_some() && shape.dragonfly().is_none() }>,
    /// Destination address of the packet.
    #[made(shape.address_bits().map(|bits| sig(header_bits(shape, bits as usize))))]
    pub arrive_address: Option<Sig<D>>,
    /// Lowest route field of the packet.
    pub arrive_port: Option<Sig<D, { shape.port_bits as usize }>, { shape.address_bits().is_none() }>,
    /// The packet is a multicast packet.
    pub arrive_multicast: Option<Flag<D>, { by_list(shape).is_some() }>,
    /// Group of the multicast packet.
    #[made(by_list(shape).map(|built| sig(built.group_bits as usize)))]
    pub arrive_group: Option<Sig<D>>,
    /// The packet is a multicast packet of a group that does not exist.
    pub arrive_unknown: Option<Flag<D>, { by_list(shape).is_some() }>,
}

/// Multicast of a switch whose packets have a list of ports. With the mixed VC the highest bit of an address is the
/// mark of a multicast packet, and a packet of a group that does not exist is malformed.
fn by_list(shape: &Shape) -> Option<MulticastShape> {
    shape.multicast.filter(|_| shape.address_bits().is_none())
}
