//! Crossbar and output units: from the buffers to the pins.

pub mod credit_counter;
pub mod crossbar;
pub mod min_credits;
pub mod output_queues;
pub mod output_unit;
pub mod protection;
