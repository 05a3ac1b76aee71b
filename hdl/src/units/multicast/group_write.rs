//! Writes to the multicast group tables of all ports, as a bundle: from the registers to the input units.
//!
//! Source: switch reference, sections 5.2 and 9.

use crate::units::prelude::*;

/// An entry that is written.
#[bundle(shape: &Shape, built: &MulticastShape)]
pub struct GroupWrite<D: Side> {
    /// An entry of the group tables is written.
    pub write: Flag<D>,
    /// Group of the entry that is written.
    pub group: Sig<D, { built.group_bits as usize }>,
    /// Entry to write: loopback, mask of outputs.
    pub entry: Sig<D, { shape.ports + 1 }>,
    /// The group tables are being emptied.
    pub sweeping: Flag<Opposite<D>>,
}
