//! What every kind of allocator has at its pins, as a bundle.
//!
//! Source: switch reference, section 6.

use crate::units::prelude::*;
use railyard_spec::{ArbitrationPolicy, Crossbar};

/// Requests for one output, and who gets it.
#[bundle(shape: &Shape)]
pub struct AllocatorPorts<D: Side> {
    /// Input i requests the output on VC v.
    pub request: Vec<Sig<D, { shape.ports }>, { shape.vcs }>,
    /// Packet of VC v of input i leaves on VC u, element v * k + u.
    pub leave: Vec<Sig<D, { shape.ports }>, { shape.vcs * shape.vcs }, { shape.next_vc }>,
    /// The next buffer of VC v has room for a packet.
    pub room: Sig<D, { shape.vcs }>,
    /// The next buffer of VC v has room for a packet while VC v is sending.
    pub room_sending: Option<Sig<D, { shape.vcs }>, { !has_queues(shape) }>,
    /// VC v of input i has a flit to pop.
    pub ready: Vec<Sig<D, { shape.ports }>, { shape.vcs }>,
    /// VC v of input i has a tail to pop.
    pub ending: Vec<Sig<D, { shape.ports }>, { shape.vcs }>,
    /// Input i is connected on VC v.
    pub grant: Vec<Sig<Opposite<D>, { shape.ports }>, { shape.vcs }>,
    /// Connections on VC v, one-hot over the inputs.
    pub owner: Vec<Sig<Opposite<D>, { shape.ports }>, { shape.vcs }>,
    /// Connection that may pop a flit.
    pub chosen:
        Vec<Sig<Opposite<D>, { shape.ports }>, { shape.vcs }, { shape.link_arbitration == LinkArbitration::Flit }>,
    /// Requests on VC v that have room where they leave.
    pub with_room: Vec<Sig<Opposite<D>, { shape.ports }>, { shape.vcs }, { shape.counter_bits.is_some() }>,
    /// A flit of VC v is popped to the output.
    #[made(match (has_queues(shape), shape.next_vc) {
        (true, _) => sig(shape.vcs).doc("A flit of plane v is popped to the output's queue."),
        (_, true) => sig(shape.vcs).doc("A flit that leaves on VC v is popped to the output."),
        (_, false) => sig(shape.vcs),
    })]
    pub sent: Sig<Opposite<D>>,
    /// A flit is popped to the output, by the VC on which the flit came.
    pub plane_sent: Option<Sig<Opposite<D>, { shape.vcs }>, { has_planes(shape) && shape.next_vc }>,
    pub queued: Bare<Option<QueuedPorts<D, shape>, { has_queues(shape) }>>,
    /// Packets from other switches go first.
    pub transit_first: Option<Flag<D>, { puts_transit_first(shape) }>,
    /// Packets that stand before packet n, which is that of VC v of input i: n = i * k + v.
    pub ahead: Vec<Sig<D, { shape.ports * shape.vcs }>, { shape.ports * shape.vcs }, { ranks_ages(shape) }>,
    /// The output can be given away.
    pub is_free: Option<Flag<Opposite<D>>, { takes_detours(shape) }>,
    pub mixed: Bare<Option<MixedPorts<D, { shape.ports }>, { shape.multicast.is_some() }>>,
}

/// Whether packets can go around an output that is busy.
pub fn takes_detours(shape: &Shape) -> bool {
    shape.dragonfly().is_some_and(|built| built.in_transit)
}

/// Policy of the arbiters.
pub fn policy_of(shape: &Shape) -> ArbitrationPolicy {
    shape.dragonfly().map_or(ArbitrationPolicy::RoundRobin, |built| built.policy)
}

/// Whether outputs go to the oldest packets.
pub fn ranks_ages(shape: &Shape) -> bool {
    policy_of(shape) == ArbitrationPolicy::Oldest
}

/// Whether each output has arbiters for packets from nodes, behind those for all packets.
pub fn puts_transit_first(shape: &Shape) -> bool {
    shape.dragonfly().is_some_and(|built| built.transit_first) && !ranks_ages(shape)
}

/// What multicast packets need of an output, with the mixed VC.
#[bundle(ports: usize)]
pub struct MixedPorts<D: Side> {
    /// Only a multicast packet may start on the mixed VC.
    pub multicast_turn: Flag<D>,
    /// Room on the mixed VC is saved for a multicast packet.
    pub saved: Flag<D>,
    /// The output is reserved for a multicast packet.
    pub reserved: Flag<D>,
    /// A multicast packet of input i is connected.
    pub start: Sig<D, ports>,
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

/// What output queues need of the allocator.
#[bundle(shape: &Shape)]
pub struct QueuedPorts<D: Side> {
    /// A packet that leaves on VC u is connected.
    pub taken: Sig<Opposite<D>, { shape.vcs }>,
    /// A packet is connected on plane v.
    pub started: Sig<Opposite<D>, { shape.vcs }>,
    /// The flit of plane v that is popped is a tail.
    pub finished: Sig<Opposite<D>, { shape.vcs }>,
    /// VC on which the connected packet of plane v leaves, one-hot.
    pub leaving: Vec<Sig<Opposite<D>, { shape.vcs }>, { shape.vcs }, { shape.next_vc }>,
}

/// Whether outputs have queues, and packets of all planes.
pub fn has_queues(shape: &Shape) -> bool {
    shape.output_queue_flits.is_some()
}

/// Whether the crossbar has a plane for each VC, and an output takes packets from one of them at a time.
fn has_planes(shape: &Shape) -> bool {
    let one_by_one = shape.link_arbitration == LinkArbitration::Packet && shape.crossbar == Crossbar::Parallel;
    one_by_one && !has_queues(shape)
}
