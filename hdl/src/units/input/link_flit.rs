//! A flit on a link, as a bundle: what the `rx` pins of an input and the `tx` pins of an output are, but for credits.
//!
//! Source: switch reference, section 2.

use crate::units::prelude::*;

/// A flit.
#[bundle(shape: &Shape, valid: &'static str)]
pub struct LinkFlit<D: Side> {
    /// A flit is there.
    #[made(flag().doc(valid))]
    pub valid: Flag<D>,
    /// Virtual channel of the flit.
    pub vc: Sig<D, { shape.vc_bits as usize }>,
    /// The flit is the first of a packet.
    pub head: Flag<D>,
    /// The flit is the last of a packet.
    pub tail: Flag<D>,
    /// Bits of the flit.
    pub flit: Sig<D, { shape.flit_bits as usize }>,
    /// The packet of the flit has an error that was not corrected.
    pub bad: Option<Flag<D>, { shape.buffer_code.is_some() }>,
}
