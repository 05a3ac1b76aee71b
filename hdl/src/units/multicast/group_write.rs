//! Writes to the multicast group tables of all ports, as a bundle: from the registers to the input units.
//!
//! Source: switch reference, sections 5.2 and 9.

use crate::rtl::prelude::*;
use railyard_spec::{MulticastShape, Shape};

/// An entry that is written.
#[bundle]
pub struct GroupWrite<D: Side> {
    /// An entry of the group tables is written.
    pub write: Flag<D>,
    /// Group of the entry that is written.
    pub group: Sig<D>,
    /// Entry to write: loopback, mask of outputs.
    pub entry: Sig<D>,
    /// The group tables are being emptied.
    pub sweeping: Flag<Opposite<D>>,
}

/// [`GroupWrite`] of a switch of the given shape, which has multicast built in.
pub fn group_write<D: Side>(shape: &Shape, built: &MulticastShape) -> GroupWrite<D> {
    GroupWrite { group: sig(built.group_bits as usize), entry: sig(shape.ports + 1), ..GroupWrite::plain() }
}
