//! Event counters.

use super::{address, field, Access, Register};
use crate::shape::Shape;

/// Snapshot and restart of the counters.
pub(super) fn counter_control() -> Register {
    Register {
        name: "counters",
        address: address::COUNTERS,
        count: 1,
        access: Access::Command,
        fields: vec![
            field(0, 1, "1: the counter registers take the values of all counters, at one instant").named("snapshot"),
            field(1, 1, "1: all counters start again from 0; with `snapshot`, no event is lost in between")
                .named("clear"),
        ],
        meaning: "event counters",
    }
}

/// The counters that count something in this switch, as their last snapshot.
pub fn counters(shape: &Shape) -> Vec<Register> {
    let Some(bits) = shape.counter_bits else { return Vec::new() };
    let messages = shape.router_messages().is_some();
    let cached = shape.table().is_some_and(|t| t.cache.is_some());
    let (table, chip) = (shape.table().is_some(), shape.forwarding_table().is_some());
    let of_vcs = [
        (true, "rx_packets", "packets of this VC that came in at this port"),
        (true, "rx_flits", "flits of this VC stored at this port"),
        (true, "tx_packets", "packets that left by this port on this VC"),
        (true, "tx_flits", "flits that left by this port on this VC"),
        (true, "dropped_packets", "packets of this VC dropped at this port"),
        (true, "credit_stalls", "cycles in which the next packet of this VC waits for room in the next buffer"),
        (true, "output_stalls", "cycles in which it has room and waits for its output"),
        (table, "lookup_stalls", "cycles in which it waits for an answer of forwarding table or CAM"),
    ];
    let of_ports = [
        (table, "lookup_hits", "lookups answered by the routing cache"),
        (table, "lookup_misses", "lookups that were not"),
        (table, "merged_misses", "misses that joined one under way"),
        (cached, "cache_fills", "entries written into the cache"),
        (cached, "cache_evictions", "entries overwritten"),
        (
            shape.multicast.is_some(),
            "multicast_packets",
            "multicast packets that came in at this port and were sent on",
        ),
        (table, "outstanding_misses", "misses under way at that instant; not cleared"),
        (messages, "tx_messages", "router messages that left by this port"),
        (messages, "rx_messages", "router messages that were taken here"),
        (messages, "bad_messages", "router messages that were ignored: malformed, corrupt or of no kind"),
    ];
    let of_switch = [
        (chip, "table_hits", "lookups answered by the forwarding table on the chip"),
        (chip, "table_misses", "lookups that it had no answer to"),
        (shape.external_cam(), "cam_requests", "requests that the external CAM accepted"),
        (shape.external_cam(), "cam_stalls", "cycles in which a request waited for it"),
    ];
    let (ports, vcs) = (shape.ports as u32, shape.vcs as u32);
    let group = |list: &[(bool, &'static str, &'static str)], base: u32, room: u32, count, of: &'static str| {
        let one = |(i, &(built, name, meaning)): (usize, &(bool, &'static str, &'static str))| {
            built.then(|| Register {
                name,
                address: base + 4 * room * (i as u32),
                count,
                access: Access::ReadOnly,
                fields: vec![field(0, bits, of).named("count")],
                meaning,
            })
        };
        list.iter().enumerate().filter_map(one).collect::<Vec<_>>()
    };
    let mut list = group(
        &of_vcs,
        address::VC_COUNTERS,
        1024,
        ports * vcs,
        "count, at i = p k + v for port p and VC v, with k VCs a port",
    );
    list.extend(group(&of_ports, address::PORT_COUNTERS, 64, ports, "count, at i = p for port p"));
    list.extend(group(&of_switch, address::SWITCH_COUNTERS, 1, 1, "count"));
    list
}
