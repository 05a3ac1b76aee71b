//! Barrier groups: settings, timers, state and faults.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::shape::{BarrierShape, Shape};

fn register(
    name: &'static str,
    address: u32,
    access: Access,
    fields: Vec<RegisterField>,
    meaning: &'static str,
) -> Register {
    Register { name, address, count: 1, access, fields, meaning }
}

/// A mask of ports, in one word or two. `low` and `high` are name and address.
fn mask(
    shape: &Shape,
    low: (&'static str, u32),
    high: (&'static str, u32),
    access: Access,
    meaning: &'static str,
) -> Vec<Register> {
    let ports = shape.ports as u32;
    let word = |(name, address), bits| {
        register(name, address, access, vec![field(0, bits, "bit i: port i of these 32").named("ports")], meaning)
    };
    let mut list = vec![word(low, ports.min(32))];
    if ports > 32 {
        list.push(word(high, ports - 32));
    }
    list
}

/// What all groups share.
pub(super) fn common(shape: &Shape, built: &BarrierShape) -> Vec<Register> {
    let timers = vec![
        RegisterField {
            reset: 64,
            ..field(0, 8, "ticks without acknowledgement after which an arrival is sent again; 0: never")
                .named("retransmit")
        },
        RegisterField {
            reset: 255,
            ..field(8, 8, "ticks without completion after which it is urged; 0: never").named("urge")
        },
        RegisterField { reset: 4, ..field(16, 4, "a tick is 2^scale cycles").named("scale") },
    ];
    let clear = vec![
        RegisterField {
            legal: Legal::Below(built.groups as u32),
            ..field(0, built.group_bits, "group whose faults are cleared").named("group")
        },
        field(16, 1, "1: also the faults of all ports").named("ports"),
    ];
    let mut list = vec![
        register(
            "barrier_timers",
            address::BARRIER_TIMERS,
            Access::ReadWrite,
            timers,
            "barrier: time-outs of all groups",
        ),
        register("barrier_clear", address::BARRIER_CLEAR, Access::Command, clear, "barrier: clears faults"),
    ];
    list.extend(mask(
        shape,
        ("barrier_corrupt_low", address::BARRIER_CORRUPT_LOW),
        ("barrier_corrupt_high", address::BARRIER_CORRUPT_HIGH),
        Access::ReadOnly,
        "barrier, sticky: a message came here with a wrong CRC, of no kind, or not as a packet of one flit",
    ));
    list.extend(mask(
        shape,
        ("barrier_no_group_low", address::BARRIER_NO_GROUP_LOW),
        ("barrier_no_group_high", address::BARRIER_NO_GROUP_HIGH),
        Access::ReadOnly,
        "barrier, sticky: a message came here for a group that is not built",
    ));
    list
}

/// The registers of each group.
pub(super) fn groups(shape: &Shape, built: &BarrierShape) -> Vec<Register> {
    let settings = vec![
        field(0, 1, "1: the group takes part").named("enable"),
        field(1, 1, "1: this switch is the root, which completes the barrier").named("root"),
        RegisterField {
            legal: Legal::Below(shape.ports as u32),
            ..field(8, shape.port_bits, "port toward the root, if this is not the root").named("parent")
        },
    ];
    let status = vec![
        field(0, 8, "number of the barrier under way, modulo 256").named("sequence"),
        field(8, 1, "all leaves have arrived, and the completion is awaited").named("waiting"),
        field(9, 1, "the parent has acknowledged the arrival").named("acknowledged"),
        field(
            16,
            1,
            "fault, while it lasts: enabled without leaves, or with the parent among them; the group is not active",
        )
        .named("misconfigured"),
        field(17, 1, "fault, sticky: a message came while the group was not active").named("inactive"),
        field(18, 1, "fault, sticky: a message came by a port from which it cannot come").named("port"),
        field(19, 1, "fault, sticky: a message came with a number that it cannot have").named("number"),
    ];
    let counts = vec![
        field(0, 16, "barriers completed, modulo 65,536").named("completed"),
        field(16, 8, "arrivals sent again, modulo 256").named("retransmissions"),
        field(24, 8, "urges sent, modulo 256").named("urges"),
    ];
    let mut list = mask(
        shape,
        ("barrier_leaves_low", address::BARRIER_LEAVES_LOW),
        ("barrier_leaves_high", address::BARRIER_LEAVES_HIGH),
        Access::ReadWrite,
        "barrier group: leaf ports, each with a node or a switch below it; a write starts the group anew",
    );
    list.push(register(
        "barrier_group",
        address::BARRIER_GROUP,
        Access::ReadWrite,
        settings,
        "barrier group: its place in the tree; a write starts the group anew",
    ));
    list.push(register(
        "barrier_status",
        address::BARRIER_STATUS,
        Access::ReadOnly,
        status,
        "barrier group: state and faults",
    ));
    list.extend(mask(
        shape,
        ("barrier_arrived_low", address::BARRIER_ARRIVED_LOW),
        ("barrier_arrived_high", address::BARRIER_ARRIVED_HIGH),
        Access::ReadOnly,
        "barrier group: leaf ports that have arrived at the barrier under way",
    ));
    list.push(register("barrier_counts", address::BARRIER_COUNTS, Access::ReadOnly, counts, "barrier group: counters"));
    list.into_iter().map(|register| Register { count: built.groups as u32, ..register }).collect()
}
