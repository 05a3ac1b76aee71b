//! Programming of the forwarding table on the chip.

use super::route::{candidates, route};
use super::{address, field, Access, Legal, Register, RegisterField};
use crate::shape::{ForwardingTableShape, Shape};

/// The forwarding table: an entry is laid out in registers, and then written as a whole.
pub(super) fn forwarding_table(shape: &Shape, table: &ForwardingTableShape, address_bits: u32) -> Vec<Register> {
    let register =
        |name, address, access, fields, meaning| Register { name, address, count: 1, access, fields, meaning };
    let setting = |name, address, fields| {
        register(name, address, Access::ReadWrite, fields, "forwarding table: the entry that is written next")
    };
    let low = vec![field(0, address_bits.min(32), "bits 31..0")];
    let mut list = vec![setting("table_address_low", address::TABLE_ADDRESS_LOW, low)];
    if address_bits > 32 {
        let high = vec![field(0, address_bits - 32, "bits from 32 on")];
        list.push(setting("table_address_high", address::TABLE_ADDRESS_HIGH, high));
    }
    list.push(setting("table_route", address::TABLE_ROUTE, route(shape)));
    if shape.candidates > 1 {
        list.push(setting("table_candidates", address::TABLE_CANDIDATES, candidates(shape)));
    }
    let place = vec![
        RegisterField { legal: Legal::Below(table.sets as u32), ..field(0, 16, "entry of that way").named("index") },
        RegisterField { legal: Legal::Below(table.ways as u32), ..field(16, 3, "way").named("way") },
        field(24, 1, "1: the entry is that of the registers above; 0: it is empty").named("valid"),
    ];
    list.extend([
        register(
            "table_write",
            address::TABLE_WRITE,
            Access::Command,
            place,
            "forwarding table: writes an entry; illegal while the table is being emptied",
        ),
        register(
            "table_clear",
            address::TABLE_CLEAR,
            Access::Command,
            vec![field(0, 1, "1: empties the table").named("start")],
            "forwarding table",
        ),
        register(
            "table_status",
            address::TABLE_STATUS,
            Access::ReadOnly,
            vec![RegisterField {
                reset: 1,
                ..field(0, 1, "1: the table is being emptied, after reset or `table_clear`").named("sweeping")
            }],
            "forwarding table",
        ),
    ]);
    list
}
