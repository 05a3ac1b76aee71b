//! Wires between the APB decoder and a group of registers, as bundles; each has its mirror image at the decoder.
//!
//! | bundle | field | width | meaning |
//! | --- | --- | --- | --- |
//! | [`Access`] | `address`, `data` | APB address, 32 | what is on the pins: in the setup phase, the transfer |
//! | | `write` | 1 | access phase: the transfer set up in the cycle before is a legal write, and takes effect |
//! | [`Answer`] | `known` | 1 | setup phase: the group has a register of this address |
//! | | `fits` | 1 | and a write of `data` to it is legal |
//! | | `value` | 32 | what that register reads; zero if there is none |
//!
//! Source: switch reference, section 9.

use super::description::WORD;
use crate::rtl::prelude::*;
use railyard_spec::registers::APB_ADDRESS_BITS;

/// The transfer, as a group sees it; see the head of this file.
#[derive(LogicInterface)]
#[join = "AccessOut"]
pub struct Access {
    pub address: Sig<In>,
    pub data: Sig<In>,
    pub write: Flag<In>,
}

/// The same at the decoder.
#[derive(LogicInterface)]
#[join = "Access"]
pub struct AccessOut {
    pub address: Sig<Out>,
    pub data: Sig<Out>,
    pub write: Flag<Out>,
}

/// What a group says of it; see the head of this file.
#[derive(LogicInterface)]
#[join = "AnswerIn"]
pub struct Answer {
    pub known: Flag<Out>,
    pub fits: Flag<Out>,
    pub value: Sig<Out>,
}

/// The same at the decoder.
#[derive(LogicInterface)]
#[join = "Answer"]
pub struct AnswerIn {
    pub known: Flag<In>,
    pub fits: Flag<In>,
    pub value: Sig<In>,
}

const ADDRESS: &str = "address of the transfer";
const DATA: &str = "data to write";
const WRITE: &str = "the write set up in the cycle before takes effect";
const KNOWN: &str = "there is a register of this address here";
const FITS: &str = "and the data may be written to it";
const VALUE: &str = "what it reads; zero if it is not here";

/// An [`Access`].
pub fn access() -> Access {
    let address = sig(APB_ADDRESS_BITS as usize).doc(ADDRESS);
    Access { address, data: sig(WORD).doc(DATA), write: flag().doc(WRITE) }
}

/// An [`AccessOut`].
pub fn access_out() -> AccessOut {
    let address = sig(APB_ADDRESS_BITS as usize).doc(ADDRESS);
    AccessOut { address, data: sig(WORD).doc(DATA), write: flag().doc(WRITE) }
}

/// An [`Answer`].
pub fn answer() -> Answer {
    Answer { known: flag().doc(KNOWN), fits: flag().doc(FITS), value: sig(WORD).doc(VALUE) }
}

/// An [`AnswerIn`].
pub fn answer_in() -> AnswerIn {
    AnswerIn { known: flag().doc(KNOWN), fits: flag().doc(FITS), value: sig(WORD).doc(VALUE) }
}
