//! Crossbar and output units: from the buffers to the pins.

pub mod credit_counter;
pub mod crossbar;
pub mod crossbar_column;
pub mod crossbar_plane;
pub mod flit_decoder;
pub mod minimal_use;
pub mod output_queues;
pub mod output_unit;
pub mod plane_queue;
pub mod promise_counter;
pub mod queue_hold;
pub mod room_return;

pub use self::{
    credit_counter::*, crossbar::*, crossbar_column::*, crossbar_plane::*, flit_decoder::*, minimal_use::*,
    output_queues::*, output_unit::*, plane_queue::*, promise_counter::*, queue_hold::*, room_return::*,
};
