//! Allocation: which packet gets an output.

pub mod allocator;
