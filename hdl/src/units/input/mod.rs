//! Input units: from the pins of a port to its buffers, and out of them.

pub mod connection;
pub mod credit_return;
pub mod drop_counter;
pub mod header_assembly;
pub mod input_errors;
pub mod input_unit;
pub mod link_flit;
pub mod minimal_return;
pub mod packet_check;
pub mod route_shift;
pub mod vc_buffer;

pub use self::{
    connection::*, credit_return::*, drop_counter::*, header_assembly::*, input_errors::*, input_unit::*, link_flit::*,
    minimal_return::*, packet_check::*, route_shift::*, vc_buffer::*,
};
