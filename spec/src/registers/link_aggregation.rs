//! Link aggregation groups and how links are selected.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::shape::{LinkAggregationShape, Shape};

/// How links are selected.
pub(super) fn link_selection() -> Register {
    let method = RegisterField {
        legal: Legal::OneOf(vec![0, 1, 2]),
        ..field(0, 2, "0 CRC of the destination, 1 its low bits (residue), 2 in turn").named("method")
    };
    Register {
        name: "link_selection",
        address: address::LINK_SELECTION,
        count: 1,
        access: Access::ReadWrite,
        fields: vec![method],
        meaning: "how packets are spread over the links of a group",
    }
}

/// How many links each group has.
pub(super) fn group(built: &LinkAggregationShape) -> Register {
    let bits = if built.links > 16 { 7 } else { 5 };
    let links = RegisterField {
        legal: Legal::Below(built.links as u32 + 1),
        ..field(0, bits, "links in use: the first so many; 0: packets for the group are dropped").named("links")
    };
    Register {
        name: "group",
        address: address::GROUP,
        count: built.groups as u32,
        access: Access::ReadWrite,
        fields: vec![links],
        meaning: "link aggregation group",
    }
}

pub(super) fn group_links(shape: &Shape, built: &LinkAggregationShape) -> Register {
    Register {
        name: "group_link",
        address: address::GROUP_LINK,
        count: (built.groups * built.links) as u32,
        access: Access::ReadWrite,
        fields: vec![RegisterField {
            legal: Legal::Below(shape.ports as u32),
            ..field(0, 8, "output port of this link").named("port")
        }],
        meaning: "links of the groups: link j of group g is number g L + j, L being the links that a group can have",
    }
}
