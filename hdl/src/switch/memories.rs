//! The memories of a switch, counted on its units: those of one port stand for all ports with buffers alike.

use crate::rtl::verilog::{stored, Stored};
use crate::units::input::input_unit::input_unit;
use crate::units::route::output_selection::output_selection;
use crate::units::route::route_computation::route_computation;
use crate::units::route::table_port::table_port;
use railyard_spec::Shape;
use std::collections::BTreeSet;

/// All memories of the switch of the given shape; each entry has the bits of all ports with buffers alike.
pub fn memories(shape: &Shape) -> Vec<Stored> {
    let buffers: BTreeSet<(u32, usize)> = (0..shape.ports).map(|port| buffers_at(shape, port)).collect();
    let mut list: Vec<Stored> = buffers.into_iter().flat_map(|alike| of_ports(shape, alike)).collect();
    if let Some((routing, table)) = shape.table().zip(shape.forwarding_table()) {
        list.extend(stored(&table_port(shape, routing, table)));
    }
    list
}

/// Depth and number of the buffers at a port.
fn buffers_at(shape: &Shape, port: usize) -> (u32, usize) {
    (shape.depth_at(port), shape.vcs_at(port))
}

/// Memories at the ports with such buffers.
fn of_ports(shape: &Shape, alike: (u32, usize)) -> Vec<Stored> {
    let mut ports = (0..shape.ports).filter(|&port| buffers_at(shape, port) == alike);
    let first = &shape.at_port(ports.next().expect("some port has such buffers"));
    let count = 1 + ports.count() as u64;
    let mut each = stored(&input_unit(first, false));
    each.extend(stored(&route_computation(first)));
    if shape.output_selection() {
        each.extend(stored(&output_selection(first)));
    }
    each.into_iter().map(|memory| Stored { bits: count * memory.bits, ..memory }).collect()
}
