//! Allocation: which packet gets an output.

pub mod allocator;
pub mod arbiters;
pub mod ranking;
