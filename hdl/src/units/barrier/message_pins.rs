//! The pins of a port that barrier messages come by, as a bundle.
//!
//! Source: switch reference, section 11 (receive).

use super::barrier_message::MESSAGE;
use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// A flit that may be a barrier message.
#[bundle]
pub struct MessagePins<D: Side> {
    /// A flit arrives.
    pub valid: Flag<D>,
    /// Virtual channel of the flit.
    pub vc: Sig<D>,
    /// The flit is the first of a packet.
    pub head: Flag<D>,
    /// The flit is the last of a packet.
    pub tail: Flag<D>,
    /// Low bits of the flit.
    pub message: Sig<D>,
}

/// [`MessagePins`] of a switch of the given shape.
pub fn message_pins<D: Side>(shape: &Shape) -> MessagePins<D> {
    MessagePins { vc: sig(shape.vc_bits as usize), message: sig(MESSAGE), ..MessagePins::plain() }
}
