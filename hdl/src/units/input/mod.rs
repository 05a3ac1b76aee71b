//! Input units: from the pins of a port to its buffers, and out of them.

pub mod connection;
pub mod credit_return;
pub mod drop_counter;
pub mod header_assembly;
pub mod input_errors;
pub mod input_unit;
pub mod link_flit;
pub mod packet_check;
pub mod route_shift;
pub mod vc_buffer;
