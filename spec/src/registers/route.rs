//! Routes in registers: port map and default route.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::shape::Shape;

pub(super) fn map(shape: &Shape, key_bits: u32) -> Register {
    let mut fields = route(shape);
    fields.push(field(8, 1, "1: packets with this key go to that port; 0: they are dropped").named("valid"));
    fields.sort_by_key(|field| field.low);
    Register {
        name: "map",
        address: address::MAP,
        count: 1 << key_bits,
        access: Access::ReadWrite,
        fields,
        meaning: "port map: entry `key` is the output of the packets with that key",
    }
}

/// The fields of a route, as far as routes have them; bit 8 is left to the register.
pub(super) fn route(shape: &Shape) -> Vec<RegisterField> {
    let mut fields =
        vec![RegisterField { name: "port", legal: Legal::Below(shape.ports as u32), ..field(0, 8, "output port") }];
    if let Some(groups) = &shape.link_aggregation {
        fields.push(RegisterField {
            name: "group",
            legal: Legal::Below(groups.groups as u32),
            ..field(12, 4, "link aggregation group by which they leave, if `group_set`")
        });
    }
    if shape.next_vc {
        fields.extend([
            RegisterField {
                name: "vc",
                legal: Legal::Below(shape.vcs as u32),
                ..field(16, 4, "VC on which they leave, if `vc_set`")
            },
            field(24, 1, "1: they leave on `vc`; 0: on their own").named("vc_set"),
        ]);
    }
    if shape.link_aggregation.is_some() {
        fields.push(field(25, 1, "1: they leave by a link of `group`; 0: by `port`").named("group_set"));
    }
    if shape.candidates > 1 {
        fields.extend([
            RegisterField {
                name: "candidates",
                legal: Legal::Below(shape.candidates as u32),
                ..field(26, 2, "number of further candidate ports")
            },
            field(28, 1, "1: the address alone says which candidate").named("in_order"),
        ]);
    }
    fields
}

/// The further candidate ports of a route.
pub(super) fn candidates(shape: &Shape) -> Vec<RegisterField> {
    let names = ["candidate_1", "candidate_2", "candidate_3"];
    let one = |(i, name): (usize, &'static str)| RegisterField {
        name,
        legal: Legal::Below(shape.ports as u32),
        ..field(8 * i as u32, 8, "further candidate port")
    };
    names.into_iter().take(shape.candidates - 1).enumerate().map(one).collect()
}

/// Where packets go that have no other route.
pub(super) fn default_route(shape: &Shape) -> Vec<Register> {
    let meaning = "the route of addresses without one in forwarding table or CAM";
    let register =
        |name, address, fields| Register { name, address, count: 1, access: Access::ReadWrite, fields, meaning };
    let mut fields = route(shape);
    fields.push(field(8, 1, "1: there is a default route; 0: such packets are dropped").named("valid"));
    fields.sort_by_key(|field| field.low);
    let mut list = vec![register("default_route", address::DEFAULT_ROUTE, fields)];
    if shape.candidates > 1 {
        list.push(register("default_candidates", address::DEFAULT_CANDIDATES, candidates(shape)));
    }
    list
}
