//! What every kind of allocator has at its pins, as a bundle.
//!
//! Source: switch reference, section 6.

use crate::rtl::prelude::*;
use railyard_spec::{Crossbar, LinkArbitration, Shape};

/// Requests for one output, and who gets it.
#[bundle]
pub struct AllocatorPorts<D: Side> {
    /// Input i requests the output on VC v.
    pub request: Vec<Sig<D>>,
    /// Packet of VC v of input i leaves on VC u, element v * k + u.
    pub leave: Vec<Sig<D>>,
    /// The next buffer of VC v has room for a packet.
    pub room: Sig<D>,
    /// The next buffer of VC v has room for a packet while VC v is sending.
    pub room_sending: Sig<D>,
    /// VC v of input i has a flit to pop.
    pub ready: Vec<Sig<D>>,
    /// VC v of input i has a tail to pop.
    pub ending: Vec<Sig<D>>,
    /// Input i is connected on VC v.
    pub grant: Vec<Sig<Opposite<D>>>,
    /// Connections on VC v, one-hot over the inputs.
    pub owner: Vec<Sig<Opposite<D>>>,
    /// Connection that may pop a flit.
    pub chosen: Vec<Sig<Opposite<D>>>,
    /// Requests on VC v that have room where they leave.
    pub with_room: Vec<Sig<Opposite<D>>>,
    /// A flit of VC v is popped to the output.
    pub sent: Sig<Opposite<D>>,
    /// A flit is popped to the output, by the VC on which the flit came.
    pub plane_sent: Option<Sig<Opposite<D>>>,
    #[bare]
    pub mixed: Option<MixedPorts<D>>,
}

/// What multicast packets need of an output, with the mixed VC.
#[bundle]
pub struct MixedPorts<D: Side> {
    /// Only a multicast packet may start on the mixed VC.
    pub multicast_turn: Flag<D>,
    /// Room on the mixed VC is saved for a multicast packet.
    pub saved: Flag<D>,
    /// The output is reserved for a multicast packet.
    pub reserved: Flag<D>,
    /// A multicast packet of input i is connected.
    pub start: Sig<D>,
    /// The next buffer of the mixed VC has room for two packets.
    pub room_two: Flag<D>,
    /// The output is not busy, or its owner is finishing.
    pub free: Flag<Opposite<D>>,
    /// A multicast packet has room behind what is being sent.
    pub mixed_room: Flag<Opposite<D>>,
    /// The output is not sending on the mixed VC, and two packets have room there.
    pub mixed_spare: Flag<Opposite<D>>,
    /// A unicast packet that leaves on the mixed VC is connected.
    pub mixed_grant: Flag<Opposite<D>>,
    /// A unicast packet requests the output, and no packet is connected.
    pub passed_over: Flag<Opposite<D>>,
}

/// The ports of an allocator of one output. Each kind has those that it has a use for.
pub fn allocator_ports<D: Side>(shape: &Shape) -> AllocatorPorts<D> {
    let (n, k) = (shape.ports, shape.vcs);
    let flit_wise = shape.link_arbitration == LinkArbitration::Flit;
    let planes = shape.next_vc && !flit_wise && shape.crossbar == Crossbar::Parallel;
    AllocatorPorts {
        request: many(k, || sig(n)),
        leave: many(if shape.next_vc { k * k } else { 0 }, || sig(n)),
        room: sig(k),
        room_sending: sig(k),
        ready: many(k, || sig(n)),
        ending: many(k, || sig(n)),
        grant: many(k, || sig(n)),
        owner: many(k, || sig(n)),
        chosen: many(if flit_wise { k } else { 0 }, || sig(n)),
        with_room: many(shape.counter_bits.map_or(0, |_| k), || sig(n)),
        sent: match shape.next_vc {
            true => sig(k).doc("A flit that leaves on VC v is popped to the output."),
            false => sig(k),
        },
        plane_sent: planes.then(|| sig(k)),
        mixed: shape.multicast.map(|_| MixedPorts { start: sig(n), ..MixedPorts::plain() }),
    }
}
