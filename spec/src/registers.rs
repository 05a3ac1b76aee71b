//! The run-time registers: the one description that hardware, golden model, test bench and documents share.
//!
//! Registers are 32-bit words on an APB port (pins `apb_*`), at byte addresses that are multiples of 4. A switch without
//! anything to set has no registers and no port. What each setting does: switch reference in `docs/`.

use crate::config::Topology;
use crate::shape::{LinkAggregationShape, ReductionShape, Shape};
use serde::Serialize;

/// Width of a byte address.
pub const APB_ADDRESS_BITS: u32 = 12;

/// What the ID register reads: "RYLD".
pub const ID: u32 = 0x5259_4C44;

/// Byte addresses.
pub mod address {
    pub const ID: u32 = 0x000;
    pub const SHAPE: u32 = 0x004;
    pub const REDUCTION: u32 = 0x010;
    pub const COORDINATE_LOW: u32 = 0x014;
    pub const COORDINATE_HIGH: u32 = 0x018;
    pub const BOUND_LOW: u32 = 0x01C;
    pub const BOUND_HIGH: u32 = 0x020;
    pub const WRAP: u32 = 0x024;
    pub const CACHE: u32 = 0x030;
    pub const FLUSH: u32 = 0x034;
    pub const CACHE_STATUS: u32 = 0x038;
    pub const LINK_SELECTION: u32 = 0x040;
    /// Group g is at `GROUP + 4 * g`.
    pub const GROUP: u32 = 0x080;
    /// Entry `key` is at `MAP + 4 * key`.
    pub const MAP: u32 = 0x400;
    /// Link j of group g is at `GROUP_LINK + 4 * (g * L + j)`.
    pub const GROUP_LINK: u32 = 0x800;
}

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reads only; a write is an illegal access.
    ReadOnly,
    /// Reads what was written last.
    ReadWrite,
    /// A write of 1 acts once; reads 0.
    Command,
}

/// The values that a field takes; anything else makes the whole access illegal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Legal {
    /// All that fit.
    Any,
    /// Those listed, ascending.
    OneOf(Vec<u32>),
    /// 0 to one less than this.
    Below(u32),
    /// 0 to one less than the number of chunks of an address, for the chunk width in the same access.
    BelowChunks,
}

/// A field of a register. Bits of no field read 0 and must be written 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Width in bits.
    pub bits: u32,
    /// Value after reset.
    pub reset: u32,
    /// Legal values.
    pub legal: Legal,
    /// Meaning.
    pub meaning: &'static str,
}

/// A register, or an array of equal ones at consecutive words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Name.
    pub name: &'static str,
    /// Byte address (of the first).
    pub address: u32,
    /// Words: 1, or the entries of an array.
    pub count: u32,
    /// Access.
    pub access: Access,
    /// Fields, from the lowest bit.
    pub fields: Vec<Field>,
    /// Meaning.
    pub meaning: &'static str,
}

/// How [`Topology`] is written in a register; 0 is none.
pub fn topology_code(topology: Topology) -> u32 {
    match topology {
        Topology::Cube => 1,
        Topology::FatTree => 2,
        Topology::Dragonfly => 3,
    }
}

/// All registers of a switch by address; none if it has nothing to set.
pub fn registers(shape: &Shape) -> Vec<Register> {
    let settings = shape.reduction().is_some() || shape.cache_control() || shape.link_aggregation.is_some();
    if !shape.registers || !settings {
        return Vec::new();
    }
    let mut list = identity(shape);
    if let (Some(built), Some(address_bits)) = (shape.reduction(), shape.address_bits()) {
        list.extend(reduction(built, address_bits, shape.algorithmic().is_some()));
    }
    if shape.cache_control() {
        list.extend(cache_control());
    }
    if let Some(groups) = &shape.link_aggregation {
        list.extend(link_selection(groups));
    }
    if let Some(algorithmic) = shape.algorithmic() {
        list.push(map(shape, algorithmic.reduction.key_bits));
    }
    if let Some(groups) = &shape.link_aggregation {
        list.push(group_links(shape, groups));
    }
    list
}

/// How links are selected, and how many each group has.
fn link_selection(built: &LinkAggregationShape) -> [Register; 2] {
    let register = |name, address, count, field, meaning| Register {
        name,
        address,
        count,
        access: Access::ReadWrite,
        fields: vec![field],
        meaning,
    };
    [
        register(
            "link_selection",
            address::LINK_SELECTION,
            1,
            Field {
                legal: Legal::OneOf(vec![0, 1, 2]),
                ..field(0, 2, "0 CRC of the destination, 1 its low bits (residue), 2 in turn").named("method")
            },
            "how packets are spread over the links of a group",
        ),
        register(
            "group",
            address::GROUP,
            built.groups as u32,
            Field {
                legal: Legal::Below(built.links as u32 + 1),
                ..field(0, 5, "links in use: the first so many; 0: packets for the group are dropped").named("links")
            },
            "link aggregation group",
        ),
    ]
}

fn group_links(shape: &Shape, built: &LinkAggregationShape) -> Register {
    Register {
        name: "group_link",
        address: address::GROUP_LINK,
        count: (built.groups * built.links) as u32,
        access: Access::ReadWrite,
        fields: vec![Field {
            legal: Legal::Below(shape.ports as u32),
            ..field(0, 8, "output port of this link").named("port")
        }],
        meaning: "links of the groups: link j of group g is number g L + j, L being the links that a group can have",
    }
}

fn map(shape: &Shape, key_bits: u32) -> Register {
    let mut fields = vec![
        Field { name: "port", legal: Legal::Below(shape.ports as u32), ..field(0, 8, "output port") },
        field(8, 1, "1: packets with this key go to that port; 0: they are dropped").named("valid"),
    ];
    if shape.next_vc {
        fields.extend([
            Field {
                name: "vc",
                legal: Legal::Below(shape.vcs as u32),
                ..field(16, 3, "VC on which they leave, if `vc_set`")
            },
            field(24, 1, "1: they leave on `vc`; 0: on their own").named("vc_set"),
        ]);
    }
    if let Some(groups) = &shape.link_aggregation {
        fields.extend([
            Field {
                name: "group",
                legal: Legal::Below(groups.groups as u32),
                ..field(12, 4, "link aggregation group by which they leave, if `group_set`")
            },
            field(25, 1, "1: they leave by a link of `group`; 0: by `port`").named("group_set"),
        ]);
    }
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

/// Settings of the routing caches.
fn cache_control() -> [Register; 3] {
    let register = |name, address, access, field, meaning| Register {
        name,
        address,
        count: 1,
        access,
        fields: vec![field],
        meaning,
    };
    [
        register(
            "cache",
            address::CACHE,
            Access::ReadWrite,
            Field {
                name: "enable",
                reset: 1,
                ..field(0, 1, "0: every lookup issued goes to the CAM, and its answer into no cache")
            },
            "the routing caches of all ports",
        ),
        register(
            "flush",
            address::FLUSH,
            Access::Command,
            field(0, 1, "1: empties the caches; lookups under way do not fill them").named("start"),
            "the routing caches of all ports",
        ),
        register(
            "cache_status",
            address::CACHE_STATUS,
            Access::ReadOnly,
            Field {
                reset: 1,
                ..field(0, 1, "1: the caches are being emptied, after reset or a flush").named("sweeping")
            },
            "the routing caches of all ports",
        ),
    ]
}

impl Field {
    fn named(self, name: &'static str) -> Field {
        Field { name, ..self }
    }
}

/// A field that takes any value and is 0 after reset.
fn field(low: u32, bits: u32, meaning: &'static str) -> Field {
    Field { name: "value", low, bits, reset: 0, legal: Legal::Any, meaning }
}

fn identity(shape: &Shape) -> Vec<Register> {
    let constant = |name, address, fields, meaning| Register {
        name,
        address,
        count: 1,
        access: Access::ReadOnly,
        fields,
        meaning,
    };
    vec![
        constant(
            "id",
            address::ID,
            vec![Field { reset: ID, ..field(0, 32, "0x52594C44") }],
            "tells that this is a Railyard switch",
        ),
        constant(
            "shape",
            address::SHAPE,
            vec![
                Field { name: "ports", reset: shape.ports as u32, ..field(0, 8, "number of ports") },
                Field { name: "vcs", reset: shape.vcs as u32, ..field(8, 8, "virtual channels of a port") },
            ],
            "what was built",
        ),
    ]
}

/// Settings of node reduction, with or `alone` without a cache behind it.
fn reduction(reduction: &ReductionShape, address_bits: u32, alone: bool) -> Vec<Register> {
    let setting = |name, address, fields, meaning| Register {
        name,
        address,
        count: 1,
        access: Access::ReadWrite,
        fields,
        meaning,
    };
    let codes = std::iter::once(0).chain(reduction.topologies.iter().map(|t| topology_code(*t))).collect();
    let topologies = match alone {
        true => "0 none (drop all), 1 cube, 2 fat tree, 3 Dragonfly; those built in",
        false => "0 none (address and CRC), 1 cube, 2 fat tree, 3 Dragonfly; those built in",
    };
    let mut function = vec![
        Field { name: "topology", legal: Legal::OneOf(codes), ..field(0, 2, topologies) },
        Field {
            name: "chunk_bits",
            reset: reduction.chunk_bits[0],
            legal: Legal::OneOf(reduction.chunk_bits.clone()),
            ..field(4, 4, "width of an address chunk; one of those built in")
        },
        Field {
            name: "level",
            legal: Legal::BelowChunks,
            ..field(8, 5, "fat tree: level of this switch, 0 next to the nodes")
        },
    ];
    if reduction.dateline {
        let meaning = "cube: 1: ways over the wrap-around link have keys of their own";
        function.push(field(16, 1, meaning).named("dateline"));
    }
    let mut list = vec![setting("reduction", address::REDUCTION, function, "the node reduction function at work")];
    let mut wide = |names: [&'static str; 2], addresses: [u32; 2], meaning| {
        list.push(setting(names[0], addresses[0], vec![field(0, address_bits.min(32), "bits 31..0")], meaning));
        if address_bits > 32 {
            list.push(setting(names[1], addresses[1], vec![field(0, address_bits - 32, "bits from 32 on")], meaning));
        }
    };
    wide(
        ["coordinate_low", "coordinate_high"],
        [address::COORDINATE_LOW, address::COORDINATE_HIGH],
        "this switch's place, in the chunks of an address: coordinates (cube); digits, that of level i in chunk i + 1 (fat tree); router in chunk 1, group in chunk 2 (Dragonfly)",
    );
    if reduction.has(Topology::Cube) {
        wide(
            ["bound_low", "bound_high"],
            [address::BOUND_LOW, address::BOUND_HIGH],
            "cube: the farthest coordinate that is reached in plus direction, in each chunk: (own + floor(k / 2)) mod k in a torus, all ones in a mesh",
        );
        list.push(setting(
            "wrap",
            address::WRAP,
            vec![field(0, reduction.max_chunks, "bit i: chunk i of bound is below chunk i of coordinate")],
            "cube: dimensions in which the way in plus direction leads over the wrap-around link",
        ));
    }
    list
}
