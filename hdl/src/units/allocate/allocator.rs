//! Allocator: gives one output to the packets that ask for it, in the way that the configuration says.
//!
//! Holds one of [`packet_allocator`](super::packet_allocator) (parallel crossbar, packet-wise),
//! [`flit_allocator`](super::flit_allocator) (parallel, flit-wise), [`single_allocator`](super::single_allocator).
//!
//! Source: switch reference, section 6.

use crate::parts::arbiter::Arbiter;
use crate::rtl::prelude::*;
use crate::units::allocate::allocator_ports::{allocator_ports, AllocatorPorts};
use crate::units::allocate::flit_allocator::{flit_allocator, FlitAllocator};
use crate::units::allocate::packet_allocator::{packet_allocator, PacketAllocator};
use crate::units::allocate::single_allocator::{single_allocator, SingleAllocator};
use railyard_spec::{Crossbar, LinkArbitration, Shape};

/// Gives one output to the packets that ask for it.
#[block]
pub struct Allocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[bare]
    pub io: AllocatorPorts<In>,

    packet_wise: Option<PacketAllocator>,
    flit_wise: Option<FlitAllocator>,
    single: Option<SingleAllocator>,

    ports: Param,
    vcs: Param,
    #[listed(single)]
    is_single: Param<bool>,
    #[listed(flit_wise)]
    is_flit_wise: Param<bool>,
    next_vc: Param<Option<usize>>,
}

/// Allocator of one output.
pub fn allocator(shape: &Shape) -> Allocator {
    let k = shape.vcs;
    let is_single = shape.crossbar == Crossbar::Single;
    let is_flit_wise = shape.link_arbitration == LinkArbitration::Flit;
    let io = allocator_ports(shape);
    Allocator {
        io: AllocatorPorts {
            owner: many(k, || sig(shape.ports).doc("Connections, one-hot.")),
            sent: sig(k).doc("A flit of VC v is popped to the output."),
            ..io
        },
        packet_wise: (!is_flit_wise && !is_single).then(|| packet_allocator(shape)),
        flit_wise: is_flit_wise.then(|| flit_allocator(shape)),
        single: is_single.then(|| single_allocator(shape)),
        ports: shape.ports,
        vcs: k,
        is_single,
        is_flit_wise,
        next_vc: shape.next_vc.then_some(1),
        ..Allocator::plain()
    }
}

impl Allocator {
    /// The arbiters among the inputs, one for each VC; none for a single crossbar, whose arbiter chooses among VCs, too.
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
