//! Settings of node reduction.

use super::{address, field, Access, Legal, Register, RegisterField};
use crate::config::Topology;
use crate::shape::ReductionShape;

/// How [`Topology`] is written in a register; 0 is none.
pub fn topology_code(topology: Topology) -> u32 {
    match topology {
        Topology::Cube => 1,
        Topology::FatTree => 2,
        Topology::Dragonfly => 3,
    }
}

/// Settings of node reduction, with or `alone` without a cache behind it.
pub(super) fn reduction(reduction: &ReductionShape, address_bits: u32, alone: bool) -> Vec<Register> {
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
        RegisterField { name: "topology", legal: Legal::OneOf(codes), ..field(0, 2, topologies) },
        RegisterField {
            name: "chunk_bits",
            reset: reduction.chunk_bits[0],
            legal: Legal::OneOf(reduction.chunk_bits.clone()),
            ..field(4, 4, "width of an address chunk; one of those built in")
        },
        RegisterField {
            name: "level",
            legal: Legal::BelowChunks,
            ..field(8, 5, "fat tree: level of this switch, 0 next to the nodes")
        },
    ];
    if reduction.dateline {
        let meaning = "cube: 1: ways over the wrap-around link have keys of their own";
        function.push(field(16, 1, meaning).named("dateline"));
    }
    if reduction.full_radix {
        let meaning = "cube: 1: torus, each dimension of as many positions as a chunk has values; 0: mesh";
        function.push(field(17, 1, meaning).named("torus"));
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
        "this switch's place, in chunks. Cube: coordinates. Fat tree: the digit of level i in chunk i + 1. Dragonfly: router in chunk 1, group in chunk 2",
    );
    if reduction.any_radix() {
        wide(
            ["bound_low", "bound_high"],
            [address::BOUND_LOW, address::BOUND_HIGH],
            "cube: the farthest coordinate in plus direction, in each chunk. Torus: (own + floor(k / 2)) mod k. Mesh: all ones",
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
