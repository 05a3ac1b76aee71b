//! Table write: what the registers have for the forwarding table, as a bundle.
//!
//! Source: switch reference, section 4.7.

use crate::units::prelude::*;

/// What is written to the forwarding table.
#[bundle(shape: &Shape, table: &ForwardingTableShape)]
pub struct TableWrite<D: Side> {
    /// An entry is written in the current cycle.
    pub write: Flag<D>,
    /// Way of the entry.
    pub way: Sig<D, { way_bits(table) }>,
    /// Index of the entry.
    pub index: Sig<D, { table.index_bits as usize }>,
    /// The entry gets address and route; otherwise the entry becomes empty.
    pub valid: Flag<D>,
    /// Address for the entry.
    pub address: Sig<D, { shape.address_bits().expect("a table is asked by address") as usize }>,
    /// Route for the entry.
    pub route: Sig<D, { route_bits(shape) }>,
    /// The table is emptied, from the next cycle on.
    pub clear: Flag<D>,
}

/// Bits of a way's number.
pub fn way_bits(table: &ForwardingTableShape) -> usize {
    clog2(table.ways).max(1)
}
