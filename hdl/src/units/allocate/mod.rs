//! Allocation: which packet gets an output.

pub mod age_ranking;
pub mod allocation_steps;
pub mod allocator;
pub mod allocator_ports;
pub mod flit_allocator;
pub mod packet_allocator;
pub mod plane_allocator;
pub mod priority_allocator;
pub mod single_allocator;
pub mod staged_arbiter;

pub use self::{
    age_ranking::*, allocation_steps::*, allocator::*, allocator_ports::*, flit_allocator::*, packet_allocator::*,
    plane_allocator::*, priority_allocator::*, single_allocator::*, staged_arbiter::*,
};
