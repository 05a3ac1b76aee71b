//! Allocation: which packet gets an output.

pub mod allocation_steps;
pub mod allocator;
pub mod allocator_ports;
pub mod flit_allocator;
pub mod packet_allocator;
pub mod single_allocator;

pub use self::{
    allocation_steps::*, allocator::*, allocator_ports::*, flit_allocator::*, packet_allocator::*, single_allocator::*,
};
