//! A flit on a link, as a bundle: what the `rx` pins of an input and the `tx` pins of an output are, but for credits.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `valid` | 1 | a flit is there |
//! | `vc` | VC bits | its virtual channel |
//! | `head`, `tail` | 1, 1 | it is the first, the last of a packet |
//! | `flit` | w | its bits |
//!
//! Source: switch reference, section 2.

use crate::rtl::prelude::*;
use railyard_spec::Shape;

/// A flit; see the head of this file.
#[derive(LogicInterface)]
#[join = "LinkFlitEnd"]
pub struct LinkFlit<D: Side> {
    pub valid: Flag<D>,
    pub vc: Sig<D>,
    pub head: Flag<D>,
    pub tail: Flag<D>,
    pub flit: Sig<D>,
}
type LinkFlitEnd<D> = LinkFlit<Opposite<D>>;

/// A [`LinkFlit`]; `valid` says what the flit does: it arrives, it leaves.
pub fn link_flit<D: Side>(shape: &Shape, valid: &'static str) -> LinkFlit<D> {
    LinkFlit {
        valid: flag().doc(valid),
        vc: sig(shape.vc_bits as usize).doc("its virtual channel"),
        head: flag().doc("it is the first of a packet"),
        tail: flag().doc("it is the last of a packet"),
        flit: sig(shape.flit_bits as usize).doc("its bits"),
    }
}
