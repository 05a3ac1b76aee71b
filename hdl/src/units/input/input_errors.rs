//! The error flags of an input port, as a bundle: from the input unit to the pins `error_*`.
//!
//! Source: switch reference, section 8.

use crate::rtl::prelude::*;

/// Error flags.
#[bundle]
pub struct InputErrors<D: Side> {
    /// sticky: a flit came on a VC that does not exist
    pub vc: Flag<D>,
    /// sticky: a head inside a packet, or a flit outside one
    pub framing: Flag<D>,
    /// sticky: a flit came without credit
    pub overflow: Flag<D>,
    /// sticky: a packet over the maximum, or shorter than its header
    pub length: Flag<D>,
}
