//! Table write: what the registers have for the forwarding table, as a bundle.
//!
//! Source: switch reference, section 4.7.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::{ForwardingTableShape, Shape};

/// What is written to the forwarding table.
#[bundle]
pub struct TableWrite<D: Side> {
    /// an entry is written in this cycle
    pub write: Flag<D>,
    /// in this way
    pub way: Sig<D>,
    /// this one
    pub index: Sig<D>,
    /// it gets address and route; otherwise it becomes empty
    pub valid: Flag<D>,
    /// its address
    pub address: Sig<D>,
    /// its route
    pub route: Sig<D>,
    /// the table is emptied, from the next cycle on
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
