//! Writes to the multicast group tables of all ports, as a bundle: from the registers to the input units.
//!
//! Source: switch reference, sections 5.2 and 9.

use crate::rtl::prelude::*;
use railyard_spec::{MulticastShape, Shape};

/// An entry that is written.
#[bundle]
pub struct GroupWrite<D: Side> {
    /// an entry of the group tables is written
    pub write: Flag<D>,
    /// that of this group
    pub group: Sig<D>,
    /// loopback, mask of outputs
    pub entry: Sig<D>,
    /// the group tables are being emptied
    pub sweeping: Flag<Opposite<D>>,
}

/// [`GroupWrite`] of a switch of the given shape, which has multicast built in.
pub fn group_write<D: Side>(shape: &Shape, built: &MulticastShape) -> GroupWrite<D> {
    GroupWrite { group: sig(built.group_bits as usize), entry: sig(shape.ports + 1), ..GroupWrite::plain() }
}
