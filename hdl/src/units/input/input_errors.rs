//! The error flags of an input port, as a bundle: from the input unit to the pins `error_*`. All are sticky.
//!
//! | field | meaning |
//! | --- | --- |
//! | `vc` | a flit came on a VC that does not exist |
//! | `framing` | a head came inside a packet, or a flit outside one |
//! | `overflow` | a flit came without credit |
//! | `length` | a packet was over the maximum, or shorter than its header |
//!
//! Source: switch reference, section 8.

use crate::rtl::prelude::*;

/// Error flags; see the head of this file.
#[derive(LogicInterface)]
#[join = "InputErrorsEnd"]
pub struct InputErrors<D: Side> {
    pub vc: Flag<D>,
    pub framing: Flag<D>,
    pub overflow: Flag<D>,
    pub length: Flag<D>,
}
type InputErrorsEnd<D> = InputErrors<Opposite<D>>;

/// An [`InputErrors`].
pub fn input_errors<D: Side>() -> InputErrors<D> {
    InputErrors {
        vc: flag().doc("sticky: a flit came on a VC that does not exist"),
        framing: flag().doc("sticky: a head inside a packet, or a flit outside one"),
        overflow: flag().doc("sticky: a flit came without credit"),
        length: flag().doc("sticky: a packet over the maximum, or shorter than its header"),
    }
}
