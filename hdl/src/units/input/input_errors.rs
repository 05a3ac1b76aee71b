//! The error flags of an input port, as a bundle: from the input unit to the pins `error_*`.
//!
//! Source: switch reference, section 8.

use crate::units::prelude::*;

/// Error flags.
#[bundle]
pub struct InputErrors<D: Side> {
    /// Sticky: a flit came on a VC that does not exist.
    pub vc: Flag<D>,
    /// Sticky: a head came inside a packet, or a flit outside one.
    pub framing: Flag<D>,
    /// Sticky: a flit came without credit.
    pub overflow: Flag<D>,
    /// Sticky: a packet was over the maximum, or shorter than its header.
    pub length: Flag<D>,
}
