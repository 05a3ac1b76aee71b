//! Table write: what the registers have for the forwarding table, as a bundle.
//!
//! Source: switch reference, section 4.7.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::{ForwardingTableShape, Shape};

/// What is written to the forwarding table.
#[bundle]
pub struct TableWrite<D: Side> {
    /// An entry is written in the current cycle.
    pub write: Flag<D>,
    /// Way of the entry.
    pub way: Sig<D>,
    /// Index of the entry.
    pub index: Sig<D>,
    /// The entry gets address and route; otherwise the entry becomes empty.
    pub valid: Flag<D>,
    /// Address for the entry.
    pub address: Sig<D>,
    /// Route for the entry.
    pub route: Sig<D>,
    /// The table is emptied, from the next cycle on.
    pub clear: Flag<D>,
}

/// Bits of a way's number.
pub fn way_bits(table: &ForwardingTableShape) -> usize {
    clog2(table.ways).max(1)
}

/// A [`TableWrite`].
pub fn table_write<D: Side>(shape: &Shape, table: &ForwardingTableShape) -> TableWrite<D> {
    let address_bits = shape.address_bits().expect("a table is asked by address") as usize;
    TableWrite {
        way: sig(way_bits(table)),
        index: sig(table.index_bits as usize),
        address: sig(address_bits),
        route: sig(route_bits(shape)),
        ..TableWrite::plain()
    }
}
