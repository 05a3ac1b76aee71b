//! APB pins, as a bundle: at the switch, at its registers, and at the decoder in them.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `psel`, `penable`, `pwrite` | 1 each | a transfer to these registers; its access phase; it writes |
//! | `paddr`, `pwdata` | APB address, 32 | byte address, data to write |
//! | `pready` | 1 | always 1, no transfer waits (to the master, as the rest) |
//! | `prdata` | 32 | data read |
//! | `pslverr` | 1 | the access is illegal and changes nothing |
//!
//! Source: switch reference, section 9.

use super::description::WORD;
use crate::rtl::*;
use railyard_spec::registers::APB_ADDRESS_BITS;
use rust_hdl_core::prelude::*;

/// The pins; see the head of this file.
#[derive(LogicInterface)]
#[join = "ApbPinsEnd"]
pub struct ApbPins<D: Side> {
    pub psel: Flag<D>,
    pub penable: Flag<D>,
    pub pwrite: Flag<D>,
    pub paddr: Sig<D>,
    pub pwdata: Sig<D>,
    pub pready: Flag<Opposite<D>>,
    pub prdata: Sig<Opposite<D>>,
    pub pslverr: Flag<Opposite<D>>,
}
type ApbPinsEnd<D> = ApbPins<Opposite<D>>;

/// [`ApbPins`].
pub fn apb_pins<D: Side>() -> ApbPins<D> {
    ApbPins {
        psel: flag().doc("APB: a transfer to these registers"),
        penable: flag().doc("APB: its access phase"),
        pwrite: flag().doc("APB: it writes"),
        paddr: sig(APB_ADDRESS_BITS as usize).doc("APB: byte address"),
        pwdata: sig(WORD).doc("APB: data to write"),
        pready: flag().doc("APB: always 1"),
        prdata: sig(WORD).doc("APB: data read"),
        pslverr: flag().doc("APB: the access is illegal"),
    }
}
