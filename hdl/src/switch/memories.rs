//! The memories of a switch, counted on its units: those of one port stand for all ports with buffers as deep.

use crate::rtl::verilog::{stored, Stored};
use crate::units::input::input_unit::input_unit;
use crate::units::route::output_selection::output_selection;
use crate::units::route::route_computation::route_computation;
use crate::units::route::table_port::table_port;
use railyard_spec::Shape;
use std::collections::BTreeSet;

/// All memories of the switch of the given shape; each entry has the bits of all ports with buffers as deep.
pub fn memories(shape: &Shape) -> Vec<Stored> {
    let depths: BTreeSet<u32> = (0..shape.ports).map(|port| shape.depth_at(port)).collect();
    let mut list: Vec<Stored> = depths.into_iter().flat_map(|depth| of_ports(shape, depth)).collect();
    if let Some((routing, table)) = shape.table().zip(shape.forwarding_table()) {
        list.extend(stored(&table_port(shape, routing, table)));
    }
    list
}

/// Memories at the ports with buffers of that depth.
fn of_ports(shape: &Shape, depth: u32) -> Vec<Stored> {
    let mut ports = (0..shape.ports).filter(|&port| shape.depth_at(port) == depth);
    let first = &shape.at_port(ports.next().expect("some port has that depth"));
    let count = 1 + ports.count() as u64;
    let mut each = stored(&input_unit(first, false));
    each.extend(stored(&route_computation(first)));
    if shape.output_selection() {
        each.extend(stored(&output_selection(first)));
    }
    each.into_iter().map(|memory| Stored { bits: count * memory.bits, ..memory }).collect()
}
