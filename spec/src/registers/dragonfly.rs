//! Settings of Dragonfly routing: place, tables, legal virtual channels.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::config::Via;
use crate::legal::{Letter, PacketClass};
use crate::shape::{DragonflyShape, Shape};

/// Lowest bits of the four cases in a mask's register.
const CASES: [(&str, u32); 4] = [("case_0", 0), ("case_1", 8), ("case_2", 16), ("case_3", 24)];

/// Ticks of patience after reset, in cycles.
const TICK: u32 = 24;

fn setting(
    name: &'static str,
    address: u32,
    count: u32,
    fields: Vec<RegisterField>,
    meaning: &'static str,
) -> Register {
    Register { name, address, count, access: Access::ReadWrite, fields, meaning }
}

/// All of them, by address.
pub(super) fn dragonfly(shape: &Shape, built: &DragonflyShape) -> Vec<Register> {
    let digit = |name, low, bits, count: usize, meaning| RegisterField {
        legal: Legal::Below(count as u32),
        ..field(low, bits, meaning).named(name)
    };
    let coordinate = vec![
        digit("router", 0, built.router_bits, built.routers(), "number of this switch in its group"),
        digit("group", 16, built.group_bits, built.groups, "number of its group"),
    ];
    let mut list = vec![setting("coordinate", address::COORDINATE, 1, coordinate, "this switch's place")];
    if built.flexible_vcs {
        list.push(vc_rule(built));
    }
    if built.flexible_vcs || built.adaptive() {
        list.push(patience());
    }
    if built.adaptive() {
        list.extend(misrouting(shape, built));
    }
    list.extend(masks(shape, built));
    if built.in_transit {
        list.extend(detours(shape, built));
    }
    if built.transit_first {
        list.push(arbitration());
    }
    list.extend(built.ectn.then(ectn));
    list.extend(built.saturation.then(|| saturation(shape)));
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
            if built.saturation {
                let link = "number of the global link that leads there, among those of its switch";
                entry.push(digit("link", 16, built.link_bits(), built.global_ports, link));
            }
        }
        setting(name, address, count as u32, entry, meaning)
    }));
    if built.age_bits.is_some() {
        let before_group_map = list.len() - 1;
        list.insert(before_group_map, link_delay(shape));
    }
    list
}

/// Which packets go first.
fn arbitration() -> Register {
    let first = field(0, 1, "1: packets from other switches go before those from nodes").named("transit_first");
    setting("arbitration", address::ARBITRATION, 1, vec![first], "which packets get an output first")
}

/// Counts of packets for groups.
fn ectn() -> Register {
    let period = "cycles from one round of messages to the next, or as many more as a round under way takes";
    let fields = vec![
        RegisterField { reset: 10, ..field(0, 9, "packets for a group, with trigger 4").named("threshold") },
        RegisterField { reset: 100, ..field(16, 16, period).named("period") },
    ];
    setting("ectn", address::ECTN, 1, fields, "counts of packets for groups")
}

/// When a global link is saturated, and how often that is told.
fn saturation(shape: &Shape) -> Register {
    let offset = (5 * shape.max_flits).min(1023);
    let factor = "factor of the mean of all global links, in quarters";
    let fields = vec![
        RegisterField { reset: 8, ..field(0, 4, factor).named("factor") },
        RegisterField { reset: offset, ..field(8, 10, "places").named("offset") },
        RegisterField { reset: 7, ..field(24, 8, "least cycles between two messages").named("gap") },
    ];
    setting("saturation", address::SATURATION, 1, fields, "PiggyBack: how much longer the queue of a saturated link is")
}

/// How much older packets get on links.
fn link_delay(shape: &Shape) -> Register {
    let cycles = "cycles from the pop of a flit to the next switch's pins; 1: a link without stages";
    let cycles = RegisterField { reset: 1, ..field(0, 8, cycles).named("cycles") };
    setting(
        "link_delay",
        address::LINK_DELAY,
        shape.ports as u32,
        vec![cycles],
        "entry p: by how much packets age on the link of port p",
    )
}

/// How virtual channels are chosen.
fn vc_rule(built: &DragonflyShape) -> Register {
    let rule = if built.random_vcs {
        let rules = "0 next, 1 most room, 2 highest with room, 3 lowest with room, 4 random with room";
        RegisterField { legal: Legal::Below(5), ..field(0, 3, rules) }
    } else {
        field(0, 2, "0 next, 1 most room, 2 highest with room, 3 lowest with room")
    };
    setting("vc_rule", address::VC_RULE, 1, vec![rule.named("rule")], "which legal VC a packet takes")
}

/// When a packet requests its escape only.
fn patience() -> Register {
    let tick =
        "cycles of a tick; a packet that has waited for three ticks requests its escape only; 0: there are no ticks";
    let tick = vec![RegisterField { reset: TICK, ..field(0, 8, tick).named("tick") }];
    setting("patience", address::PATIENCE, 1, tick, "how long a packet waits before it requests its escape only")
}

/// Which ways other than the minimal one are chosen, and the draws for them.
fn misrouting(shape: &Shape, built: &DragonflyShape) -> Vec<Register> {
    let (valiant, in_transit) = (built.valiant.is_some(), built.in_transit);
    let modes = [(true, 0), (valiant, 1), (valiant, 2), (in_transit, 3), (built.saturation, 4)];
    let modes = modes.into_iter().filter(|(built, _)| *built).map(|(_, mode)| mode).collect();
    let mode = match built.saturation {
        false => field(0, 2, "0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit; those built in"),
        true => field(0, 3, "0 minimal, 1 Valiant, 2 UGAL-L, 3 in transit, 4 PiggyBack; those built in"),
    };
    let mut fields = vec![RegisterField { legal: Legal::OneOf(modes), ..mode.named("mode") }];
    if in_transit {
        let policy = "in transit: 0 links of this switch (CRG), 1 of other switches (NRG), 2 any (RRG), 3 mixed (MM)";
        fields.push(RegisterField { reset: 3, ..field(4, 2, policy).named("policy") });
        fields
            .push(field(8, 1, "in transit: 1: local detours in groups other than the source's").named("local_detour"));
    }
    if built.contention {
        fields.push(trigger(built).named("trigger"));
    }
    if built.min_credits {
        let sense =
            "places in use at the minimal port: 0 of all packets, 1 of those that have left their minimal way nowhere";
        fields.push(field(16, 1, sense).named("sense"));
    }
    let (groups, routers) = (built.groups as u32, built.routers() as u32);
    let mut list = vec![setting("misrouting", address::MISROUTING, 1, fields, "which other ways packets take")];
    if valiant {
        let mut size = vec![RegisterField {
            reset: groups,
            legal: Legal::Below(groups + 1),
            ..field(0, 9, "groups").named("groups")
        }];
        if built.valiant == Some(Via::Router) {
            size.push(RegisterField {
                reset: routers,
                legal: Legal::Below(routers + 1),
                ..field(16, 6, "switches of a group").named("routers")
            });
        }
        list.push(setting("network_size", address::NETWORK_SIZE, 1, size, "among what vias are drawn"));
    }
    list.push(setting(
        "seed",
        address::SEED,
        1,
        vec![field(0, 32, "another one for each switch")],
        "seed of all draws",
    ));
    if in_transit {
        let share = RegisterField {
            reset: (256 * (routers - 1) + routers / 2) / routers,
            ..field(0, 9, "of 256 draws so many are local").named("share")
        };
        list.push(setting("local_share", address::LOCAL_SHARE, 1, vec![share], "policy RRG"));
    }
    if valiant {
        let ugal = vec![
            RegisterField { reset: 8, ..field(0, 4, "factor, in quarters").named("factor") },
            RegisterField { reset: shape.max_flits, ..field(8, 10, "places").named("offset") },
        ];
        list.push(setting("ugal", address::UGAL, 1, ugal, "UGAL-L: how much longer the minimal queue may be"));
    }
    list
}

/// What makes packets leave their minimal way in transit.
fn trigger(built: &DragonflyShape) -> RegisterField {
    let (bits, legal, meaning) = match (built.filter, built.ectn) {
        (false, false) => (2, Legal::Below(3), "in transit: 0 credits, 1 contention, 2 both (hybrid)"),
        (true, false) => (2, Legal::Any, "in transit: 0 credits, 1 contention, 2 both (hybrid), 3 filtered contention"),
        (false, true) => {
            (3, Legal::OneOf(vec![0, 1, 2, 4]), "in transit: 0 credits, 1 contention, 2 both (hybrid), 4 ECtN")
        }
        (true, true) => {
            (3, Legal::Below(5), "in transit: 0 credits, 1 contention, 2 both (hybrid), 3 filtered contention, 4 ECtN")
        }
    };
    RegisterField { legal, ..field(12, bits, meaning) }
}

/// What detours in transit depend on.
fn detours(shape: &Shape, built: &DragonflyShape) -> Vec<Register> {
    let credits = vec![
        field(0, 12, "least number of places in use at the minimal port").named("least"),
        RegisterField { reset: 128, ..field(16, 8, "share of them at the detour, in 128ths").named("share") },
    ];
    let mut list = vec![setting("credit_trigger", address::CREDIT_TRIGGER, 1, credits, "in transit, by credits")];
    if built.contention {
        let packets = match (built.filter, built.ectn) {
            (false, false) => "packets for a port, with trigger 1",
            (true, false) => "packets for a port, with trigger 1 or 3",
            (false, true) => "packets for a port, with trigger 1 or 4",
            (true, true) => "packets for a port, with trigger 1, 3 or 4",
        };
        let mut thresholds = vec![
            RegisterField { reset: 6, ..field(0, 7, packets).named("threshold") },
            RegisterField { reset: 8, ..field(8, 7, "the same, with trigger 2").named("hybrid") },
        ];
        if built.filter {
            let shift = "filter: of a change, one part in 2^shift counts in each cycle";
            thresholds.push(RegisterField { reset: 1, ..field(16, 3, shift).named("shift") });
        }
        list.push(setting("contention", address::CONTENTION, 1, thresholds, "in transit, by contention counters"));
    }
    let switches = u64::MAX << built.node_ports & (u64::MAX >> (64 - shape.ports));
    let words = [("detour_ports_low", address::DETOUR_PORTS_LOW), ("detour_ports_high", address::DETOUR_PORTS_HIGH)];
    for (word, (name, address)) in words.into_iter().enumerate().take(shape.ports.div_ceil(32)) {
        let low = 32 * word;
        let ports = RegisterField {
            reset: (switches >> low) as u32,
            ..field(0, (shape.ports - low).min(32) as u32, "bit i: port i of these 32").named("ports")
        };
        list.push(setting(name, address, 1, vec![ports], "ports that detours may take"));
    }
    list
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
        let case = |(case, &(name, low)): (usize, &(&'static str, u32))| RegisterField {
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
fn entry(shape: &Shape) -> Vec<RegisterField> {
    vec![
        RegisterField { legal: Legal::Below(shape.ports as u32), ..field(0, 8, "output port").named("port") },
        field(8, 1, "1: there is a way; 0: packets are dropped").named("valid"),
    ]
}
