//! APB pins, as a bundle: at the switch, at its registers, and at the decoder in them.
//!
//! Source: switch reference, section 9.

use crate::units::prelude::*;

/// The pins. `pready`, `prdata` and `pslverr` lead to the master.
#[bundle]
pub struct ApbPins<D: Side> {
    /// APB: a transfer is addressed to these registers.
    pub psel: Flag<D>,
    /// APB: the transfer is in its access phase.
    pub penable: Flag<D>,
    /// APB: the transfer writes.
    pub pwrite: Flag<D>,
    /// APB: byte address.
    pub paddr: Sig<D, { APB_ADDRESS_BITS as usize }>,
    /// APB: data to write.
    pub pwdata: Sig<D, WORD>,
    /// APB: always 1.
    pub pready: Flag<Opposite<D>>,
    /// APB: data read.
    pub prdata: Sig<Opposite<D>, WORD>,
    /// APB: the access is illegal.
    pub pslverr: Flag<Opposite<D>>,
}
