//! Allocator: gives one output to the packets that ask for it, in the way that the configuration says.
//!
//! Holds one of [`packet_allocator`](mod@packet_allocator) (parallel crossbar, packet-wise),
//! [`flit_allocator`](mod@flit_allocator) (parallel, flit-wise), [`single_allocator`](mod@single_allocator),
//! [`priority_allocator`](mod@priority_allocator) (a Dragonfly's switch, by age or with packets from other switches
//! first), [`plane_allocator`](mod@plane_allocator) (output queues).
//!
//! Source: switch reference, section 6.

use crate::units::prelude::*;
use railyard_spec::Crossbar;

/// Gives one output to the packets that ask for it.
#[block(shape: &Shape)]
pub struct Allocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[made(AllocatorPorts {
        owner: many(vcs, || sig(ports).doc("Connections, one-hot.")),
        sent: sig(vcs).doc("A flit of VC v is popped to the output."),
        ..allocator_ports(shape)
    })]
    pub io: Bare<AllocatorPorts<In>>,

    packet_wise: Option<PacketAllocator<shape>, { is_packet_wise && !has_priorities(shape) }>,
    flit_wise: Option<FlitAllocator<shape>, is_flit_wise>,
    single: Option<SingleAllocator<shape>, is_single>,
    #[made(shape.dragonfly().filter(|_| is_packet_wise && has_priorities(shape)).map(|built| priority_allocator(shape, built)))]
    by_priority: Option<PriorityAllocator>,
    to_queues: Option<PlaneAllocator<shape>, { has_queues(shape) }>,

    is_packet_wise: Number<bool, { !is_flit_wise && !is_single && !has_queues(shape) }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    #[listed(single)]
    is_single: Param<bool, { shape.crossbar == Crossbar::Single }>,
    #[listed(flit_wise)]
    is_flit_wise: Param<bool, { shape.link_arbitration == LinkArbitration::Flit }>,
    next_vc: Param<Option<usize>, { shape.next_vc.then_some(1) }>,
}

/// Whether an order of all packets, or of those from other switches and from nodes, says which gets an output.
fn has_priorities(shape: &Shape) -> bool {
    ranks_ages(shape) || puts_transit_first(shape)
}

impl Allocator {
    /// The arbiters among the inputs, one for each VC; none for a single crossbar, whose arbiter chooses among VCs,
    /// too.
    pub fn input_arbiters(&mut self) -> impl Iterator<Item = &mut Arbiter> {
        let packet_wise = self.packet_wise.iter_mut().flat_map(PacketAllocator::input_arbiters);
        let by_priority = self.by_priority.iter_mut().flat_map(PriorityAllocator::input_arbiters);
        let to_queues = self.to_queues.iter_mut().flat_map(PlaneAllocator::input_arbiters);
        let flit_wise = self.flit_wise.iter_mut().flat_map(FlitAllocator::input_arbiters);
        packet_wise.chain(flit_wise).chain(by_priority).chain(to_queues)
    }
}

#[kernel]
impl Allocator {
    fn update(&mut self) {
        if let Some(allocator) = &mut self.packet_wise {
            self.io.link(&mut allocator.io);
        }
        if let Some(allocator) = &mut self.flit_wise {
            self.io.link(&mut allocator.io);
        }
        if let Some(allocator) = &mut self.single {
            self.io.link(&mut allocator.io);
        }
        if let Some(allocator) = &mut self.by_priority {
            self.io.link(&mut allocator.io);
        }
        if let Some(allocator) = &mut self.to_queues {
            self.io.link(&mut allocator.io);
        }
    }
}

#[cfg(test)]
mod tests;
