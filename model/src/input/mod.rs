//! Input units: from the pins of a port to its buffers, and out of them.

pub mod credit_return;
pub mod input_unit;
pub mod route_shift;
pub mod vc_buffer;
