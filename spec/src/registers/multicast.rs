//! The multicast group table.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::shape::{MulticastShape, Shape};

/// The entry that is written next, and the command that writes it.
pub(super) fn groups(shape: &Shape, built: &MulticastShape) -> Vec<Register> {
    let register =
        |name, address, access, fields, meaning| Register { name, address, count: 1, access, fields, meaning };
    let ports = shape.ports as u32;
    let meaning = "multicast: the outputs of the group that is written next";
    let mask = |name, address, bits| {
        register(
            name,
            address,
            Access::ReadWrite,
            vec![field(0, bits, "bit i: port i of these 32").named("ports")],
            meaning,
        )
    };
    let mut list = vec![mask("multicast_mask_low", address::MULTICAST_MASK_LOW, ports.min(32))];
    if ports > 32 {
        list.push(mask("multicast_mask_high", address::MULTICAST_MASK_HIGH, ports - 32));
    }
    let group = vec![
        RegisterField {
            legal: Legal::Below(built.groups as u32),
            ..field(0, built.group_bits, "group that gets these outputs").named("group")
        },
        field(16, 1, "1: also back by the port that a packet came by, if that is among them").named("loopback"),
    ];
    list.push(register(
        "multicast_write",
        address::MULTICAST_WRITE,
        Access::Command,
        group,
        "multicast: writes a group; illegal while the group table is being emptied",
    ));
    let sweeping =
        RegisterField { reset: 1, ..field(0, 1, "1: the group table is being emptied, after reset").named("sweeping") };
    list.push(register("multicast_status", address::MULTICAST_STATUS, Access::ReadOnly, vec![sweeping], "multicast"));
    list
}
