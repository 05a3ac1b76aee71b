//! Allocator: gives one output to the packets that ask for it, in the way that the configuration says.
//!
//! Holds one of [`packet_allocator`](mod@packet_allocator) (parallel crossbar, packet-wise),
//! [`flit_allocator`](mod@flit_allocator) (parallel, flit-wise), [`single_allocator`](mod@single_allocator).
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

    packet_wise: Option<PacketAllocator<shape>, { !is_flit_wise && !is_single }>,
    flit_wise: Option<FlitAllocator<shape>, is_flit_wise>,
    single: Option<SingleAllocator<shape>, is_single>,

    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    #[listed(single)]
    is_single: Param<bool, { shape.crossbar == Crossbar::Single }>,
    #[listed(flit_wise)]
    is_flit_wise: Param<bool, { shape.link_arbitration == LinkArbitration::Flit }>,
    next_vc: Param<Option<usize>, { shape.next_vc.then_some(1) }>,
}

impl Allocator {
    /// The arbiters among the inputs, one for each VC; none for a single crossbar, whose arbiter chooses among VCs,
    /// too.
    pub fn input_arbiters(&mut self) -> impl Iterator<Item = &mut Arbiter> {
        let packet_wise = self.packet_wise.iter_mut().flat_map(PacketAllocator::input_arbiters);
        packet_wise.chain(self.flit_wise.iter_mut().flat_map(FlitAllocator::input_arbiters))
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
    }
}

#[cfg(test)]
mod tests;
