//! Table write: what the registers have for the forwarding table, as a bundle.
//!
//! | field | width | meaning |
//! | --- | --- | --- |
//! | `write` | 1 | an entry is written in this cycle |
//! | `way`, `index` | way bits, index bits | this one |
//! | `valid` | 1 | 1: it gets address and route; 0: it becomes empty |
//! | `address`, `route` | A, route bits | these |
//! | `clear` | 1 | the table is emptied, from the next cycle on |
//!
//! Source: switch reference, section 4.7.

use crate::rtl::prelude::*;
use crate::units::route::layout::route_bits;
use railyard_spec::{ForwardingTableShape, Shape};

/// A write; see the head of this file.
#[derive(LogicInterface)]
#[join = "TableWriteEnd"]
pub struct TableWrite<D: Side> {
    pub write: Flag<D>,
    pub way: Sig<D>,
    pub index: Sig<D>,
    pub valid: Flag<D>,
    pub address: Sig<D>,
    pub route: Sig<D>,
    pub clear: Flag<D>,
}
type TableWriteEnd<D> = TableWrite<Opposite<D>>;

/// Bits of a way's number.
pub fn way_bits(table: &ForwardingTableShape) -> usize {
    clog2(table.ways).max(1)
}

/// A [`TableWrite`].
pub fn table_write<D: Side>(shape: &Shape, table: &ForwardingTableShape) -> TableWrite<D> {
    let address_bits = shape.address_bits().expect("a table is asked by address") as usize;
    TableWrite {
        write: flag().doc("an entry is written in this cycle"),
        way: sig(way_bits(table)).doc("in this way"),
        index: sig(table.index_bits as usize).doc("this one"),
        valid: flag().doc("it gets address and route; otherwise it becomes empty"),
        address: sig(address_bits).doc("its address"),
        route: sig(route_bits(shape)).doc("its route"),
        clear: flag().doc("the table is emptied, from the next cycle on"),
    }
}
