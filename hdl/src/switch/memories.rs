//! The memories of a switch, counted on its units: those of one port stand for those of all.

use crate::rtl::prelude::Block;
use crate::rtl::verilog::{stored, Stored};
use crate::units::input::input_unit::input_unit;
use crate::units::route::output_selection::output_selection;
use crate::units::route::route_computation::route_computation;
use crate::units::route::table_port::table_port;
use railyard_spec::Shape;

/// All memories of the switch of the given shape; each entry has the bits of all ports.
pub fn memories(shape: &Shape) -> Vec<Stored> {
    let ports = shape.ports as u64;
    let of_ports = |block: &dyn Block| {
        let each = stored(block).into_iter();
        each.map(|memory| Stored { bits: ports * memory.bits, ..memory }).collect::<Vec<_>>()
    };
    let mut list = of_ports(&input_unit(shape));
    list.extend(of_ports(&route_computation(shape)));
    if shape.output_selection() {
        list.extend(of_ports(&output_selection(shape)));
    }
    if let Some((routing, table)) = shape.table().zip(shape.forwarding_table()) {
        list.extend(stored(&table_port(shape, routing, table)));
    }
    list
}
