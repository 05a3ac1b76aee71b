//! Wires between the APB decoder and a group of registers, as bundles.
//!
//! | bundle | field | width | meaning |
//! | --- | --- | --- | --- |
//! | [`Transfer`] | `address`, `data` | APB address, 32 | what is on the pins: in the setup phase, the transfer |
//! | | `write` | 1 | access phase: the transfer set up in the cycle before is a legal write, and takes effect |
//! | [`Reply`] | `known` | 1 | setup phase: the group has a register of this address |
//! | | `fits` | 1 | and a write of `data` to it is legal |
//! | | `value` | 32 | what that register reads; zero if there is none |
//!
//! Source: switch reference, section 9.

use super::description::WORD;
use crate::rtl::*;
use railyard_spec::registers::APB_ADDRESS_BITS;
use rust_hdl_core::prelude::*;

/// The transfer; see the head of this file.
#[derive(LogicInterface)]
#[join = "TransferEnd"]
pub struct Transfer<D: Side> {
    pub address: Sig<D>,
    pub data: Sig<D>,
    pub write: Flag<D>,
}
type TransferEnd<D> = Transfer<Opposite<D>>;

/// The transfer, as a group sees it.
pub type Access = Transfer<In>;

/// What a group says of it; see the head of this file.
#[derive(LogicInterface)]
#[join = "ReplyEnd"]
pub struct Reply<D: Side> {
    pub known: Flag<D>,
    pub fits: Flag<D>,
    pub value: Sig<D>,
}
type ReplyEnd<D> = Reply<Opposite<D>>;

/// What a group says, at the group.
pub type Answer = Reply<Out>;

/// A [`Transfer`].
pub fn access<D: Side>() -> Transfer<D> {
    Transfer {
        address: sig(APB_ADDRESS_BITS as usize).doc("address of the transfer"),
        data: sig(WORD).doc("data to write"),
        write: flag().doc("the write set up in the cycle before takes effect"),
    }
}

/// A [`Reply`].
pub fn answer<D: Side>() -> Reply<D> {
    Reply {
        known: flag().doc("there is a register of this address here"),
        fits: flag().doc("and the data may be written to it"),
        value: sig(WORD).doc("what it reads; zero if it is not here"),
    }
}
