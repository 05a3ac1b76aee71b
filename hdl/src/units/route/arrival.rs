//! A packet that arrives at route computation, as a bundle: from the input unit to route computation and counters.
//!
//! Source: switch reference, sections 3 and 4.

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use railyard_spec::Shape;

/// A packet's header. It has a destination address, or the port of a source route.
#[bundle]
pub struct Arrival<D: Side> {
    /// A packet arrives at route computation.
    pub arrive: Flag<D>,
    /// VC of the packet.
    pub arrive_vc: Sig<D>,
    /// The packet is malformed.
    pub arrive_malformed: Option<Flag<D>>,
    /// Destination address of the packet.
    pub arrive_address: Option<Sig<D>>,
    /// Lowest route field of the packet.
    pub arrive_port: Option<Sig<D>>,
    /// The packet is a multicast packet.
    pub arrive_multicast: Option<Flag<D>>,
    /// Group of the multicast packet.
    pub arrive_group: Option<Sig<D>>,
    /// The packet is a multicast packet of a group that does not exist.
    pub arrive_unknown: Option<Flag<D>>,
}

/// An [`Arrival`]. With the mixed VC the highest bit of an address is the mark of a multicast packet, and a packet of a group that does not
/// exist is malformed.
pub fn arrival<D: Side>(shape: &Shape) -> Arrival<D> {
    let address = shape.address_bits().map(|bits| header_bits(shape, bits as usize));
    let multicast = shape.multicast.filter(|_| address.is_none());
    Arrival {
        arrive_vc: sig(shape.vc_bits as usize),
        arrive_malformed: address.map(|_| flag()),
        arrive_address: address.map(sig),
        arrive_port: address.is_none().then(|| sig(shape.port_bits as usize)),
        arrive_multicast: multicast.map(|_| flag()),
        arrive_group: multicast.map(|built| sig(built.group_bits as usize)),
        arrive_unknown: multicast.map(|_| flag()),
        ..Arrival::plain()
    }
}
