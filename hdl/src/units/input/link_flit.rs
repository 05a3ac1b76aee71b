//! A flit on a link, as a bundle: what the `rx` pins of an input and the `tx` pins of an output are, but for credits.
//!
//! Source: switch reference, section 2.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// A flit.
#[bundle]
pub struct LinkFlit<D: Side> {
    /// A flit is there.
    pub valid: Flag<D>,
    /// Virtual channel of the flit.
    pub vc: Sig<D>,
    /// The flit is the first of a packet.
    pub head: Flag<D>,
    /// The flit is the last of a packet.
    pub tail: Flag<D>,
    /// Bits of the flit.
    pub flit: Sig<D>,
}

/// A [`LinkFlit`]; `valid` says what the flit does: it arrives, it leaves.
pub fn link_flit<D: Side>(shape: &Shape, valid: &'static str) -> LinkFlit<D> {
    LinkFlit {
        valid: flag().doc(valid),
        vc: sig(shape.vc_bits as usize),
        flit: sig(shape.flit_bits as usize),
        ..LinkFlit::plain()
    }
}
