//! Settings of Dragonfly routing: place, tables, legal virtual channels.

use super::{address, field, Access, Field, Legal, Register};
use crate::legal::{Letter, PacketClass};
use crate::shape::{DragonflyShape, Shape};

/// Lowest bits of the four cases in a mask's register.
const CASES: [(&str, u32); 4] = [("case_0", 0), ("case_1", 8), ("case_2", 16), ("case_3", 24)];

/// Ticks of patience after reset, in cycles.
const TICK: u32 = 24;

fn setting(name: &'static str, address: u32, count: u32, fields: Vec<Field>, meaning: &'static str) -> Register {
    Register { name, address, count, access: Access::ReadWrite, fields, meaning }
}

/// All of them, by address.
pub(super) fn dragonfly(shape: &Shape, built: &DragonflyShape) -> Vec<Register> {
    let digit = |name, low, bits, count: usize, meaning| Field {
        legal: Legal::Below(count as u32),
        ..field(low, bits, meaning).named(name)
    };
    let coordinate = vec![
        digit("router", 0, built.router_bits, built.routers(), "number of this switch in its group"),
        digit("group", 16, built.group_bits, built.groups, "number of its group"),
    ];
    let mut list = vec![setting("coordinate", address::COORDINATE, 1, coordinate, "this switch's place")];
    if built.flexible_vcs {
        list.extend(choice());
    }
    list.extend(masks(shape, built));
    let maps = [
        ("router_map", address::ROUTER_MAP, built.routers(), "entry r: the way to router r of this group"),
        ("node_map", address::NODE_MAP, built.node_ports, "entry n: the way to node n of this switch"),
        ("group_map", address::GROUP_MAP, built.groups, "entry g: the way to group g"),
    ];
    list.extend(maps.map(|(name, address, count, meaning)| {
        let mut entry = entry(shape);
        if name == "group_map" {
            let last = "1: the port is a global one that leads there, or leads to the router that has such a link";
            entry.push(field(9, 1, last).named("last"));
        }
        setting(name, address, count as u32, entry, meaning)
    }));
    list
}

/// How virtual channels are chosen, and when a packet asks for its escape only.
fn choice() -> [Register; 2] {
    let rules = "0 next, 1 most room, 2 highest with room, 3 lowest with room";
    let tick =
        "cycles of a tick; a packet that has waited for three ticks asks for its escape only; 0: there are no ticks";
    [
        setting(
            "vc_rule",
            address::VC_RULE,
            1,
            vec![field(0, 2, rules).named("rule")],
            "which legal VC a packet takes",
        ),
        setting(
            "patience",
            address::PATIENCE,
            1,
            vec![Field { reset: TICK, ..field(0, 8, tick).named("tick") }],
            "how long a packet waits before it asks for its escape only",
        ),
    ]
}

/// The legal VCs of each class of packets and links.
fn masks(shape: &Shape, built: &DragonflyShape) -> Vec<Register> {
    let places = [
        (PacketClass::Request, Letter::Local, "vc_mask_local", address::VC_MASK_LOCAL),
        (PacketClass::Request, Letter::Global, "vc_mask_global", address::VC_MASK_GLOBAL),
        (PacketClass::Reply, Letter::Local, "reply_vc_mask_local", address::REPLY_VC_MASK_LOCAL),
        (PacketClass::Reply, Letter::Global, "reply_vc_mask_global", address::REPLY_VC_MASK_GLOBAL),
    ];
    let reset = built.masks();
    let meanings = [
        "VCs of hops to the destination's router",
        "VCs of hops to the destination's group",
        "VCs of minimal hops to the router with the global link",
        "VCs of all other hops",
    ];
    let built_in = places.into_iter().filter(|(class, ..)| built.packet_classes().contains(class));
    let register = |(class, letter, name, address)| {
        let case = |(case, &(name, low)): (usize, &(&'static str, u32))| Field {
            reset: u32::from(reset.get(class, letter, case)),
            legal: Legal::Below(1 << built.reference().vcs(letter)),
            ..field(low, shape.vcs as u32, meanings[case]).named(name)
        };
        let meaning = match letter {
            Letter::Local => "legal VCs of local links, by case",
            Letter::Global => "legal VCs of global links, by case",
        };
        setting(name, address, 1, CASES.iter().enumerate().map(case).collect(), meaning)
    };
    built_in.map(register).collect()
}

/// An entry of a table.
fn entry(shape: &Shape) -> Vec<Field> {
    vec![
        Field { legal: Legal::Below(shape.ports as u32), ..field(0, 8, "output port").named("port") },
        field(8, 1, "1: there is a way; 0: packets are dropped").named("valid"),
    ]
}
