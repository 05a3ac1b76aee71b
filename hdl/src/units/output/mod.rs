//! Crossbar and output units: from the buffers to the pins.

pub mod credit_counter;
pub mod crossbar;
pub mod crossbar_column;
pub mod crossbar_plane;
pub mod flit_decoder;
pub mod minimal_use;
pub mod output_unit;

pub use self::{
    credit_counter::*, crossbar::*, crossbar_column::*, crossbar_plane::*, flit_decoder::*, minimal_use::*,
    output_unit::*,
};
