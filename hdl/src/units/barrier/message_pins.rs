//! The pins of a port that barrier messages come by, as a bundle.
//!
//! Source: switch reference, section 11 (receive).

use crate::units::prelude::*;

/// A flit that may be a barrier message.
#[bundle(shape: &Shape)]
pub struct MessagePins<D: Side> {
    /// A flit arrives.
    pub valid: Flag<D>,
    /// Virtual channel of the flit.
    pub vc: Sig<D, { shape.vc_bits as usize }>,
    /// The flit is the first of a packet.
    pub head: Flag<D>,
    /// The flit is the last of a packet.
    pub tail: Flag<D>,
    /// Low bits of the flit.
    pub message: Sig<D, MESSAGE>,
}
