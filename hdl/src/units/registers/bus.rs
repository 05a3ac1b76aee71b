//! Wires between the APB decoder and a group of registers, as bundles.
//!
//! Source: switch reference, section 9.

use crate::units::prelude::*;

/// What is on the pins: in the setup phase, the transfer. In the access phase of a legal write it takes effect.
#[bundle]
pub struct Transfer<D: Side> {
    /// Address of the transfer.
    pub address: Sig<D, { APB_ADDRESS_BITS as usize }>,
    /// Data to write.
    pub data: Sig<D, WORD>,
    /// The write set up in the cycle before takes effect.
    pub write: Flag<D>,
}

/// The transfer, as a group sees it.
pub type BusTransfer = Transfer<In>;

/// What a group says in the setup phase.
#[bundle]
pub struct Reply<D: Side> {
    /// The group has a register of the address.
    pub known: Flag<D>,
    /// The data may be written to the register.
    pub fits: Flag<D>,
    /// Value that the register reads; zero if the register is not in the group.
    pub value: Sig<D, WORD>,
}

/// What a group says, at the group.
pub type Answer = Reply<Out>;
