//! Table write: what the registers have for the forwarding table, as a bundle, and its mirror image at the table.
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
use crate::units::route::route_bits;
use railyard_spec::{ForwardingTableShape, Shape};

/// From the registers; see the head of this file.
#[derive(LogicInterface)]
#[join = "TableWriteIn"]
pub struct TableWrite {
    pub write: Flag<Out>,
    pub way: Sig<Out>,
    pub index: Sig<Out>,
    pub valid: Flag<Out>,
    pub address: Sig<Out>,
    pub route: Sig<Out>,
    pub clear: Flag<Out>,
}

/// The same at the table.
#[derive(LogicInterface)]
#[join = "TableWrite"]
pub struct TableWriteIn {
    pub write: Flag<In>,
    pub way: Sig<In>,
    pub index: Sig<In>,
    pub valid: Flag<In>,
    pub address: Sig<In>,
    pub route: Sig<In>,
    pub clear: Flag<In>,
}

const WRITE: &str = "an entry is written in this cycle";
const WAY: &str = "in this way";
const INDEX: &str = "this one";
const VALID: &str = "it gets address and route; otherwise it becomes empty";
const ADDRESS: &str = "its address";
const ROUTE: &str = "its route";
const CLEAR: &str = "the table is emptied, from the next cycle on";

/// Bits of a way's number.
pub fn way_bits(table: &ForwardingTableShape) -> usize {
    clog2(table.ways).max(1)
}

/// A [`TableWrite`].
pub fn table_write(shape: &Shape, table: &ForwardingTableShape) -> TableWrite {
    TableWrite {
        write: flag().doc(WRITE),
        way: sig(way_bits(table)).doc(WAY),
        index: sig(table.index_bits as usize).doc(INDEX),
        valid: flag().doc(VALID),
        address: sig(address_bits(shape)).doc(ADDRESS),
        route: sig(route_bits(shape)).doc(ROUTE),
        clear: flag().doc(CLEAR),
    }
}

/// A [`TableWriteIn`].
pub fn table_write_in(shape: &Shape, table: &ForwardingTableShape) -> TableWriteIn {
    TableWriteIn {
        write: flag().doc(WRITE),
        way: sig(way_bits(table)).doc(WAY),
        index: sig(table.index_bits as usize).doc(INDEX),
        valid: flag().doc(VALID),
        address: sig(address_bits(shape)).doc(ADDRESS),
        route: sig(route_bits(shape)).doc(ROUTE),
        clear: flag().doc(CLEAR),
    }
}

fn address_bits(shape: &Shape) -> usize {
    shape.address_bits().expect("a table is asked by address") as usize
}
